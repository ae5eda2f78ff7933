#if os(iOS) || os(Linux)
    public import ApusBackground
    import ApusTimers
    import CoreLocation

    /// Apple's `CLLocationManager`. All members may be used from any thread.
    ///
    /// - `inBackground` needs the mode `location` in `UIBackgroundModes`; to ask the system for it without that is fatal,
    ///   so it is an error here (Apple,
    ///   developer.apple.com/documentation/corelocation/cllocationmanager/allowsbackgroundlocationupdates). Started in
    ///   front, such updates keep the app running in the background, also with `whenInUse`.
    /// - They do not pause by themselves when the device stands still, because Core Location does not resume them (…/
    ///   pauseslocationupdatesautomatically): stop them when they are not needed.
    /// - Without `inBackground`, a suspended app gets what the system kept for it when it runs again.
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

        /// The positions of the device that the app runs on.
        ///
        /// - Parameter host: Whose main loop Core Location calls on.
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

        /// What the user allows, as the system has said last.
        public var authorization: LocationAuthorization { state.withLock { $0.authorization } }

        /// Asks the user for `whenInUse` or `always`; other wishes ask nothing.
        ///
        /// The system asks for each of them once, and says nothing when it does not ask again: this returns when the user
        /// has answered, or when the app has been active for two seconds (a choice) without a question.
        ///
        /// - Returns: What the user allows then.
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

        /// Starts updates; see ``AppleLocationSource``. They end with ``stop()``, with the sequence, and with another start.
        ///
        /// - Throws: `BackgroundError` with the code `modeUnavailable` when it is not authorized, `inBackground` is not
        ///   declared by the app, or the app is in the background and the authorization is not `always`.
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
                    "with the authorization whenInUse, updates are started while the app is in front"
                case .whenInUse, .always:
                    inBackground && !isModeDeclared
                        ? "the app does not declare the background mode location; add it to UIBackgroundModes, or start "
                            + "without inBackground" : nil
                }
            if let message { throw BackgroundError(code: .modeUnavailable, message: message) }
        }

        /// `nil` ends the present updates.
        private func stop(_ number: Int?) {
            let session = state.withLock { state -> (number: Int, continuation: Continuation)? in
                guard let session = state.session, number == nil || number == session.number else { return nil }
                return state.session.take()
            }
            guard let session else { return }
            session.continuation.finish()
            host.mainLoop.run { [weak self] in
                // Another one may have been started meanwhile.
                guard let self, state.withLock({ $0.session == nil }) else { return }
                service.stop()
            }
        }

        private func received(_ update: LocationUpdate) {
            state.withLock { state in
                if case .authorization(let authorization) = update {
                    // The system says it at the beginning, and again for other reasons.
                    guard state.authorization != authorization else { return }
                    state.authorization = authorization
                }
                // Under the lock, so that the order is right; it only puts the consumer's work in a queue.
                _ = state.session?.continuation.yield(update)
            }
        }
    }

    /// The system's location manager, which belongs to the main thread.
    @MainActor
    final class LocationService {
        /// Called on the main thread.
        var onUpdate: (@Sendable (LocationUpdate) -> Void)?

        private let manager = CLLocationManager()
        /// The manager does not keep it.
        private let delegate = LocationDelegate()
        private var questions: [@MainActor @Sendable () -> Void] = []

        init(dates: AppleDates) {
            delegate.dates = dates
            delegate.service = self
            manager.delegate = delegate
        }

        var authorization: LocationAuthorization { LocationAuthorization(manager.authorizationStatus) }

        /// Asks the user. `answered` is called when the system says that something has changed, if it does.
        func ask(always: Bool, _ answered: @escaping @MainActor @Sendable () -> Void) {
            questions.append(answered)
            if always { manager.requestAlwaysAuthorization() } else { manager.requestWhenInUseAuthorization() }
        }

        func start(inBackground: Bool) {
            manager.pausesLocationUpdatesAutomatically = false
            // Without the declared mode that is fatal; the caller has checked it.
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

    /// Gets positions and passes them on. The manager calls it on the thread that it was made on: the main one.
    ///
    /// For `@unchecked Sendable`: both variables are set once, on the main thread, before the manager knows of it.
    private final class LocationDelegate: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
        weak var service: LocationService?
        var dates: AppleDates?

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            guard let dates else { return }
            let updates = locations.map { location in
                LocationUpdate.position(
                    Position(
                        latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                        // Negative: not known.
                        accuracy: location.horizontalAccuracy < 0 ? nil : location.horizontalAccuracy,
                        instant: dates.instant(of: location.timestamp)))
            }
            MainActor.assumeIsolated { service?.received(updates) }
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            // A refusal is reported as a change of the authorization.
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
                // Denied or restricted.
                default: .denied
                }
        }
    }

    /// Waits for the user's answer to a question that the system may not ask.
    ///
    /// While the question is on the screen the app is inactive. So one that has been active for a while has not been asked,
    /// or has been and the answer changed nothing: of both the system says nothing.
    @MainActor
    final class LocationQuestion {
        private static let patience = Duration.seconds(2)

        private let host: any BackgroundHost
        private var continuation: UnsafeContinuation<Void, Never>?
        private var timer: ScheduledTimer?
        private var observation: ObservationToken?

        nonisolated init(host: any BackgroundHost) { self.host = host }

        /// - Parameter ask: Asks, and calls what it is given when there is an answer.
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
                    // In any other phase, the next one that is active waits again.
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
