extension UptimeInstant: Codable {}
extension ContinuousInstant: Codable {}
extension WallInstant: Codable {}

extension NanosecondInstant {
    /// Reads an integer: ``nanoseconds``.
    public init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try decoder.singleValueContainer().decode(UInt64.self))
    }

    /// Writes an integer: ``nanoseconds``. An instant of the wall clock after 2262 does not fit in an `Int64`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}
