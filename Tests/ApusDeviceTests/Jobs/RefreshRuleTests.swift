import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

/// The seven factors of Apple's session WWDC20 10063, and the other rules for a refresh.
@MainActor
@Suite("When a refresh runs")
struct RefreshRuleTests {
    private let hour = Duration.seconds(3_600)

    /// Runs a test on a device whose app is in the background and has a refresh pending.
    private func run(
        policy: SystemPolicy = .impatient, _ body: (SimulatedDevice) throws -> Void
    ) throws {
        try SimulatedDevice.run(policy: policy) { device in
            try device.launchJobApp()
            try device.jobs.submitRequest(.refresh)
            device.pressHome()
            try body(device)
        }
    }

    /// Checks that an obstacle is the only one, is logged, and keeps the refresh from running until it is removed.
    private func expect(
        _ obstacle: BackgroundJobObstacle, said words: String, on device: SimulatedDevice, until: () -> Void
    ) {
        #expect(device.jobs.obstacles(for: "refresh") == [obstacle])
        device.advance(by: hour)
        #expect(device.launches(of: "refresh") == 0)
        #expect(device.jobLog.count { $0 == "deferred refresh: \(words)" } == 1)
        until()
        #expect(device.jobs.obstacles(for: "refresh").isEmpty)
        device.advance(by: .seconds(900))
        #expect(device.launches(of: "refresh") == 1)
    }

    @Test("a refresh without obstacles runs at the next opportunity, in a quarter of an hour but not at once")
    func opportunity() throws {
        try run { device in
            #expect(device.jobs.obstacles(for: "refresh").isEmpty)
            device.advance(by: .seconds(299))
            #expect(device.launches(of: "refresh") == 0)
            device.advance(by: .seconds(601))
            #expect(device.launches(of: "refresh") == 1)
            #expect(device.jobs.history.map(\.outcome) == [.succeeded])
        }
    }

    @Test("an opportunity that the device sleeps through comes when the device wakes")
    func deviceSleep() throws {
        try run { device in
            device.sleepMachine(for: hour)
            #expect(device.launches(of: "refresh") == 1)
            let record = try #require(device.jobs.history.first)
            #expect(record.submitted.duration(to: record.launched) == hour)
        }
    }

    @Test("a refresh does not run at a charge of 20 % or below")
    func battery() throws {
        try run { device in
            device.setBattery(0.2)
            expect(.lowBattery, said: "low battery", on: device) { device.setBattery(0.21) }
        }
    }

    @Test("a refresh does not run in low-power mode")
    func lowPowerMode() throws {
        try run { device in
            device.setLowPowerMode(true)
            expect(.lowPowerMode, said: "low-power mode", on: device) { device.setLowPowerMode(false) }
        }
    }

    @Test("a refresh does not run while the user's switch is off, even if it was submitted before")
    func backgroundRefresh() throws {
        try run { device in
            device.setBackgroundRefresh(false)
            expect(.backgroundRefreshOff, said: "background refresh is off", on: device) {
                device.setBackgroundRefresh(true)
            }
        }
    }

    @Test("a refresh does not run after a force quit until the user launches the app")
    func forceQuit() throws {
        try run { device in
            device.swipeAway()
            expect(.notInSwitcher, said: "not in the app switcher", on: device) {
                device.launch()
                device.pressHome()
            }
        }
    }

    @Test("a refresh does not run while the user is in the app")
    func inForeground() throws {
        try run { device in
            device.open()
            expect(.appInForeground, said: "the app is in the foreground", on: device) { device.pressHome() }
        }
    }

    @Test("a refresh waits until shortly before the time of day at which the user opened the app")
    func usage() throws {
        var policy = SystemPolicy()
        policy.jobs.refreshPatience = .seconds(7 * 86_400)
        try run(policy: policy) { device in
            let next = device.time.wall().advanced(by: .seconds(86_400))
            expect(.notExpectedSoon(next: next), said: "not expected to be used soon", on: device) {
                device.advance(until: next.advanced(by: .seconds(-1_800)))
            }
            let record = try #require(device.jobs.history.first)
            #expect(record.launched < next)
        }
    }

    @Test("a refresh that has waited for hours runs even if no use is expected")
    func patience() throws {
        try run(policy: SystemPolicy()) { device in
            device.advance(by: .seconds(4 * 3_600 - 1))
            #expect(device.launches(of: "refresh") == 0)
            device.advance(by: .seconds(901))
            #expect(device.launches(of: "refresh") == 1)
        }
    }

    @Test("an app that was not used for a week gets no refresh")
    func notUsed() throws {
        try run { device in
            device.setLowPowerMode(true)
            device.advance(by: .seconds(8 * 86_400))
            device.setLowPowerMode(false)
            #expect(device.jobs.obstacles(for: "refresh") == [.notUsedLately])
            device.advance(by: hour)
            #expect(device.launches(of: "refresh") == 0)
            device.open()
            device.pressHome()
            device.advance(by: .seconds(900))
            #expect(device.launches(of: "refresh") == 1)
        }
    }

    @Test("long refreshes use up the day's budget, which becomes available again over the day")
    func budget() throws {
        var policy = SystemPolicy.impatient
        policy.jobs.dailyRefreshBudget = .seconds(60)
        policy.jobs.refreshSpacing = .zero
        try SimulatedDevice.run(policy: policy) { device in
            try device.launchJobApp { host, task in
                try? host.jobs.submitRequest(.refresh)
                host.engine.schedule(after: .seconds(20)) { task.setCompleted(success: true) }
            }
            try device.jobs.submitRequest(.refresh)
            device.pressHome()
            device.advance(by: .seconds(2 * 3_600))
            #expect(device.launches(of: "refresh") == 2)
            #expect(device.jobs.obstacles(for: "refresh") == [.budgetUsedUp])
            #expect(device.jobLog.last == "deferred refresh: the day's budget is used up")
            // Of a budget of 60 s a day, 20 s become available again in 8 h: enough for one refresh.
            device.advance(by: .seconds(22 * 3_600))
            #expect((4...5).contains(device.launches(of: "refresh")))
            device.kill()
        }
    }

    @Test("launches for refreshes are at least the policy's spacing apart")
    func rate() throws {
        var policy = SystemPolicy.impatient
        policy.jobs.refreshSpacing = .seconds(7_200)
        try SimulatedDevice.run(policy: policy) { device in
            try device.launchJobApp { host, task in
                try? host.jobs.submitRequest(.refresh)
                task.setCompleted(success: true)
            }
            try device.jobs.submitRequest(.refresh)
            device.pressHome()
            device.advance(by: hour)
            let first = try #require(device.jobs.history.first)
            let until = first.launched.advanced(by: .seconds(7_200))
            #expect(device.jobs.obstacles(for: "refresh") == [.rateLimited(until: until)])
            device.advance(until: until)
            #expect(device.launches(of: "refresh") == 1)
            device.advance(by: .seconds(900))
            #expect(device.launches(of: "refresh") == 2)
        }
    }

    @Test("a refresh does not run between a restart and the first unlock")
    func reboot() throws {
        try run { device in
            device.reboot()
            expect(.lockedSinceBoot, said: "not unlocked since the device was started", on: device) { device.unlock() }
        }
    }

    @Test("all of several obstacles are reported, but are logged only when they change")
    func several() throws {
        try run { device in
            device.setLowPowerMode(true)
            device.setBattery(0.1)
            #expect(device.jobs.obstacles(for: "refresh") == [.lowBattery, .lowPowerMode])
            device.advance(by: hour)
            device.setBattery(1)
            device.advance(by: hour)
            #expect(
                device.jobLog == [
                    "submitted refresh", "deferred refresh: low battery, low-power mode",
                    "deferred refresh: low-power mode",
                ])
            let deferrals = try #require(device.jobs.report.deferrals["refresh"])
            #expect(try #require(deferrals["low-power mode"]) > (try #require(deferrals["low battery"])))
            #expect(device.jobs.report.description.contains("refresh waits: low-power mode"))
        }
    }

    @Test("a job without a pending request has the only obstacle that it is not pending")
    func notPending() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            let obstacles = device.jobs.obstacles(for: "refresh")
            #expect(obstacles == [.notPending])
        }
    }
}
