/// Decodes JSON, and refuses what the type does not know: a misspelt field would be a default in silence.
///
/// Which fields a type knows, its `Decodable` implementation says: those that it asks for.
///
/// `JSONDecoder` reports neither unknown fields nor fields that are given twice. A decoder around it that finds
/// them takes four times as long as the one here, and each submission through the socket is read with it.
package enum StrictJSON {
    /// Decodes a value.
    /// - Throws: ``DaemonError`` with `invalid` for what is not JSON, and, with its path, for a field that is unknown, given
    ///   twice, missing, of another form than the type's, or `null`: a field without a value is left out.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Sequence<UInt8>
    ) throws -> Value {
        let report = FieldReport()
        let decoder = JSONValueDecoder(try JSONParser.parse(bytes), report: report)
        let value: Value
        do {
            value = try Value(from: decoder)
        } catch let error as DecodingError {
            // A field that is missing is often one that was misspelt.
            if case .keyNotFound = error, let unknown = report.problem(withKnown: false) { throw unknown }
            throw DaemonError(.invalid, error.fieldProblem)
        }
        if let unknown = report.problem(withKnown: true) { throw unknown }
        return value
    }
}

/// Decodes JSON of a daemon, which may be newer than this program: fields that the type does not know are passed over.
package enum LenientJSON {
    /// Decodes a value.
    /// - Throws: `DecodingError`, or ``DaemonError`` for what is not JSON and for a field that is given twice.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Sequence<UInt8>
    ) throws -> Value {
        try Value(from: JSONValueDecoder(try JSONParser.parse(bytes), report: nil))
    }
}

/// The first object of a document that has fields which its type does not know, and those that it does.
final class FieldReport {
    private var path = ""
    /// The first one by its name.
    private var unknown: String?
    /// In the order in which they were asked for.
    private var asked: [String] = []

    /// Notes the unknown fields of an object.
    /// - Returns: whether it is the first object that has any, so that what is asked of it is noted too.
    func add(path: [any CodingKey], unknown: [String]) -> Bool {
        guard self.unknown == nil, let first = unknown.min() else { return false }
        self.path = path.fieldPath
        self.unknown = first
        return true
    }

    /// Notes a field that the type knows, of the first object with unknown ones.
    func asked(_ key: any CodingKey) {
        if !asked.contains(key.stringValue) { asked.append(key.stringValue) }
    }

    /// The unknown field, as an error. The known ones are complete only if the document was decoded to its end.
    func problem(withKnown: Bool) -> DaemonError? {
        guard let unknown else { return nil }
        let prefix = path.isEmpty ? "" : path + "."
        let known = asked.isEmpty ? "there are none" : "known are \(asked.joined(separator: ", "))"
        return DaemonError(.invalid, "unknown field \(prefix)\(unknown.prefix(100))" + (withKnown ? "; \(known)" : ""))
    }
}
