public import ApusBackground
public import ApusDevice
import ApusTimers
import Foundation

extension SimulatedPhone {
    /// Puts a program on a device, in place of the app that was there. Each process of the app is one of the operating
    /// system: this program, started again, which runs `program` on its first thread and then the main run loop.
    ///
    /// ```swift
    /// SimulatedPhone.install(on: device, program: {
    ///     Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in SimulatedPhone.note("tick") }
    /// })
    /// ```
    ///
    /// All time of that process is the device's: `Date`, timers, sleeps, queues and tasks advance with it, stand still
    /// while the app is suspended, and are gone when it is killed. While the user scrolls, the main run loop runs in
    /// the mode `UITrackingRunLoopMode`, which is one of the common modes. It shares no memory with the test, so
    /// `program` captures nothing; it says what happens with ``note(_:)``.
    ///
    /// The app has a home and a folder for temporary files of its own, which outlive its processes, and are removed
    /// with the device. `UserDefaults.standard` is kept there whenever the app comes to rest, as on a phone, where that
    /// is another process's work.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - manifest: What the app declares. Whether it uses scenes has to fit the delegates that the program runs.
    ///   - trackDurations: How long audio items last; others last three minutes.
    ///   - program: A function or closure of the executable, without captures. A trap in it is the fault
    ///     ``ApusDevice/Fault/Rule/appProcessCrash``.
    public static func install(
        on device: SimulatedDevice, manifest: AppManifest = AppManifest(usesScenes: false),
        trackDurations: [AudioItem.ID: Duration] = [:], program: @escaping @convention(c) () -> Void
    ) {
        let containers = AppContainers()
        let phone = device.add(Phone.self)
        func start(_ host: SimulatedHost, isPrewarmed: Bool) throws -> AppProcess {
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

    /// Launches the app: now, or when the system does, if this process was prewarmed. On the main thread of an app's
    /// own process.
    package static func atLaunch(_ launch: @escaping @MainActor () -> Void) {
        guard let link = AppLink.current else { return launch() }
        link.atLaunch(launch)
    }

    /// Whether this is the process of an app that was installed with
    /// ``install(on:manifest:trackDurations:program:)``.
    nonisolated package static var isAppProcess: Bool { AppLink.current != nil }

    /// Writes a warning of the system into the log of the device, if an app runs on a simulated phone. From any thread.
    nonisolated package static func warnIfRunning(_ text: String) {
        if isAppProcess || lastProcess != nil { process.host.warn(text) }
    }

    /// Has the calling code compute for that long: the device's clocks move, and nothing else of the app or the system
    /// runs meanwhile. In the background the CPU monitor counts it (`ApusTesting.SystemPolicy.Jobs.cpuShare`), and what
    /// has a limit, such as a launch, gets the app ended with its fault when it takes longer.
    ///
    /// A simulated phone does not measure how long code computes, because that would be another time on each machine:
    /// code takes no time unless it says so here, sleeps or waits. In the test's process it belongs on the main thread.
    /// Within `#if os(Linux)` it may stand beside the work that it stands for.
    nonisolated public static func work(for duration: Duration) { process.host.work(for: duration) }

    /// Writes a line into the log of the device, in the app's name. From any thread of an app on a simulated phone.
    nonisolated public static func note(_ text: String) { process.host.note(text) }

    /// Writes a message of the app's logging, which also works without a phone: to standard error then. Of a process that has
    /// ended nothing is written.
    nonisolated package static func log(_ message: String) {
        if let knownProcess {
            knownProcess.host.note(message)
        } else {
            FileHandle.standardError.write(Data("\(message)\n".utf8))
        }
    }
}
