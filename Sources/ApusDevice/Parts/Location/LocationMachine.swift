import ApusBackground
import ApusTimers

/// A phone's location service for one app, as a pure state machine.
///
/// Readings come from the route when they are asked for, so a suspended app costs nothing: what it missed is read
/// when it runs again.
struct LocationMachine {
    /// What the app gets.
    enum Update: Equatable {
        case reading(LocationRoute.Place?, at: ContinuousInstant)
        case authorization(LocationAuthorization)
    }

    /// What is particular about the authorization.
    private enum Grant {
        case settled
        /// The app sees "always", and the user has answered the question about "when in use" only.
        case provisionalAlways
        /// "When in use" for as long as the app is used now ("Allow Once").
        case once
    }

    /// How the user answers.
    struct Answer {
        var authorization: LocationAuthorization
        /// "When in use", and "always", only for this time.
        var once: Bool
    }

    private struct Session {
        var number: Int
        var continuesInBackground: Bool
        var startedInFront: Bool
        /// The system found that the phone stands still. It does not resume by itself.
        var isPaused = false
        /// Readings up to here are reported.
        var reportedUpTo: ContinuousInstant
        /// The phone is not known to stand still before.
        var watchedFrom: ContinuousInstant
    }

    private var isModeDeclared: Bool
    /// How long the phone stands still until the updates pause.
    private let stillness: Duration
    /// How many updates wait for a suspended app.
    private let waitingLimit: Int

    private var route = LocationRoute.noFix
    private var routeStart: ContinuousInstant
    private(set) var authorization: LocationAuthorization
    private var grant = Grant.settled
    /// Whether the user was asked about "always" for an app that had "when in use".
    private var wasAskedForAlways = false
    var pausesAutomatically = true
    private var session: Session?
    private var sessionCount = 0
    /// With "when in use", a pause ends the access until the app is launched again.
    private var accessEnded = false
    private var isInFront = false
    private var isSuspended = false
    /// What the app gets when it runs again.
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

    // MARK: What it does

    /// Whether the device must not suspend the app.
    var keepsAwake: Bool { isDelivering && session?.continuesInBackground == true }

    /// Which session gets updates, now or when the app runs again.
    var sessionNumber: Int? { session?.number }

    private var isDelivering: Bool {
        guard let session, !session.isPaused else { return false }
        switch authorization {
        case .notDetermined, .denied: return false
        case .whenInUse: return isInFront || session.startedInFront
        case .always: return true
        }
    }

    /// When to look again; nil when nothing will come, or there is no receiver.
    func nextLook(now: ContinuousInstant) -> ContinuousInstant? {
        guard isDelivering, !isSuspended else { return nil }
        if isUsingAlways { return now }
        return [nextReading(now: now), pauseInstant(now: now)].compactMap(\.self).min()
    }

    /// When the receiver reads next; nil when there is nothing more on the route.
    func nextReading(now: ContinuousInstant) -> ContinuousInstant? {
        route.nextReading(after: routeStart.duration(to: now)).map { routeStart.advanced(by: $0) }
    }

    /// Where the phone is; nil without a fix.
    func place(now: ContinuousInstant) -> LocationRoute.Place? {
        route.reading(at: routeStart.duration(to: now)).place
    }

    private func pauseInstant(now: ContinuousInstant) -> ContinuousInstant? {
        guard pausesAutomatically, let session else { return nil }
        let lastMove = routeStart.advanced(by: route.lastMove(upTo: routeStart.duration(to: now)))
        return max(lastMove, session.watchedFrom).advanced(by: stillness)
    }

    // MARK: Starting and stopping

    enum StartAction: Equatable {
        /// The number of the session, and its first update.
        case started(Int, Update)
        case refused(Refusal)
    }

    enum Refusal: Equatable {
        case notDeclared
        case notAuthorized(LocationAuthorization)
        /// With "when in use", updates are started while the app is in front.
        case notInFront
        case accessEnded
    }

    /// Starts a session, which ends the one before.
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

    /// Ends the session, or does nothing if it is another one than `number`; says whether it ended.
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
        /// The phone stands still: these were the last updates.
        case pausedAfter([Update])
    }

    /// Reads what has come; pauses if the phone stands still for long.
    mutating func look(now: ContinuousInstant) -> LookAction {
        let updates = collect(now: now)
        guard isDelivering, !isSuspended, let pause = pauseInstant(now: now), pause <= now else {
            return .updates(updates)
        }
        session?.isPaused = true
        if authorization == .whenInUse { accessEnded = true }
        return .pausedAfter(updates)
    }

    /// What the app gets now. What has come for a suspended app waits.
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

    // MARK: The world

    /// The phone is put on another route.
    mutating func setRoute(_ route: LocationRoute, now: ContinuousInstant) -> [Update] {
        let updates = collect(now: now)
        self.route = route
        routeStart = now
        session?.watchedFrom = now
        return isDelivering ? updates + pass([reading(now: now)]) : updates
    }

    /// Whether the user has to be asked for the app's wish: only for more than there is, once for "always", and not
    /// again after a denial.
    func asksUser(for wish: LocationAuthorization) -> Bool {
        switch (authorization, wish) {
        case (.notDetermined, .whenInUse), (.notDetermined, .always): true
        case (.whenInUse, .always): grant != .once && !wasAskedForAlways
        case (.notDetermined, .notDetermined), (.notDetermined, .denied), (.whenInUse, _), (.always, _), (.denied, _):
            false
        }
    }

    /// What the user allows after the app has asked, and the updates about it.
    ///
    /// The first question is the same for both wishes, and has no answer "always": a user who allows the use of an app that wishes
    /// "always" gives it provisionally.
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

    /// The authorization as the log shows it: what the app sees, and in words where the user has allowed less.
    var authorizationText: String {
        switch grant {
        case .settled: authorization.rawValue
        case .provisionalAlways: "\(authorization.rawValue), provisional: the user has allowed “when in use” only"
        case .once: "\(authorization.rawValue), this time only"
        }
    }

    /// Whether the app does what only "always" allows, and the user has not been asked about that.
    var isUsingAlways: Bool {
        grant == .provisionalAlways && isDelivering && !isInFront && session?.startedInFront == false
    }

    /// The user is asked about "always", because the app uses it.
    mutating func confirmAlways(_ answer: Answer, now: ContinuousInstant) -> [Update] {
        guard isUsingAlways else { return [] }
        wasAskedForAlways = true
        grant = .settled
        return answer.authorization == .always && !answer.once ? [] : setAuthorization(.whenInUse, now: now)
    }

    /// The app is no longer used: what was allowed once is over.
    private mutating func endSingleUse(now: ContinuousInstant) -> [Update] {
        grant == .once ? setAuthorization(.notDetermined, now: now) : []
    }

    /// The user changes what is allowed, perhaps in mid-stream.
    mutating func setAuthorization(_ authorization: LocationAuthorization, now: ContinuousInstant) -> [Update] {
        grant = .settled
        if authorization == .notDetermined { wasAskedForAlways = false }
        guard authorization != self.authorization else { return [] }
        return changeAccess(now: now) { machine in
            machine.authorization = authorization
            return machine.session == nil ? [] : [.authorization(authorization)]
        }
    }

    /// Does what may give access or take it, and returns the updates up to then, what `change` has to add, and the first
    /// one after access was given.
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

    /// Another app is installed, and none runs.
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

    /// The app runs again, and gets what has waited.
    mutating func appResumed(now: ContinuousInstant) -> [Update] {
        _ = collect(now: now)
        isSuspended = false
        session?.watchedFrom = now
        defer { waiting = [] }
        return waiting
    }

    /// The app's process is gone, and its session with it.
    mutating func processEnded(now: ContinuousInstant) {
        _ = stop()
        _ = endSingleUse(now: now)
        pausesAutomatically = true
        accessEnded = false
        isInFront = false
        isSuspended = false
    }
}
