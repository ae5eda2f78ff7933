import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rules of BGTaskRequest.h, of Apple, documentation/backgroundtasks/bgprocessingtask, and of WWDC20 10063.
@MainActor
@Suite("When processing runs")
struct ProcessingRuleTests {
    /// Runs a test on a locked device whose app has processing pending.
    private func run(
        _ request: BackgroundJobRequest = .tidy, policy: SystemPolicy = SystemPolicy(),
        _ body: (SimulatedDevice) throws -> Void
    ) throws {
        try SimulatedDevice.run(policy: policy) { device in
            try device.launchJobApp()
            try device.jobs.submitRequest(request)
            device.lock()
            try body(device)
        }
    }

    private func expect(_ obstacle: BackgroundJobObstacle, on device: SimulatedDevice, until: () -> Void) {
        #expect(device.jobs.obstacles(for: "tidy") == [obstacle])
        device.advance(by: .seconds(3_600))
        #expect(device.launches(of: "tidy") == 0)
        until()
        #expect(device.jobs.obstacles(for: "tidy").isEmpty)
        device.advance(by: .seconds(900))
        #expect(device.launches(of: "tidy") == 1)
    }

    @Test("processing runs only while the device is idle")
    func idle() throws {
        try run { device in
            device.unlock()
            device.pressHome()
            expect(.deviceInUse, on: device) { device.lock() }
        }
    }

    /// Noon of the day on which a device begins.
    private static let noon = WallInstant(secondsSince1970: 1_767_225_600 + 12 * 3_600)

    /// Apple describes long work as work for periods of low activity, such as overnight while the device charges
    /// ("Choosing Background Strategies for Your App").
    @Test("by day and on battery, processing waits for the charger even if its request does not require it")
    func waitsForCharger() throws {
        try run { device in
            device.setWallClock(Self.noon)
            expect(.neitherNightNorCharging, on: device) { device.plugIn() }
        }
    }

    @Test("without a charger, processing runs at night while the screen is locked, and not before")
    func waitsForNight() throws {
        try run { device in
            device.setWallClock(Self.noon)
            device.advance(by: .seconds(10 * 3_600 - 1))
            #expect(device.jobs.obstacles(for: "tidy") == [.neitherNightNorCharging])
            device.advance(by: .seconds(1))
            #expect(device.jobs.obstacles(for: "tidy") == [])
            device.unlock()
            device.pressHome()
            #expect(device.jobs.obstacles(for: "tidy") == [.deviceInUse])
            device.lock()
            device.advance(by: .seconds(900))
            #expect(device.launches(of: "tidy") == 1)
            #expect(device.jobs.report.deferrals["tidy"]?["neither night nor charging"] ?? 0 > 30)
        }
    }

    @Test("by policy, processing waits for idleness alone, for the charger, or for a night at other hours")
    func processingTime() throws {
        var policy = SystemPolicy()
        policy.jobs.processingTime = .whenIdle
        try run(policy: policy) { device in
            device.setWallClock(Self.noon)
            #expect(device.jobs.obstacles(for: "tidy") == [])
        }
        policy.jobs.processingTime = .charging
        try run(policy: policy) { device in expect(.noExternalPower, on: device) { device.plugIn() } }
        policy.jobs.processingTime = .chargingOrNight
        (policy.jobs.nightBegin, policy.jobs.nightEnd) = (.seconds(11 * 3_600), .seconds(13 * 3_600))
        try run(policy: policy) { device in
            #expect(device.jobs.obstacles(for: "tidy") == [.neitherNightNorCharging])
            device.setWallClock(Self.noon)
            #expect(device.jobs.obstacles(for: "tidy") == [])
        }
    }

    @Test("processing waits for a connection if it requires a network, and otherwise runs offline")
    func network() throws {
        try run(BackgroundJobRequest("tidy", .processing(requiresNetwork: true))) { device in
            device.setNetwork(.none)
            expect(.noNetwork, on: device) { device.setNetwork(.constrained) }
        }
        try run { device in
            device.setNetwork(.none)
            let obstacles = device.jobs.obstacles(for: "tidy")
            #expect(obstacles.isEmpty)
        }
    }

    @Test("processing that requires external power waits for the charger")
    func power() throws {
        try run(BackgroundJobRequest("tidy", .processing(requiresExternalPower: true))) { device in
            expect(.noExternalPower, on: device) { device.plugIn() }
        }
    }

    @Test("processing runs within two days if the app was used in the past week, and otherwise not")
    func usedLately() throws {
        try run { device in
            device.advance(by: .seconds(2 * 86_400))
            #expect(device.launches(of: "tidy") == 1)
        }
        try run { device in
            device.unlock()
            device.pressHome()
            device.advance(by: .seconds(8 * 86_400))
            device.lock()
            expect(.notUsedLately, on: device) {
                device.open()
                device.lock()
            }
        }
    }

    @Test("battery, low-power mode and the user's habits do not stop processing; the user's switch does")
    func otherFactors() throws {
        try run { device in
            device.setBattery(0.05)
            device.setLowPowerMode(true)
            #expect(device.jobs.obstacles(for: "tidy").isEmpty)
            device.setBackgroundRefresh(false)
            expect(.backgroundRefreshOff, on: device) { device.setBackgroundRefresh(true) }
        }
    }

    @Test("processing runs after a force quit; by the older rule it waits until the user launches the app")
    func forceQuit() throws {
        try run { device in
            device.swipeAway()
            device.lock()
            #expect(device.host == nil)
            device.advance(by: .seconds(900))
            #expect(device.launches(of: "tidy") == 1)
            #expect(device.jobs.history.map(\.outcome) == [.succeeded])
        }
        var policy = SystemPolicy()
        policy.jobs.processingRunsAfterForceQuit = false
        try run(policy: policy) { device in
            device.swipeAway()
            device.lock()
            expect(.notInSwitcher, on: device) {
                device.launch()
                device.lock()
            }
        }
    }

    @Test("processing does not run between a restart and the first unlock")
    func reboot() throws {
        try run { device in
            device.reboot()
            expect(.lockedSinceBoot, on: device) {
                device.unlock()
                device.lock()
            }
        }
    }

    @Test("processing expires when the user picks the device up, while a running refresh continues")
    func pickedUp() throws {
        try SimulatedDevice.run(policy: .impatient) { device in
            try device.launchJobApp { host, task in
                task.expirationHandler = {
                    host.note("expired \(task.identifier)")
                    task.setCompleted(success: false)
                }
            }
            try device.jobs.submitRequest(.tidy)
            try device.jobs.submitRequest(.refresh)
            device.lock()
            device.advance(by: .seconds(3))
            device.launchJob("refresh")
            device.launchJob("tidy")
            device.advance(by: .seconds(10))
            #expect(device.jobs.running.count == 2)
            device.unlock()
            #expect(device.ownNotes.suffix(1) == ["expired tidy"])
            #expect(device.jobs.running.map(\.identifier) == ["refresh"])
            device.advance(by: .seconds(16))
            #expect(device.ownNotes.suffix(1) == ["expired refresh"])
            #expect(device.jobs.history.map(\.outcome) == [.expired, .expired])
        }
    }

    @Test("processing has minutes, and expires shortly before they are over")
    func limit() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp { host, task in
                host.note("has \(task.timeRemaining ?? .zero)")
                task.expirationHandler = {
                    host.note("expired with \(task.timeRemaining ?? .zero)")
                    task.setCompleted(success: false)
                }
            }
            try device.jobs.submitRequest(.tidy)
            device.lock()
            device.advance(by: .seconds(900 + 600))
            #expect(device.ownNotes == ["runs tidy", "has 600.0 seconds", "expired with 4.0 seconds"])
            let record = try #require(device.jobs.history.first)
            #expect(try record.launched.duration(to: #require(record.ended)) == .seconds(596))
        }
    }
}
