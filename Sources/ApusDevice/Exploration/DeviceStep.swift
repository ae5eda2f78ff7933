public import ApusBackground
import ApusTimers

/// A step on a simulated device: an action of a random user, or an event, with its arguments.
///
/// ``SimulatedDevice/explore(seeds:_:prepare:check:)-8i0cr`` generates steps. Steps can also be written by hand, and an
/// array of them can be performed on several devices.
public enum DeviceStep: Sendable, Hashable {
    /// Calls ``SimulatedDevice/launch()``.
    case launch
    /// Calls ``SimulatedDevice/open()``.
    case open
    /// Calls ``SimulatedDevice/pressHome()``.
    case pressHome
    /// Calls ``SimulatedDevice/openAppSwitcher()``.
    case openAppSwitcher
    /// Calls ``SimulatedDevice/swipeAway()``.
    case swipeAway
    /// Calls ``SimulatedDevice/lock()``.
    case lock
    /// Calls ``SimulatedDevice/unlock()``.
    case unlock
    /// Calls ``SimulatedDevice/receiveCall()``.
    case receiveCall
    /// Calls ``SimulatedDevice/endCall()``.
    case endCall
    /// Calls ``SimulatedDevice/scroll(for:)``.
    case scroll(Duration)
    /// Calls ``SimulatedDevice/advance(by:)-2pb0e``.
    case advance(Duration)
    /// Calls ``SimulatedDevice/sleepMachine(for:)``.
    case sleepMachine(Duration)
    /// Calls ``SimulatedDevice/moveWallClock(by:)``.
    case moveWallClock(Duration)
    /// Calls ``SimulatedDevice/kill(_:)``.
    case kill
    /// Calls ``SimulatedDevice/applyMemoryPressure(isSevere:)``.
    case applyMemoryPressure
    /// Calls ``SimulatedDevice/reboot()``.
    case reboot
    /// Calls ``SimulatedDevice/setBattery(_:)`` with this number of hundredths.
    case setBattery(percent: Int)
    /// Calls ``SimulatedDevice/plugIn()``.
    case plugIn
    /// Calls ``SimulatedDevice/unplug()``.
    case unplug
    /// Calls ``SimulatedDevice/setLowPowerMode(_:)``.
    case setLowPowerMode(Bool)
    /// Calls ``SimulatedDevice/setNetwork(_:)``.
    case setNetwork(DeviceConditions.Network)
    /// Calls ``SimulatedDevice/setThermalState(_:)``.
    case setThermalState(DeviceConditions.ThermalState)
    /// Calls ``SimulatedDevice/setBackgroundRefresh(_:)``.
    case setBackgroundRefresh(Bool)
    /// Calls ``SimulatedDevice/receivePush(_:)`` without fields.
    case receivePush
    /// Calls ``SimulatedDevice/disconnectScene()``.
    case disconnectScene
    /// Calls ``SimulatedAudio/beginInterruption()``.
    case beginAudioInterruption
    /// Calls ``SimulatedAudio/endInterruption(shouldResume:)``.
    case endAudioInterruption(shouldResume: Bool)
    /// Calls ``SimulatedNotificationCenter/setAuthorization(_:)``.
    case setNotificationAuthorization(NotificationAuthorization)
    /// Calls ``SimulatedNotificationCenter/tap(_:)``.
    case tapNotification(String)
    /// Calls ``SimulatedLocation/setAuthorization(_:)``.
    case setLocationAuthorization(LocationAuthorization)
    /// Calls ``SimulatedDevice/launchJob(_:)``.
    case launchJob(String)
    /// Calls ``SimulatedDevice/expireJob(_:)``.
    case expireJob(String)
    /// Performs a control of another part of the device.
    case control(AppAction)
    /// Performs an action that only this app has, such as a tap on its screen, if the app is active.
    case app(AppAction)

    /// The virtual time that the step takes on the device.
    var duration: Duration {
        switch self {
        case .advance(let duration), .scroll(let duration), .sleepMachine(let duration): duration
        default: .zero
        }
    }
}

extension DeviceStep {
    /// Performs the step.
    ///
    /// A step that is impossible at this moment, such as removing the app from a switcher that is not shown, is no
    /// error: it has no effect, or the device's log gets a warning.
    @MainActor
    public func perform(on device: SimulatedDevice) {
        switch self {
        case .launch: device.launch()
        case .open: device.open()
        case .pressHome: device.pressHome()
        case .openAppSwitcher: device.openAppSwitcher()
        case .swipeAway: device.swipeAway()
        case .lock: device.lock()
        case .unlock: device.unlock()
        case .receiveCall: device.receiveCall()
        case .endCall: device.endCall()
        case .scroll(let duration): device.scroll(for: duration)
        case .advance(let duration): device.advance(by: duration)
        case .sleepMachine(let duration): device.sleepMachine(for: duration)
        case .moveWallClock(let duration): device.moveWallClock(by: duration)
        case .kill: device.kill()
        case .applyMemoryPressure: device.applyMemoryPressure()
        case .reboot: device.reboot()
        case .setBattery(let percent): device.setBattery(Double(percent) / 100)
        case .plugIn: device.plugIn()
        case .unplug: device.unplug()
        case .setLowPowerMode(let isOn): device.setLowPowerMode(isOn)
        case .setNetwork(let network): device.setNetwork(network)
        case .setThermalState(let state): device.setThermalState(state)
        case .setBackgroundRefresh(let isOn): device.setBackgroundRefresh(isOn)
        case .receivePush: device.receivePush()
        case .disconnectScene: device.disconnectScene()
        case .beginAudioInterruption: device.audio.beginInterruption()
        case .endAudioInterruption(let shouldResume): device.audio.endInterruption(shouldResume: shouldResume)
        case .setNotificationAuthorization(let authorization): device.notifications.setAuthorization(authorization)
        case .tapNotification(let identifier): _ = device.notifications.tap(identifier)
        case .setLocationAuthorization(let authorization): device.location.setAuthorization(authorization)
        case .launchJob(let identifier): device.launchJob(identifier)
        case .expireJob(let identifier): device.expireJob(identifier)
        case .control(let action): try? action.perform(device)
        // The user can touch only an app that is in the foreground.
        case .app(let action): if device.appPhase == .active { try? action.perform(device) }
        }
    }

    /// Performs the step and lets tasks of the main actor run; see the asynchronous
    /// ``SimulatedDevice/advance(by:)-6pb81``.
    @MainActor
    func performAsynchronously(on device: SimulatedDevice) async {
        if case .advance(let duration) = self { return await device.advance(by: duration) }
        perform(on: device)
        await device.settle()
    }
}

extension DeviceStep: CustomStringConvertible {
    /// The step as a line of a test, such as `device.advance(by: .seconds(30))`.
    public var description: String {
        switch self {
        case .launch: "device.launch()"
        case .open: "device.open()"
        case .pressHome: "device.pressHome()"
        case .openAppSwitcher: "device.openAppSwitcher()"
        case .swipeAway: "device.swipeAway()"
        case .lock: "device.lock()"
        case .unlock: "device.unlock()"
        case .receiveCall: "device.receiveCall()"
        case .endCall: "device.endCall()"
        case .scroll(let duration): "device.scroll(for: \(Self.source(of: duration)))"
        case .advance(let duration): "device.advance(by: \(Self.source(of: duration)))"
        case .sleepMachine(let duration): "device.sleepMachine(for: \(Self.source(of: duration)))"
        case .moveWallClock(let duration): "device.moveWallClock(by: \(Self.source(of: duration)))"
        case .kill: "device.kill()"
        case .applyMemoryPressure: "device.applyMemoryPressure()"
        case .reboot: "device.reboot()"
        case .setBattery(let percent): "device.setBattery(\(Double(percent) / 100))"
        case .plugIn: "device.plugIn()"
        case .unplug: "device.unplug()"
        case .setLowPowerMode(let isOn): "device.setLowPowerMode(\(isOn))"
        case .setNetwork(let network): "device.setNetwork(.\(network))"
        case .setThermalState(let state): "device.setThermalState(.\(state))"
        case .setBackgroundRefresh(let isOn): "device.setBackgroundRefresh(\(isOn))"
        case .receivePush: "device.receivePush()"
        case .disconnectScene: "device.disconnectScene()"
        case .beginAudioInterruption: "device.audio.beginInterruption()"
        case .endAudioInterruption(let shouldResume): "device.audio.endInterruption(shouldResume: \(shouldResume))"
        case .setNotificationAuthorization(let authorization):
            "device.notifications.setAuthorization(.\(authorization))"
        case .tapNotification(let identifier): "_ = device.notifications.tap(\(identifier.debugDescription))"
        case .setLocationAuthorization(let authorization): "device.location.setAuthorization(.\(authorization))"
        case .launchJob(let identifier): "device.launchJob(\(identifier.debugDescription))"
        case .expireJob(let identifier): "device.expireJob(\(identifier.debugDescription))"
        case .control(let action), .app(let action): action.source
        }
    }

    /// Returns a duration as Swift code, in the largest unit that gives a whole number.
    private static func source(of duration: Duration) -> String {
        let nanoseconds = duration.wholeNanoseconds
        for (unit, size) in [("seconds", 1_000_000_000), ("milliseconds", 1_000_000), ("microseconds", 1_000)] {
            let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: Int64(size))
            if remainder == 0 { return ".\(unit)(\(quotient))" }
        }
        return ".nanoseconds(\(nanoseconds))"
    }
}

/// An action of the user in one app, or on a part of the device, with the line of Swift code that performs it.
///
/// ```swift
/// AppAction("model.start()") { device in (device.app as? MyApp)?.model.start() }
/// ```
public struct AppAction: Sendable, Hashable, CustomStringConvertible {
    /// The line of Swift that performs the action in a test with a `device`.
    ///
    /// Actions with the same line are equal.
    public let source: String
    let perform: @MainActor @Sendable (SimulatedDevice) throws -> Void

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - source: The line of Swift that performs the action; the script of a failure consists of such lines.
    ///   - perform: Performs the action on the main actor's thread, and does not let the device's time pass. An error means
    ///     that the action is impossible at this moment and has had no effect.
    public init(_ source: String, perform: @escaping @MainActor @Sendable (SimulatedDevice) throws -> Void) {
        self.source = source
        self.perform = perform
    }

    /// The line of Swift.
    public var description: String { source }

    /// Returns whether the actions have the same line.
    public static func == (first: AppAction, second: AppAction) -> Bool { first.source == second.source }

    /// Hashes the line.
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
