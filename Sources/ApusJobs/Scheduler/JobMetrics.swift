import ApusTimers
public import CoreMetrics
import Synchronization

/// What a scheduler reports about itself, to the metrics backend that the app chose.
///
/// Called outside the scheduler's locks, on its tasks and those of handlers.
final class JobMetrics: Sendable {
    private struct Counted: Hashable {
        var outcome: RunState
        var kind: String
        var queue: QueueID
    }

    private struct Timed: Hashable {
        var kind: String
        var queue: QueueID
    }

    private struct Timers {
        var duration: CoreMetrics.Timer
        var lateness: CoreMetrics.Timer
    }

    private struct Meters {
        var running: Meter
        var waiting: Meter
    }

    /// Metrics are made when there is something to report, and kept.
    private struct Made {
        var counters: [Counted: Counter] = [:]
        var timers: [Timed: Timers] = [:]
        var meters: [QueueID: Meters] = [:]
    }

    private let made = Locked(Made())
    private let factory: any MetricsFactory
    private let label: String
    private let dimensions: [(String, String)]

    /// Metrics whose names begin with `label` and a dot.
    init(factory: any MetricsFactory, label: String, dimensions: [(String, String)]) {
        self.factory = factory
        self.label = label
        self.dimensions = dimensions
    }

    /// So many attempts ended so, or so many occurrences were skipped.
    func ended(_ outcome: RunState, _ count: Int, of job: Job) {
        let key = Counted(outcome: outcome, kind: job.request.kind, queue: job.request.queue)
        let counter = made.withLock { made -> Counter in
            if let counter = made.counters[key] { return counter }
            let counter = Counter(
                label: "\(label).runs", dimensions: all("outcome", key.outcome.rawValue, key.kind, key.queue),
                factory: factory)
            made.counters[key] = counter
            return counter
        }
        counter.increment(by: count)
    }

    /// A handler took that long. `lateness` is that of an occurrence's first attempt.
    func handled(_ job: Job, for duration: Duration, lateness: Duration?) {
        let key = Timed(kind: job.request.kind, queue: job.request.queue)
        let timers = made.withLock { made -> Timers in
            if let timers = made.timers[key] { return timers }
            let timers = Timers(duration: timer("duration", key), lateness: timer("lateness", key))
            made.timers[key] = timers
            return timers
        }
        timers.duration.recordNanoseconds(duration.wholeNanoseconds)
        if let lateness { timers.lateness.recordNanoseconds(lateness.wholeNanoseconds) }
    }

    /// How the queues stand. One that is not among them any more runs nothing, and nothing waits in it.
    func queues(_ statuses: [QueueStatus]) {
        let reports = made.withLock { made -> [(Meters, running: Int, waiting: Int)] in
            for status in statuses where made.meters[status.queue.id] == nil {
                let id = status.queue.id
                made.meters[id] = Meters(running: meter("running", id), waiting: meter("waiting", id))
            }
            let current = Dictionary(statuses.map { ($0.queue.id, $0) }) { first, _ in first }
            return made.meters.map { ($1, current[$0]?.running ?? 0, current[$0]?.waiting ?? 0) }
        }
        for (meters, running, waiting) in reports {
            meters.running.set(running)
            meters.waiting.set(waiting)
        }
    }

    private func timer(_ name: String, _ key: Timed) -> CoreMetrics.Timer {
        CoreMetrics.Timer(
            label: "\(label).\(name)", dimensions: [("kind", key.kind), ("queue", key.queue.rawValue)] + dimensions,
            preferredDisplayUnit: .milliseconds, factory: factory)
    }

    private func meter(_ name: String, _ queue: QueueID) -> Meter {
        Meter(label: "\(label).\(name)", dimensions: [("queue", queue.rawValue)] + dimensions, factory: factory)
    }

    private func all(_ name: String, _ value: String, _ kind: String, _ queue: QueueID) -> [(String, String)] {
        [(name, value), ("kind", kind), ("queue", queue.rawValue)] + dimensions
    }
}

/// Where a scheduler reports to, if it was asked to.
final class MetricsReport: Sendable {
    private let metrics = Locked<JobMetrics?>(nil)
    private let isOn = Atomic(false)

    var isWanted: Bool { isOn.load(ordering: .acquiring) }

    var current: JobMetrics? { isWanted ? metrics.withLock { $0 } : nil }

    func begin(_ metrics: JobMetrics) {
        self.metrics.withLock { $0 = metrics }
        isOn.store(true, ordering: .releasing)
    }
}

extension JobScheduler {
    /// Reports from now on what the scheduler does to a metrics backend: the runs that end, how long they take and how
    /// late they begin, and how many run and wait.
    ///
    /// Backends are called on the scheduler's tasks: one that blocks makes runs late. Nothing is reported, and nothing
    /// costs, unless this was called. Calling it again replaces the backend. Each kind and each queue has metrics of its
    /// own, so let many jobs share a kind: jobs without one have their identifier as their kind.
    ///
    /// - Parameters:
    ///   - factory: The backend; the bootstrapped backend when not given.
    ///   - label: What the metrics' names begin with, before a dot.
    ///   - dimensions: Added to each metric's own, to distinguish several schedulers.
    public func reportMetrics(
        to factory: any MetricsFactory = MetricsSystem.factory, label: String = "apus.jobs",
        dimensions: [(String, String)] = []
    ) {
        loop.metrics.begin(JobMetrics(factory: factory, label: label, dimensions: dimensions))
    }
}
