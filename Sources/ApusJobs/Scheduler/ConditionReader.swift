import ApusBackground
import ApusTimers

/// Reads the conditions of the host's device, when a job with conditions is due and while such a job waits for them.
final class ConditionReader: Sendable {
    /// The time for which jobs share one reading.
    ///
    /// Some hosts need tens of milliseconds to read the conditions.
    private static let readingLasts: Duration = .milliseconds(100)

    private let host: (any BackgroundHost)?
    private let engine: TimerEngine
    private let executor: any TaskExecutor
    /// The last reading; the lock is held while the host is read, so that no reading replaces a later one.
    private let last = Locked<(at: UptimeInstant, unmet: JobConditions)?>(nil)
    private let following = Locked<Task<Void, Never>?>(nil)

    init(host: (any BackgroundHost)?, engine: TimerEngine, executor: any TaskExecutor) {
        self.host = host
        self.engine = engine
        self.executor = executor
    }

    /// Returns the conditions that do not hold; without a host, every condition counts as met.
    func read(canShare: Bool) -> JobConditions {
        guard let host else { return [] }
        return last.withLock { last in
            let now = engine.time.uptime()
            if canShare, let last, last.at.duration(to: now) < Self.readingLasts { return last.unmet }
            let unmet = JobConditions.unmet(on: host.conditions)
            last = (now, unmet)
            return unmet
        }
    }

    /// Reports the conditions that do not hold, now and after every change, until ``endFollowing()``.
    func follow(_ report: @escaping @Sendable (JobConditions) -> Void) {
        guard let host else { return }
        let task = Task(executorPreference: executor) { [self] in
            let changes = host.conditionChanges()
            // The stream begins now and does not have the changes since the reading that held the job back, so the
            // conditions are read once more.
            report(read(canShare: false))
            for await _ in changes {
                if Task.isCancelled { return }
                report(read(canShare: false))
            }
        }
        following.withLock { $0.take() }?.cancel()
        following.withLock { $0 = task }
    }

    func endFollowing() { following.withLock { $0.take() }?.cancel() }
}
