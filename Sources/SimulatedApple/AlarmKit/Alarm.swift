import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// An alarm that the system keeps for the app.
///
/// Source: Apple, documentation/alarmkit/alarm.
public struct Alarm: Identifiable, Hashable, Codable, Sendable {
    /// The identifier, which the app chooses.
    public typealias ID = UUID

    /// The identifier.
    public let id: UUID
    /// When the alarm alerts; `nil` for one that counts down from the call that schedules it.
    public let schedule: Schedule?
    /// The countdowns before and after the alert.
    public let countdownDuration: CountdownDuration?
    /// The state.
    public let state: State

    /// The state of an alarm.
    public enum State: String, Hashable, Codable, Sendable {
        /// The alarm waits for its time.
        case scheduled
        /// The alarm counts down.
        case countdown
        /// The countdown is paused.
        case paused
        /// The alarm alerts.
        case alerting
    }

    /// The durations of an alarm's countdowns, in seconds.
    public struct CountdownDuration: Hashable, Codable, Sendable {
        /// The countdown before the alert.
        public var preAlert: TimeInterval?
        /// The countdown that follows an alert if the user snoozes it.
        public var postAlert: TimeInterval?

        /// Creates durations in seconds.
        public init(preAlert: TimeInterval?, postAlert: TimeInterval?) {
            (self.preAlert, self.postAlert) = (preAlert, postAlert)
        }
    }

    /// When an alarm alerts.
    public enum Schedule: Hashable, Codable, Sendable {
        /// The alarm alerts at a date, whatever the device's time zone is.
        case fixed(Date)
        /// The alarm alerts at a time of day in the device's time zone.
        case relative(Relative)

        /// A time of day, once or on days of the week.
        public struct Relative: Hashable, Codable, Sendable {
            /// The time of day.
            public var time: Time
            /// The days of the week.
            public var repeats: Recurrence

            /// Creates a schedule.
            public init(time: Time, repeats: Recurrence = .never) { (self.time, self.repeats) = (time, repeats) }

            /// A time of day.
            public struct Time: Hashable, Codable, Sendable {
                /// The hour, from 0.
                public var hour: Int
                /// The minute, from 0.
                public var minute: Int

                /// Creates a time of day.
                public init(hour: Int, minute: Int) { (self.hour, self.minute) = (hour, minute) }
            }

            /// Whether an alarm repeats.
            public enum Recurrence: Hashable, Codable, Sendable {
                /// The alarm alerts once.
                case never
                /// The alarm alerts on these days of each week.
                case weekly([Locale.Weekday])
            }
        }
    }
}

extension Alarm {
    /// Creates an alarm from the one that the device keeps; returns `nil` if its identifier is not a UUID, which
    /// AlarmKit requires.
    init?(_ alarm: DeviceAlarm) {
        guard let id = UUID(uuidString: alarm.id) else { return nil }
        self.id = id
        schedule = alarm.request.schedule.map { Schedule($0) }
        let (before, after) = (alarm.request.preAlert, alarm.request.postAlert)
        countdownDuration =
            before == nil && after == nil
            ? nil : CountdownDuration(preAlert: before?.inSeconds, postAlert: after?.inSeconds)
        state =
            switch alarm.state {
            case .scheduled: .scheduled
            case .countdown: .countdown
            case .paused: .paused
            case .alerting: .alerting
            }
    }
}

extension Alarm.Schedule {
    /// The days of the week in the order of their numbers in a calendar, from 1.
    private static let weekdays: [Locale.Weekday] = [
        .sunday, .monday, .tuesday, .wednesday, .thursday, .friday, .saturday,
    ]

    /// The schedule in the form that the device keeps.
    var kept: AlarmSchedule {
        switch self {
        case .fixed(let date): .fixed(SimulatedPhone.instant(of: date))
        case .relative(let relative):
            .relative(
                hour: relative.time.hour, minute: relative.time.minute,
                weekdays: Set(relative.repeats.days.compactMap { Self.weekdays.firstIndex(of: $0).map { $0 + 1 } }))
        }
    }

    fileprivate init(_ kept: AlarmSchedule) {
        switch kept {
        case .fixed(let instant): self = .fixed(SimulatedPhone.date(of: instant))
        case .relative(let hour, let minute, let weekdays):
            let days = weekdays.sorted().map { Self.weekdays[$0 - 1] }
            self = .relative(
                Relative(
                    time: Relative.Time(hour: hour, minute: minute), repeats: days.isEmpty ? .never : .weekly(days)))
        }
    }
}

extension Alarm.Schedule.Relative.Recurrence {
    fileprivate var days: [Locale.Weekday] {
        switch self {
        case .never: []
        case .weekly(let days): days
        }
    }
}
