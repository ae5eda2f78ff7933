public import ApusTimers
import ApusVirtualTime
public import Foundation

/// How dates of the app and instants of the device are translated into each other; the only place.
package enum PhoneDates: Sendable {
    /// The app takes its dates from Foundation, that is from the machine's clock, and the device's clock is virtual. So a
    /// date is understood by its distance from now: "in fifteen minutes" on the machine is in fifteen minutes on the
    /// device, and back. The distance is rounded to whole seconds, because the machine's clock moves a little between
    /// the app's `Date()` and the call that hands the date over, and a test has to be the same each time.
    case machine
    /// The app's clock is the device's: it runs in a process of its own.
    case device

    /// Those of this process.
    package static var current: PhoneDates { AppLink.current == nil ? .machine : .device }

    func instant(of date: Date) -> WallInstant {
        switch self {
        case .machine: Self.later(by: (date.timeIntervalSince1970 - Self.machineSeconds).rounded())
        case .device: WallInstant(nanoseconds: UInt64(max(0, min(1.8e19, date.timeIntervalSince1970 * 1e9))))
        }
    }

    /// The instant of a date that has whole seconds only, because its fraction was cut off: it is measured from the
    /// machine's whole second, so that "in fifteen minutes" is the same each time, whatever was cut off.
    func instant(ofWholeSecond date: Date) -> WallInstant {
        switch self {
        case .machine: Self.later(by: date.timeIntervalSince1970.rounded() - Self.machineSeconds.rounded(.down))
        case .device: WallInstant(secondsSince1970: Int64(date.timeIntervalSince1970.rounded()))
        }
    }

    func date(of instant: WallInstant) -> Date {
        switch self {
        case .machine:
            let nanoseconds = Double(Self.deviceNow.duration(to: instant).wholeNanoseconds)
            return Date(timeIntervalSince1970: Self.machineSeconds + (nanoseconds / 1e9).rounded())
        case .device: return Date(timeIntervalSince1970: Double(instant.nanoseconds) / 1e9)
        }
    }

    private static func later(by seconds: TimeInterval) -> WallInstant {
        // Beyond that, dates are "never" in either direction.
        deviceNow.advanced(by: .seconds(max(-farAway, min(farAway, seconds))))
    }

    private static var farAway: Double { 9e9 }
    private static var deviceNow: WallInstant { SimulatedPhone.process.host.engine.time.wall() }
    private static var machineSeconds: Double { Double(SystemTime().wall().nanoseconds) / 1e9 }
}

extension SimulatedPhone {
    /// The device's instant that is as far from the device's now as `date` is from the machine's, to the second. In an
    /// app's own process, whose clock is the device's, that instant itself.
    nonisolated public static func instant(of date: Date) -> WallInstant { PhoneDates.current.instant(of: date) }

    /// The machine's date that is as far from the machine's now as `instant` is from the device's, to the second. In an
    /// app's own process, whose clock is the device's, that date itself.
    nonisolated public static func date(of instant: WallInstant) -> Date { PhoneDates.current.date(of: instant) }
}

extension Duration {
    /// The duration in seconds, as Apple's interfaces count time.
    package var inSeconds: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
