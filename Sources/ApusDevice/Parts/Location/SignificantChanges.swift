package import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The service of a simulated phone that reports when it has moved far, and starts the app for that. From any thread.
package final class SignificantChanges: Sendable {
    package enum Request: Sendable, Codable {
        /// Starts the service, which continues until it is stopped, also after the process has ended. What has waited for
        /// the app, or where the phone is, comes at once.
        case start
        case stop
    }

    private struct State {
        var machine = SignificantChangeMachine()
        var timer: ScheduledTimer?
    }

    private let surroundings: PartSurroundings
    /// Whether an app is started that the user has removed from the switcher.
    private let launchesAfterForceQuit: Bool
    private let location: SimulatedLocation
    private let state = Locked(State())

    package init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        location = surroundings.part(SimulatedLocation.self)
        launchesAfterForceQuit = surroundings.policy.locationLaunchesAfterForceQuit
        location.observeRoute { [weak self] in self?.lookSoon() }
    }

    private func start() {
        let (place, now) = (location.place, surroundings.time.continuous())
        let fix = state.withLock { $0.machine.start(at: place, now: now) }
        surroundings.log(.app, .location("significant changes: started"))
        if let fix, location.authorization == .always || location.authorization == .whenInUse { hand(fix) }
        waitForNextLook()
    }

    private func stop() {
        if state.withLock({ $0.machine.stop() }) { surroundings.log(.app, .location("significant changes: stopped")) }
        waitForNextLook()
    }

    /// The phone is put on another route, and may be elsewhere already.
    private func lookSoon() { waitForNextLook(reading: surroundings.time.continuous()) }

    private func waitForNextLook() { waitForNextLook(reading: location.nextReading) }

    private func waitForNextLook(reading: ContinuousInstant?) {
        state.withLock { state in
            let next = state.machine.nextLook(reading: reading).map { next in
                surroundings.engine.schedule(at: next) { [weak self] in
                    MainActor.assumeIsolated { self?.look() }
                }
            }
            state.timer.replace(with: next)
        }
    }

    @MainActor
    private func look() {
        let (place, now) = (location.place, surroundings.time.continuous())
        let isAllowed = location.authorization == .always
        if state.withLock({ $0.machine.look(at: place, isAllowed: isAllowed, now: now) }) {
            surroundings.log(.system, .location("moved far"))
            if !surroundings.wake(.location, launchesAfterForceQuit) {
                surroundings.log(.system, .location("the app is not started for that"))
            }
            // A process that is started for it takes the report when it starts the service.
            if let fix = state.withLock({ $0.machine.takeReport() }) { hand(fix) }
        }
        waitForNextLook()
    }

    private func hand(_ fix: SignificantChangeMachine.Fix) {
        let age = fix.at.duration(to: surroundings.time.continuous())
        let position = Position(
            latitude: fix.place.latitude, longitude: fix.place.longitude, accuracy: fix.place.accuracy,
            instant: surroundings.time.wall().advanced(by: .zero - age))
        surroundings.send(position, of: Self.self)
    }
}

extension SignificantChanges: DeviceService {
    package typealias Event = Position

    package func processEnded() { state.withLock { $0.machine.processEnded() } }

    /// Whether the service runs now.
    package func answer(_ request: Request) -> Bool {
        guard !surroundings.isAppDead() else { return false }
        switch request {
        case .start: start()
        case .stop: stop()
        }
        return request == .start
    }
}
