#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes JSON, and refuses what the type does not know: a misspelt field would be a default in silence.
///
/// Which fields a type knows, its `Decodable` implementation says: those that it asks for.
enum StrictJSON {
    /// Decodes a value.
    /// - Throws: ``DaemonError`` with `invalid` for a field that is unknown or given twice, at any depth, with its path;
    ///   otherwise `DecodingError`.
    static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from data: Data) throws -> Value {
        let report = FieldReport()
        let decoder = JSONDecoder()
        decoder.userInfo[.fieldReport] = report
        let value: Value
        do {
            value = try decoder.decode(Strictly<Value>.self, from: data).value
        } catch let error as DecodingError {
            // A field that is missing is often one that was misspelt.
            if case .keyNotFound = error, let unknown = report.problem(withKnown: false) { throw unknown }
            throw error
        }
        if let unknown = report.problem(withKnown: true) { throw unknown }
        var members = JSONMembers(data)
        if let twice = members.firstRepeated() {
            throw DaemonError(.invalid, "\(twice): the field is given twice; give it once")
        }
        return value
    }

    /// Puts a ``StrictDecoder`` between the decoder and the value.
    private struct Strictly<Value: Decodable>: Decodable {
        var value: Value

        init(from decoder: any Decoder) throws {
            guard let report = decoder.userInfo[.fieldReport] as? FieldReport else {
                preconditionFailure("StrictJSON.decode sets the report")
            }
            value = try Value(from: StrictDecoder(decoder, report))
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let fieldReport = CodingUserInfoKey(rawValue: "apus.fieldReport")!
}
