import ApusTimers

/// How the values of records are written: whole nanoseconds, and a version for those who come later.
package enum RecordCoding {
    package static let version = 1

    package static func checkVersion<Key: CodingKey>(
        _ container: KeyedDecodingContainer<Key>, _ key: Key, of kind: String
    ) throws {
        let version = try container.decode(Int.self, forKey: key)
        guard version == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container,
                debugDescription: "this version reads \(kind) records of version \(Self.version), not \(version)")
        }
    }
}

extension KeyedEncodingContainer {
    package mutating func encode(_ duration: Duration, forKey key: Key) throws {
        try encode(duration.wholeNanoseconds, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// A duration that is not negative.
    package func decode(_: Duration.Type, forKey key: Key) throws -> Duration {
        let nanoseconds = try decode(Int64.self, forKey: key)
        guard nanoseconds >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(nanoseconds) ns is negative")
        }
        return .nanoseconds(nanoseconds)
    }
}
