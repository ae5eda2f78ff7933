import ApusBackground
import ApusTimers

/// Looks at what the host's device is like: when a job that asks for conditions is due, and while one waits for them.
final class ConditionReader: Sendable {
    /// Jobs that come due together share one reading, which costs some hosts tens of milliseconds.
    private static let readingLasts: Duration = .milliseconds(100)

    private let host: (any BackgroundHost)?
    private let engine: TimerEngine
    private let executor: any TaskExecutor
    /// The last reading. Held during one, so that none covers up a later one.
    private let last = Locked<(at: UptimeInstant, unmet: JobConditions)?>(nil)
    private let following = Locked<Task<Void, Never>?>(nil)

    init(host: (any BackgroundHost)?, engine: TimerEngine, executor: any TaskExecutor) {
        self.host = host
        self.engine = engine
        self.executor = executor
    }

    /// The conditions that do not hold. Without a host, every condition counts as met.
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

    /// Reads at every change, until ``endFollowing()``.
    func follow(_ report: @escaping @Sendable (JobConditions) -> Void) {
        guard let host else { return }
        let task = Task(executorPreference: executor) { [self] in
            let changes = host.conditionChanges()
            // What changed since the reading that held the job back is not among them.
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
