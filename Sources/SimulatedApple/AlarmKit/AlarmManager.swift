public import ActivityKit
public import AppIntents
import ApusBackground
import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// The app's interface to the alarms of the simulated phone, which can be used on any thread.
///
/// The device keeps the alarms, so they outlive the app's processes and a restart. The app is not started for an alert.
/// Where a call fails, the device's log has a warning with the reason.
///
/// Source: Apple, documentation/alarmkit/alarmmanager.
public final class AlarmManager: Sendable {
    private let host: any PhoneHost
    private let lists: Broadcast<[Alarm]>
    private let authorizations: Broadcast<AuthorizationState>
    /// The callers that wait for the user's answer.
    private let waiting = Locked<[UnsafeContinuation<Void, Never>]>([])

    private init(_ process: PhoneProcess) {
        host = process.host
        lists = Broadcast([], mainLoop: host.mainLoop)
        authorizations = Broadcast(.notDetermined, mainLoop: host.mainLoop)
        host.observe(SimulatedAlarms.self) { [weak self] event in self?.handle(event) }
    }

    /// The manager of the running process.
    public class var shared: AlarmManager {
        let process = SimulatedPhone.process
        return process.shared.object(of: AlarmManager.self) { AlarmManager(process) }
    }

    // MARK: The user's permission

    /// The user's permission.
    public enum AuthorizationState: Hashable, Codable, Sendable {
        /// The user has not been asked.
        case notDetermined
        /// The user does not allow alarms.
        case denied
        /// The user allows alarms.
        case authorized
    }

    /// The present permission.
    public var authorizationState: AuthorizationState {
        guard case .authorization(let authorization) = host.ask(SimulatedAlarms.self, .authorization) else {
            return .notDetermined
        }
        return AuthorizationState(authorization)
    }

    /// The user's new permission, each time that it changes from now on.
    public var authorizationUpdates: some AsyncSequence<AuthorizationState, Never> { authorizations.changes() }

    /// Asks the user for the permission, unless the user has answered before.
    ///
    /// The simulated user answers; the app is inactive meanwhile. If the app is not in front, the user is asked as soon
    /// as the app is in front.
    ///
    /// - Returns: The permission.
    /// - Throws: An error with the domain "com.apple.AlarmKit.Alarm" if the app's `Info.plist` has no text for
    ///   `NSAlarmKitUsageDescription`.
    nonisolated(nonsending) public func requestAuthorization() async throws -> AuthorizationState {
        // If the process ends before the answer, the continuation is never resumed, and the task is released with the
        // process.
        let refusal = Locked<AlarmRefusal?>(nil)
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            waiting.withLock { $0.append(continuation) }
            guard case .refused(let reason) = host.ask(SimulatedAlarms.self, .ask) else { return }
            refusal.withLock { $0 = reason }
            resumeAll()
        }
        if let refusal = refusal.withLock({ $0 }) { throw AlarmKitError(refusal) }
        return authorizationState
    }

    private func resumeAll() {
        let continuations = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in continuations { continuation.resume() }
    }

    // MARK: Alarms

    /// The app's alarms, in the order in which they were scheduled.
    ///
    /// - Throws: Nothing here; the real property may throw.
    public var alarms: [Alarm] {
        get throws {
            guard case .alarms(let alarms) = host.ask(SimulatedAlarms.self, .alarms) else { return [] }
            return alarms.compactMap { Alarm($0) }
        }
    }

    /// The app's alarms, each time that one of them changes from now on; an alarm that is missing is not scheduled any
    /// more.
    public var alarmUpdates: some AsyncSequence<[Alarm], Never> { lists.changes() }

    /// Schedules an alarm, in place of one with the same identifier; asks the user for the permission first, unless the
    /// user has answered before.
    ///
    /// - Returns: The alarm.
    /// - Throws: ``AlarmError/maximumLimitReached``, or an error with the domain "com.apple.AlarmKit.Alarm" if the user
    ///   does not allow alarms, the `Info.plist` has no text for `NSAlarmKitUsageDescription`, the time has passed, or
    ///   there is neither a schedule nor a countdown.
    nonisolated(nonsending) public func schedule<Metadata: AlarmMetadata>(
        id: Alarm.ID, configuration: AlarmConfiguration<Metadata>
    ) async throws -> Alarm {
        if authorizationState == .notDetermined { _ = try await requestAuthorization() }
        let alert = configuration.attributes.presentation.alert
        let durations = configuration.countdownDuration
        func duration(_ seconds: TimeInterval?) throws -> Duration? {
            guard let seconds else { return nil }
            // `Duration` traps for a number that it cannot express.
            guard seconds.magnitude < 1e9 else {
                throw AlarmKitError(
                    AlarmRefusal(
                        message: "alarm “\(alert.title.key)” was not scheduled: no countdown takes \(seconds) s"))
            }
            return .seconds(seconds)
        }
        try perform(
            .schedule(
                AlarmRequest(
                    id: id.uuidString, title: alert.title.key, schedule: configuration.schedule?.kept,
                    preAlert: duration(durations?.preAlert), postAlert: duration(durations?.postAlert),
                    isSnoozable: alert.secondaryButton != nil && alert.secondaryButtonBehavior == .countdown,
                    stopIntent: configuration.stopIntent.map { IntentRequest($0) },
                    secondaryIntent: alert.secondaryButton == nil
                        ? nil : configuration.secondaryIntent.map { IntentRequest($0) })))
        guard let alarm = try alarms.first(where: { $0.id == id }) else {
            throw AlarmKitError(AlarmRefusal(message: "alarm “\(alert.title.key)” has gone"))
        }
        return alarm
    }

    /// Snoozes an alarm that alerts: begins the countdown that follows the alert.
    ///
    /// - Throws: An error with the domain "com.apple.AlarmKit.Alarm" if the alarm does not alert, or has no such
    ///   countdown.
    public func countdown(id: Alarm.ID) throws { try perform(.snooze(id.uuidString)) }

    /// Pauses an alarm that counts down.
    ///
    /// - Throws: An error with the domain "com.apple.AlarmKit.Alarm" if the alarm does not count down.
    public func pause(id: Alarm.ID) throws { try perform(.pause(id.uuidString)) }

    /// Continues the countdown of a paused alarm.
    ///
    /// - Throws: An error with the domain "com.apple.AlarmKit.Alarm" if the alarm is not paused.
    public func resume(id: Alarm.ID) throws { try perform(.resume(id.uuidString)) }

    /// Stops an alarm: one that repeats waits for its next time, any other one is deleted.
    ///
    /// - Throws: An error with the domain "com.apple.AlarmKit.Alarm" if there is no such alarm.
    public func stop(id: Alarm.ID) throws { try perform(.stop(id.uuidString)) }

    /// Deletes an alarm, also one that repeats.
    ///
    /// - Throws: An error with the domain "com.apple.AlarmKit.Alarm" if there is no such alarm.
    public func cancel(id: Alarm.ID) throws { try perform(.cancel(id.uuidString)) }

    private func perform(_ call: AlarmCall) throws {
        guard case .refused(let refusal) = host.ask(SimulatedAlarms.self, call) else { return }
        if refusal.isLimit { throw AlarmError.maximumLimitReached }
        throw AlarmKitError(refusal)
    }

    private func handle(_ event: AlarmEvent) {
        switch event {
        case .alarms(let alarms): lists.announce(alarms.compactMap { Alarm($0) })
        case .authorization(let authorization): authorizations.announce(AuthorizationState(authorization))
        case .answered: resumeAll()
        }
    }
}

extension AlarmManager {
    /// An error of the manager.
    public enum AlarmError: Error, Hashable, Codable, Sendable {
        /// The device keeps no more alarms.
        case maximumLimitReached
    }

    /// An alarm to schedule.
    ///
    /// The app is started in the background for its intents. The sound has no effect.
    public struct AlarmConfiguration<Metadata: AlarmMetadata>: Sendable {
        fileprivate let countdownDuration: Alarm.CountdownDuration?
        fileprivate let schedule: Alarm.Schedule?
        fileprivate let attributes: AlarmAttributes<Metadata>
        fileprivate let stopIntent: (any LiveActivityIntent)?
        fileprivate let secondaryIntent: (any LiveActivityIntent)?

        /// Creates an alarm with a schedule, a countdown before the alert, or both.
        ///
        /// With both, the countdown ends at the time of the schedule.
        public init(
            countdownDuration: Alarm.CountdownDuration? = nil, schedule: Alarm.Schedule? = nil,
            attributes: AlarmAttributes<Metadata>, stopIntent: (any LiveActivityIntent)? = nil,
            secondaryIntent: (any LiveActivityIntent)? = nil, sound: AlertConfiguration.AlertSound = .default
        ) {
            (self.countdownDuration, self.schedule, self.attributes) = (countdownDuration, schedule, attributes)
            (self.stopIntent, self.secondaryIntent) = (stopIntent, secondaryIntent)
        }

        /// Returns a countdown that begins when it is scheduled, and again when the user snoozes its alert.
        public static func timer(
            duration: TimeInterval, attributes: AlarmAttributes<Metadata>, stopIntent: (any LiveActivityIntent)? = nil,
            secondaryIntent: (any LiveActivityIntent)? = nil, sound: AlertConfiguration.AlertSound = .default
        ) -> Self {
            Self(
                countdownDuration: Alarm.CountdownDuration(preAlert: duration, postAlert: duration),
                attributes: attributes, stopIntent: stopIntent, secondaryIntent: secondaryIntent)
        }

        /// Returns an alarm with a schedule.
        public static func alarm(
            schedule: Alarm.Schedule?, attributes: AlarmAttributes<Metadata>,
            stopIntent: (any LiveActivityIntent)? = nil, secondaryIntent: (any LiveActivityIntent)? = nil,
            sound: AlertConfiguration.AlertSound = .default
        ) -> Self {
            Self(
                schedule: schedule, attributes: attributes, stopIntent: stopIntent, secondaryIntent: secondaryIntent)
        }
    }
}

/// A failure for which AlarmKit documents no type; unlike an error of the real framework, it has the reason and the
/// remedy.
private struct AlarmKitError: CustomNSError, LocalizedError {
    static var errorDomain: String { "com.apple.AlarmKit.Alarm" }
    let errorCode = 1
    let errorDescription: String?

    init(_ refusal: AlarmRefusal) { errorDescription = refusal.message }
}

extension AlarmManager.AuthorizationState {
    fileprivate init(_ authorization: AlarmAuthorization) {
        self =
            switch authorization {
            case .notDetermined: .notDetermined
            case .denied: .denied
            case .authorized: .authorized
            }
    }
}
