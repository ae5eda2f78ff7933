public import ApusTimers

/// A time source and an engine that report each call, for code that must not read the time.
///
/// ```swift
/// let time = UnimplementedTime { Issue.record("\($0)") }
/// parse(header, time: time)        // records an issue if it reads a clock
/// ```
///
/// After a report, the clocks stand at zero and the ``engine``'s timers never fire.
public final class UnimplementedTime: TimeSource {
    /// An engine that reports every timer and every sleep.
    public let engine: TimerEngine

    private let clocks: UnimplementedClocks

    /// Creates a time source that reports each use.
    ///
    /// - Parameter report: A closure that receives the name of the call, on the calling thread. It must not use the
    ///   engine, because the engine may hold a lock. The default closure traps.
    public init(report: @escaping @Sendable (String) -> Void = { fatalError($0) }) {
        clocks = UnimplementedClocks(report: report)
        engine = TimerEngine(time: clocks, wakeup: clocks)
    }

    deinit { engine.stop() }

    /// Reports the call, and returns zero.
    public func uptime() -> UptimeInstant { clocks.uptime() }
    /// Reports the call, and returns zero.
    public func continuous() -> ContinuousInstant { clocks.continuous() }
    /// Reports the call, and returns zero.
    public func wall() -> WallInstant { clocks.wall() }
}

/// The part of an ``UnimplementedTime`` that its engine retains.
///
/// It has no reference to the engine, so there is no reference cycle.
private struct UnimplementedClocks: TimeSource, Wakeup {
    let report: @Sendable (String) -> Void

    func uptime() -> UptimeInstant {
        complain("uptime()")
        return UptimeInstant(nanoseconds: 0)
    }

    func continuous() -> ContinuousInstant {
        complain("continuous()")
        return ContinuousInstant(nanoseconds: 0)
    }

    func wall() -> WallInstant {
        complain("wall()")
        return WallInstant(nanoseconds: 0)
    }

    func start(_ handler: @escaping @Sendable (WakeReason) -> Void) {}

    func arm(at deadline: ClockInstant) { complain("a timer on the \(deadline.clock) clock") }

    func disarm(_ clock: ClockKind) {}

    func stop() {}

    private func complain(_ call: String) {
        report(
            "\(call) was requested from UnimplementedTime; give the code a virtual clock in its test, or let it use no time"
        )
    }
}
