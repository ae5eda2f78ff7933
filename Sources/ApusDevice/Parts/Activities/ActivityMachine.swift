import ApusTimers

/// The Live Activities of an app: a pure state machine.
///
/// The system ends an activity after eight hours, and shows it for four hours at most after it has ended. These times
/// are on the continuous clock, which is a choice.
///
/// Apple, documentation/activitykit/displaying-live-data-with-live-activities
struct ActivityMachine {
    private struct Entry {
        var activity: DeviceActivity
        /// The instant at which the system ends the activity if it is running, or removes it if it has ended.
        var limit: ContinuousInstant

        mutating func end(at instant: ContinuousInstant, stay: Duration) {
            activity.state = .ended
            limit = instant.advanced(by: stay)
        }
    }

    private static let longestRun: Duration = .seconds(8 * 3_600)
    private static let longestStay: Duration = .seconds(4 * 3_600)
    /// The size in bytes that the attributes and the content may have together.
    static let sizeLimit = 4_096

    private static func check(_ request: ActivityRequest) throws(ActivityRefusal) {
        guard request.attributes.count + request.content.count <= sizeLimit else { throw .attributesTooLarge }
    }

    private let limit: Int
    /// All activities in the order of their beginning, including those that were dismissed.
    private var entries: [Entry] = []

    init(limit: Int) { self.limit = limit }

    var all: [DeviceActivity] { entries.map(\.activity) }

    /// The next instant at which the system ends or removes an activity.
    var nextLimit: ContinuousInstant? { entries.filter { $0.activity.state != .dismissed }.map(\.limit).min() }

    /// The next instant at which content becomes stale.
    var nextStale: WallInstant? {
        entries.compactMap { $0.activity.state == .active ? $0.activity.staleInstant : nil }.min()
    }

    // MARK: The app

    /// Begins an activity; an app that is not active is refused.
    mutating func begin(
        _ request: ActivityRequest, isAppActive: Bool, now: ClockReading
    ) throws(ActivityRefusal) -> DeviceActivity {
        guard isAppActive else { throw .visibility }
        try Self.check(request)
        guard entries.count(where: { $0.activity.isRunning }) < limit else { throw .targetMaximumExceeded }
        let activity = DeviceActivity(
            id: "activity-\(entries.count + 1)", kind: request.kind, state: .active, attributes: request.attributes,
            content: request.content, staleInstant: request.staleInstant)
        entries.append(Entry(activity: activity, limit: now.continuous.advanced(by: Self.longestRun)))
        return activity
    }

    /// Replaces the content of an activity that has not ended, and returns the activity; `nil` if it has ended or does
    /// not exist.
    ///
    /// The activity is no longer stale; `wasStale` is true if it was stale before.
    mutating func update(
        _ id: String, with request: ActivityRequest
    ) throws(ActivityRefusal) -> (DeviceActivity, wasStale: Bool)? {
        try Self.check(request)
        guard let index = running(id) else { return nil }
        let wasStale = entries[index].activity.state == .stale
        entries[index].activity.content = request.content
        entries[index].activity.staleInstant = request.staleInstant
        entries[index].activity.state = .active
        return (entries[index].activity, wasStale)
    }

    /// Ends an activity, and returns it; `nil` if it has already ended or does not exist.
    ///
    /// The activity shows its last content until it is removed: at once, at a given instant, or four hours later.
    /// Content that is too large is refused, and the activity then does not end; this rule is a choice of the
    /// simulation.
    mutating func end(
        _ id: String, with request: ActivityRequest?, _ dismissal: ActivityDismissal, now: ClockReading
    ) throws(ActivityRefusal) -> DeviceActivity? {
        if let request { _ = try update(id, with: request) }
        guard let index = running(id) else { return nil }
        let stay: Duration =
            switch dismissal {
            case .default: Self.longestStay
            case .immediate: .zero
            case .after(let instant): min(Self.longestStay, max(.zero, now.wall.duration(to: instant)))
            }
        entries[index].end(at: now.continuous, stay: stay)
        return entries[index].activity
    }

    // MARK: The user and the clocks

    /// Removes an activity from the screen; returns `nil` if it is not there.
    mutating func dismiss(_ id: String) -> DeviceActivity? {
        guard let index = entries.firstIndex(where: { $0.activity.id == id && $0.activity.state != .dismissed }) else {
            return nil
        }
        entries[index].activity.state = .dismissed
        return entries[index].activity
    }

    /// Marks stale activities, ends and removes activities whose time is over, and returns those that have changed, in
    /// their order.
    mutating func advance(to now: ClockReading) -> [DeviceActivity] {
        var changed: [DeviceActivity] = []
        for index in entries.indices {
            var entry = entries[index]
            if entry.activity.state == .active, let stale = entry.activity.staleInstant, stale <= now.wall {
                entry.activity.state = .stale
                changed.append(entry.activity)
            }
            if entry.activity.isRunning, entry.limit <= now.continuous {
                entry.end(at: entry.limit, stay: Self.longestStay)
                changed.append(entry.activity)
            }
            if entry.activity.state == .ended, entry.limit <= now.continuous {
                entry.activity.state = .dismissed
                changed.append(entry.activity)
            }
            entries[index] = entry
        }
        return changed
    }

    private func running(_ id: String) -> Int? { entries.firstIndex { $0.activity.id == id && $0.activity.isRunning } }
}

extension DeviceActivity {
    /// Whether the app can still update the activity.
    fileprivate var isRunning: Bool {
        switch state {
        case .active, .stale: true
        case .ended, .dismissed: false
        }
    }
}
