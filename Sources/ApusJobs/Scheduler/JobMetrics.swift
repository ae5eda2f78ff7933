import ApusTimers
public import CoreMetrics
import Synchronization

/// The metrics of a scheduler, for the metrics backend that the app chose.
///
/// They are reported outside of the scheduler's locks, on the tasks of the scheduler and of its handlers.
final class JobMetrics: Sendable {
    private struct Timed: Hashable {
        var kind: String
        var queue: QueueID
        /// The key of all jobs that have no metrics of their own.
        static let other = Timed(kind: "other", queue: JobMetrics.otherQueue)
    }

    private struct Counted: Hashable {
        var outcome: RunState
        var job: Timed
    }

    private struct Timers {
        var duration: CoreMetrics.Timer
        var lateness: CoreMetrics.Timer
    }

    private struct Meters {
        var running: Meter
        var waiting: Meter

        func set(_ standing: Standing) {
            running.set(standing.running)
            waiting.set(standing.waiting)
        }
    }

    /// The number of a queue's runs in progress, and the number of its waiting jobs.
    private struct Standing: Equatable {
        var running = 0
        var waiting = 0
    }

    /// The numbers of runs and jobs of each queue that has no meters of its own, and the sums of these numbers.
    private struct Others {
        private var standings: [QueueID: Standing] = [:]
        private(set) var sum = Standing()

        mutating func add(_ standing: Standing, of id: QueueID) {
            let before = standings.updateValue(standing, forKey: id) ?? Standing()
            sum.running += standing.running - before.running
            sum.waiting += standing.waiting - before.waiting
            if standing == Standing() { standings[id] = nil }
        }
    }

    /// The metrics that have been created; each one is created when it is first reported, and is kept.
    private struct Made {
        var jobs: Set<Timed> = []
        var counters: [Counted: Counter] = [:]
        var timers: [Timed: Timers] = [:]
        var meters: [QueueID: Meters] = [:]
        var others = Others()
        var stuck: Meter?
        var unreadable: Meter?

        /// Returns the key of a job's metrics: its own for the first ``JobMetrics/mostOwn`` keys, then `other`.
        ///
        /// A key is never removed to make room for a newer one, because a counter that was removed and made again would
        /// begin at zero.
        mutating func timed(_ job: Job) -> Timed {
            let own = Timed(kind: job.request.kind, queue: job.request.queue)
            if jobs.contains(own) { return own }
            guard jobs.count < JobMetrics.mostOwn else { return .other }
            jobs.insert(own)
            return own
        }
    }

    /// The largest number of queues that have metrics of their own, and the largest number of pairs of a kind and a
    /// queue that do.
    ///
    /// A backend keeps each series for as long as it runs, so the number of series must be bounded.
    static let mostOwn = 100
    private static let otherQueue = QueueID("other")

    private let made = Locked(Made())
    private let factory: any MetricsFactory
    private let label: String
    private let dimensions: [(String, String)]

    /// Creates metrics whose names begin with `label` and a dot.
    init(factory: any MetricsFactory, label: String, dimensions: [(String, String)]) {
        self.factory = factory
        self.label = label
        self.dimensions = dimensions
    }

    /// Counts attempts that ended with an outcome, or skipped occurrences.
    func ended(_ outcome: RunState, _ count: Int, of job: Job) {
        let counter = made.withLock { made -> Counter in
            let key = Counted(outcome: outcome, job: made.timed(job))
            if let counter = made.counters[key] { return counter }
            let counter = Counter(
                label: "\(label).runs", dimensions: [("outcome", outcome.rawValue)] + dimensions(of: key.job),
                factory: factory)
            made.counters[key] = counter
            return counter
        }
        counter.increment(by: count)
    }

    /// Records how long the handler of an attempt ran, and how late it began.
    ///
    /// The lateness is `nil`, and is not recorded, unless the attempt is the occurrence's first one.
    func handled(_ job: Job, for duration: Duration, lateness: Duration?) {
        let timers = made.withLock { made -> Timers in
            let key = made.timed(job)
            if let timers = made.timers[key] { return timers }
            let timers = Timers(duration: timer("duration", key), lateness: timer("lateness", key))
            made.timers[key] = timers
            return timers
        }
        timers.duration.recordNanoseconds(duration.wholeNanoseconds)
        if let lateness { timers.lateness.recordNanoseconds(lateness.wholeNanoseconds) }
    }

    /// Reports the changed numbers of queues; the numbers of queues without meters of their own are added up.
    func queues(_ changes: [QueueStatus]) {
        let reports = made.withLock { made in
            var reports: [QueueID: (Meters, Standing)] = [:]
            for status in changes {
                let standing = Standing(running: status.runningCount, waiting: status.waitingCount)
                var (id, sum) = (status.queue.id, standing)
                let hasOwn = made.meters[id] != nil || made.meters.count < Self.mostOwn
                if !hasOwn || id == Self.otherQueue {
                    made.others.add(standing, of: id)
                    (id, sum) = (Self.otherQueue, made.others.sum)
                }
                let meters = made.meters[id] ?? Meters(running: meter("running", id), waiting: meter("waiting", id))
                made.meters[id] = meters
                reports[id] = (meters, sum)
            }
            return reports.values
        }
        for (meters, standing) in reports { meters.set(standing) }
    }

    /// Reports that nothing runs or waits any more.
    func closed() {
        let all = made.withLock { made in
            made.others = Others()
            return made.meters.values
        }
        for meters in all { meters.set(Standing()) }
    }

    /// Reports the number of handlers that were cancelled and do not return.
    func stuck(_ count: Int) { set(\.stuck, "stuck", count) }

    /// Reports the number of jobs that are set aside because they cannot be read.
    func unreadable(_ count: Int) { set(\.unreadable, "unreadable", count) }

    /// Reports a number that is usually zero; its meter is created when the number first differs from zero.
    private func set(_ path: WritableKeyPath<Made, Meter?>, _ name: String, _ count: Int) {
        let meter = made.withLock { made -> Meter? in
            if made[keyPath: path] == nil, count > 0 {
                made[keyPath: path] = Meter(label: "\(label).\(name)", dimensions: dimensions, factory: factory)
            }
            return made[keyPath: path]
        }
        meter?.set(count)
    }

    private func timer(_ name: String, _ key: Timed) -> CoreMetrics.Timer {
        CoreMetrics.Timer(
            label: "\(label).\(name)", dimensions: dimensions(of: key),
            preferredDisplayUnit: .milliseconds, factory: factory)
    }

    private func meter(_ name: String, _ queue: QueueID) -> Meter {
        Meter(label: "\(label).\(name)", dimensions: [("queue", queue.rawValue)] + dimensions, factory: factory)
    }

    private func dimensions(of job: Timed) -> [(String, String)] {
        [("kind", job.kind), ("queue", job.queue.rawValue)] + dimensions
    }
}

/// The destination of a scheduler's metrics, if one was set.
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
    /// Reports metrics to a backend from now on.
    ///
    /// The metrics are about the runs that end, their duration and lateness, the numbers of each queue's runs in
    /// progress and waiting jobs, stuck handlers, and jobs that cannot be read.
    ///
    /// Backends are called on the tasks of the scheduler and of its handlers, so a backend that blocks makes runs late.
    /// Without this call, nothing is reported and there is no cost. A further call replaces the backend. The first 100
    /// pairs of a kind and a queue have metrics of their own, and so have the first 100 queues. All other pairs and
    /// queues share the kind and the queue `other`. The default kind of a job is its identifier, so give the jobs of an
    /// app a few common kinds.
    ///
    /// - Parameters:
    ///   - factory: The backend; the bootstrapped backend when not given.
    ///   - label: The beginning of the metrics' names, before a dot.
    ///   - dimensions: Dimensions to add to each metric, to distinguish several schedulers.
    public func reportMetrics(
        to factory: any MetricsFactory = MetricsSystem.factory, label: String = "apus.jobs",
        dimensions: [(String, String)] = []
    ) {
        loop.metrics.begin(JobMetrics(factory: factory, label: label, dimensions: dimensions))
    }
}
