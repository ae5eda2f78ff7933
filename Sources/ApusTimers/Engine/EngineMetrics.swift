import CoreMetrics

/// What an engine reports about itself, to the metrics backend that the app chose.
///
/// Called on the engine's driver thread, outside its locks: a backend may take its time, but every timer waits for it.
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

    /// A timer's action was started that many nanoseconds after its deadline.
    func fired(late nanoseconds: UInt64) {
        lateness.recordNanoseconds(Int64(clamping: nanoseconds))
    }

    /// The engine was woken and started `fires` actions; `liveTimers` were left.
    func woke(fires count: Int, liveTimers left: Int) {
        wakeUps.increment()
        if count > 0 { fires.increment(by: count) }
        if count > 1 { coalescedFires.increment(by: count - 1) }
        liveTimers.set(left)
    }
}
