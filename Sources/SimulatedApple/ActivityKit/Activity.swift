import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// A Live Activity, which the device shows even if the app does not run.
///
/// The app begins it in the foreground, and updates and ends it in the background too. The system ends it after eight
/// hours, and shows it for four more hours at most. All members can be used on any thread.
///
/// Pushes of Live Activities are not simulated. Nothing is drawn: the test reads `device.activities`.
///
/// Source: Apple, documentation/activitykit/activity.
public final class Activity<Attributes: ActivityAttributes>: Identifiable, @unchecked Sendable {
    // For `@unchecked Sendable`: all stored properties are immutable; `attributes` may be a class of the app.

    /// The content of an activity.
    public typealias Content = ActivityContent<Attributes.ContentState>
    /// The changing data of an activity.
    public typealias ContentState = Attributes.ContentState

    /// The identifier, which the system chooses.
    public let id: String
    /// The data that never changes.
    public let attributes: Attributes

    private let center: ActivityCenter
    private let first: Content

    /// Returns `nil` for an activity of another type, and if this version of the app cannot decode the activity.
    private init?(_ kept: DeviceActivity, _ center: ActivityCenter) {
        guard kept.kind == Self.kind, let content = Self.content(of: kept),
            let attributes = try? JSONDecoder().decode(Attributes.self, from: kept.attributes)
        else { return nil }
        (id, first, self.attributes, self.center) = (kept.id, content, attributes, center)
    }

    private static var kind: String { "\(Attributes.self)" }

    // MARK: Reading

    /// The activities with these attributes that the user sees, including those of earlier processes and those that
    /// have ended.
    public static var activities: [Activity<Attributes>] {
        let center = ActivityCenter.shared
        return center.all.filter { $0.state != .dismissed }.compactMap { Activity($0, center) }
    }

    /// The activities with these attributes that begin from now on.
    public static var activityUpdates: some AsyncSequence<Activity<Attributes>, Never> {
        let center = ActivityCenter.shared
        return center.events { event -> Activity<Attributes>? in
            if case .began(let kept) = event { Activity(kept, center) } else { nil }
        }
    }

    /// The present state.
    public var activityState: ActivityState { kept.map { ActivityState($0.state) } ?? .dismissed }

    /// The activity's new state, each time that it changes from now on.
    public var activityStateUpdates: some AsyncSequence<ActivityState, Never> {
        center.events { [id] event -> ActivityState? in
            guard case .changed(let kept) = event, kept.id == id else { return nil }
            return ActivityState(kept.state)
        }
    }

    /// The activity's new content, each time that it changes from now on.
    public var contentUpdates: some AsyncSequence<Content, Never> {
        center.events { [id] event -> Content? in
            guard case .updated(let kept) = event, kept.id == id else { return nil }
            return Self.content(of: kept)
        }
    }

    /// The present content.
    public var content: Content { kept.flatMap { Self.content(of: $0) } ?? first }

    /// The activity as the device keeps it; `nil` if the app's process has ended.
    private var kept: DeviceActivity? { center.all.first { $0.id == id } }

    private static func content(of kept: DeviceActivity) -> Content? {
        guard let state = try? JSONDecoder().decode(ContentState.self, from: kept.content) else { return nil }
        return Content(state: state, staleDate: kept.staleInstant.map { SimulatedPhone.date(of: $0) })
    }

    // MARK: Beginning, updating and ending

    /// The way in which a server updates an activity.
    public struct PushType: Hashable, Sendable {
        /// The server updates the activity by pushes, which the simulation does not have.
        public static var token: PushType { PushType() }
    }

    /// Begins an activity; the app must be active.
    ///
    /// With a push type, the device's log has a warning, because no push arrives.
    ///
    /// - Throws: ``ActivityAuthorizationError``, or the error of the encoding.
    public static func request(
        attributes: Attributes, content: Content, pushType: PushType? = nil
    ) throws -> Activity<Attributes> {
        let center = ActivityCenter.shared
        if pushType != nil { center.warn("pushes of Live Activities are not simulated, so none arrives") }
        switch center.ask(.begin(try request(attributes, content))) {
        case .activity(let kept):
            guard let activity = Activity(kept, center) else {
                fatalError("the attributes of \(kind) cannot be decoded from what they were encoded to")
            }
            return activity
        case .refused(let refusal): throw ActivityAuthorizationError(refusal)
        case .done, .isEnabled, .activities: fatalError("a request is answered by an activity or a refusal")
        }
    }

    /// Replaces the content; after the end, or with more than 4 KB, this only logs a warning.
    nonisolated(nonsending) public func update(_ content: Content) async { send(content) }

    /// Replaces the content, and alerts the user; the device writes the alert into its log.
    nonisolated(nonsending) public func update(_ content: Content, alertConfiguration: AlertConfiguration?) async {
        send(content, alert: alertConfiguration.map { "\($0.title.key), \($0.body.key)" })
    }

    /// Ends the activity, with `content` as its last content; after the end, or with more than 4 KB, this only logs a
    /// warning.
    nonisolated(nonsending) public func end(
        _ content: Content?, dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {
        let request = content.flatMap { self.request($0) }
        let dismissal: ActivityDismissal =
            switch dismissalPolicy {
            case .default: .default
            case .immediate: .immediate
            case .after(let date): .after(SimulatedPhone.instant(of: date))
            }
        center.ask(.end(id, request, dismissal))
    }

    private func send(_ content: Content, alert: String? = nil) {
        if let request = request(content) { center.ask(.update(id, request, alert: alert)) }
    }

    private func request(_ content: Content) -> ActivityRequest? {
        do {
            return try Self.request(attributes, content)
        } catch {
            center.warn("the content of \(id) is not sent, because it cannot be encoded: \(error)")
            return nil
        }
    }

    private static func request(_ attributes: Attributes, _ content: Content) throws -> ActivityRequest {
        // With sorted keys, a test can compare the text.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return ActivityRequest(
            kind: kind, attributes: try encoder.encode(attributes), content: try encoder.encode(content.state),
            staleInstant: content.staleDate.map { SimulatedPhone.instant(of: $0) })
    }
}

extension ActivityState {
    fileprivate init(_ state: DeviceActivity.State) {
        self =
            switch state {
            case .active: .active
            case .stale: .stale
            case .ended: .ended
            case .dismissed: .dismissed
            }
    }
}
