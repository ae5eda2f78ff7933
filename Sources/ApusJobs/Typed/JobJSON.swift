#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON of payloads and results, with sorted keys, so that equal values have equal bytes.
package enum JobJSON {
    package static func encode(_ value: some Encodable) throws(JobJSONProblem) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(value)) } catch { throw JobJSONProblem(error) }
    }

    /// Returns the text of a value that can always be encoded, such as a command or a reply.
    package static func text(of value: some Encodable) -> String {
        do { return String(decoding: try encode(value), as: UTF8.self) } catch { preconditionFailure("\(error)") }
    }

    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(JobJSONProblem) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch { throw JobJSONProblem(error) }
    }
}

/// The reason why a value could not be encoded or decoded: the field and its problem.
package struct JobJSONProblem: Error, CustomStringConvertible {
    package let description: String
    package let cause: any Error

    init(_ error: any Error) {
        cause = error
        let (path, problem): ([any CodingKey], String) =
            switch error {
            case DecodingError.keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
            case DecodingError.valueNotFound(let type, let context): (context.codingPath, "must be \(type), not null")
            case DecodingError.typeMismatch(let type, let context): (context.codingPath, "must be \(type)")
            case DecodingError.dataCorrupted(let context): (context.codingPath, context.debugDescription)
            case EncodingError.invalidValue(_, let context): (context.codingPath, context.debugDescription)
            default: ([], "\(error)")
            }
        description = path.isEmpty ? problem : "\(Self.text(of: path)): \(problem)"
    }

    /// Returns the path as text, such as `lines[2].price`.
    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}
