import ApusTimers

/// What a host's clocks show at one moment.
struct HostReading: Sendable, Hashable {
    var wall: WallInstant
    var continuous: ContinuousInstant
    var boot: String?

    /// The present moment on a host.
    init(_ host: any BackgroundHost) {
        wall = host.engine.time.wall()
        continuous = host.engine.time.continuous()
        boot = host.bootID
    }

    init(wall: WallInstant, continuous: ContinuousInstant, boot: String?) {
        self.wall = wall
        self.continuous = continuous
        self.boot = boot
    }

    /// The instant `duration` from now.
    func stored(in duration: Duration) -> StoredInstant {
        StoredInstant(
            wall: wall.advanced(by: duration), boot: boot, continuous: continuous.advanced(by: duration))
    }
}

extension Duration {
    /// To the nanosecond, and within ±292 years, so that sums do not overflow.
    var clamped: Duration { .nanoseconds(wholeNanoseconds) }
}
