import ApusTimers

/// What a host's clocks show and what its device is like at one moment.
struct HostBackgroundReading: Sendable {
    var wall: WallInstant
    var continuous: ContinuousInstant
    var uptime: UptimeInstant
    var boot: String?
    var phase: Phase
    /// `nil` when they were not read, because nothing depends on them.
    var conditions: DeviceConditions?

    var isInForeground: Bool {
        switch phase {
        case .active, .inactive: true
        case .background, .suspended, .terminated: false
        }
    }

    /// The instant `duration` from now.
    func stored(in duration: Duration) -> StoredInstant {
        StoredInstant(
            wall: wall.advanced(by: duration), boot: boot, continuous: continuous.advanced(by: duration))
    }
}

extension HostBackgroundReading {
    /// What a host's clocks and phase are now.
    init(_ host: any BackgroundHost, boot: String?) {
        wall = host.engine.time.wall()
        continuous = host.engine.time.continuous()
        uptime = host.engine.time.uptime()
        self.boot = boot
        phase = host.phase
        conditions = nil
    }
}
