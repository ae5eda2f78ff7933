/// Decodes JSON, and refuses fields that the type does not know.
///
/// Such a field is probably misspelt. If it were ignored, the field that was meant would silently have its default. A
/// type knows the fields that its `Decodable` implementation asks for.
///
/// `JSONDecoder` reports neither unknown nor duplicate fields. A decoder around `JSONDecoder` that finds such fields
/// takes four times as long as this one. The time matters, because each submission through the socket is decoded here.
package enum StrictJSON {
    /// Decodes a value.
    ///
    /// - Throws: ``DaemonError`` with `invalid` for text that is not JSON, and for a field that is unknown, duplicate,
    ///   missing, `null` or of another type, with the path of the field. A field without a value must be left out.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Sequence<UInt8>
    ) throws -> Value {
        let report = FieldReport()
        let decoder = JSONValueDecoder(try JSONParser.parse(bytes), report: report)
        let value: Value
        do {
            value = try Value(from: decoder)
        } catch let error as DecodingError {
            // A missing field is often a misspelt one.
            if case .keyNotFound = error, let unknown = report.problem(withKnown: false) { throw unknown }
            throw DaemonError(.invalid, error.fieldProblem)
        }
        if let unknown = report.problem(withKnown: true) { throw unknown }
        return value
    }
}

/// Decodes JSON of a daemon that may be newer than this program, and ignores unknown fields.
package enum LenientJSON {
    /// Decodes a value.
    ///
    /// - Throws: `DecodingError`, or ``DaemonError`` for text that is not JSON and for a duplicate field.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Sequence<UInt8>
    ) throws -> Value {
        try Value(from: JSONValueDecoder(try JSONParser.parse(bytes), report: nil))
    }
}

/// A record of the first object with unknown fields in a document, and of the fields that its type knows.
final class FieldReport {
    private var path = ""
    /// The unknown field that is first in alphabetical order.
    private var unknown: String?
    /// The known fields, in the order in which they were asked for.
    private var asked: [String] = []

    /// Records the unknown fields of an object.
    ///
    /// - Returns: whether it is the first object with unknown fields, whose known fields must be recorded too.
    func add(path: [any CodingKey], unknown: [String]) -> Bool {
        guard self.unknown == nil, let first = unknown.min() else { return false }
        self.path = path.fieldPath
        self.unknown = first
        return true
    }

    /// Records a field that the type of the first object with unknown fields knows.
    func asked(_ key: any CodingKey) {
        if !asked.contains(key.stringValue) { asked.append(key.stringValue) }
    }

    /// Returns the error for the unknown field, if there is one.
    ///
    /// The list of known fields is complete only if the document was decoded to its end.
    func problem(withKnown: Bool) -> DaemonError? {
        guard let unknown else { return nil }
        let prefix = path.isEmpty ? "" : path + "."
        let known = asked.isEmpty ? "no fields are known here" : "the known fields are \(asked.joined(separator: ", "))"
        return DaemonError(.invalid, "unknown field \(prefix)\(unknown.prefix(100))" + (withKnown ? "; \(known)" : ""))
    }
}
