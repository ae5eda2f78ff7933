// The limits of runs, which apply whatever handlers and callers ask for.
extension JobLimits {
    /// The largest number of bytes (UTF-8) of a run's reason; a longer one is cut.
    package static let reasonBytes = 8_192
    /// The largest number of bytes (UTF-8) of a progress report's message; a longer one is cut.
    package static let progressBytes = 1_000
    /// The number of open runs at which a job refuses `runNow` and `retry`.
    ///
    /// The job's policies limit the runs that its trigger makes.
    package static let openRuns = 1_000
    /// The shortest delay before a handler that has failed or snoozed is called again.
    ///
    /// A handler that fails or snoozes immediately would otherwise keep the scheduler and the disk busy.
    package static let shortestPause: Duration = .milliseconds(100)

    static func reason(_ text: String) -> String {
        let count = text.utf8.count
        guard count > reasonBytes else { return text }
        let mark = "… [\(count) bytes]"
        return text.prefix(utf8: reasonBytes - mark.utf8.count) + mark
    }
}
