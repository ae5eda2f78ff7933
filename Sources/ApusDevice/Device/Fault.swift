/// Something for which a real system ends the app, or which makes a simulated result worthless.
///
/// A test fails on it unless it said that it expects the rule's faults.
public struct Fault: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The rule that was broken. More may be added.
    public struct Rule: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The rule's name, as tests and logs write it.
        public let name: String

        /// A rule with a name of its own.
        public init(_ name: String) { self.name = name }

        /// The rule's name.
        public var description: String { name }

        /// Whether a phone raises an exception for it, which ends an app that does not catch it.
        var isException: Bool { name.hasPrefix("NSInternalInconsistencyException.") }
    }

    /// The rule that was broken.
    public var rule: Rule
    /// What happened and what to do about it.
    public var message: String
    /// The place in the app that did it, as `Module/File.swift:12`, where it is known.
    public var place: String?

    /// A fault.
    public init(_ rule: Rule, _ message: String, place: String? = nil) {
        self.rule = rule
        self.message = message
        self.place = place
    }

    /// The rule, the message and the place in one line.
    public var description: String { "\(rule): \(message)" + (place.map { " (\($0))" } ?? "") }
}
