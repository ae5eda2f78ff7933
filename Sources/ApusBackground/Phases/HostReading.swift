import ApusTimers

/// What a host's clocks show at one moment, in one start of the machine.
@dynamicMemberLookup
struct HostReading: Sendable, Hashable {
    var clocks: ClockReading
    var boot: String?

    init(_ clocks: ClockReading, boot: String?) { (self.clocks, self.boot) = (clocks, boot) }

    /// The present moment on a host.
    init(_ host: any BackgroundHost) { self.init(ClockReading(host.engine.time), boot: host.bootID) }

    subscript<Value>(dynamicMember path: KeyPath<ClockReading, Value>) -> Value { clocks[keyPath: path] }

    /// The instant `duration` from now.
    func stored(in duration: Duration) -> StoredInstant {
        StoredInstant(
            wall: clocks.wall.advanced(by: duration), boot: boot, continuous: clocks.continuous.advanced(by: duration))
    }
}

/// What a host's clocks show and what its device is like at one moment.
@dynamicMemberLookup
struct HostBackgroundReading: Sendable {
    var moment: HostReading
    var phase: Phase
    /// `nil` when they were not read, because nothing depends on them.
    var conditions: DeviceConditions?

    init(_ moment: HostReading, phase: Phase, conditions: DeviceConditions?) {
        (self.moment, self.phase, self.conditions) = (moment, phase, conditions)
    }

    /// The present moment on a host, without its conditions.
    init(_ host: any BackgroundHost, boot: String?) {
        self.init(HostReading(ClockReading(host.engine.time), boot: boot), phase: host.phase, conditions: nil)
    }

    var isInForeground: Bool {
        switch phase {
        case .active, .inactive: true
        case .background, .suspended, .terminated: false
        }
    }

    subscript<Value>(dynamicMember path: KeyPath<ClockReading, Value>) -> Value { moment.clocks[keyPath: path] }
}

extension Duration {
    /// To the nanosecond, and within ±292 years, so that sums do not overflow.
    var clamped: Duration { .nanoseconds(wholeNanoseconds) }
}
