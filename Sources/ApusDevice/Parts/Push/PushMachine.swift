import ApusBackground
import ApusTimers

/// A silent push, as the app gets it.
package struct SilentPush: Sendable, Hashable, Codable {
    /// Counts the pushes of a device.
    package let number: Int
    /// What the server has added to the payload.
    package let fields: [String: String]
}

/// What becomes of the silent pushes for one app: a pure state machine.
///
/// A push is *held* until the system starts or resumes the app for it, then *handed over*, and *handled* when the app says
/// so. One push at most is held: the newest. Source of all rules but the limits: Apple,
/// documentation/usernotifications/pushing-background-updates-to-your-app; of what low battery, low-power mode and the user's
/// settings stop: notes on WWDC20 10063.
struct PushMachine {
    /// A push that the app has to handle.
    struct Run: Equatable {
        let push: SilentPush
        /// When it has to be handled, in nanoseconds of uptime.
        let end: UInt64
        var isHandedOver = false
    }

    enum Action: Equatable {
        /// Hand it over to the app, which is in front.
        case deliver
        /// Start or resume the app for it.
        case wake
        /// Keep it, in place of an earlier one that is held.
        case hold(reasons: [String], replacesOther: Bool)
        /// The app never gets it.
        case discard(String)
    }

    private static let hour: Duration = .seconds(3_600)

    private let hourlyLimit: Int
    private let timeLimit: UInt64
    private let lowBattery: Double
    var isRegistered = false
    private var isModeDeclared = false
    private var lastNumber = 0
    private(set) var held: SilentPush?
    /// When the app was started or resumed for a push within the last hour.
    private var wakes: [ContinuousInstant] = []
    private(set) var runs: [Run] = []

    /// - Parameters:
    ///   - hourlyLimit: How many start or resume the app within an hour.
    ///   - lowBattery: The charge up to which none does.
    ///   - timeLimit: In nanoseconds of uptime; Apple says 30 seconds.
    init(hourlyLimit: Int, lowBattery: Double, timeLimit: UInt64 = 30_000_000_000) {
        (self.hourlyLimit, self.timeLimit, self.lowBattery) = (max(0, hourlyLimit), timeLimit, lowBattery)
    }

    mutating func appInstalled(isModeDeclared: Bool) { self.isModeDeclared = isModeDeclared }

    // MARK: Coming

    mutating func receive(_ fields: [String: String], _ scene: DeviceScene, now: DeviceMoment) -> Action {
        lastNumber += 1
        guard isRegistered else { return .discard("the app has not registered for remote notifications") }
        if !scene.isAppInFront {
            guard isModeDeclared else { return .discard("the app does not declare the mode remote-notification") }
            guard !scene.wasForceQuit else { return .discard("the user has removed the app from the switcher") }
        }
        let other = held
        held = SilentPush(number: lastNumber, fields: fields)
        let action = decide(scene, now: now)
        guard case .hold(let reasons, _) = action else { return action }
        return .hold(reasons: reasons, replacesOther: other != nil)
    }

    /// What to do with the push that is held; nil when there is none.
    func next(_ scene: DeviceScene, now: DeviceMoment) -> Action? {
        held == nil ? nil : decide(scene, now: now)
    }

    private func decide(_ scene: DeviceScene, now: DeviceMoment) -> Action {
        if scene.isAppInFront { return .deliver }
        let reasons = obstacles(scene, now: now)
        return reasons.isEmpty ? .wake : .hold(reasons: reasons, replacesOther: false)
    }

    private func obstacles(_ scene: DeviceScene, now: DeviceMoment) -> [String] {
        var reasons: [String] = []
        func add(_ reason: String, if isThere: Bool) { if isThere { reasons.append(reason) } }
        add("the device was not unlocked since its start", if: !scene.wasUnlockedSinceBoot)
        add("the app is being ended", if: scene.isAppEnding)
        add("background refresh is off", if: !scene.isBackgroundRefreshOn)
        add("the battery is low", if: scene.conditions.batteryLevel.map { $0 <= lowBattery } ?? false)
        add("low-power mode", if: scene.conditions.isLowPowerMode == true)
        add("too many within an hour", if: hourlyLimit == 0 || freeAgain(now: now) != nil)
        return reasons
    }

    /// When another push may start the app, if that is later.
    func freeAgain(now: DeviceMoment) -> ContinuousInstant? {
        let recent = wakes.suffix(hourlyLimit)
        guard recent.count == hourlyLimit, let first = recent.first else { return nil }
        let free = first.advanced(by: Self.hour)
        return free > now.continuous ? free : nil
    }

    // MARK: Handling

    /// The app gets the push that is held.
    mutating func begin(countsAsWake: Bool, now: DeviceMoment) {
        guard let push = held.take() else { return }
        if countsAsWake { wakes = wakes.suffix(max(0, hourlyLimit - 1)) + [now.continuous] }
        runs.append(Run(push: push, end: now.uptime + timeLimit))
    }

    /// The pushes that are to be handed over now, each once.
    mutating func handOver() -> [SilentPush] {
        defer { for index in runs.indices { runs[index].isHandedOver = true } }
        return runs.filter { !$0.isHandedOver }.map(\.push)
    }

    /// False when it was handled before, or not at all handed over.
    mutating func complete(_ number: Int) -> Bool {
        guard let index = runs.firstIndex(where: { $0.push.number == number }) else { return false }
        runs.remove(at: index)
        return true
    }

    /// When the first push has to be handled.
    var end: UInt64? { runs.map(\.end).min() }

    /// Takes away those whose time is over.
    mutating func takeOverdue(now: DeviceMoment) -> [Run] {
        defer { runs.removeAll { $0.end <= now.uptime } }
        return runs.filter { $0.end <= now.uptime }
    }

    /// The app was ended. What was held for it is lost: true if there was something.
    mutating func processEnded() -> Bool {
        runs = []
        return held.take() != nil
    }
}
