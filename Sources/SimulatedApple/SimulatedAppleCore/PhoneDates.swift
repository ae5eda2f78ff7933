public import ApusTimers
import ApusVirtualTime
public import Foundation

/// The translation between the app's dates and the device's instants.
package enum PhoneDates: Sendable {
    /// Translates by the distance from now, rounded to whole seconds.
    ///
    /// An app in the test's process takes its dates from the machine's clock, while the device's clock is virtual. "In
    /// fifteen minutes" on the machine therefore means in fifteen minutes on the device, and vice versa. The distance
    /// is rounded because the machine's clock advances a little between the app's `Date()` and the call that passes the
    /// date, and a test must be repeatable.
    case machine
    /// Translates without a change, because the app runs in a process of its own, whose clock is the device's.
    case device

    /// The translation for this process.
    package static var current: PhoneDates { AppLink.current == nil ? .machine : .device }

    func instant(of date: Date) -> WallInstant {
        switch self {
        case .machine: Self.later(by: (date.timeIntervalSince1970 - Self.machineSeconds).rounded())
        case .device: WallInstant(nanoseconds: UInt64(max(0, min(1.8e19, date.timeIntervalSince1970 * 1e9))))
        }
    }

    /// Returns the instant of a date that the app has computed in whole seconds.
    ///
    /// The date lacks the fraction of the second in which the app computed it. The distance is therefore measured from
    /// the beginning of the machine's present second, so that "in fifteen minutes" is always the same distance.
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
        // Distances beyond this limit mean "never", in both directions.
        deviceNow.advanced(by: .seconds(max(-farAway, min(farAway, seconds))))
    }

    private static var farAway: Double { 9e9 }
    private static var deviceNow: WallInstant { SimulatedPhone.process.host.engine.time.wall() }
    private static var machineSeconds: Double { Double(SystemTime().wall().nanoseconds) / 1e9 }
}

extension SimulatedPhone {
    /// Returns the device's instant that is as far from the device's now as `date` is from the machine's, to the
    /// second.
    ///
    /// In an app's own process, whose clock is the device's, it is the instant of the date itself.
    nonisolated public static func instant(of date: Date) -> WallInstant { PhoneDates.current.instant(of: date) }

    /// Returns the machine's date that is as far from the machine's now as `instant` is from the device's, to the
    /// second.
    ///
    /// In an app's own process, whose clock is the device's, it is the date of the instant itself.
    nonisolated public static func date(of instant: WallInstant) -> Date { PhoneDates.current.date(of: instant) }
}

extension Duration {
    /// The duration in seconds, the unit of Apple's interfaces.
    package var inSeconds: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
