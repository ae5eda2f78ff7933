import ApusBackground
import ApusTimers

/// A phone's location service for one app: a pure state machine.
///
/// Readings are computed from the route when they are needed, so a suspended app costs nothing: the readings that it
/// missed are computed when it runs again.
struct LocationMachine {
    enum Update: Equatable {
        case reading(LocationRoute.Place?, at: ContinuousInstant)
        case authorization(LocationAuthorization)
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
        var number: Int
        var continuesInBackground: Bool
        var startedInFront: Bool
        /// Whether the system has paused the updates because the phone does not move; they do not resume by themselves.
        var isPaused = false
        /// The instant up to which readings were reported.
        var reportedUpTo: ContinuousInstant
        /// The instant from which the time without a movement is measured, unless the phone has moved since.
        var watchedFrom: ContinuousInstant
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
    var pausesAutomatically = true
    private var session: Session?
    private var sessionCount = 0
    /// Whether a pause has ended the app's access until the app is launched again; this happens with "when in use"
    /// only.
    private var accessEnded = false
    private var isInFront = false
    private var isSuspended = false
    /// The updates that the app receives when it runs again.
    private var waiting: [Update] = []

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
    var keepsAwake: Bool { isDelivering && session?.continuesInBackground == true }

    /// The number of the session that receives updates, now or when the app runs again.
    var sessionNumber: Int? { session?.number }

    private var isDelivering: Bool {
        guard let session, !session.isPaused else { return false }
        switch authorization {
        case .notDetermined, .denied: return false
        case .whenInUse: return isInFront || session.startedInFront
        case .always: return true
        }
    }

    /// Returns the next instant at which the machine must be examined; `nil` if there is none, or while the app is
    /// suspended.
    func nextLook(now: ContinuousInstant) -> ContinuousInstant? {
        guard isDelivering, !isSuspended else { return nil }
        if isUsingAlways { return now }
        return [nextReading(now: now), pauseInstant(now: now)].compactMap(\.self).min()
    }

    /// Returns the instant of the receiver's next reading; `nil` after the end of the route.
    func nextReading(now: ContinuousInstant) -> ContinuousInstant? {
        route.nextReading(after: routeStart.duration(to: now)).map { routeStart.advanced(by: $0) }
    }

    /// Returns the place of the phone; `nil` without a fix.
    func place(now: ContinuousInstant) -> LocationRoute.Place? {
        route.reading(at: routeStart.duration(to: now)).place
    }

    /// Returns the instant at which the updates pause, unless the phone moves before then; `nil` if they do not pause.
    private func pauseInstant(now: ContinuousInstant) -> ContinuousInstant? {
        guard pausesAutomatically, let session, let lastMove = route.lastMove(upTo: routeStart.duration(to: now)) else {
            return nil
        }
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

    /// Starts a session, which replaces the earlier one.
    mutating func start(inBackground: Bool, now: ContinuousInstant) -> StartAction {
        if inBackground, !isModeDeclared { return .refused(.notDeclared) }
        switch authorization {
        case .notDetermined, .denied: return .refused(.notAuthorized(authorization))
        case .whenInUse:
            if accessEnded { return .refused(.accessEnded) }
            if !isInFront { return .refused(.notInFront) }
        case .always: break
        }
        sessionCount += 1
        waiting = []
        session = Session(
            number: sessionCount, continuesInBackground: inBackground, startedInFront: isInFront, reportedUpTo: now,
            watchedFrom: now)
        return .started(sessionCount, reading(now: now))
    }

    /// Ends the session if it has this number, or any session if `number` is `nil`; returns whether a session ended.
    mutating func stop(_ number: Int? = nil) -> Bool {
        guard let session, number == nil || number == session.number else { return false }
        self.session = nil
        waiting = []
        return true
    }

    // MARK: Updates

    private func reading(now: ContinuousInstant) -> Update {
        .reading(place(now: now), at: now)
    }

    enum LookAction: Equatable {
        case updates([Update])
        /// The app gets these updates, after which the service pauses because the phone does not move.
        case pausedAfter([Update])
    }

    /// Returns the new updates, and pauses the session if the phone has not moved for long.
    mutating func look(now: ContinuousInstant) -> LookAction {
        let updates = collect(now: now)
        guard isDelivering, !isSuspended, let pause = pauseInstant(now: now), pause <= now else {
            return .updates(updates)
        }
        session?.isPaused = true
        if authorization == .whenInUse { accessEnded = true }
        return .pausedAfter(updates)
    }

    /// Returns the new updates for the app; if the app is suspended, they are kept for it instead.
    private mutating func collect(now: ContinuousInstant) -> [Update] {
        defer { session?.reportedUpTo = now }
        guard let session, isDelivering else { return [] }
        let readings = route.readings(
            after: routeStart.duration(to: session.reportedUpTo), upTo: routeStart.duration(to: now),
            limit: waitingLimit)
        return pass(readings.map { .reading($0.place, at: routeStart.advanced(by: $0.at)) })
    }

    private mutating func pass(_ updates: [Update]) -> [Update] {
        guard isSuspended else { return updates }
        waiting = (waiting + updates).suffix(waitingLimit)
        return []
    }

    // MARK: The user and the phone

    /// Puts the phone on another route, and returns the updates for the app.
    mutating func setRoute(_ route: LocationRoute, now: ContinuousInstant) -> [Update] {
        let updates = collect(now: now)
        self.route = route
        routeStart = now
        session?.watchedFrom = now
        return isDelivering ? updates + pass([reading(now: now)]) : updates
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
    mutating func request(_ wish: LocationAuthorization, answer: Answer, now: ContinuousInstant) -> [Update] {
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
        grant == .provisionalAlways && isDelivering && !isInFront && session?.startedInFront == false
    }

    /// Applies the user's answer to the question about "always", which the system asks because the app uses that
    /// authorization.
    mutating func confirmAlways(_ answer: Answer, now: ContinuousInstant) -> [Update] {
        guard isUsingAlways else { return [] }
        wasAskedForAlways = true
        grant = .settled
        return answer.authorization == .always && !answer.once ? [] : setAuthorization(.whenInUse, now: now)
    }

    /// Ends an authorization that was given for a single use of the app, because the app is no longer used.
    private mutating func endSingleUse(now: ContinuousInstant) -> [Update] {
        grant == .once ? setAuthorization(.notDetermined, now: now) : []
    }

    /// Sets the authorization as the user does in the settings, and returns the updates for the app.
    mutating func setAuthorization(_ authorization: LocationAuthorization, now: ContinuousInstant) -> [Update] {
        grant = .settled
        if authorization == .notDetermined { wasAskedForAlways = false }
        guard authorization != self.authorization else { return [] }
        return changeAccess(now: now) { machine in
            machine.authorization = authorization
            return machine.session == nil ? [] : [.authorization(authorization)]
        }
    }

    /// Makes a change that may give or end the app's access to the location, and returns the updates for the app.
    ///
    /// The result has the updates up to the change, the updates that `change` returns, and, if the app now has access,
    /// a first reading.
    private mutating func changeAccess(
        now: ContinuousInstant, _ change: (inout LocationMachine) -> [Update]
    ) -> [Update] {
        let updates = collect(now: now)
        let wasDelivering = isDelivering
        var more = change(&self)
        if isDelivering, !wasDelivering {
            session?.watchedFrom = now
            more.append(reading(now: now))
        }
        return updates + pass(more)
    }

    // MARK: The app

    /// Replaces the app's declarations, while no process runs.
    mutating func appInstalled(isModeDeclared: Bool) { self.isModeDeclared = isModeDeclared }

    mutating func appForegrounded(_ isInFront: Bool, now: ContinuousInstant) -> [Update] {
        changeAccess(now: now) { machine in
            machine.isInFront = isInFront
            return []
        }
    }

    mutating func appSuspended(now: ContinuousInstant) -> [Update] {
        let updates = collect(now: now)
        isSuspended = true
        return updates + endSingleUse(now: now)
    }

    /// Notes that the app runs again, and returns the updates that were kept for it.
    mutating func appResumed(now: ContinuousInstant) -> [Update] {
        _ = collect(now: now)
        isSuspended = false
        session?.watchedFrom = now
        defer { waiting = [] }
        return waiting
    }

    /// Ends the session of the ended process.
    mutating func processEnded(now: ContinuousInstant) {
        _ = stop()
        _ = endSingleUse(now: now)
        pausesAutomatically = true
        accessEnded = false
        isInFront = false
        isSuspended = false
    }
}
