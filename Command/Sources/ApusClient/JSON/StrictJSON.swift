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
