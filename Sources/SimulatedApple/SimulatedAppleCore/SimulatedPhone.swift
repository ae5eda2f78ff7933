public import ApusBackground
public import ApusDevice
import ApusTimers

/// Connects the modules with the names of Apple's frameworks to the simulated device: an app that is installed here finds
/// its device through `UIApplication.shared`, `BGTaskScheduler.shared` and so on.
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
/// An app that is installed as above runs in the test's process. Shared objects are the same for a whole program, so there
/// is one such app at a time in it: tests that use it belong to a suite that is `.serialized`. Each process of the app has
/// shared objects of its own; they are dropped when the process has ended. An app that is installed as a program, with
/// ``install(on:manifest:trackDurations:program:)``, runs in a process of its own.
@MainActor
public enum SimulatedPhone {
    nonisolated private static let running = Locked<PhoneProcess?>(nil)
    /// The phone whose app runs in the test's process.
    private static weak var runningPhone: Phone?

    /// Puts an app on a device, in place of the earlier one. For app delegates, module UIKit has a form of this.
    ///
    /// - Parameters:
    ///   - device: The device. Another one, on which an app that was installed here still runs, must have gone.
    ///   - manifest: What the app declares.
    ///   - trackDurations: How long audio items last; others last three minutes.
    ///   - patience: How much real time the device gives to a background task that is not completed when its launch
    ///     handler returns, because the work continues in a `Task` off the main actor or on another queue. The device
    ///     continues as soon as the task is completed.
    ///   - make: Called on the app's main loop in each new process, to build the object that the app consists of. When
    ///     it throws, that is a crash.
    public static func install(
        on device: SimulatedDevice, manifest: AppManifest = AppManifest(),
        trackDurations: [AudioItem.ID: Duration] = [:],
        patience: Duration = .zero, app make: @escaping @MainActor () throws -> AnyObject
    ) {
        let phone = device.add(Phone.self)
        precondition(
            runningPhone == nil || runningPhone === phone || runningPhone?.isRunning != true,
            "an app runs on another simulated phone; make the suites that use SimulatedPhone .serialized")
        runningPhone = phone
        let containers = AppContainers()
        device.install(manifest, trackDurations: trackDurations) { host in
            let settings = { @Sendable [weak device] in MainActor.assumeIsolated { PhoneSettings(device) } }
            phone.process = PhoneProcess(
                host: host, audio: host.audio, location: host.location,
                notifications: DeviceNotifications(host, phone.shelf, dates: .machine), jobs: host.jobs,
                pushes: host.pushes, transfers: host.transfers, records: phone.records, patience: patience,
                groupContainer: { containers.group($0, of: manifest) }, settings: settings)
            running.withLock { $0 = phone.process }
            return try make()
        }
    }

    /// The running process of the installed app, or the last that ended. From any thread.
    nonisolated package static var process: PhoneProcess {
        guard let knownProcess else { preconditionFailure(MissingPhone.message) }
        return knownProcess
    }

    /// The same, and nil where there is no phone.
    nonisolated static var knownProcess: PhoneProcess? { lastProcess ?? AppLink.current?.process }

    /// Stops a program that was started as if it were on a phone, with a message that says what to write.
    nonisolated package static func stopWithoutPhone(_ app: String) -> Never {
        preconditionFailure("\(app) runs on a simulated phone only. \(MissingPhone.forms)")
    }

    /// Gives a command of the lock screen to the app, on its main loop. It is lost while the app is suspended.
    package static func deliver(mediaCommand name: String, on device: SimulatedDevice) {
        guard let host = device.host, host.phase != .suspended else { return }
        let phone = device.add(Phone.self)
        if let process = phone.process { host.mainLoop.run { process.perform(mediaCommand: name) } }
        phone.appProcess?.deliverSoon(.mediaCommand(name))
    }

    /// The process of the app in the test's process: the running one, or the last that ended.
    nonisolated static var lastProcess: PhoneProcess? { running.withLock { $0 } }
}

/// The part of the device that the frameworks with Apple's names are connected to.
@MainActor
final class Phone: DevicePart {
    /// The app's records in the system, which outlive its processes.
    let records = PhoneMemory()
    /// The app's notifications, which outlive its processes.
    let shelf = NotificationShelf()
    /// The app's process, if it is the test's.
    var process: PhoneProcess?
    /// The app's process, if it is one of the operating system.
    var appProcess: AppProcess?

    nonisolated package init(_ surroundings: PartSurroundings) {}

    /// Whether an app runs in the test's process.
    var isRunning: Bool { process.map { $0.host.phase != .terminated } ?? false }

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
    /// The texts on the screen, from above to below: those of labels, buttons, fields, rows of tables, a bar's title
    /// and buttons, and of an alert that is in front of all that. What is hidden is not among them.
    ///
    /// It is read on the app's main thread, in a process of the app's own too.
    ///
    /// - Parameter device: The device.
    /// - Returns: The texts.
    /// - Throws: ``ScreenError`` when the app is not in the foreground, or shows nothing.
    public static func screen(on device: SimulatedDevice) throws(ScreenError) -> [String] {
        try ask(.read, on: device).lines ?? []
    }

    /// The user taps what has that title in front of everything else: an action of an alert, a button, a button of a
    /// navigation bar, a row of a table that shows the text. A view's `accessibilityIdentifier` is good for a title.
    /// The work of the main loop that this makes is done when this returns.
    ///
    /// It is done on the app's main thread, in a process of the app's own too. There, a thread that is blocked comes to
    /// it later, and this throws ``ScreenError/busy``.
    ///
    /// - Parameters:
    ///   - title: The title, the text or the identifier.
    ///   - device: The device.
    /// - Throws: ``ScreenError`` when nothing was tapped.
    public static func tap(_ title: String, on device: SimulatedDevice) throws(ScreenError) {
        try touch(.press(title), on: device)
    }

    /// The user taps a row of the table in front.
    package static func tapRow(_ row: Int, section: Int, on device: SimulatedDevice) throws(ScreenError) {
        try touch(.pressRow(row, section: section), on: device)
    }

    /// The user turns a picker.
    package static func turn(
        _ identifier: String?, to choice: PickerChoice, on device: SimulatedDevice
    ) throws(ScreenError) { try touch(.turn(identifier, choice), on: device) }

    private static func touch(_ request: ScreenRequest, on device: SimulatedDevice) throws(ScreenError) {
        let reply = try ask(request, on: device)
        guard reply.isPressed else { throw .notThere(request.target ?? "", screen: reply.lines ?? []) }
        device.advance(by: .zero)
    }

    /// Has the app answer. Only an app in front is touched, and only one in the foreground is read.
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

/// Why the user could not tap something, or read the screen.
public enum ScreenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no such thing, or it is not enabled; with the texts that are there.
    case notThere(String, screen: [String])
    /// The app is not in front: it is in that phase.
    case notInFront(Phase)
    /// The app's main thread is blocked. The tap takes effect when the thread runs again, if its target is there then.
    case busy
    /// The app has not shown a window.
    case nothingShown

    /// The error in words, for the person at the computer.
    public var description: String {
        switch self {
        case .notThere(let target, let lines):
            "there is no \(target) on the screen that could be tapped; "
                + (lines.isEmpty ? "it has no text" : "it shows " + lines.map { "“\($0)”" }.joined(separator: ", "))
        case .notInFront(let phase):
            "the app is \(Self.name(of: phase)), so the user neither sees nor touches it; open it first"
        case .busy: "the app's main thread is blocked, so it does not come to what the user does"
        case .nothingShown: "the app shows nothing: no window was made visible"
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
