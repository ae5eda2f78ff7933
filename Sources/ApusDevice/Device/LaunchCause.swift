/// Why the system starts a process of the app, or lets a suspended one continue in the background.
package struct LaunchCause: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The cause, in words.
    package let description: String

    package init(stringLiteral description: String) { self.description = description }

    private init(_ description: String) { self.description = description }

    /// The user has opened the app.
    static let user: LaunchCause = "icon"
    /// The system expects that the user opens the app soon.
    static let prewarming: LaunchCause = "prewarming"
    /// The phone has moved far.
    package static let location: LaunchCause = "significant location change"
    /// A silent push came.
    package static let push: LaunchCause = "silent push"
    /// All tasks of a background session have ended.
    static func transfers(_ session: String) -> LaunchCause { LaunchCause("background session \(session)") }
    /// A background job's turn has come.
    static func job(_ identifier: String) -> LaunchCause { LaunchCause("background job \(identifier)") }
}
