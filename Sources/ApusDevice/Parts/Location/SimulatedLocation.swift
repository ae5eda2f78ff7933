public import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The location service of a simulated phone: it reports where a script says that the phone is.
///
/// - Updates that were started in front with `inBackground` continue in the background and keep the app awake, also
///   with "when in use"; for that the app has to declare the mode `location`. Started in the background, they need
///   "always".
/// - Updates without `inBackground` continue while the app runs. A suspended app gets what it missed, the last hundred,
///   when it runs again.
/// - When the phone stands still for long, the updates pause, and the system does not resume
///   them. With "when in use" no updates can be started then until the app is launched again.
/// - When the user takes the authorization away, positions stop; when it is given back, they continue.
///
/// For the app, it is a `LocationSource`, as on every system, with errors; the simulated `CLLocationManager` does what the
/// real one does with an app that breaks a rule.
///
/// All members may be used from any thread.
///
/// Rules: Apple, documentation/corelocation/cllocationmanager/allowsbackgroundlocationupdates;
/// …/pauseslocationupdatesautomatically; documentation/corelocation/handling-location-updates-in-the-background.
public final class SimulatedLocation: LocationSource {
    /// Gets updates.
    package typealias UpdateHandler = @MainActor @Sendable (LocationUpdate) -> Void

    /// Who gets the updates of a session.
    private enum Receiver {
        case stream(AsyncStream<LocationUpdate>.Continuation)
        case handler(UpdateHandler)
    }

    private struct State {
        var machine: LocationMachine
        var timer: ScheduledTimer?
        var receiver: Receiver?
        var keepsAwake = false
        var answer = LocationMachine.Answer(authorization: .whenInUse, once: false)
        /// Keys of the `Info.plist` without which the user is not asked, by what is asked for.
        var missingKeys: [LocationAuthorization: [String]] = [:]
        /// The app's texts for the questions.
        var purposes: [LocationAuthorization: String] = [:]
        var onPause: (@MainActor @Sendable () -> Void)?
    }

    private let onRoute = Locked<(@Sendable () -> Void)?>(nil)
    private let state: Locked<State>
    private let surroundings: PartSurroundings

    /// A service without a fix.
    ///
    /// - Parameters:
    ///   - surroundings: The device.
    ///   - authorization: What the user has allowed so far.
    ///   - isModeDeclared: Whether the app declared the background mode `location`.
    ///   - stillness: How long the phone stands still until the updates pause. Apple does not say how long that is.
    ///   - waitingLimit: How many updates wait for a suspended app. Apple does not say how many do.
    init(
        _ surroundings: PartSurroundings, authorization: LocationAuthorization = .notDetermined, isModeDeclared: Bool,
        stillness: Duration = .seconds(600), waitingLimit: Int = 100
    ) {
        self.surroundings = surroundings
        state = Locked(
            State(
                machine: LocationMachine(
                    authorization: authorization, isModeDeclared: isModeDeclared, stillness: stillness,
                    waitingLimit: waitingLimit, now: surroundings.time.continuous())))
    }

    package convenience init(_ surroundings: PartSurroundings) { self.init(surroundings, isModeDeclared: false) }

    // MARK: What Apus offers

    /// The authorization that the user has given.
    public var authorization: LocationAuthorization { state.withLock { $0.machine.authorization } }

    /// Asks the user, who answers as ``userAnswer`` and ``userAllowsOnce`` say: the first time, and once more for `always`
    /// when there is `whenInUse`. The user does not allow more than the app wishes. The app is inactive meanwhile; if it is
    /// not in front, the user is asked when it is.
    ///
    /// The first time the user is asked about "when in use", whatever the wish is. An app that wishes `always` has it then
    /// provisionally: when it first gets updates that it has started in the background, the user is asked about that, and
    /// with another ``userAnswer`` than `always` it is `whenInUse`.
    ///
    /// Without the texts that the app has to declare (``AppManifest/locationWhenInUseUsage``,
    /// ``AppManifest/locationAlwaysUsage``) the user is not asked, and the log has a warning.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/requestalwaysauthorization(); WWDC 2019, session 705, "What's New
    /// in Core Location".
    public func requestAuthorization(_ wish: LocationAuthorization) async -> LocationAuthorization {
        // Never resumed in a process that ends before the answer: then the task is gone with it.
        await withUnsafeContinuation { continuation in
            askForAuthorization(wish) { continuation.resume(returning: $0) }
        }
    }

    /// The same. `answered` is called once, with what is allowed then.
    package func askForAuthorization(
        _ wish: LocationAuthorization, _ answered: @escaping @Sendable (LocationAuthorization) -> Void
    ) {
        let missing = state.withLock { $0.missingKeys[wish] ?? [] }
        guard missing.isEmpty else {
            let keys = missing.joined(separator: " and ")
            surroundings.log(
                .system,
                .warning("the user is not asked for location, because the app's Info.plist has no text for \(keys)"))
            return answered(authorization)
        }
        let asksUser = { @Sendable [self] in state.withLock { $0.machine.asksUser(for: wish) } }
        surroundings.askUser(
            SystemQuestion(isOpen: asksUser) { [self] in
                if asksUser() { logQuestion(authorization == .notDetermined ? .whenInUse : .always) }
                settle { state, now in state.machine.request(wish, answer: state.answer, now: now) }
                answered(authorization)
            })
    }

    /// The first question has the text about "when in use", whatever the app wishes, and the second one that about "always".
    ///
    /// Apple, documentation/corelocation/cllocationmanager/requestalwaysauthorization()
    private func logQuestion(_ authorization: LocationAuthorization) {
        let purpose = state.withLock { $0.purposes[authorization] ?? "" }
        surroundings.log(.system, .location("asks the user about \(authorization.rawValue): “\(purpose)”"))
    }

    private var authorizationText: String { state.withLock { $0.machine.authorizationText } }

    /// Does what the user has answered, and logs what that has changed.
    private func settle(_ answer: (inout State, ContinuousInstant) -> [LocationMachine.Update]) {
        let former = authorizationText
        deliver(answer)
        let present = authorizationText
        if present != former { surroundings.log(.user, .location("authorization \(present)")) }
    }

    /// Starts updates: the first one comes at once, the others when the script has them. They end with ``stop()``, with
    /// the sequence, with another start, and with the app's process.
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `modeUnavailable` when it is not authorized, `inBackground` was not
    ///   declared by the app, or the app is not in front and the authorization is not `always`.
    public func updates(inBackground: Bool) throws(BackgroundError) -> AsyncStream<LocationUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(of: LocationUpdate.self)
        switch start(.stream(continuation), inBackground: inBackground) {
        case .started(let number, _):
            continuation.onTermination = { [weak self] _ in self?.stop(number) }
            return stream
        case .refused(let refusal):
            throw BackgroundError(code: .modeUnavailable, message: refusal.message(.apus))
        }
    }

    /// Ends the updates.
    public func stop() { stop(nil) }

    // MARK: For the modules with the names of Apple's frameworks

    /// Starts updates that are handed to `handler` on the main loop. What is refused is not an error: the handler is
    /// called with the present authorization, and nothing else comes. `inBackground` without the declared mode is a
    /// ``Fault`` of the rule ``Fault/Rule/undeclaredLocationMode``.
    /// Warnings are in the words of `words`.
    package func startUpdating(
        inBackground: Bool, words: LocationWords = .apus, fileID: String = #fileID, line: Int = #line,
        _ handler: @escaping UpdateHandler
    ) {
        guard case .refused(let refusal) = start(.handler(handler), inBackground: inBackground) else { return }
        if refusal == .notDeclared {
            let message = refusal.message(words)
            surroundings.fault(Fault(.undeclaredLocationMode, message, place: "\(fileID):\(line)"))
            return
        }
        surroundings.log(.system, .warning(refusal.message(words)))
        let update = LocationUpdate.authorization(authorization)
        surroundings.mainLoop()?.run { handler(update) }
    }

    /// Whether updates pause when the phone stands still for long: yes, unless the app says otherwise. It goes with the
    /// app's process.
    package var pausesAutomatically: Bool {
        get { state.withLock { $0.machine.pausesAutomatically } }
        set {
            deliver { state, _ in
                state.machine.pausesAutomatically = newValue
                return []
            }
        }
    }

    /// Called on the main loop when the updates were paused. It goes with the app's process.
    package var onPause: (@MainActor @Sendable () -> Void)? {
        get { state.withLock { $0.onPause } }
        set { state.exchange(\.onPause, with: newValue) }
    }

    // MARK: The user and the world

    /// The user's answer to the next question: `whenInUse`, unless it is set.
    public var userAnswer: LocationAuthorization {
        get { state.withLock { $0.answer.authorization } }
        set { state.withLock { $0.answer.authorization = newValue } }
    }

    /// Whether the user answers "Allow Once" where ``userAnswer`` allows anything: no, unless it is set. What is allowed so
    /// is `whenInUse`, and `notDetermined` again when the app is suspended, or its process has ended.
    public var userAllowsOnce: Bool {
        get { state.withLock { $0.answer.once } }
        set { state.withLock { $0.answer.once = newValue } }
    }

    /// The user changes in the settings what is allowed.
    public func setAuthorization(_ authorization: LocationAuthorization) {
        surroundings.log(.user, .control("allow location: \(authorization.rawValue)"))
        deliver { state, now in state.machine.setAuthorization(authorization, now: now) }
    }

    /// Puts the phone on a route, which begins now.
    public func setRoute(_ route: LocationRoute) {
        deliver { state, now in state.machine.setRoute(route, now: now) }
        onRoute.withLock { $0 }?()
    }

    /// Calls `observer` whenever the phone is put on a route.
    func observeRoute(_ observer: @escaping @Sendable () -> Void) { onRoute.withLock { $0 = observer } }

    /// Where the phone is; nil without a fix.
    var place: LocationRoute.Place? {
        let now = surroundings.time.continuous()
        return state.withLock { $0.machine.place(now: now) }
    }

    /// When the receiver reads next.
    var nextReading: ContinuousInstant? {
        let now = surroundings.time.continuous()
        return state.withLock { $0.machine.nextReading(now: now) }
    }

    // MARK: What the device says

    /// The app came to the front, or left it.
    func appForegrounded(_ isInFront: Bool) {
        deliver { state, now in state.machine.appForegrounded(isInFront, now: now) }
    }

    /// No line of the app runs from now on.
    package func appSuspended() { deliver { state, now in state.machine.appSuspended(now: now) } }

    /// The app runs again, and gets the updates that it missed.
    package func appResumed() { deliver { state, now in state.machine.appResumed(now: now) } }

    /// The app's process is gone, and its updates and handlers with it.
    package func processEnded() {
        deliver { state, now in
            state.machine.processEnded(now: now)
            return []
        }
        onPause = nil
    }

    // MARK: Changing

    private func start(_ receiver: Receiver, inBackground: Bool) -> LocationMachine.StartAction {
        let action = change { state, now in
            let action = state.machine.start(inBackground: inBackground, now: now)
            guard case .started(_, let first) = action else { return ([], action) }
            state.receiver = receiver
            return ([first], action)
        }
        if case .started = action {
            surroundings.log(.app, .location(inBackground ? "started, also in the background" : "started"))
        }
        return action
    }

    private func stop(_ number: Int?) {
        let hasStopped = change { state, _ in ([], state.machine.stop(number)) }
        if hasStopped { surroundings.log(.app, .location("stopped")) }
    }

    private func look() {
        if state.withLock({ $0.machine.isUsingAlways }) {
            logQuestion(.always)
            settle { state, now in state.machine.confirmAlways(state.answer, now: now) }
        }
        let isPaused = change { state, now in
            switch state.machine.look(now: now) {
            case .updates(let updates): (updates, false)
            case .pausedAfter(let updates): (updates, true)
            }
        }
        guard isPaused else { return }
        surroundings.log(.system, .location("paused: the phone stands still"))
        surroundings.mainLoop()?.run { [weak self] in self?.onPause?() }
    }

    private func deliver(_ body: (inout State, ContinuousInstant) -> [LocationMachine.Update]) {
        change { state, now in (body(&state, now), ()) }
    }

    /// Changes the machine, and notifies the receiver and the device.
    private func change<Result: Sendable>(
        _ body: (inout State, ContinuousInstant) -> (updates: [LocationMachine.Update], Result)
    ) -> Result {
        let now = surroundings.time.continuous()
        let wall = surroundings.time.wall()
        let (result, updates, number, receiver, ended, keepAwake) = state.withLock { state in
            let former = (number: state.machine.sessionNumber, receiver: state.receiver)
            let (changes, result) = body(&state, now)
            let updates = changes.map { LocationUpdate($0, now: now, wall: wall) }
            let number = state.machine.sessionNumber
            if number == nil { state.receiver = nil }
            if case .stream(let continuation) = state.receiver {
                // Under the lock, so that the order is right; it only puts the consumer's work in a queue.
                for update in updates { continuation.yield(update) }
            }
            waitForNextLook(&state, now: now)
            let keepsAwake = state.machine.keepsAwake
            defer { state.keepsAwake = keepsAwake }
            return (
                result, updates, number, state.receiver, former.number == number ? nil : former.receiver,
                keepsAwake == state.keepsAwake ? nil : keepsAwake
            )
        }
        // Outside the lock: this calls `onTermination`, which takes it.
        if case .stream(let continuation) = ended { continuation.finish() }
        if case .handler(let handler) = receiver {
            for update in updates { hand(update, to: handler, of: number) }
        }
        if let keepAwake { surroundings.keepAwake(.location, keepAwake) }
        return result
    }

    private func hand(_ update: LocationUpdate, to handler: @escaping UpdateHandler, of number: Int?) {
        surroundings.mainLoop()?.run { [weak self] in
            // A session that was ended meanwhile gets nothing more.
            if let self, state.withLock({ $0.machine.sessionNumber }) == number { handler(update) }
        }
    }

    private func waitForNextLook(_ state: inout State, now: ContinuousInstant) {
        // Weak, because the engine is kept by this, and keeps its timers.
        let next = state.machine.nextLook(now: now).map { next in
            surroundings.engine.schedule(at: next) { [weak self] in self?.look() }
        }
        state.timer.replace(with: next)
    }
}

extension SimulatedLocation: DevicePart {
    package func appInstalled(_ app: InstalledApp) {
        let missing = app.manifest.missingLocationKeys
        state.withLock { state in
            state.machine.appInstalled(isModeDeclared: app.manifest.backgroundModes.contains(.location))
            state.missingKeys = missing
            state.purposes[.whenInUse] = app.manifest.locationWhenInUseUsage
            state.purposes[.always] = app.manifest.locationAlwaysUsage
        }
    }

    package func appLaunched(toForeground: Bool) { appForegrounded(toForeground) }
    package func appEntered(_ phase: Phase) { appForegrounded(phase == .active || phase == .inactive) }

    package func steps(on device: SimulatedDevice) -> [StepChoice] {
        guard authorization != .notDetermined else { return [] }
        return [StepChoice(1) { .setLocationAuthorization($0.element(of: [.always, .whenInUse, .denied])) }]
    }
}

extension LocationUpdate {
    fileprivate init(_ update: LocationMachine.Update, now: ContinuousInstant, wall: WallInstant) {
        switch update {
        case .authorization(let authorization): self = .authorization(authorization)
        case .reading(nil, _): self = .noFix
        case .reading(let place?, let at):
            self = .position(
                Position(
                    latitude: place.latitude, longitude: place.longitude, accuracy: place.accuracy,
                    instant: wall.advanced(by: now.duration(to: at))))
        }
    }
}

/// The names in warnings: each interface has its own.
package struct LocationWords: Sendable {
    /// How an app asks for authorization.
    let request: String
    /// How an app does without updates in the background.
    let withoutBackground: String

    package init(request: String, withoutBackground: String) {
        (self.request, self.withoutBackground) = (request, withoutBackground)
    }

    package static let apus = LocationWords(
        request: "requestAuthorization", withoutBackground: "start without inBackground")
}

extension LocationMachine.Refusal {
    fileprivate func message(_ words: LocationWords) -> String {
        switch self {
        case .notDeclared:
            "the app did not declare the background mode location; declare it, or \(words.withoutBackground)"
        case .notAuthorized(let authorization):
            "the user's authorization is \(authorization.rawValue); ask for it with \(words.request) first"
        case .notInFront:
            "with the authorization whenInUse, updates are started while the app is in front"
        case .accessEnded:
            "with the authorization whenInUse, updates that paused cannot be started until the app is launched again"
        }
    }
}

extension Fault.Rule {
    /// Positions in the background were asked for by an app that did not declare the `location` mode.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/allowsbackgroundlocationupdates: a fatal error
    public static let undeclaredLocationMode = Fault.Rule("NSInternalInconsistencyException.undeclaredLocationMode")
}
