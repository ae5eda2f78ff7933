import ApusTesting
public import ApusTimers
public import Foundation

/// Where the app's dates and the device's instants are translated into each other; the only place.
///
/// The app takes its dates from Foundation, that is from the machine's clock. The device's clock is virtual. So a date
/// is understood by its distance from now: "in fifteen minutes" on the machine is in fifteen minutes on the device, and
/// back. The distance is rounded to whole seconds, because the machine's clock moves a little between the app's
/// `Date()` and the call that hands the date over, and a test has to be the same each time.
extension SimulatedPhone {
    /// The device's instant that is as far from the device's now as `date` is from the machine's, to the second.
    nonisolated public static func instant(of date: Date) -> WallInstant {
        later(by: (date.timeIntervalSince1970 - machineSeconds).rounded())
    }

    nonisolated private static func later(by seconds: TimeInterval) -> WallInstant {
        // Beyond that, dates are "never" in either direction.
        deviceNow.advanced(by: .seconds(max(-Self.farAway, min(Self.farAway, seconds))))
    }

    /// The device's instant for a date that has whole seconds only, because its fraction was cut off: it is measured from
    /// the machine's whole second, so that "in fifteen minutes" is the same each time, whatever was cut off.
    nonisolated package static func deviceInstant(ofWholeSecond date: Date) -> WallInstant {
        later(by: date.timeIntervalSince1970.rounded() - machineSeconds.rounded(.down))
    }

    /// The machine's date that is as far from the machine's now as `instant` is from the device's, to the second.
    nonisolated public static func date(of instant: WallInstant) -> Date {
        let nanoseconds = Double(deviceNow.duration(to: instant).wholeNanoseconds)
        return Date(timeIntervalSince1970: machineSeconds + (nanoseconds / 1e9).rounded())
    }

    nonisolated private static var farAway: Double { 9e9 }
    nonisolated private static var deviceNow: WallInstant { process.host.engine.time.wall() }
    nonisolated private static var machineSeconds: Double { Double(SystemTime().wall().nanoseconds) / 1e9 }
}

extension Duration {
    /// The duration in seconds, as Apple's interfaces count time.
    package var inSeconds: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
