public import ApusBackground
import ApusTimers

/// One thing that a random user does with a simulated device, or that happens to it: a control of ``SimulatedDevice``
/// with its arguments.
///
/// ``SimulatedDevice/explore(seeds:_:prepare:check:)-8i0cr`` makes them up. Steps can be written by hand too, and kept in
/// an array that is performed on one device after another.
public enum DeviceStep: Sendable, Hashable {
    /// ``SimulatedDevice/launch()``.
    case launch
    /// ``SimulatedDevice/open()``.
    case open
    /// ``SimulatedDevice/pressHome()``.
    case pressHome
    /// ``SimulatedDevice/openAppSwitcher()``.
    case openAppSwitcher
    /// ``SimulatedDevice/swipeAway()``.
    case swipeAway
    /// ``SimulatedDevice/lock()``.
    case lock
    /// ``SimulatedDevice/unlock()``.
    case unlock
    /// ``SimulatedDevice/receiveCall()``.
    case receiveCall
    /// ``SimulatedDevice/endCall()``.
    case endCall
    /// ``SimulatedDevice/scroll(for:)``.
    case scroll(Duration)
    /// ``SimulatedDevice/advance(by:)-2pb0e``.
    case advance(Duration)
    /// ``SimulatedDevice/sleepMachine(for:)``.
    case sleepMachine(Duration)
    /// ``SimulatedDevice/moveWallClock(by:)``.
    case moveWallClock(Duration)
    /// ``SimulatedDevice/kill(_:)``.
    case kill
    /// ``SimulatedDevice/applyMemoryPressure(isSevere:)``.
    case applyMemoryPressure
    /// ``SimulatedDevice/reboot()``.
    case reboot
    /// ``SimulatedDevice/setBattery(_:)``, in hundredths.
    case setBattery(percent: Int)
    /// ``SimulatedDevice/plugIn()``.
    case plugIn
    /// ``SimulatedDevice/unplug()``.
    case unplug
    /// ``SimulatedDevice/setLowPowerMode(_:)``.
    case setLowPowerMode(Bool)
    /// ``SimulatedDevice/setNetwork(_:)``.
    case setNetwork(DeviceConditions.Network)
    /// ``SimulatedDevice/setThermalState(_:)``.
    case setThermalState(DeviceConditions.ThermalState)
    /// ``SimulatedDevice/setBackgroundRefresh(_:)``.
    case setBackgroundRefresh(Bool)
    /// ``SimulatedDevice/receivePush(_:)``, without fields.
    case receivePush
    /// ``SimulatedDevice/disconnectScene()``.
    case disconnectScene
    /// ``SimulatedAudio/beginInterruption()``.
    case beginAudioInterruption
    /// ``SimulatedAudio/endInterruption(shouldResume:)``.
    case endAudioInterruption(shouldResume: Bool)
    /// ``SimulatedNotificationCenter/setAuthorization(_:)``.
    case setNotificationAuthorization(NotificationAuthorization)
    /// ``SimulatedNotificationCenter/tap(_:)``.
    case tapNotification(String)
    /// ``SimulatedLocation/setAuthorization(_:)``.
    case setLocationAuthorization(LocationAuthorization)
    /// ``SimulatedDevice/launchJob(_:)``.
    case launchJob(String)
    /// ``SimulatedDevice/expireJob(_:)``.
    case expireJob(String)
    /// A control of another part of the device.
    case control(AppAction)
    /// An action that only this app has, such as a tap on its screen.
    case app(AppAction)

    /// How much of the device's time the step takes.
    var duration: Duration {
        switch self {
        case .advance(let duration), .scroll(let duration), .sleepMachine(let duration): duration
        default: .zero
        }
    }
}

extension DeviceStep {
    /// Does it. What cannot be done at this moment, as taking the app out of a switcher in which it is not, is no error:
    /// nothing happens, or the device's log has a warning.
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
        // The user touches an app in front only.
        case .app(let action): if device.appPhase == .active { try? action.perform(device) }
        }
    }

    /// Like ``perform(on:)``, with turns for tasks of the main actor; see ``SimulatedDevice/advance(by:)-2pb0e``.
    @MainActor
    func performAsynchronously(on device: SimulatedDevice) async {
        if case .advance(let duration) = self { return await device.advance(by: duration) }
        perform(on: device)
        await device.settle()
    }
}

extension DeviceStep: CustomStringConvertible {
    /// The step as a line of a test: "device.advance(by: .seconds(30))".
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

    /// A duration as Swift code, in the largest unit of which it is a whole number.
    private static func source(of duration: Duration) -> String {
        let nanoseconds = duration.wholeNanoseconds
        for (unit, size) in [("seconds", 1_000_000_000), ("milliseconds", 1_000_000), ("microseconds", 1_000)] {
            let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: Int64(size))
            if remainder == 0 { return ".\(unit)(\(quotient))" }
        }
        return ".nanoseconds(\(nanoseconds))"
    }
}

/// An action of the user in one app, or on a part of the device, and the line of Swift that does it.
///
/// ```swift
/// AppAction("model.start()") { device in (device.app as? MyApp)?.model.start() }
/// ```
public struct AppAction: Sendable, Hashable, CustomStringConvertible {
    /// The line of Swift that does it, in a test that has a `device`. Actions with the same line are the same.
    public let source: String
    let perform: @MainActor @Sendable (SimulatedDevice) throws -> Void

    /// An action.
    ///
    /// - Parameters:
    ///   - source: The line of Swift that does it; a failure's script is made of such lines.
    ///   - perform: Does it, on the main actor's thread, and lets the device's time alone. An error means that it cannot
    ///     be done at this moment, and then nothing has happened.
    public init(_ source: String, perform: @escaping @MainActor @Sendable (SimulatedDevice) throws -> Void) {
        self.source = source
        self.perform = perform
    }

    /// The line of Swift.
    public var description: String { source }

    /// Whether the lines are the same.
    public static func == (first: AppAction, second: AppAction) -> Bool { first.source == second.source }

    /// The line's hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
