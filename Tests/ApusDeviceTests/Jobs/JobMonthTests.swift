import ApusBackground
import ApusDevice
import ApusTimers
import Testing

@MainActor
@Suite("Background jobs over days")
struct JobMonthTests {
    private static let hour = Duration.seconds(3_600)

    /// Installs an app that refreshes repeatedly, at most every other hour, and tidies up at night.
    private func install(on device: SimulatedDevice) {
        device.install(.jobs) { host in
            @Sendable func submit(_ identifier: String, _ kind: BackgroundJobRequest.Kind, after delay: Duration) {
                let begin = host.engine.time.wall().advanced(by: delay)
                do throws(BackgroundJobError) {
                    try host.jobs.submitRequest(BackgroundJobRequest(identifier, kind, earliestBegin: begin))
                } catch {
                    host.note("\(error.code)")
                }
            }
            let tidying = BackgroundJobRequest.Kind.processing(requiresExternalPower: true)
            _ = host.jobs.registerLaunchHandler("refresh") { task in
                submit("refresh", .refresh, after: Self.hour * 2)
                host.engine.schedule(after: .seconds(5)) { task.setCompleted(success: true) }
            }
            _ = host.jobs.registerLaunchHandler("tidy") { task in
                submit("tidy", tidying, after: Self.hour * 20)
                host.engine.schedule(after: .seconds(120)) { task.setCompleted(success: true) }
            }
            if host.jobs.pendingRequests().isEmpty, host.jobs.history.isEmpty {
                submit("refresh", .refresh, after: .zero)
                submit("tidy", tidying, after: .zero)
            }
            return ProbeApp(host)
        }
    }

    /// Returns a device after a month in which the low-power mode was on for one week.
    ///
    /// The days begin at 8 in the morning.
    private func month(seed: UInt64) throws -> SimulatedDevice {
        let device = SimulatedDevice(seed: seed, wall: WallInstant(secondsSince1970: 1_767_225_600 + 8 * 3_600))
        install(on: device)
        for day in 0..<30 {
            if day == 14 { device.setLowPowerMode(true) }
            if day == 21 { device.setLowPowerMode(false) }
            for isEvening in [false, true] {
                if isEvening { device.plugIn() } else { device.unplug() }
                device.open()
                device.advance(by: .seconds(600))
                device.lock()
                device.advance(by: Self.hour * 12 - .seconds(600))
            }
            if day % 5 == 4 { device.applyMemoryPressure() }
        }
        device.kill()
        try device.verify()
        return device
    }

    @Test("in thirty days, the report counts an app's refreshes and the reasons for which they were put off")
    func thirtyDays() throws {
        let device = try month(seed: 3)
        let report = device.jobs.report
        let refreshes = report.runs.filter { $0.identifier == "refresh" }
        // On each of 23 days there are four refreshes: one before each of the two uses, and one about six hours after
        // each use, when the request has waited for `refreshPatience`. One more comes at the beginning.
        #expect(refreshes.count == 93)
        #expect(refreshes.allSatisfy { $0.outcome == .succeeded })
        #expect(report.count(of: "tidy") == 30)

        let saving = 14..<21 as Range<Int64>
        let start = 1_767_225_600 + 8 * 3_600 as Int64
        let days = refreshes.map { (Int64($0.launched.nanoseconds / 1_000_000_000) - start) / 86_400 }
        #expect(!days.contains { saving.contains($0) })
        #expect(Set(days).count == 23)

        let gaps = zip(refreshes, refreshes.dropFirst()).map { $0.launched.duration(to: $1.launched) }
        #expect(gaps.allSatisfy { $0 >= Self.hour * 2 })
        #expect(try #require(report.deferrals["refresh"]?["low-power mode"]) > 300)
        #expect(try #require(report.deferrals["refresh"]?["not expected to be used soon"]) > 100)
        #expect(device.jobLog.contains { $0.hasPrefix("deferred tidy: ") && $0.contains("no external power") })
        #expect(report.waiting.map(\.request.identifier).sorted() == ["refresh", "tidy"])
    }

    @Test("each day a refresh runs in the half hour before the user opens the app, once the habit is known")
    func beforeUse() throws {
        let device = try month(seed: 4)
        let starts = device.jobs.history.filter { $0.identifier == "refresh" }.map {
            Int64($0.launched.nanoseconds / 1_000_000_000) % 86_400
        }
        // The range is from 7:30 to 8:00.
        #expect(starts.count { (27_000...28_800).contains($0) } >= 15)
    }

    @Test("a seed gives the same log byte for byte, and another seed gives another log")
    func determinism() throws {
        let text = try month(seed: 5).logText
        #expect(try month(seed: 5).logText == text)
        #expect(try month(seed: 6).logText != text)
    }
}
