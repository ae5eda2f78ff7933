/// What runs are held to, whatever their handlers and callers ask for.
extension JobLimits {
    /// Of the words with which a run has ended or waits again; of longer ones, the beginning is kept.
    package static let reasonBytes = 8_192
    /// Of a report of progress.
    package static let progressBytes = 1_000
    /// With so many open runs of a job, none is made by hand any more. Those that its trigger makes are bounded by the
    /// job's policies.
    package static let openRuns = 1_000
    /// How long an occurrence waits after its handler has failed or snoozed, at least: one that does so at once would
    /// otherwise keep the scheduler and the disk busy.
    package static let shortestPause: Duration = .milliseconds(100)

    static func reason(_ text: String) -> String {
        let count = text.utf8.count
        guard count > reasonBytes else { return text }
        let mark = "… [\(count) bytes]"
        return text.prefix(utf8: reasonBytes - mark.utf8.count) + mark
    }
}
