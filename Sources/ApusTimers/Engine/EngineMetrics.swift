public import CoreMetrics
import Synchronization

/// Reports an engine's figures to the metrics backend that the app chose.
///
/// Its methods are called outside the engine's locks. A backend that blocks on the engine's thread delays every timer.
/// The metrics are not destroyed at the engine's end, because a backend may share the handlers of one label between
/// engines.
final class EngineMetrics: Sendable {
    private let lateness: CoreMetrics.Timer
    private let wakeUps: Counter
    private let fires: Counter
    private let coalescedFires: Counter
    private let liveTimers: Meter

    /// Creates metrics whose names begin with `label` and a dot.
    init(factory: any MetricsFactory, label: String, dimensions: [(String, String)]) {
        lateness = CoreMetrics.Timer(
            label: "\(label).lateness", dimensions: dimensions, preferredDisplayUnit: .milliseconds, factory: factory)
        wakeUps = Counter(label: "\(label).wake_ups", dimensions: dimensions, factory: factory)
        fires = Counter(label: "\(label).fires", dimensions: dimensions, factory: factory)
        coalescedFires = Counter(label: "\(label).coalesced_fires", dimensions: dimensions, factory: factory)
        liveTimers = Meter(label: "\(label).live_timers", dimensions: dimensions, factory: factory)
    }

    /// Records that an action has started `nanoseconds` after its deadline; called on the action's executor.
    func started(late nanoseconds: UInt64) {
        lateness.recordNanoseconds(Int64(clamping: nanoseconds))
        fires.increment()
    }

    /// Records a wake-up in which `count` timers were due, and after which `left` were live.
    func woke(due count: Int, liveTimers left: Int) {
        wakeUps.increment()
        if count > 1 { coalescedFires.increment(by: count - 1) }
        liveTimers.set(left)
    }
}

extension TimerEngine {
    /// Reports wake-ups, started actions, their lateness, actions that shared a wake-up, and live timers to a metrics
    /// backend, from this call on.
    ///
    /// The backend is called on the executors of the actions, including the engine's thread, so a backend that blocks
    /// makes timers late. Without a call of this method, nothing is reported, and the metrics cost nothing. Another
    /// call replaces the backend.
    ///
    /// - Parameters:
    ///   - factory: The backend; by default the bootstrapped one.
    ///   - label: The beginning of the metrics' names, before a dot.
    ///   - dimensions: The dimensions of each metric, to distinguish several engines.
    public func reportMetrics(
        to factory: any MetricsFactory = MetricsSystem.factory, label: String = "apus.timers",
        dimensions: [(String, String)] = []
    ) {
        let metrics = EngineMetrics(factory: factory, label: label, dimensions: dimensions)
        core.metrics.withLock { $0 = metrics }
        core.hasMetrics.store(true, ordering: .releasing)
    }
}
