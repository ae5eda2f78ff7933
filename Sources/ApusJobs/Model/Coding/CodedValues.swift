#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Durations: `…Nanoseconds` is an integer, rounded down. What is left of a nanosecond is in `…Attoseconds`, 0 to
// 999,999,999, which is left out if it is 0. Longer ones than 292 years cannot be written; no job may have one.

extension KeyedEncodingContainer<FieldName> {
    mutating func encode(duration: Duration, forKey name: String) throws {
        let key = FieldName(stringValue: name + "Nanoseconds")
        let (seconds, attoseconds) = duration.components
        let fraction = (attoseconds % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, overflow2) = whole.addingReportingOverflow((attoseconds - fraction) / 1_000_000_000)
        guard !overflow, !overflow2 else {
            throw EncodingError.invalidValue(
                duration,
                .init(codingPath: codingPath + [key], debugDescription: "a duration must be shorter than 292 years"))
        }
        try encode(nanoseconds, forKey: key)
        if fraction != 0 { try encode(fraction, forKey: FieldName(stringValue: name + "Attoseconds")) }
    }

    mutating func encode(bytes: [UInt8], forKey key: FieldName) throws {
        try encode(Data(bytes).base64EncodedString(), forKey: key)
    }
}

extension KeyedDecodingContainer<FieldName> {
    func decode(durationForKey name: String) throws -> Duration {
        if let duration = try decodeDurationIfPresent(forKey: name) { return duration }
        let key = FieldName(stringValue: name + "Nanoseconds")
        throw DecodingError.keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "\(key.stringValue): an integer is missing"))
    }

    func decodeDurationIfPresent(forKey name: String) throws -> Duration? {
        guard let nanoseconds = try decodeIfPresent(Int64.self, forKey: FieldName(stringValue: name + "Nanoseconds"))
        else { return nil }
        let key = FieldName(stringValue: name + "Attoseconds")
        let fraction = try decodeIfPresent(Int64.self, forKey: key) ?? 0
        guard (0..<1_000_000_000).contains(fraction) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(key.stringValue): must be 0 to 999999999, not \(fraction)")
        }
        return .nanoseconds(nanoseconds) + Duration(secondsComponent: 0, attosecondsComponent: fraction)
    }

    func decodeBytesIfPresent(forKey key: FieldName) throws -> [UInt8]? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        // PostgreSQL's `encode` breaks the lines.
        guard let data = Data(base64Encoded: Data(text.utf8.filter { $0 != UInt8(ascii: "\n") })) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(key.stringValue): must be base64")
        }
        return Array(data)
    }
}

extension DecodingError {
    /// A name that this version does not know; the message has the ones that it does.
    static func unknown(_ name: String, accepted: [String], at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            Context(
                codingPath: path, debugDescription: "\"\(name)\" is not one of \(accepted.joined(separator: ", "))"))
    }
}

extension Decoder {
    /// The value of a name, which stands alone.
    func decodeName<Value: RawRepresentable<String> & CaseIterable>() throws -> Value {
        let name = try singleValueContainer().decode(String.self)
        if let value = Value(rawValue: name) { return value }
        throw DecodingError.unknown(name, accepted: Value.allCases.map(\.rawValue), at: codingPath)
    }
}
