/// A text that the system shows, which is not translated here.
///
/// Foundation on Linux lacks the type.
///
/// Source: Apple, documentation/foundation/localizedstringresource.
public struct LocalizedStringResource: ExpressibleByStringInterpolation, Hashable, Codable, Sendable {
    /// The text in the app's language.
    public let key: String

    /// Creates a resource whose text is its key.
    public init(stringLiteral value: String) { key = value }
}
