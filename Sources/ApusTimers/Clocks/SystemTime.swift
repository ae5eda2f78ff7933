import PlatformC

/// Reads the machine's clocks, from any thread; a reading costs about 20 ns.
public struct SystemTime: TimeSource {
    /// Creates a reader of the machine's clocks; all values are equal.
    public init() {}

    /// Returns the time since boot, without machine sleep.
    public func uptime() -> UptimeInstant {
        #if canImport(Darwin)
            UptimeInstant(nanoseconds: clock_gettime_nsec_np(CLOCK_UPTIME_RAW))
        #else
            UptimeInstant(nanoseconds: read(CLOCK_MONOTONIC))
        #endif
    }

    /// Returns the time since boot, with machine sleep.
    public func continuous() -> ContinuousInstant {
        #if canImport(Darwin)
            ContinuousInstant(nanoseconds: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW))
        #else
            ContinuousInstant(nanoseconds: read(CLOCK_BOOTTIME))
        #endif
    }

    /// Returns the time of day in UTC.
    public func wall() -> WallInstant {
        #if canImport(Darwin)
            WallInstant(nanoseconds: clock_gettime_nsec_np(CLOCK_REALTIME))
        #else
            WallInstant(nanoseconds: read(CLOCK_REALTIME))
        #endif
    }

    #if !canImport(Darwin)
        private func read(_ clock: clockid_t) -> UInt64 {
            var time = timespec()
            precondition(clock_gettime(clock, &time) == 0, "the kernel has no clock \(clock)")
            return UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    #endif
}

extension TimeSource {
    /// Returns the present instant on the clock that the instant's type names.
    public func now<Instant: NanosecondInstant>(_: Instant.Type = Instant.self) -> Instant {
        Instant(nanoseconds: nanoseconds(on: Instant.clock))
    }

    package func nanoseconds(on clock: ClockKind) -> UInt64 {
        switch clock {
        case .uptime: uptime().nanoseconds
        case .continuous: continuous().nanoseconds
        case .wall: wall().nanoseconds
        }
    }
}
