import ApusBackground
import ApusTimers

/// A phone's location service for one app: a pure state machine.
///
/// Readings are computed from the route when they are needed, so a suspended app costs nothing: the readings that it
/// missed are computed when it runs again.
///
/// Each receiver (a location manager, or the app's `LocationSource`) has at most one session. A start gives the
/// receiver the present reading or a refusal. What one receiver starts, stops or sets, and a pause of its session,
/// change no session of another one. The route, the authorization, and whether the app is in front or suspended are
/// common to all. A paused session remains until its receiver starts or stops it, or the process ends.
struct LocationMachine {
    enum Update: Equatable {
        case reading(LocationRoute.Place?, at: ContinuousInstant)
        case authorization(LocationAuthorization)
        /// The session has paused, because the phone does not move.
        case paused
    }

    /// An update for the receiver of a session.
    struct Delivery: Equatable {
        var session: Int
        var update: Update
    }

    /// The difference between the user's consent and the authorization that the app sees; `settled` if there is none.
    private enum Grant {
        case settled
        /// The app has "always", but the user has only answered the question about "when in use".
        case provisionalAlways
        /// The app has "when in use" until its current use ends ("Allow Once").
        case once
    }

    struct Answer {
        var authorization: LocationAuthorization
        /// Whether the answer holds only for the current use of the app.
        var once: Bool
    }

    private struct Session {
        let receiver: Int
        let number: Int
        var settings: LocationSettings
        let startedInFront: Bool
        /// Whether the system has paused the updates because the phone does not move; they do not resume by themselves.
        var isPaused = false
        /// The instant up to which readings were reported.
        var reportedUpTo: ContinuousInstant
        /// The instant from which the time without a movement is measured, unless the phone has moved since.
        var watchedFrom: ContinuousInstant
        /// The updates that the receiver gets when the app runs again.
        var waiting: [Update] = []
    }

    private var isModeDeclared: Bool
    /// The time without a movement of the phone after which the updates pause.
    private let stillness: Duration
    /// The number of updates that are kept for a suspended app.
    private let waitingLimit: Int

    private var route = LocationRoute.noFix
    private var routeStart: ContinuousInstant
    private(set) var authorization: LocationAuthorization
    private var grant = Grant.settled
    /// Whether the user was asked about "always"; this question is asked only once, unless the permission is reset.
    private var wasAskedForAlways = false
    /// The sessions, by their numbers.
    private var sessions: [Session] = []
    private var sessionCount = 0
    /// Whether a pause has ended the app's access until the app is launched again; this happens with "when in use"
    /// only.
    private var accessEnded = false
    private var isInFront = false
    private var isSuspended = false

    init(
        authorization: LocationAuthorization, isModeDeclared: Bool, stillness: Duration, waitingLimit: Int,
        now: ContinuousInstant
    ) {
        self.authorization = authorization
        self.isModeDeclared = isModeDeclared
        self.stillness = stillness
        self.waitingLimit = waitingLimit
        routeStart = now
    }

    // MARK: State

    /// Whether the device must not suspend the app.
    var keepsAwake: Bool { sessions.contains { $0.settings.inBackground && isDelivering($0) } }

    /// The numbers of the sessions that receive updates, now or when the app runs again.
    var sessionNumbers: [Int] { sessions.map(\.number) }

    private func isDelivering(_ session: Session) -> Bool {
        guard !session.isPaused else { return false }
        switch authorization {
        case .notDetermined, .denied: return false
        case .whenInUse: return isInFront || session.startedInFront
        case .always: return true
        }
    }

    /// Returns the next instant at which the machine must be examined; `nil` if there is none, or while the app is
    /// suspended.
    func nextLook(now: ContinuousInstant) -> ContinuousInstant? {
        let delivering = sessions.filter(isDelivering)
        guard !delivering.isEmpty, !isSuspended else { return nil }
        if isUsingAlways { return now }
        return (delivering.map { pauseInstant(of: $0, now: now) } + [nextReading(now: now)]).compactMap(\.self).min()
    }

    /// Returns the instant of the receiver's next reading; `nil` after the end of the route.
    func nextReading(now: ContinuousInstant) -> ContinuousInstant? {
        route.nextReading(after: routeStart.duration(to: now)).map { routeStart.advanced(by: $0) }
    }

    /// Returns the place of the phone; `nil` without a fix.
    func place(now: ContinuousInstant) -> LocationRoute.Place? {
        route.reading(at: routeStart.duration(to: now)).place
    }

    /// Returns the instant at which a session pauses, unless the phone moves before then; `nil` if it does not pause.
    private func pauseInstant(of session: Session, now: ContinuousInstant) -> ContinuousInstant? {
        guard session.settings.pausesAutomatically,
            let lastMove = route.lastMove(upTo: routeStart.duration(to: now))
        else { return nil }
        return max(routeStart.advanced(by: lastMove), session.watchedFrom).advanced(by: stillness)
    }

    // MARK: Starting and stopping

    enum StartAction: Equatable {
        /// The session has this number, and this is its first update.
        case started(Int, Update)
        case refused(Refusal)
    }

    enum Refusal: Equatable {
        case notDeclared
        case notAuthorized(LocationAuthorization)
        /// With "when in use", an app must be in the foreground to start updates.
        case notInFront
        case accessEnded
    }

    /// Starts a session, which replaces the receiver's earlier one.
    mutating func start(_ receiver: Int, _ settings: LocationSettings, now: ContinuousInstant) -> StartAction {
        if settings.inBackground, !isModeDeclared { return .refused(.notDeclared) }
        switch authorization {
        case .notDetermined, .denied: return .refused(.notAuthorized(authorization))
        case .whenInUse:
            if accessEnded { return .refused(.accessEnded) }
            if !isInFront { return .refused(.notInFront) }
        case .always: break
        }
        sessionCount += 1
        sessions.removeAll { $0.receiver == receiver }
        sessions.append(
            Session(
                receiver: receiver, number: sessionCount, settings: settings, startedInFront: isInFront,
                reportedUpTo: now, watchedFrom: now))
        return .started(sessionCount, reading(now: now))
    }

    /// Changes the settings of the receiver's session, if it has one.
    mutating func change(_ receiver: Int, _ settings: LocationSettings) {
        for index in sessions.indices where sessions[index].receiver == receiver { sessions[index].settings = settings }
    }

    /// Ends the receiver's session if it has this number, or any number if `number` is `nil`; returns whether a session
    /// ended.
    mutating func stop(_ receiver: Int, number: Int? = nil) -> Bool {
        let former = sessions.count
        sessions.removeAll { $0.receiver == receiver && (number == nil || $0.number == number) }
        return sessions.count != former
    }

    // MARK: Updates

    private func reading(now: ContinuousInstant) -> Update {
        .reading(place(now: now), at: now)
    }

    /// Returns the new updates, and pauses the sessions for which the phone has not moved for long.
    mutating func look(now: ContinuousInstant) -> [Delivery] {
        let updates = collect(now: now)
        guard !isSuspended else { return updates }
        return updates
            + deliver { machine, session in
                guard machine.isDelivering(session), let pause = machine.pauseInstant(of: session, now: now),
                    pause <= now
                else { return [] }
                session.isPaused = true
                // While another session has updates, the app uses the location.
                let number = session.number
                let isLast = !machine.sessions.contains { $0.number != number && machine.isDelivering($0) }
                if isLast, machine.authorization == .whenInUse { machine.accessEnded = true }
                return [.paused]
            }
    }

    /// Returns the updates that `body` makes for each session; if the app is suspended, they are kept for it instead.
    private mutating func deliver(_ body: (inout LocationMachine, inout Session) -> [Update]) -> [Delivery] {
        var deliveries: [Delivery] = []
        for index in sessions.indices {
            var session = sessions[index]
            let updates = body(&self, &session)
            if isSuspended {
                session.waiting = (session.waiting + updates).suffix(waitingLimit)
            } else {
                deliveries += updates.map { Delivery(session: session.number, update: $0) }
            }
            sessions[index] = session
        }
        return deliveries
    }

    /// Returns the readings that the sessions have not reported yet.
    private mutating func collect(now: ContinuousInstant) -> [Delivery] {
        deliver { machine, session in
            defer { session.reportedUpTo = now }
            guard machine.isDelivering(session) else { return [] }
            let start = machine.routeStart
            let readings = machine.route.readings(
                after: start.duration(to: session.reportedUpTo), upTo: start.duration(to: now),
                limit: machine.waitingLimit)
            return readings.map { .reading($0.place, at: start.advanced(by: $0.at)) }
        }
    }

    // MARK: The user and the phone

    /// Puts the phone on another route, and returns the updates for the app.
    mutating func setRoute(_ route: LocationRoute, now: ContinuousInstant) -> [Delivery] {
        let updates = collect(now: now)
        self.route = route
        routeStart = now
        return updates
            + deliver { machine, session in
                session.watchedFrom = now
                return machine.isDelivering(session) ? [machine.reading(now: now)] : []
            }
    }

    /// Returns whether the user must be asked for an authorization.
    ///
    /// The user is asked only for more than the app has, only once for "always", and not again after a denial.
    func asksUser(for wish: LocationAuthorization) -> Bool {
        switch (authorization, wish) {
        case (.notDetermined, .whenInUse), (.notDetermined, .always): true
        case (.whenInUse, .always): grant != .once && !wasAskedForAlways
        case (.notDetermined, .notDetermined), (.notDetermined, .denied), (.whenInUse, _), (.always, _), (.denied, _):
            false
        }
    }

    /// Applies the user's answer to a request of the app, and returns the updates for the app.
    ///
    /// The first question is the same for both requests, and does not offer "always". If the app requested "always" and
    /// the user allows the use of the location, the app has "always" provisionally.
    mutating func request(_ wish: LocationAuthorization, answer: Answer, now: ContinuousInstant) -> [Delivery] {
        guard asksUser(for: wish) else { return [] }
        guard authorization == .notDetermined else {
            wasAskedForAlways = true
            return answer.authorization == .always && !answer.once ? setAuthorization(.always, now: now) : []
        }
        switch answer.authorization {
        case .notDetermined, .denied: return setAuthorization(answer.authorization, now: now)
        case .whenInUse, .always: break
        }
        let updates = setAuthorization(answer.once || wish == .whenInUse ? .whenInUse : .always, now: now)
        grant = answer.once ? .once : wish == .always ? .provisionalAlways : .settled
        return updates
    }

    /// The authorization as text for the log, with a note if the user has allowed less than the app sees.
    var authorizationText: String {
        switch grant {
        case .settled: authorization.rawValue
        case .provisionalAlways: "\(authorization.rawValue), provisional: the user has allowed “when in use” only"
        case .once: "\(authorization.rawValue), this time only"
        }
    }

    /// Whether the app does something that only "always" allows, and the user has not been asked about "always".
    var isUsingAlways: Bool {
        grant == .provisionalAlways && !isInFront && sessions.contains { !$0.startedInFront && isDelivering($0) }
    }

    /// Applies the user's answer to the question about "always", which the system asks because the app uses that
    /// authorization.
    mutating func confirmAlways(_ answer: Answer, now: ContinuousInstant) -> [Delivery] {
        guard isUsingAlways else { return [] }
        wasAskedForAlways = true
        grant = .settled
        return answer.authorization == .always && !answer.once ? [] : setAuthorization(.whenInUse, now: now)
    }

    /// Ends an authorization that was given for a single use of the app, because the app is no longer used.
    private mutating func endSingleUse(now: ContinuousInstant) -> [Delivery] {
        grant == .once ? setAuthorization(.notDetermined, now: now) : []
    }

    /// Sets the authorization as the user does in the settings, and returns the updates for the app.
    mutating func setAuthorization(_ authorization: LocationAuthorization, now: ContinuousInstant) -> [Delivery] {
        grant = .settled
        if authorization == .notDetermined { wasAskedForAlways = false }
        guard authorization != self.authorization else { return [] }
        return changeAccess(now: now, [.authorization(authorization)]) { $0.authorization = authorization }
    }

    /// Makes a change that may give or end the app's access to the location, and returns the updates for the app.
    ///
    /// Each session gets the updates up to the change, then `notice`, and, if it has access only now, a first reading.
    private mutating func changeAccess(
        now: ContinuousInstant, _ notice: [Update] = [], _ change: (inout LocationMachine) -> Void
    ) -> [Delivery] {
        let updates = collect(now: now)
        let former = Set(sessions.filter(isDelivering).map(\.number))
        change(&self)
        return updates
            + deliver { machine, session in
                guard machine.isDelivering(session), !former.contains(session.number) else { return notice }
                session.watchedFrom = now
                return notice + [machine.reading(now: now)]
            }
    }

    // MARK: The app

    /// Replaces the app's declarations, while no process runs.
    mutating func appInstalled(isModeDeclared: Bool) { self.isModeDeclared = isModeDeclared }

    mutating func appForegrounded(_ isInFront: Bool, now: ContinuousInstant) -> [Delivery] {
        changeAccess(now: now) { $0.isInFront = isInFront }
    }

    mutating func appSuspended(now: ContinuousInstant) -> [Delivery] {
        let updates = collect(now: now)
        isSuspended = true
        return updates + endSingleUse(now: now)
    }

    /// Notes that the app runs again, and returns the updates that were kept for it.
    mutating func appResumed(now: ContinuousInstant) -> [Delivery] {
        _ = collect(now: now)
        isSuspended = false
        return deliver { _, session in
            session.watchedFrom = now
            defer { session.waiting = [] }
            return session.waiting
        }
    }

    /// Ends the sessions of the ended process.
    mutating func processEnded(now: ContinuousInstant) {
        sessions = []
        _ = endSingleUse(now: now)
        accessEnded = false
        isInFront = false
        isSuspended = false
    }
}

/// What a receiver of positions has asked for, beside the positions.
package struct LocationSettings: Sendable, Hashable, Codable {
    /// Whether the updates continue in the background, and keep the app running there.
    package var inBackground = false
    /// Whether the updates pause when the phone has not moved for a long time.
    package var pausesAutomatically = true

    package init(inBackground: Bool = false, pausesAutomatically: Bool = true) {
        (self.inBackground, self.pausesAutomatically) = (inBackground, pausesAutomatically)
    }
}
