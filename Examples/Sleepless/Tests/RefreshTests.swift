import ApusBackground
import ApusTesting
import SleeplessApp
import Testing

@MainActor
@Suite("The screen Refresh")
struct RefreshTests {
    @Test("a refresh runs while the app is in the background, asks for the next, and the runs survive a kill")
    func refresh() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.refresh.schedule(.refresh, earliest: 900, network: false, power: false)
            device.advance(seconds: 0)
            #expect(try device.shown.refresh.pending.map(\.id) == ["sleepless.refresh"])
            #expect(try device.shown.refresh.pending.first?.earliest == "2026-01-01T00:15:00.000Z")
            device.pressHome()
            device.advance(seconds: 86_400)
            #expect(device.jobs.history.count >= 2)
            device.kill()
            device.open()
            let shown = try device.shown.refresh
            #expect(shown.runs.count == device.jobs.history.count)
            #expect(shown.runs.allSatisfy { $0.outcome == "success" && $0.kind == .refresh })
            #expect(shown.last == shown.runs.last?.ended)
            #expect(shown.pending.count == 1)
        }
    }

    @Test("the device says why a request waits, and processing runs at night with what it needs")
    func processing() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.refresh.schedule(.processing, earliest: 0, network: true, power: true)
            device.advance(seconds: 0)
            let reasons = device.jobs.obstacles(for: "sleepless.processing")
            #expect(reasons.contains(.noExternalPower))
            #expect(reasons.contains(.deviceInUse))
            #expect(try device.shown.refresh.pending.first?.power == true)
            device.plugIn()
            device.lock()
            device.advance(seconds: 7_200)
            #expect(try device.shown.refresh.runs.first?.outcome == "success")
        }
    }

    @Test("a run that is killed is shown as that, and one that is simulated runs at once")
    func simulated() throws {
        try SimulatedDevice.withSleepless { device in
            let refresh = try device.sleepless.refresh
            refresh.simulateLaunch("sleepless.refresh")
            device.advance(seconds: 0)
            #expect(try device.shown.refresh.error?.contains("pending") == true)
            try refresh.schedule(.refresh, earliest: 3_600, network: false, power: false)
            device.advance(seconds: 0)
            #expect(try device.shown.refresh.error == nil)
            refresh.simulateLaunch("sleepless.refresh")
            device.advance(seconds: 1)
            #expect(try device.shown.refresh.runs.map(\.outcome) == [nil])
            device.kill()
            device.open()
            #expect(try device.shown.refresh.runs.map(\.outcome) == ["killed"])
        }
    }

    @Test("a request is withdrawn")
    func withdrawn() throws {
        try SimulatedDevice.withSleepless { device in
            let refresh = try device.sleepless.refresh
            try refresh.schedule(.refresh, earliest: 0, network: false, power: false)
            device.advance(seconds: 0)
            refresh.cancel("sleepless.refresh")
            device.advance(seconds: 0)
            #expect(try device.shown.refresh.pending.isEmpty)
            #expect(throws: AppError.self) {
                try refresh.schedule(.refresh, earliest: -1, network: false, power: false)
            }
        }
    }

    @Test("where background refresh is switched off, the screen says that nothing is accepted")
    func unavailable() throws {
        try SimulatedDevice.withSleepless { device in
            device.setBackgroundRefresh(false)
            try device.sleepless.refresh.schedule(.refresh, earliest: 0, network: false, power: false)
            device.advance(seconds: 0)
            #expect(try device.shown.refresh.error != nil)
        }
    }

    @Test(
        "a day of jobs and a repeating timer: each background task expires in time, and the app lives",
        arguments: [0, 1, 2] as [UInt64])
    func dayOfJobs(seed: UInt64) throws {
        try SimulatedDevice.run(seed: seed) { device in
            device.installSleepless()
            device.open()
            let app = try device.sleepless
            try app.refresh.schedule(.refresh, earliest: 0, network: false, power: false)
            try app.refresh.schedule(.processing, earliest: 0, network: false, power: false)
            try app.timer.go(delay: 40, repeat: 5)
            device.lock()
            device.advance(seconds: 86_400)
            #expect(device.faults.isEmpty)
            // Whether a job runs at the end of the day depends on the seed.
            #expect(device.appPhase == (device.jobs.running.isEmpty ? .suspended : .background))
            #expect(device.launchCount == 1)
            #expect(device.jobs.history.count > 1)
        }
    }
}
