public import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The location service of a simulated phone, which reports the places of the route on which a test puts the phone.
///
/// - Updates with `inBackground` that the app starts in the foreground continue in the background and keep the app
///   running, even with "when in use". The app must declare the mode `location` for this. To start such updates in the
///   background, the app needs "always".
/// - Updates without `inBackground` continue while the app runs. When a suspended app runs again, it receives the last
///   hundred updates that it has missed.
/// - When the phone has not moved for a long time, the updates pause, and the system does not resume them. With "when
///   in use", the app then cannot start updates until it is launched again, unless others continue.
/// - When the user withdraws the authorization, the updates stop; when it is given again, they continue.
///
/// The app uses it as a `LocationSource`, as on every system, and gets an error if it breaks a rule. The simulated
/// `CLLocationManager` treats such an app as the real one does.
///
/// All members may be used from any thread.
///
/// Rules: Apple, documentation/corelocation/cllocationmanager/allowsbackgroundlocationupdates;
/// …/pauseslocationupdatesautomatically; documentation/corelocation/handling-location-updates-in-the-background.
public final class SimulatedLocation: LocationSource {
    /// A closure that is called with a report.
    package typealias ReportHandler = @MainActor @Sendable (LocationReport) -> Void

    /// The destination of a session's updates.
    private enum Output {
        case stream(AsyncStream<LocationUpdate>.Continuation)
        case handler(ReportHandler)
    }

    /// The receiver for the updates of this `LocationSource`; those of managers have other numbers.
    private static let source = 0

    private struct State {
        var machine: LocationMachine
        var timer: ScheduledTimer?
        /// The outputs of the sessions, by the sessions' numbers.
        var outputs: [Int: Output] = [:]
        var keepsAwake = false
        var answer = LocationMachine.Answer(authorization: .whenInUse, once: false)
        /// The keys that are missing in the `Info.plist`; the user is not asked for an authorization whose keys are
        /// missing.
        var missingKeys: [LocationAuthorization: [String]] = [:]
        /// The app's texts for the questions to the user.
        var purposes: [LocationAuthorization: String] = [:]
    }

    private let onRoute = Locked<(@Sendable () -> Void)?>(nil)
    private let state: Locked<State>
    private let surroundings: PartSurroundings

    /// Creates a service without a fix.
    ///
    /// - Parameters:
    ///   - surroundings: The device.
    ///   - authorization: The authorization that the user has given so far.
    ///   - isModeDeclared: Whether the app declares the background mode `location`.
    ///   - stillness: The time without a movement of the phone after which the updates pause. Apple does not say how
    ///     long it is.
    ///   - waitingLimit: The number of updates that are kept for a suspended app. Apple does not give this number.
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

    // MARK: Interface of Apus

    /// The authorization that the user has given.
    public var authorization: LocationAuthorization { state.withLock { $0.machine.authorization } }

    /// Requests an authorization from the user, who answers according to ``userAnswer`` and ``userAllowsOnce``.
    ///
    /// The user is asked the first time, and once more about `always` if the app has `whenInUse`. The user never allows
    /// more than is requested. The app is inactive meanwhile. If the app is not in the foreground, the user is asked
    /// when it enters the foreground.
    ///
    /// The first question is about "when in use", whatever is requested. An app that requests `always` then has it
    /// provisionally: when the app first receives updates that it started in the background, the user is asked about
    /// "always", and if ``userAnswer`` is not `always`, the authorization becomes `whenInUse`.
    ///
    /// Without the texts that the app must declare (``AppManifest/locationWhenInUseUsage``,
    /// ``AppManifest/locationAlwaysUsage``), the user is not asked, and the log has a warning.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/requestalwaysauthorization(); WWDC 2019, session 705,
    /// "What's New in Core Location".
    public func requestAuthorization(_ wish: LocationAuthorization) async -> LocationAuthorization {
        // If the process ends before the answer, the continuation is never resumed, and the task is released with the
        // process.
        await withUnsafeContinuation { continuation in
            askForAuthorization(wish) { continuation.resume(returning: $0) }
        }
    }

    /// Requests an authorization from the user, and calls `answered` once with the resulting authorization.
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

    /// Logs a question with the app's text for it.
    ///
    /// The first question is logged with the text for "when in use", and the second with the text for "always".
    ///
    /// Apple, documentation/corelocation/cllocationmanager/requestalwaysauthorization()
    private func logQuestion(_ authorization: LocationAuthorization) {
        let purpose = state.withLock { $0.purposes[authorization] ?? "" }
        surroundings.log(.system, .location("asks the user to allow \(authorization.rawValue): “\(purpose)”"))
    }

    private var authorizationText: String { state.withLock { $0.machine.authorizationText } }

    /// Applies an answer of the user, and logs the authorization if it has changed.
    private func settle(_ answer: (inout State, ContinuousInstant) -> [LocationMachine.Delivery]) {
        let former = authorizationText
        deliver(answer)
        let present = authorizationText
        if present != former { surroundings.log(.user, .location("authorization \(present)")) }
    }

    /// Starts updates: the first comes at once, and the others come when the phone moves along its route.
    ///
    /// They end when the app calls ``stop()``, ends the sequence or starts other updates, and when its process ends.
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `modeUnavailable` if the app is not authorized, does
    ///   not declare the mode for `inBackground`, or is not in the foreground and does not have `always`.
    public func updates(inBackground: Bool) throws(BackgroundError) -> AsyncStream<LocationUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(of: LocationUpdate.self)
        switch start(Self.source, .stream(continuation), LocationSettings(inBackground: inBackground)) {
        case .started(let number, _):
            continuation.onTermination = { [weak self] _ in self?.stop(Self.source, number: number) }
            return stream
        case .refused(let refusal):
            throw BackgroundError(code: .modeUnavailable, message: refusal.message(.apus))
        }
    }

    /// Ends the updates that were started with this `LocationSource`.
    public func stop() { stop(Self.source, number: nil) }

    // MARK: For the simulated frameworks

    /// Starts updates for a receiver, which replace its earlier ones and are passed to `handler` on the main loop.
    ///
    /// `inBackground` in the settings without the declared mode is a ``Fault`` of the rule
    /// ``Fault/Rule/undeclaredLocationMode``. If the updates are refused for another reason, no error is thrown, and the
    /// handler is called only once: with the authorization, if it is the reason, or with the refusal. Warnings in the
    /// log use the names in `words`.
    package func startUpdating(
        _ settings: LocationSettings, of receiver: Int = 1, words: LocationWords = .apus, fileID: String = #fileID,
        line: Int = #line, _ handler: @escaping ReportHandler
    ) {
        guard case .refused(let refusal) = start(receiver, .handler(handler), settings) else { return }
        if refusal == .notDeclared {
            let message = refusal.message(words)
            surroundings.fault(Fault(.undeclaredLocationMode, message, place: "\(fileID):\(line)"))
            return
        }
        surroundings.log(.system, .warning(refusal.message(words)))
        let report: LocationReport =
            if case .notAuthorized(let authorization) = refusal { .update(.authorization(authorization)) } else {
                .refused
            }
        surroundings.mainLoop()?.run { handler(report) }
    }

    /// Changes the settings of a receiver's updates, if it has any.
    package func change(_ receiver: Int, _ settings: LocationSettings) {
        deliver { state, _ in
            state.machine.change(receiver, settings)
            return []
        }
    }

    /// Ends a receiver's updates.
    package func stop(_ receiver: Int) { stop(receiver, number: nil) }

    // MARK: The user and the phone

    /// The user's answer to the next question; `whenInUse` by default.
    public var userAnswer: LocationAuthorization {
        get { state.withLock { $0.answer.authorization } }
        set { state.withLock { $0.answer.authorization = newValue } }
    }

    /// Whether the user answers "Allow Once" when ``userAnswer`` allows anything; false by default.
    ///
    /// Such an answer gives `whenInUse`, which becomes `notDetermined` when the app is suspended or its process ends.
    public var userAllowsOnce: Bool {
        get { state.withLock { $0.answer.once } }
        set { state.withLock { $0.answer.once = newValue } }
    }

    /// The user changes the authorization in the settings.
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

    /// The place of the phone; `nil` without a fix.
    var place: LocationRoute.Place? {
        let now = surroundings.time.continuous()
        return state.withLock { $0.machine.place(now: now) }
    }

    /// The instant of the receiver's next reading; `nil` after the end of the route.
    var nextReading: ContinuousInstant? {
        let now = surroundings.time.continuous()
        return state.withLock { $0.machine.nextReading(now: now) }
    }

    // MARK: Notifications by the device

    /// Notes that the app has entered or left the foreground.
    func appForegrounded(_ isInFront: Bool) {
        deliver { state, now in state.machine.appForegrounded(isInFront, now: now) }
    }

    /// Notes that none of the app's code runs from now on.
    package func appSuspended() { deliver { state, now in state.machine.appSuspended(now: now) } }

    /// Sends the resumed app the updates that it missed while it was suspended.
    package func appResumed() { deliver { state, now in state.machine.appResumed(now: now) } }

    /// Ends the updates and releases the handlers of the ended process.
    package func processEnded() {
        deliver { state, now in
            state.machine.processEnded(now: now)
            return []
        }
    }

    // MARK: Changing

    private func start(
        _ receiver: Int, _ output: Output, _ settings: LocationSettings
    ) -> LocationMachine.StartAction {
        let action = change { state, now in
            let action = state.machine.start(receiver, settings, now: now)
            guard case .started(let number, let first) = action else { return ([], action) }
            state.outputs[number] = output
            return ([LocationMachine.Delivery(session: number, update: first)], action)
        }
        if case .started = action {
            surroundings.log(.app, .location(settings.inBackground ? "started, also in the background" : "started"))
        }
        return action
    }

    private func stop(_ receiver: Int, number: Int?) {
        let hasStopped = change { state, _ in ([], state.machine.stop(receiver, number: number)) }
        if hasStopped { surroundings.log(.app, .location("stopped")) }
    }

    private func look() {
        if state.withLock({ $0.machine.isUsingAlways }) {
            logQuestion(.always)
            settle { state, now in state.machine.confirmAlways(state.answer, now: now) }
        }
        let isPaused = change { state, now in
            let updates = state.machine.look(now: now)
            return (updates, updates.contains { $0.update == .paused })
        }
        if isPaused { surroundings.log(.system, .location("paused: the phone stands still")) }
    }

    private func deliver(_ body: (inout State, ContinuousInstant) -> [LocationMachine.Delivery]) {
        change { state, now in (body(&state, now), ()) }
    }

    /// Changes the machine, and notifies the receivers and the device.
    private func change<Result: Sendable>(
        _ body: (inout State, ContinuousInstant) -> (updates: [LocationMachine.Delivery], Result)
    ) -> Result {
        let now = surroundings.time.continuous()
        let wall = surroundings.time.wall()
        let (result, calls, ended, keepAwake) = state.withLock { state in
            let (deliveries, result) = body(&state, now)
            var calls: [(session: Int, report: LocationReport, handler: ReportHandler)] = []
            for delivery in deliveries {
                let report = LocationReport(delivery.update, now: now, wall: wall)
                switch (state.outputs[delivery.session], report) {
                // The updates are yielded under the lock, so that they keep their order; yielding only enqueues the
                // consumer's work.
                case (.stream(let continuation), .update(let update)): continuation.yield(update)
                case (.handler(let handler), _): calls.append((delivery.session, report, handler))
                case (.stream, .refused), (.stream, .paused), (nil, _): break
                }
            }
            let numbers = Set(state.machine.sessionNumbers)
            let ended = state.outputs.filter { !numbers.contains($0.key) }
            state.outputs = state.outputs.filter { numbers.contains($0.key) }
            waitForNextLook(&state, now: now)
            let keepsAwake = state.machine.keepsAwake
            defer { state.keepsAwake = keepsAwake }
            return (result, calls, ended, keepsAwake == state.keepsAwake ? nil : keepsAwake)
        }
        // A stream is finished outside the lock, because this calls `onTermination`, which takes the lock.
        for case .stream(let continuation) in ended.values { continuation.finish() }
        for (session, report, handler) in calls { hand(report, to: handler, of: session) }
        if let keepAwake { surroundings.keepAwake(.location, keepAwake) }
        return result
    }

    private func hand(_ report: LocationReport, to handler: @escaping ReportHandler, of session: Int) {
        surroundings.mainLoop()?.run { [weak self] in
            // A session that has ended meanwhile receives nothing more.
            if let self, state.withLock({ $0.machine.sessionNumbers.contains(session) }) { handler(report) }
        }
    }

    private func waitForNextLook(_ state: inout State, now: ContinuousInstant) {
        surroundings.arm(&state.timer, at: state.machine.nextLook(now: now)) { [weak self] in self?.look() }
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

/// What the receiver of positions is notified of.
package enum LocationReport: Sendable, Hashable, Codable {
    case update(LocationUpdate)
    /// The updates were not started, although the user allows the use of the location.
    case refused
    /// The updates have paused, because the phone does not move.
    case paused
}

extension LocationReport {
    fileprivate init(_ update: LocationMachine.Update, now: ContinuousInstant, wall: WallInstant) {
        switch update {
        case .paused: self = .paused
        case .authorization(let authorization): self = .update(.authorization(authorization))
        case .reading(nil, _): self = .update(.noFix)
        case .reading(let place?, let at):
            self = .update(
                .position(
                    Position(
                        latitude: place.latitude, longitude: place.longitude, accuracy: place.accuracy,
                        instant: wall.advanced(by: now.duration(to: at)))))
        }
    }
}

/// The words with which warnings in the log name the functions of an interface.
package struct LocationWords: Sendable {
    /// The function with which an app requests authorization.
    let request: String
    /// The advice for an app that needs updates only in the foreground, as a phrase: `start without inBackground`.
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
            "with the authorization whenInUse, updates cannot be started in the background; start them in the foreground"
        case .accessEnded:
            "with the authorization whenInUse, updates that paused cannot be started until the app is launched again"
        }
    }
}

extension Fault.Rule {
    /// An app without the declared mode `location` requested updates in the background.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/allowsbackgroundlocationupdates: a fatal error
    public static let undeclaredLocationMode = Fault.Rule("NSInternalInconsistencyException.undeclaredLocationMode")
}
