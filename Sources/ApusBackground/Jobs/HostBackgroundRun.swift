import ApusTimers

/// What a host does for one run: it keeps the time and gets the progress.
struct HostBackgroundRun: BackgroundJobDriver {
    let jobs: HostBackgroundJobs
    let number: Int
    let deadline: UptimeInstant?

    var timeRemaining: Duration? {
        let own = deadline.map { max(.zero, jobs.host.engine.time.uptime().duration(to: $0)) }
        let granted = jobs.host.backgroundTimeRemaining
        guard let own, let granted else { return own ?? granted }
        return min(own, granted)
    }

    func completed(success: Bool) { jobs.completed(number, success: success) }

    func progressed(completed: Int64, total: Int64) {
        let now = jobs.host.engine.time.uptime()
        jobs.inner.withLock {
            $0.machine.progressed(number, .init(completed: completed, total: total), at: now)
        }
    }

    func updated(title: String, subtitle: String) {
        jobs.inner.withLock { $0.machine.updated(number, title: title, subtitle: subtitle) }
    }
}
