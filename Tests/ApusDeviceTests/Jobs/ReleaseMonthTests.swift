import ApusBackground
import ApusDevice
import ApusTimers
import Foundation
import Testing

/// A month of one app and one user under the rules of three releases of the system.
///
/// If `APUS_TIMELINES` names a folder, the timelines are written into it as pages.
@MainActor
@Suite("A month under the rules of three releases")
struct ReleaseMonthTests {
    private static let hour = Duration.seconds(3_600)
    /// The number of days between the evenings on which the user removes the app from the switcher.
    private static let tidyDays = 3
    private static let days = 30

    /// The manifest of an app that refreshes itself, tidies up at night, and exports in the evening when the user asks
    /// for it.
    private static let manifest = AppManifest(
        backgroundModes: [.fetch, .processing], permittedTaskIdentifiers: ["refresh", "tidy", "export.*"])

    /// Submits the requests that the app submits whenever it has come to the foreground.
    private static func submitAll(_ host: SimulatedHost) {
        submit(host, BackgroundJobRequest("refresh", .refresh))
        submit(host, BackgroundJobRequest("tidy", .processing(requiresExternalPower: true)))
    }

    private static func submit(_ host: SimulatedHost, _ request: BackgroundJobRequest) {
        do throws(BackgroundJobError) {
            try host.jobs.submitRequest(request)
        } catch {
            host.note("\(request.identifier): \(error.code)")
        }
    }

    /// Begins an export of a minute and a half, which outlasts the user's visit.
    private static func export(_ host: SimulatedHost, _ day: Int) {
        let identifier = "export.\(day)"
        _ = host.jobs.registerLaunchHandler(identifier) { task in
            for second in 1...90 {
                host.engine.schedule(after: .seconds(second)) {
                    task.report(completed: Int64(second), of: 90)
                    if second == 90 { task.setCompleted(success: true) }
                }
            }
        }
        submit(host, BackgroundJobRequest(identifier, .continued(ContinuedJob(title: "Export"))))
    }

    private static func month(_ policy: SystemPolicy) throws -> SimulatedDevice {
        let device = SimulatedDevice(
            seed: 18, policy: policy, wall: WallInstant(secondsSince1970: 1_767_225_600 + 8 * 3_600))
        device.install(manifest) { host in
            for (identifier, seconds) in [("refresh", 5), ("tidy", 300)] {
                _ = host.jobs.registerLaunchHandler(identifier) { task in
                    host.engine.schedule(after: .seconds(seconds)) { task.setCompleted(success: true) }
                }
            }
            return ProbeApp(host) { _, phase in if phase == .active { submitAll(host) } }
        }
        for day in 0..<days {
            if day == 14 { device.setLowPowerMode(true) }
            if day == 21 { device.setLowPowerMode(false) }
            device.unplug()
            device.open()
            device.advance(by: .seconds(300))
            device.lock()
            device.advance(by: hour * 13 - .seconds(300))
            device.plugIn()
            device.open()
            device.advance(by: .seconds(30))
            if let host = device.host { export(host, day) }
            device.advance(by: .seconds(20))
            device.pressHome()
            device.advance(by: .seconds(550))
            if day % tidyDays == tidyDays - 1 { device.swipeAway() }
            device.lock()
            device.advance(by: hour * 11 - .seconds(600))
        }
        device.kill()
        try device.verify()
        return device
    }

    private static func write(_ device: SimulatedDevice, _ name: String) throws {
        guard let folder = ProcessInfo.processInfo.environment["APUS_TIMELINES"] else { return }
        let url = URL(filePath: folder, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try DeviceTimeline(device.log).html.write(
            to: url.appending(path: "\(name).html"), atomically: true, encoding: .utf8)
    }

    private func count(_ device: SimulatedDevice, _ prefix: String) -> Int {
        device.jobs.report.runs.count { $0.identifier.hasPrefix(prefix) && $0.outcome == .succeeded }
    }

    @Test("the releases run the same refreshes in a month, and differ in processing and continued work")
    func releases() throws {
        let releases = [("iOS 17", SystemPolicy.iOS17), ("iOS 18", .iOS18), ("iOS 26", .iOS26)]
        let months = try releases.map { name, policy in
            let device = try Self.month(policy)
            try Self.write(device, name)
            print("\(name): \(count(device, "refresh")) × refresh, \(count(device, "tidy")) × tidy, ", terminator: "")
            print("\(count(device, "export")) × export, \(device.jobs.report.runs.count) runs")
            return device
        }
        let forceQuits = Self.days / Self.tidyDays
        // In the night after a force quit, iOS 17 runs nothing of the app, while the other releases run processing.
        #expect(months.map { count($0, "tidy") } == [Self.days - forceQuits, Self.days, Self.days])
        #expect(months.map { count($0, "export") } == [0, 0, Self.days])
        #expect(Set(months.map { count($0, "refresh") }).count == 1)
        let refusals = months.map { device in
            device.log.count { if case .note(let text) = $0.what { text.hasSuffix("unavailable") } else { false } }
        }
        #expect(refusals == [Self.days, Self.days, 0])
    }
}
