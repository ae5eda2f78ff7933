import ApusTimers
import Foundation

/// The alarms of a phone: a pure state machine.
///
/// An alarm waits for an instant of the wall clock. Its countdowns are on the continuous clock, so setting the wall
/// clock does not move them, which is a choice. With a schedule and a countdown, the countdown ends at the scheduled
/// instant.
///
/// Apple, documentation/alarmkit/alarmmanager, and its pages about `schedule`, `countdown`, `pause`, `resume`, `stop`
/// and `cancel`.
struct AlarmMachine {
    private enum State {
        /// The alarm alerts at `alert`, and its countdown, if it has one, begins at `begin`.
        case scheduled(begin: WallInstant, alert: WallInstant)
        case countdown(until: ContinuousInstant)
        case paused(remaining: Duration)
        case alerting(since: WallInstant)
    }

    private struct Entry {
        let request: AlarmRequest
        var state: State
    }

    /// An alert or a countdown that has begun because it was due.
    struct Event: Equatable {
        let title: String
        /// Whether the alarm alerts; otherwise its countdown begins.
        let alerts: Bool
    }

    private let limit: Int
    private(set) var zone: TimeZone
    /// The alarms in the order in which they were scheduled.
    private var entries: [Entry] = []

    init(limit: Int, zone: TimeZone) {
        self.limit = limit
        self.zone = zone
    }

    // MARK: Reading

    func alarms(now: ClockReading) -> [DeviceAlarm] {
        entries.map { entry in
            let (state, instant): (DeviceAlarm.State, WallInstant?) =
                switch entry.state {
                case .scheduled(_, let alert): (.scheduled, alert)
                case .countdown(let end): (.countdown, now.wall(at: end))
                case .paused: (.paused, nil)
                case .alerting(let since): (.alerting, since)
                }
            return DeviceAlarm(request: entry.request, state: state, alertInstant: instant)
        }
    }

    /// The alarm whose alert is in front, which is the alert that began first.
    var alertInFront: AlarmRequest? {
        let alerting = entries.compactMap { entry in
            if case .alerting(let since) = entry.state { (entry.request, since) } else { nil }
        }
        return alerting.min { $0.1 < $1.1 }?.0
    }

    /// The next instant at which a scheduled alarm alerts or begins to count down.
    var nextBegin: WallInstant? {
        entries.compactMap { if case .scheduled(let begin, _) = $0.state { begin } else { nil } }.min()
    }

    /// The next instant at which a countdown ends.
    var nextEnd: ContinuousInstant? {
        entries.compactMap { if case .countdown(let end) = $0.state { end } else { nil } }.min()
    }

    // MARK: The app and the user

    /// Adds an alarm, in place of one with the same identifier.
    mutating func schedule(_ request: AlarmRequest, now: ClockReading) throws(AlarmRefusal) {
        guard let state = first(of: request, now: now) else {
            let why = request.schedule == nil ? "it has neither a schedule nor a countdown" : "its time has passed"
            throw AlarmRefusal(message: "alarm “\(request.title)” was not scheduled, because \(why)")
        }
        let entry = Entry(request: request, state: state)
        if let index = index(of: request.id) {
            entries[index] = entry
        } else if entries.count < limit {
            entries.append(entry)
        } else {
            throw AlarmRefusal(
                isLimit: true,
                message: "the device keeps \(limit) alarms of an app, so “\(request.title)” was not scheduled")
        }
    }

    /// Ends the alert or the countdown of an alarm, and returns the alarm's title.
    ///
    /// An alarm that repeats then waits for its next time, and any other alarm is deleted.
    mutating func stop(_ id: String, now: ClockReading) throws(AlarmRefusal) -> String {
        let index = try existing(id)
        let entry = entries[index]
        // If the countdown is stopped before its alert, the next alert must be a later one, because otherwise a
        // countdown for the same alert would begin.
        let passed =
            switch entry.state {
            case .scheduled, .alerting: now.wall
            case .countdown(let end): max(now.wall, now.wall(at: end))
            case .paused(let remaining): now.wall.advanced(by: remaining)
            }
        if case .scheduled = entry.state, entry.request.schedule?.repeats == true { return entry.request.title }
        if entry.request.schedule?.repeats == true, let next = waiting(for: entry.request, after: passed, now: now) {
            entries[index].state = next
        } else {
            entries.remove(at: index)
        }
        return entry.request.title
    }

    /// Deletes an alarm, even if it repeats, and returns its title.
    mutating func cancel(_ id: String) throws(AlarmRefusal) -> String {
        entries.remove(at: try existing(id)).request.title
    }

    /// Snoozes an alert: begins the countdown to the next alert, and returns the alarm's title.
    mutating func snooze(_ id: String, now: ClockReading) throws(AlarmRefusal) -> String {
        let index = try existing(id)
        let request = entries[index].request
        guard case .alerting = entries[index].state else {
            throw refusal(entries[index], "only an alarm that alerts counts down again", now: now)
        }
        guard let duration = request.postAlert else {
            throw refusal(entries[index], "it has no countdown after the alert (postAlert)", now: now)
        }
        entries[index].state = .countdown(until: now.continuous.advanced(by: duration))
        return request.title
    }

    /// Pauses a countdown, and returns the alarm's title.
    mutating func pause(_ id: String, now: ClockReading) throws(AlarmRefusal) -> String {
        let index = try existing(id)
        guard case .countdown(let end) = entries[index].state else {
            throw refusal(entries[index], "only a countdown is paused", now: now)
        }
        entries[index].state = .paused(remaining: max(.zero, now.continuous.duration(to: end)))
        return entries[index].request.title
    }

    /// Continues a paused countdown, and returns the alarm's title.
    mutating func resume(_ id: String, now: ClockReading) throws(AlarmRefusal) -> String {
        let index = try existing(id)
        guard case .paused(let remaining) = entries[index].state else {
            throw refusal(entries[index], "only a paused countdown is resumed", now: now)
        }
        entries[index].state = .countdown(until: now.continuous.advanced(by: remaining))
        return entries[index].request.title
    }

    // MARK: The clocks

    /// Begins the countdowns and the alerts that are due, and returns them in the order of the alarms.
    mutating func advance(to now: ClockReading) -> [Event] {
        var events: [Event] = []
        for index in entries.indices {
            let request = entries[index].request
            if case .scheduled(let begin, let alert) = entries[index].state, begin <= now.wall {
                // If the wall clock was set forward, a part of the countdown may be left out, or the alert may be due.
                let remaining = max(.zero, now.wall.duration(to: alert))
                entries[index].state = .countdown(until: now.continuous.advanced(by: remaining))
                if remaining > .zero { events.append(Event(title: request.title, alerts: false)) }
            }
            if case .countdown(let end) = entries[index].state, end <= now.continuous {
                entries[index].state = .alerting(since: now.wall)
                events.append(Event(title: request.title, alerts: true))
            }
        }
        return events
    }

    /// Sets the device's time zone, and schedules anew the alarms that wait for a time of day.
    mutating func setZone(_ zone: TimeZone, now: ClockReading) {
        self.zone = zone
        wallClockChanged(now: now)
    }

    /// Schedules anew the alarms that wait for a time of day, because the wall clock was set.
    mutating func wallClockChanged(now: ClockReading) {
        for index in entries.indices {
            guard case .scheduled(let begin, _) = entries[index].state, begin > now.wall,
                case .relative = entries[index].request.schedule,
                let next = waiting(for: entries[index].request, after: now.wall, now: now)
            else { continue }
            entries[index].state = next
        }
    }

    // MARK: Private

    /// Returns the state in which an alarm begins; `nil` if it would never alert.
    private func first(of request: AlarmRequest, now: ClockReading) -> State? {
        guard request.schedule == nil else { return waiting(for: request, after: now.wall, now: now) }
        return request.preAlert.map { .countdown(until: now.continuous.advanced(by: $0)) }
    }

    /// Returns the state in which a scheduled alarm waits for its first alert after an instant.
    private func waiting(for request: AlarmRequest, after instant: WallInstant, now: ClockReading) -> State? {
        guard let alert = request.schedule?.next(after: instant, in: zone) else { return nil }
        let begin = alert.advanced(by: .zero - max(.zero, request.preAlert ?? .zero).clamped)
        guard begin <= now.wall else { return .scheduled(begin: begin, alert: alert) }
        return .countdown(until: now.continuous.advanced(by: now.wall.duration(to: alert)))
    }

    private func index(of id: String) -> Int? { entries.firstIndex { $0.request.id == id } }

    private func existing(_ id: String) throws(AlarmRefusal) -> Int {
        guard let index = index(of: id) else { throw AlarmRefusal(message: "there is no alarm \(id)") }
        return index
    }

    private func refusal(_ entry: Entry, _ why: String, now: ClockReading) -> AlarmRefusal {
        let state = alarms(now: now).first { $0.id == entry.request.id }?.state.rawValue ?? ""
        return AlarmRefusal(message: "the state of alarm “\(entry.request.title)” is \(state): \(why)")
    }
}
