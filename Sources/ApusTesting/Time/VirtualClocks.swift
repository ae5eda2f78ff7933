import ApusTimers

/// The clocks and the step loop's view of the engine's deadlines: what the engine of a ``VirtualTime`` holds.
///
/// It does not hold the engine, so that nothing here is a cycle.
final class VirtualClocks: TimeSource, Wakeup {
    private struct State {
        var uptime: UInt64
        /// By how much sleep has taken the continuous clock ahead of the uptime.
        var slept: UInt64 = 0
        var wall: UInt64
        var armed: [ClockKind: UInt64] = [:]
        var handler: (@Sendable (WakeReason) -> Void)?

        func now(_ clock: ClockKind) -> UInt64 {
            switch clock {
            case .uptime: uptime
            case .continuous: uptime + slept
            case .wall: wall
            }
        }
    }

    private let state: Locked<State>
    /// Called after each arming, from any thread: somebody may be waiting for work.
    private let onArm: @Sendable () -> Void

    init(uptime: UptimeInstant, wall: WallInstant, onArm: @escaping @Sendable () -> Void) {
        state = Locked(State(uptime: uptime.nanoseconds, wall: wall.nanoseconds))
        self.onArm = onArm
    }

    func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: state.withLock { $0.now(.uptime) }) }
    func continuous() -> ContinuousInstant { ContinuousInstant(nanoseconds: state.withLock { $0.now(.continuous) }) }
    func wall() -> WallInstant { WallInstant(nanoseconds: state.withLock { $0.now(.wall) }) }

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
            let due = state.armed.filter { $0.value <= state.now($0.key) }
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
    func untilNextDeadline(asleep: Bool = false) -> UInt64? {
        state.withLock { state in
            state.armed.compactMap { clock, deadline -> UInt64? in
                // Armed for the end of time is how the engine listens for settings of the wall clock.
                if deadline == .max || (asleep && clock == .uptime) { return nil }
                let now = state.now(clock)
                return deadline > now ? deadline - now : 0
            }.min()
        }
    }

    func move(by nanoseconds: UInt64, asleep: Bool = false) {
        state.withLock { state in
            if asleep { state.slept += nanoseconds } else { state.uptime += nanoseconds }
            state.wall += nanoseconds
        }
    }

    func setWall(_ instant: WallInstant) { state.withLock { $0.wall = instant.nanoseconds } }
}
