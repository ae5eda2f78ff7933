#if os(iOS) || os(Linux)
    public import ApusBackground
    import ApusTimers
    import CoreLocation

    /// The positions from Apple's `CLLocationManager`.
    ///
    /// All members may be used from any thread.
    ///
    /// - `inBackground` requires the mode `location` in `UIBackgroundModes`. Without the mode, the system would end the
    ///   app, so starting the updates is an error here (Apple,
    ///   developer.apple.com/documentation/corelocation/cllocationmanager/allowsbackgroundlocationupdates). Updates
    ///   that were started in the foreground with `inBackground` keep the app running in the background, even if the
    ///   permission is only `whenInUse`.
    /// - Updates continue while the device stands still. Core Location's automatic pause is switched off, because Core
    ///   Location does not resume paused updates by itself
    ///   (developer.apple.com/documentation/corelocation/cllocationmanager/pauseslocationupdatesautomatically). Stop
    ///   the updates when they are not needed.
    /// - Without `inBackground`, a suspended app receives no positions. When it runs again, it receives those that the
    ///   system has kept for it.
    public final class AppleLocationSource: LocationSource {
        private typealias Continuation = AsyncStream<LocationUpdate>.Continuation

        private struct State {
            var authorization: LocationAuthorization
            var lastNumber = 0
            /// The updates in progress.
            var session: (number: Int, continuation: Continuation)?
        }

        private let host: any BackgroundHost
        private let service: LocationService
        private let state: Locked<State>
        private let isModeDeclared: Bool

        /// Creates a source of the device's positions.
        ///
        /// - Parameter host: The host on whose main loop Core Location makes its calls.
        @MainActor
        public init(host: any BackgroundHost) {
            self.host = host
            isModeDeclared = AppleSystem.declaredModes.contains("location")
            service = LocationService(dates: AppleDates(time: host.engine.time))
            state = Locked(State(authorization: service.authorization))
            service.onUpdate = { [weak self] in self?.received($0) }
        }

        deinit {
            let (service, session) = (service, state.withLock { $0.session.take() })
            session?.continuation.finish()
            host.mainLoop.run { service.stop() }
        }

        // MARK: Permission

        /// The user's permission, as the system reported it last.
        public var authorization: LocationAuthorization { state.withLock { $0.authorization } }

        /// Asks the user for `whenInUse` or `always`; for other values, no question is asked.
        ///
        /// The system asks for each permission only once, and reports nothing when it does not ask again. The call
        /// therefore returns when the user has answered, or when the app has been active without an answer for two
        /// seconds, a limit that Apus has chosen.
        ///
        /// - Returns: The user's permission after the answer.
        public func requestAuthorization(_ wish: LocationAuthorization) async -> LocationAuthorization {
            let isQuestion =
                switch (wish, authorization) {
                case (.whenInUse, .notDetermined), (.always, .notDetermined), (.always, .whenInUse): true
                default: false
                }
            guard isQuestion else { return authorization }
            let question = LocationQuestion(host: host)
            await question.ask { [service] answered in service.ask(always: wish == .always, answered) }
            return authorization
        }

        // MARK: Updates

        /// Starts updates, which end when ``stop()`` is called, the sequence ends or updates are started again.
        ///
        /// See ``AppleLocationSource`` for updates in the background.
        ///
        /// - Throws: `BackgroundError` with the code `modeUnavailable` when the app has no permission or does not
        ///   declare the mode for `inBackground`, or when it is in the background and the permission is not `always`.
        public func updates(inBackground: Bool) throws(BackgroundError) -> AsyncStream<LocationUpdate> {
            try demandPermission(inBackground: inBackground)
            let (stream, continuation) = AsyncStream.makeStream(of: LocationUpdate.self)
            let (number, former) = state.withLock { state in
                state.lastNumber += 1
                defer { state.session = (state.lastNumber, continuation) }
                return (state.lastNumber, state.session?.continuation)
            }
            former?.finish()
            continuation.onTermination = { [weak self] _ in self?.stop(number) }
            host.mainLoop.run { [weak self] in
                guard let self, state.withLock({ $0.session?.number }) == number else { return }
                service.start(inBackground: inBackground)
            }
            return stream
        }

        /// Ends the updates.
        public func stop() { stop(nil) }

        private func demandPermission(inBackground: Bool) throws(BackgroundError) {
            let authorization = authorization
            let message: String? =
                switch authorization {
                case .notDetermined, .denied:
                    "the user's authorization is \(authorization.rawValue); ask for it with requestAuthorization first"
                case .whenInUse where host.phase == .background:
                    "with the authorization whenInUse, updates cannot be started in the background; start them in the foreground"
                case .whenInUse, .always:
                    inBackground && !isModeDeclared
                        ? "the app does not declare the background mode location; add it to UIBackgroundModes, or start "
                            + "without inBackground" : nil
                }
            if let message { throw BackgroundError(code: .modeUnavailable, message: message) }
        }

        /// Ends the updates with this number, or the current updates if it is `nil`.
        private func stop(_ number: Int?) {
            let session = state.withLock { state -> (number: Int, continuation: Continuation)? in
                guard let session = state.session, number == nil || number == session.number else { return nil }
                return state.session.take()
            }
            guard let session else { return }
            session.continuation.finish()
            host.mainLoop.run { [weak self] in
                // Other updates may have been started meanwhile.
                guard let self, state.withLock({ $0.session == nil }) else { return }
                service.stop()
            }
        }

        private func received(_ update: LocationUpdate) {
            state.withLock { state in
                if case .authorization(let authorization) = update {
                    // The system also reports a permission that has not changed, for example at the beginning.
                    guard state.authorization != authorization else { return }
                    state.authorization = authorization
                }
                // The call is made under the lock, which keeps the order of the updates. It only enqueues the
                // consumer's work.
                _ = state.session?.continuation.yield(update)
            }
        }
    }

    /// The system's location manager, which is used on the main thread only.
    @MainActor
    final class LocationService {
        /// Called with each update, on the main thread.
        var onUpdate: (@Sendable (LocationUpdate) -> Void)?

        private let manager = CLLocationManager()
        /// The delegate, which the manager does not retain.
        private let delegate = LocationDelegate()
        private var questions: [@MainActor @Sendable () -> Void] = []

        init(dates: AppleDates) {
            delegate.dates = dates
            delegate.service = self
            manager.delegate = delegate
        }

        var authorization: LocationAuthorization { LocationAuthorization(manager.authorizationStatus) }

        /// Asks the user, and calls `answered` when the system reports the user's decision, which may never happen.
        func ask(always: Bool, _ answered: @escaping @MainActor @Sendable () -> Void) {
            questions.append(answered)
            if always { manager.requestAlwaysAuthorization() } else { manager.requestWhenInUseAuthorization() }
        }

        func start(inBackground: Bool) {
            manager.pausesLocationUpdatesAutomatically = false
            // Setting this to true ends an app that does not declare the mode. The caller has checked the declaration.
            manager.allowsBackgroundLocationUpdates = inBackground
            manager.startUpdatingLocation()
        }

        func stop() { manager.stopUpdatingLocation() }

        fileprivate func received(_ updates: [LocationUpdate]) { for update in updates { onUpdate?(update) } }

        fileprivate func authorizationChanged() {
            onUpdate?(.authorization(authorization))
            guard authorization != .notDetermined else { return }
            let answered = questions
            questions = []
            for question in answered { question() }
        }
    }

    /// The delegate that passes positions on to the service.
    ///
    /// The manager calls the delegate on the thread on which the manager was created, which is the main thread. The
    /// class is `@unchecked Sendable` because both variables are set once, on the main thread, before the manager has
    /// the delegate.
    private final class LocationDelegate: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
        weak var service: LocationService?
        var dates: AppleDates?

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            guard let dates else { return }
            let updates = locations.map { location in
                LocationUpdate.position(
                    Position(
                        latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                        // Core Location reports an unknown accuracy as a negative number.
                        accuracy: location.horizontalAccuracy < 0 ? nil : location.horizontalAccuracy,
                        instant: dates.instant(of: location.timestamp)))
            }
            MainActor.assumeIsolated { service?.received(updates) }
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            // A refusal is also reported as a change of the authorization, so it needs no handling here.
            guard (error as? CLError)?.code == .locationUnknown else { return }
            MainActor.assumeIsolated { service?.received([.noFix]) }
        }

        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
            MainActor.assumeIsolated { service?.authorizationChanged() }
        }
    }

    extension LocationAuthorization {
        init(_ status: CLAuthorizationStatus) {
            self =
                switch status {
                case .notDetermined: .notDetermined
                case .authorizedAlways: .always
                case .authorizedWhenInUse: .whenInUse
                // The status is `denied` or `restricted`.
                default: .denied
                }
        }
    }

    /// The wait for the user's answer to a question, which the system does not always ask.
    ///
    /// While the question is on the screen, the app is inactive. If the app has been active for a while, either the
    /// system has not asked, or the answer changed nothing; the system reports neither.
    @MainActor
    final class LocationQuestion {
        private static let patience = Duration.seconds(2)

        private let host: any BackgroundHost
        private var continuation: UnsafeContinuation<Void, Never>?
        private var timer: ScheduledTimer?
        private var observation: ObservationToken?

        nonisolated init(host: any BackgroundHost) { self.host = host }

        /// Asks a question and waits for the answer.
        ///
        /// - Parameter ask: A closure that asks, and calls its argument when there is an answer.
        nonisolated func ask(
            _ ask: @escaping @MainActor @Sendable (_ answered: @escaping @MainActor @Sendable () -> Void) -> Void
        ) async {
            await withUnsafeContinuation { continuation in
                host.mainLoop.run { [self] in
                    self.continuation = continuation
                    observation = host.observePhase { [self] phase in if phase == .active { wait() } }
                    wait()
                    ask { [self] in finish() }
                }
            }
        }

        private func wait() {
            timer?.cancel()
            timer = host.engine.schedule(after: Self.patience) { [self] in
                host.mainLoop.run { [self] in
                    // In any other phase, the wait begins again when the app becomes active.
                    if host.phase == .active { finish() }
                }
            }
        }

        private func finish() {
            timer?.cancel()
            (timer, observation) = (nil, nil)
            continuation.take()?.resume()
        }
    }
#endif
