public import CoreMetrics
import Synchronization

/// What an engine reports about itself, to the metrics backend that the app chose.
///
/// Called outside the engine's locks: a backend may take its time, but on the engine's thread every timer waits for it.
/// The metrics are not destroyed at the end: a backend may give engines of one label the same handlers.
final class EngineMetrics: Sendable {
    private let lateness: CoreMetrics.Timer
    private let wakeUps: Counter
    private let fires: Counter
    private let coalescedFires: Counter
    private let liveTimers: Meter

    /// Metrics whose names begin with `label` and a dot.
    init(factory: any MetricsFactory, label: String, dimensions: [(String, String)]) {
        lateness = CoreMetrics.Timer(
            label: "\(label).lateness", dimensions: dimensions, preferredDisplayUnit: .milliseconds, factory: factory)
        wakeUps = Counter(label: "\(label).wake_ups", dimensions: dimensions, factory: factory)
        fires = Counter(label: "\(label).fires", dimensions: dimensions, factory: factory)
        coalescedFires = Counter(label: "\(label).coalesced_fires", dimensions: dimensions, factory: factory)
        liveTimers = Meter(label: "\(label).live_timers", dimensions: dimensions, factory: factory)
    }

    /// An action was started that many nanoseconds after its deadline. Called on whatever executor it runs.
    func started(late nanoseconds: UInt64) {
        lateness.recordNanoseconds(Int64(clamping: nanoseconds))
        fires.increment()
    }

    /// The engine was woken and found `due` timers due; `liveTimers` were left.
    func woke(due count: Int, liveTimers left: Int) {
        wakeUps.increment()
        if count > 1 { coalescedFires.increment(by: count - 1) }
        liveTimers.set(left)
    }
}

extension TimerEngine {
    /// Reports from now on what the engine does to a metrics backend: its wake-ups, the actions it starts and how late,
    /// how many shared a wake-up, and the timers that live.
    ///
    /// Backends are called where the actions run, the engine's own thread included: one that blocks makes timers late.
    /// Nothing is reported, and nothing costs, unless this was called. Calling it again replaces the backend.
    ///
    /// - Parameters:
    ///   - factory: The backend; the bootstrapped backend when not given.
    ///   - label: What the metrics' names begin with, before a dot.
    ///   - dimensions: On each metric, to distinguish several engines.
    public func reportMetrics(
        to factory: any MetricsFactory = MetricsSystem.factory, label: String = "apus.timers",
        dimensions: [(String, String)] = []
    ) {
        let metrics = EngineMetrics(factory: factory, label: label, dimensions: dimensions)
        core.metrics.withLock { $0 = metrics }
        core.hasMetrics.store(true, ordering: .releasing)
    }
}
