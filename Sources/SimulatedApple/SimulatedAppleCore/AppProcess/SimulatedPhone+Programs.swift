public import ApusBackground
public import ApusDevice
import ApusTimers
import Foundation

extension SimulatedPhone {
    /// Installs an app as a program on a device, and replaces the app that was installed before.
    ///
    /// Each process of the app is a process of the operating system. It runs this program again: its first thread calls
    /// `program` in place of `main`, and then runs the main run loop.
    ///
    /// ```swift
    /// SimulatedPhone.install(on: device, program: {
    ///     Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in SimulatedPhone.note("tick") }
    /// })
    /// ```
    ///
    /// All time in that process is the device's. `Date`, timers, sleeps, queues and tasks follow that time. They stand
    /// still while the app is suspended, and end when the app is killed. While the user scrolls, the main run loop runs
    /// in the mode `UITrackingRunLoopMode`, which is one of the common modes. The process shares no memory with the
    /// test, so `program` captures nothing, and reports with ``note(_:)``.
    ///
    /// The app has its own home folder and folder for temporary files, which outlive its processes and are removed with
    /// the device. `UserDefaults.standard` is stored there whenever the app comes to rest; on a phone, another process
    /// does this.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - manifest: The app's declarations. They must say whether the delegates that the program runs use scenes.
    ///   - trackDurations: The durations of audio items; other items last three minutes.
    ///   - program: A function or closure of the executable, without captures. If it traps, the device records the
    ///     fault ``ApusDevice/Fault/Rule/appProcessCrash``.
    public static func install(
        on device: SimulatedDevice, manifest: AppManifest = AppManifest(usesScenes: false),
        trackDurations: [AudioItem.ID: Duration] = [:], program: @escaping @convention(c) () -> Void
    ) {
        let containers = AppContainers()
        let phone = device.add(Phone.self)
        (phone.containers, phone.protection) = (containers, device.protectedDataState)
        func start(_ host: SimulatedHost, isPrewarmed: Bool) throws -> AppProcess {
            try containers.beginProtection(manifest.dataProtection, phone.protection)
            let process = try AppProcess(
                host, containers, phone: phone, settings: { [weak device] in PhoneSettings(device) },
                isPrewarmed: isPrewarmed, program: program)
            phone.appProcess = process
            return process
        }
        device.install(
            manifest, trackDurations: trackDurations, prewarm: { try start($0, isPrewarmed: true).prewarm() },
            { host in
                if let process = phone.appProcess, process.isPrewarmed {
                    process.finishLaunch()
                    return process
                }
                let process = try start(host, isPrewarmed: false)
                process.launch()
                return process
            })
    }

    /// Launches the app: at once, or, if this process was prewarmed, when the system launches the app.
    ///
    /// Call it on the main thread of an app's own process.
    package static func atLaunch(_ launch: @escaping @MainActor () -> Void) {
        guard let link = AppLink.current else { return launch() }
        link.atLaunch(launch)
    }

    /// Whether this is the process of an app that was installed with ``install(on:manifest:trackDurations:program:)``.
    nonisolated package static var isAppProcess: Bool { AppLink.current != nil }

    /// Writes a warning of the system into the device's log if an app runs on a simulated phone; call it on any thread.
    nonisolated package static func warnIfRunning(_ text: String) {
        if isAppProcess || lastProcess != nil { process.host.warn(text) }
    }

    /// Lets the calling code compute for a duration: the device's clocks advance, and nothing else of the app or the
    /// system runs meanwhile.
    ///
    /// In the background, the time counts for the limit on CPU use (`ApusDevice.SystemPolicy.Jobs.cpuShare`). If it
    /// exceeds the time limit of a call of the app, such as its launch, the device ends the app with a fault.
    ///
    /// A simulated phone does not measure how long code computes, because that would differ between machines: code
    /// takes no time unless it calls this, sleeps or waits. In the test's process, call it on the main thread. An app
    /// that also runs on a phone calls it within `#if os(Linux)`, beside the work that it represents.
    nonisolated public static func work(for duration: Duration) { process.host.work(for: duration) }

    /// Writes a line into the device's log in the app's name.
    ///
    /// An app on a simulated phone can call this on any thread.
    nonisolated public static func note(_ text: String) { process.host.note(text) }

    /// Writes a message of the app's logging into the device's log, or to standard error if there is no phone.
    ///
    /// Messages of a process that has ended are dropped.
    nonisolated package static func log(_ message: String) {
        if let knownProcess {
            knownProcess.host.note(message)
        } else {
            FileHandle.standardError.write(Data("\(message)\n".utf8))
        }
    }
}
