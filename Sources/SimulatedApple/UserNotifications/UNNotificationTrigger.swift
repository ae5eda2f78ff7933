import ApusTesting
import ApusTimers
import SimulatedPhone

/// When a notification is shown.
///
/// For `@unchecked Sendable`: nothing of it changes, nor of its subclasses.
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
    /// Whether it is shown again and again.
    public let repeats: Bool

    init(repeats: Bool) {
        self.repeats = repeats
        super.init()
    }

    /// The instant at which a request with this trigger is due that is added at `now`; nil when it never is.
    func first(now: WallInstant) -> WallInstant? { nil }

    /// The next instant later than one at which it was shown.
    func next(after instant: WallInstant, added: WallInstant) -> WallInstant? { nil }
}

/// After an interval. It has to be positive, and at least 60 s if it repeats; a phone ends the app otherwise, and the
/// simulated one reports the fault `NSInternalInconsistencyException.notificationInterval` when the request is added.
public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// The interval in seconds.
    public let timeInterval: TimeInterval

    /// A trigger that waits `timeInterval` seconds.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
    }

    /// When a request that is added now would be shown.
    public func nextTriggerDate() -> Date? {
        first(now: SimulatedPhone.process.host.engine.time.wall()).map(SimulatedPhone.date)
    }

    override func first(now: WallInstant) -> WallInstant? { now.advanced(by: .seconds(timeInterval)) }

    override func next(after instant: WallInstant, added: WallInstant) -> WallInstant? {
        guard repeats else { return nil }
        // Validated: an interval that repeats is not shorter than a minute.
        return added.next(every: UInt64(Duration.seconds(timeInterval).wholeNanoseconds), after: instant)
    }
}

/// When the clock shows something.
///
/// Components with a year are a date that the app has computed from the machine's clock, so it is translated like every
/// other date (see `SimulatedPhone.instant(of:)`). Components without one, "every day at nine", are looked for on the
/// device's own clock.
public final class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// What the clock has to show.
    public let dateComponents: DateComponents

    /// A trigger that waits until the clock shows these components.
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    /// When it is shown next; nil when that is over.
    public func nextTriggerDate() -> Date? {
        first(now: SimulatedPhone.process.host.engine.time.wall()).map(SimulatedPhone.date)
    }

    override func first(now: WallInstant) -> WallInstant? {
        var calendar = dateComponents.calendar ?? Calendar.current
        if let zone = dateComponents.timeZone { calendar.timeZone = zone }
        let isAbsolute = dateComponents.year != nil
        let now = isAbsolute ? SimulatedPhone.date(of: now) : Date(now)
        guard let date = calendar.nextDate(after: now, matching: dateComponents, matchingPolicy: .nextTime) else {
            return nil
        }
        return isAbsolute ? SimulatedPhone.deviceInstant(ofWholeSecond: date) : WallInstant(date)
    }

    override func next(after instant: WallInstant, added: WallInstant) -> WallInstant? {
        repeats ? first(now: instant) : nil
    }
}

extension Date {
    fileprivate init(_ instant: WallInstant) { self.init(timeIntervalSince1970: Double(instant.nanoseconds) / 1e9) }
}

extension WallInstant {
    fileprivate init(_ date: Date) { self.init(secondsSince1970: Int64(date.timeIntervalSince1970.rounded())) }
}
