import ApusTimers

/// The clocks as one engine sees them, and the step loop's view of that engine's deadlines.
final class VirtualWakeup: TimeSource, PunctualWakeup {
    /// What the monotonic clocks showed when the machine was started, as far as the engine's process can know.
    struct Boot: Sendable, Hashable {
        var uptime: UInt64 = 0
        var continuous: UInt64 = 0
    }

    private struct State {
        /// In the engine's own readings.
        var armed: [ClockKind: UInt64] = [:]
        var handler: (@Sendable (WakeReason) -> Void)?
    }

    private let clocks: VirtualClocks
    private let boot: Boot
    private let state = Locked(State())
    /// Called after each arming, from any thread: somebody may be waiting for work.
    private let onArm: @Sendable () -> Void

    init(clocks: VirtualClocks, boot: Boot = Boot(), onArm: @escaping @Sendable () -> Void) {
        self.clocks = clocks
        self.boot = boot
        self.onArm = onArm
    }

    func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: clocks.uptime().nanoseconds - boot.uptime) }
    func continuous() -> ContinuousInstant {
        ContinuousInstant(nanoseconds: clocks.continuous().nanoseconds - boot.continuous)
    }
    func wall() -> WallInstant { clocks.wall() }

    func start(_ handler: @escaping @Sendable (WakeReason) -> Void) { state.withLock { $0.handler = handler } }

    func arm(_ clock: ClockKind, at nanoseconds: UInt64?) {
        state.withLock { $0.armed[clock] = nanoseconds }
        onArm()
    }

    func stop() {
        let handler = state.withLock { state in
            state.armed = [:]
            return state.handler.take()
        }
        withExtendedLifetime(handler) {}
    }

    /// Wakes the engine if an armed deadline has come.
    func wakeIfDue() -> Bool {
        let handler = state.withLock { state -> (@Sendable (WakeReason) -> Void)? in
            let due = state.armed.filter { $0.value <= nanoseconds(on: $0.key) }
            // A kernel timer goes off once.
            for clock in due.keys { state.armed[clock] = nil }
            return due.isEmpty ? nil : state.handler
        }
        handler?(.deadline)
        return handler != nil
    }

    func reportWallClockChange() {
        let handler = state.withLock { $0.handler }
        handler?(.wallClockChanged)
    }

    /// How long until the next armed deadline; nil when none will ever come.
    var untilNextDeadline: UInt64? {
        state.withLock { state in
            state.armed.compactMap { clock, deadline -> UInt64? in
                // Armed for the end of time is how the engine listens for settings of the wall clock.
                if deadline == .max { return nil }
                let now = nanoseconds(on: clock)
                return deadline > now ? deadline - now : 0
            }.min()
        }
    }
}
