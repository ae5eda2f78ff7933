public import ApusBackground
public import ApusDevice
import ApusTimers

/// Connects the modules that are named after Apple's frameworks with a simulated device.
///
/// An app that is installed here finds its device through `UIApplication.shared`, `BGTaskScheduler.shared` and so on.
///
/// ```swift
/// try SimulatedDevice.run { device in
///     SimulatedPhone.install(on: device, delegate: AppDelegate())   // of module UIKit
///     device.launch()
///     device.pressHome()
///     device.advance(by: .seconds(60))
/// }
/// ```
///
/// An app that is installed as above runs in the test's process. Shared objects are the same for a whole program, so
/// there is only one such app at a time, and tests that use it must belong to a suite that is `.serialized`. Each
/// process of the app has its own shared objects, which are dropped when the process has ended. An app that is
/// installed as a program, with ``install(on:manifest:trackDurations:program:)``, runs in a process of its own.
@MainActor
public enum SimulatedPhone {
    nonisolated private static let running = Locked<PhoneProcess?>(nil)
    /// The phone whose app runs in the test's process.
    private static weak var runningPhone: Phone?

    /// Installs an app on a device, and replaces the app that was installed before.
    ///
    /// For an app with an app delegate, module UIKit has an `install` that creates the delegate.
    ///
    /// - Parameters:
    ///   - device: The device. An app installed by this method on another device must have ended.
    ///   - manifest: The app's declarations.
    ///   - trackDurations: The durations of audio items; other items last three minutes.
    ///   - patience: The longest real time that the device waits for a background task whose work continues after its
    ///     launch handler has returned, in a `Task` off the main actor or on another queue. The device continues as
    ///     soon as the task is completed.
    ///   - make: Builds the object that the app consists of, on the app's main loop in each new process. If it throws,
    ///     the app crashes.
    public static func install(
        on device: SimulatedDevice, manifest: AppManifest = AppManifest(),
        trackDurations: [AudioItem.ID: Duration] = [:],
        patience: Duration = .zero, app make: @escaping @MainActor () throws -> AnyObject
    ) {
        let phone = device.add(Phone.self)
        if let runningPhone, runningPhone !== phone, runningPhone.isRunning {
            fatalError(
                "an app is running on another simulated phone; make the suites that use SimulatedPhone .serialized")
        }
        runningPhone = phone
        let containers = AppContainers()
        device.install(manifest, trackDurations: trackDurations) { host in
            let settings = { @Sendable [weak device] in MainActor.assumeIsolated { PhoneSettings(device) } }
            phone.process = PhoneProcess(
                host: host, audio: host.audio, location: host.location,
                notifications: DeviceNotifications(host, phone.shelf, dates: .machine), jobs: host.jobs,
                pushes: host.pushes, transfers: host.transfers, records: phone.records, patience: patience,
                groupContainer: { containers.group($0, of: manifest) }, settings: settings)
            ProgramCode.connectIntents(with: host)
            running.withLock { $0 = phone.process }
            return try make()
        }
    }

    /// The running process of the installed app, or the last one that ended.
    ///
    /// It can be used on any thread. Without a phone it stops the program with a message.
    nonisolated package static var process: PhoneProcess {
        guard let knownProcess else { fatalError(MissingPhone.message) }
        return knownProcess
    }

    /// The running process of the installed app, or the last one that ended; `nil` without a phone.
    nonisolated static var knownProcess: PhoneProcess? { lastProcess ?? AppLink.current?.process }

    /// Stops a program that was started as on a phone, with a message that says what to write instead.
    nonisolated package static func stopWithoutPhone(_ app: String) -> Never {
        fatalError("\(app) runs on a simulated phone only. \(MissingPhone.forms)")
    }

    /// Gives a command on the lock screen to the app, on its main loop; a suspended app does not get it.
    package static func deliver(mediaCommand name: String, on device: SimulatedDevice) {
        guard let host = device.host, host.phase != .suspended else { return }
        let phone = device.add(Phone.self)
        if let process = phone.process { host.mainLoop.run { process.perform(mediaCommand: name) } }
        phone.appProcess?.deliverSoon(.mediaCommand(name))
    }

    /// The running or last process of the app in the test's process; `nil` if there was none.
    nonisolated static var lastProcess: PhoneProcess? { running.withLock { $0 } }
}

/// The part of the device to which the frameworks with Apple's names are connected.
@MainActor
final class Phone: DevicePart {
    /// The app's records in the system, which outlive its processes.
    let records = PhoneMemory()
    /// The app's notifications, which outlive its processes.
    let shelf = NotificationShelf()
    /// The app's process, if it runs in the test's process.
    var process: PhoneProcess?
    /// The app's process, if it is a process of the operating system.
    var appProcess: AppProcess?
    /// The files of the installed app, if its processes are processes of the operating system.
    var containers: AppContainers?
    /// Which protected files can be read.
    var protection = ProtectedDataState.available

    nonisolated package init(_ surroundings: PartSurroundings) {}

    /// Whether an app runs in the test's process.
    var isRunning: Bool { process.map { $0.host.phase != .terminated } ?? false }

    package func protectedDataStateChanged(to state: ProtectedDataState) {
        protection = state
        containers?.protect(state)
    }

    package func processEnded() {
        process?.end()
        (process, appProcess) = (nil, nil)
    }

    package func appNotified(of event: SystemEvent) {
        process?.report(event)
        appProcess?.deliverSoon(.system(event))
    }
}

extension SimulatedPhone {
    /// Returns the visible texts on the screen, from top to bottom.
    ///
    /// If an alert is in front, they are the texts of the alert. Otherwise they are the texts of labels, buttons,
    /// fields and rows of tables, and the title and the buttons of a bar.
    ///
    /// The screen is read on the app's main thread, also if the app has a process of its own.
    ///
    /// - Parameter device: The device.
    /// - Returns: The texts.
    /// - Throws: ``ScreenError`` if the app is not in the foreground, shows nothing, or has a blocked main thread.
    public static func screen(on device: SimulatedDevice) throws(ScreenError) -> [String] {
        try ask(.read, on: device).lines ?? []
    }

    /// Taps the frontmost element with this title as the user does: an action of an alert, a button, a button of a
    /// navigation bar, or a row of a table that shows the text.
    ///
    /// Instead of the title, the view's `accessibilityIdentifier` can be given. When this returns, the app's main loop
    /// has done all work that results.
    ///
    /// The tap is handled on the app's main thread, also if the app has a process of its own. If that process's main
    /// thread is blocked, it handles the tap later, and this throws ``ScreenError/busy``.
    ///
    /// - Parameters:
    ///   - title: The title, the text or the identifier.
    ///   - device: The device.
    /// - Throws: ``ScreenError`` if nothing was tapped.
    public static func tap(_ title: String, on device: SimulatedDevice) throws(ScreenError) {
        try touch(.press(title), on: device)
    }

    /// Taps a row of the table in front as the user does.
    package static func tapRow(_ row: Int, section: Int, on device: SimulatedDevice) throws(ScreenError) {
        try touch(.pressRow(row, section: section), on: device)
    }

    /// Turns a picker as the user does.
    package static func turn(
        _ identifier: String?, to choice: PickerChoice, on device: SimulatedDevice
    ) throws(ScreenError) { try touch(.turn(identifier, choice), on: device) }

    private static func touch(_ request: ScreenRequest, on device: SimulatedDevice) throws(ScreenError) {
        let reply = try ask(request, on: device)
        guard reply.isPressed else { throw .notThere(request.target ?? "", screen: reply.lines ?? []) }
        device.advance(by: .zero)
    }

    /// Sends a request to the app.
    ///
    /// A touch needs an active app. Reading only needs an app in the foreground.
    private static func ask(_ request: ScreenRequest, on device: SimulatedDevice) throws(ScreenError) -> ScreenReply {
        let phase = device.host?.phase ?? .terminated
        guard phase == .active || (phase == .inactive && request.target == nil) else { throw .notInFront(phase) }
        let phone = device.add(Phone.self)
        let answer = phone.appProcess.map { $0.answer(request) } ?? phone.process?.answer(request)
        guard let answer else { throw device.host == nil ? .notInFront(.terminated) : .busy }
        guard answer.lines != nil else { throw .nothingShown }
        return answer
    }
}

/// The reason for which the user could not tap something, or read the screen.
public enum ScreenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The element does not exist, or is not enabled; the texts are those on the screen.
    case notThere(String, screen: [String])
    /// The app is not in the foreground, or not active; it has this phase.
    case notInFront(Phase)
    /// The app's main thread is blocked; the tap takes effect when the thread continues, if the element then exists.
    case busy
    /// The app has not shown a window.
    case nothingShown

    /// The error in words, for the developer.
    public var description: String {
        switch self {
        case .notThere(let target, let lines):
            "there is no enabled \(target) on the screen; the screen "
                + (lines.isEmpty ? "has no text" : "shows " + lines.map { "“\($0)”" }.joined(separator: ", "))
        case .notInFront(let phase):
            "the app is \(Self.name(of: phase)), so the user can neither see nor touch it; open it first"
        case .busy: "the app's main thread is blocked, so the app does not react to the user"
        case .nothingShown: "the app shows nothing, because none of its windows was made visible"
        }
    }

    private static func name(of phase: Phase) -> String {
        switch phase {
        case .active, .inactive: "not active"
        case .background: "in the background"
        case .suspended: "suspended"
        case .terminated: "not running"
        }
    }
}
