/// The identifier of a job, unique in its store.
///
/// A library's jobs use reverse-DNS names (`com.example.refresh`); the daemon makes short random ones.
public struct JobID: RawRepresentable, Hashable, Sendable, Comparable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The text of the identifier.
    public var rawValue: String
    /// The identifier with that text. ``JobScheduler/submit(_:)->Job`` refuses an empty one, or one over 255 bytes.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The identifier with that text.
    public init(_ text: String) { rawValue = text }
    /// The identifier with that text.
    public init(stringLiteral text: String) { rawValue = text }
    /// The text of the identifier.
    public var description: String { rawValue }
    /// Orders identifiers by their text.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
