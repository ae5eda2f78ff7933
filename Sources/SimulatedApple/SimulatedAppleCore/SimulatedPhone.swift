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
        device.install(manifest, trackDurations: trackDurations) { host in
            let settings = { @Sendable [weak device] in MainActor.assumeIsolated { PhoneSettings(device) } }
            phone.process = PhoneProcess(
                host: host, audio: host.audio, location: host.location,
                notifications: DeviceNotifications(host, phone.shelf, dates: .machine), jobs: host.jobs,
                pushes: host.pushes, transfers: host.transfers, records: phone.records, patience: patience,
                settings: settings)
            running.withLock { $0 = phone.process }
            return try make()
        }
    }

    /// The running process of the installed app, or the last that ended. From any thread.
    nonisolated package static var process: PhoneProcess {
        if let process = lastProcess { return process }
        if let link = AppLink.current { return link.process }
        preconditionFailure(MissingPhone.message)
    }

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
