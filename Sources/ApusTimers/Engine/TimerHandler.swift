/// An action that many timers share, and which gets the token of the fired timer: scheduling with it allocates nothing.
///
/// Make one where a kind of timeout is defined, and give each timer a token that says what it is about: an index, an
/// identifier, the bits of a pointer.
///
/// ```swift
/// let idle = TimerHandler { connection in close(connection) }
/// let timer = engine.schedule(after: .seconds(30), handler: idle, token: connection)
/// ```
public class TimerHandler: @unchecked Sendable {
    // For `@unchecked Sendable`: immutable, and subclasses, which are in this module, have locks of their own.
    let executor: ActionExecutor
    private let body: (@Sendable (UInt64) -> Void)?

    /// An action for timers that are scheduled with a token.
    ///
    /// - Parameters:
    ///   - executor: Where the action runs.
    ///   - body: Runs once for each timer that fires, with the timer's token. A timer that exists keeps it.
    public init(on executor: ActionExecutor = .engine, _ body: @escaping @Sendable (_ token: UInt64) -> Void) {
        self.executor = executor
        self.body = body
    }

    /// For subclasses, which override `fired`.
    init(overridden executor: ActionExecutor) {
        self.executor = executor
        body = nil
    }

    func fired(_ token: UInt64) { body?(token) }
}
