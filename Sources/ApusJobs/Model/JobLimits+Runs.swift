/// What runs are held to, whatever their handlers and callers ask for.
extension JobLimits {
    /// A run's reason has at most this many bytes of UTF-8; a longer one is cut.
    package static let reasonBytes = 8_192
    /// The message of a report of progress has at most this many bytes of UTF-8; a longer one is cut.
    package static let progressBytes = 1_000
    /// A job with this many open runs refuses `runNow` and `retry`. The runs that its trigger makes are bounded by the
    /// job's policies.
    package static let openRuns = 1_000
    /// How long an occurrence waits at least after its handler has failed or snoozed. A handler that does so at once
    /// would otherwise keep the scheduler and the disk busy.
    package static let shortestPause: Duration = .milliseconds(100)

    static func reason(_ text: String) -> String {
        let count = text.utf8.count
        guard count > reasonBytes else { return text }
        let mark = "… [\(count) bytes]"
        return text.prefix(utf8: reasonBytes - mark.utf8.count) + mark
    }
}
