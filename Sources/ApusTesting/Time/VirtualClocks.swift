import ApusTimers

/// The readings of the three clocks of a ``VirtualTime``, for all engines on it.
///
/// They hold no engine, so that nothing here is a cycle.
final class VirtualClocks: TimeSource {
    private struct State {
        var uptime: UInt64
        /// By how much sleep has taken the continuous clock ahead of the uptime.
        var slept: UInt64 = 0
        var wall: UInt64
    }

    private let state: Locked<State>

    init(uptime: UptimeInstant, wall: WallInstant) {
        state = Locked(State(uptime: uptime.nanoseconds, wall: wall.nanoseconds))
    }

    func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: state.withLock { $0.uptime }) }
    func continuous() -> ContinuousInstant { ContinuousInstant(nanoseconds: state.withLock { $0.uptime + $0.slept }) }
    func wall() -> WallInstant { WallInstant(nanoseconds: state.withLock { $0.wall }) }

    func move(by nanoseconds: UInt64, asleep: Bool = false) {
        state.withLock { state in
            if asleep { state.slept += nanoseconds } else { state.uptime += nanoseconds }
            state.wall += nanoseconds
        }
    }

    func setWall(_ instant: WallInstant) { state.withLock { $0.wall = instant.nanoseconds } }
}
