#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusTimers
    import Foundation

    /// The conversion between instants and Foundation's dates.
    ///
    /// A date is as far from the present date of the machine as its instant is from the present instant of `time`. On
    /// Apple's systems, both are readings of the same clock. On Linux, the simulated phone has its own clock. It reads
    /// an app's date as the instant that is as far from the phone's present as the date is from the present date of the
    /// machine.
    struct AppleDates: Sendable {
        let time: any TimeSource

        /// Returns the date that is as far from now as `instant` is.
        func date(of instant: WallInstant) -> Date {
            let distance = Double(time.wall().duration(to: instant).wholeNanoseconds)
            return Date(timeIntervalSince1970: (Double(machine.nanoseconds) + distance) / 1e9)
        }

        /// Returns the instant that is as far from now as `date` is.
        func instant(of date: Date) -> WallInstant {
            let distance = date.timeIntervalSince1970 - Double(machine.nanoseconds) / 1e9
            return time.wall().advanced(by: .seconds(max(-Self.farAway, min(Self.farAway, distance))))
        }

        /// Returns the first whole second of the system's calendar that is not before `instant`.
        func second(atOrAfter instant: WallInstant) -> Date {
            #if os(Linux)
                // The machine's present time and the distance are both rounded up, because the phone reads the
                // machine's clock later than this method does. The date is therefore never early, but may be a second
                // later than on a phone.
                let distance = WallInstant(nanoseconds: 0).advanced(by: time.wall().duration(to: instant))
                return Date(timeIntervalSince1970: Self.seconds(upTo: machine) + Self.seconds(upTo: distance))
            #else
                // The date is computed without reading the clock, because two readings at different times could make it
                // a second later.
                return Date(timeIntervalSince1970: Self.seconds(upTo: instant))
            #endif
        }

        private static func seconds(upTo instant: WallInstant) -> Double {
            let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return Double(rest == 0 ? seconds : seconds + 1)
        }

        /// The largest distance, in seconds: about 285 years.
        ///
        /// A `Duration` in nanoseconds can be at most 292 years.
        private static let farAway = 9e9

        private var machine: WallInstant { SystemTime().wall() }
    }
#endif
