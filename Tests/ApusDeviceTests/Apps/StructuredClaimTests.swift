import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("withBackgroundTask on the simulated device")
struct StructuredClaimTests {
    /// Starts a body that sleeps for a duration, and notes how it ends.
    private func start(_ name: String, for duration: Duration, on host: SimulatedHost) {
        host.start {
            do {
                let result = try await host.withBackgroundTask(named: name) {
                    do {
                        try await host.engine.sleep(for: duration)
                    } catch {
                        host.note("\(name) is interrupted")
                        throw error
                    }
                    return "\(name) is done"
                }
                host.note(result)
            } catch let error as BackgroundError {
                host.note("\(name): \(error.code)")
            } catch {
                host.note("\(name) is cancelled")
            }
        }
    }

    @Test("a body that returns in time ends its background task, and the app is then suspended")
    func inTime() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            start("save", for: .seconds(20), on: host)
            device.pressHome()
            device.advance(by: .seconds(19))
            #expect(host.phase == .background)
            device.advance(by: .seconds(4))
            #expect(device.ownNotes == ["save is done"])
            #expect(host.phase == .suspended)
            #expect(device.claims.began == ["save": 1] && device.claims.ended == ["save": 1])
            #expect(device.claims.expired == 0)
        }
    }

    @Test("at expiry the body is cancelled and its background task ended, so the app is suspended and not killed")
    func expiry() throws {
        try SimulatedDevice.run { device in
            let start = device.time.uptime()
            let host = try device.launchProbe()
            for name in ["one", "two"] { self.start(name, for: .seconds(100), on: host) }
            device.pressHome()
            device.advance(by: .seconds(29))
            #expect(host.phase == .suspended)
            device.advance(by: .seconds(100))
            let interruptions = device.notes(since: start).filter { !$0.contains("hears") }
            #expect(
                Set(interruptions) == [
                    "26 one is interrupted", "26 one is cancelled", "26 two is interrupted", "26 two is cancelled",
                ])
            #expect(interruptions.count == 4)
            #expect(device.claims.ended == ["one": 1, "two": 1])
            #expect(device.ends.isEmpty)
        }
    }

    @Test("a body that ignores cancellation is suspended with the app, and continues after the return")
    func ignoresCancellation() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.start {
                try? await host.withBackgroundTask(named: "ignoring") {
                    for second in 1...40 as ClosedRange<Int> {
                        // This wait ignores cancellation.
                        await withCheckedContinuation { continuation in
                            host.engine.schedule(after: .seconds(1)) { continuation.resume() }
                        }
                        if second == 40 { host.note("ended") }
                    }
                }
            }
            device.pressHome()
            device.advance(by: .seconds(1_000))
            #expect(host.phase == .suspended)
            #expect(device.ends.isEmpty)
            #expect(device.ownNotes.isEmpty)
            device.open()
            device.advance(by: .seconds(20))
            #expect(device.ownNotes == ["ended"])
            #expect(device.claims.ended == ["ignoring": 1])
        }
    }

    @Test("a body does not run if its background task is requested too late")
    func late() throws {
        var policy = SystemPolicy()
        // After the expiration handlers have returned, the app still runs for a second.
        policy.suspensionDelay = .seconds(1)...(.seconds(1))
        try SimulatedDevice.run(policy: policy) { device in
            let host = try device.launchProbe()
            start("first", for: .seconds(100), on: host)
            host.engine.schedule(after: .milliseconds(26_500)) {
                MainActor.assumeIsolated { start("late", for: .zero, on: host) }
            }
            device.pressHome()
            device.advance(by: .seconds(40))
            #expect(device.ownNotes == ["first is interrupted", "first is cancelled", "late: tooLate"])
            #expect(device.claims.began == ["first": 1] && device.claims.refused == 1)
            #expect(host.phase == .suspended)
            #expect(device.ends.isEmpty)
        }
    }
}
