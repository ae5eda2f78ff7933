import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The jobs of an app that uses only ``BackgroundJobScheduler``.
@MainActor
@Suite("Background jobs by Apus's own interface")
struct JobInterfaceTests {
    /// Launches an app that registers `handler` and submits a refresh.
    private func launch(
        on device: SimulatedDevice,
        _ handler: @escaping @Sendable (BackgroundJobRun, SimulatedHost) async throws -> Void
    ) throws {
        device.install(.jobs) { host in
            let jobs: any BackgroundJobScheduler = host.jobs
            try jobs.register("refresh") { run in try await handler(run, host) }
            host.start {
                do { try await jobs.submit(.refresh) } catch { host.note("\(error)") }
            }
            return ProbeApp(host)
        }
        device.launch()
        device.pressHome()
        device.advance(by: .seconds(3))
    }

    private func begin(_ device: SimulatedDevice) {
        device.launchJob("refresh")
    }

    @Test("a handler that returns has succeeded, and the app is suspended")
    func success() throws {
        try SimulatedDevice.run { device in
            try launch(on: device) { run, host in
                try await host.engine.sleep(for: .seconds(5))
                run.report(completed: 1, of: 2)
                host.note("\(run.identifier), \(run.timeRemaining ?? .zero)")
            }
            begin(device)
            device.advance(by: .seconds(10))
            #expect(device.ownNotes == ["refresh, 25.0 seconds"])
            #expect(device.jobs.history.map(\.outcome) == [.succeeded])
            #expect(device.host?.phase == .suspended)
        }
    }

    @Test("a handler that throws has failed")
    func failure() throws {
        try SimulatedDevice.run { device in
            try launch(on: device) { _, _ in throw CancellationError() }
            begin(device)
            #expect(device.jobs.history.map(\.outcome) == [.failed])
        }
    }

    @Test("when the time is over, the expiration handler is called, and the task is cancelled but may still complete")
    func expiration() throws {
        try SimulatedDevice.run { device in
            try launch(on: device) { run, host in
                run.onExpiration { host.note("handler, expired: \(run.isExpired)") }
                do { try await host.engine.sleep(for: .seconds(60)) } catch {
                    host.note("cancelled")
                }
            }
            begin(device)
            device.advance(by: .seconds(26))
            #expect(device.ownNotes == ["handler, expired: true", "cancelled"])
            #expect(device.jobs.history.map(\.outcome) == [.expired])
        }
    }

    @Test("without an expiration handler, an expired run ends at once, and its task is cancelled")
    func silentExpiration() throws {
        try SimulatedDevice.run { device in
            try launch(on: device) { _, host in
                try? await host.engine.sleep(for: .seconds(60))
                host.note("cancelled")
            }
            begin(device)
            device.advance(by: .seconds(26))
            #expect(device.ownNotes == ["cancelled"])
            #expect(device.jobs.history.map(\.outcome) == [.expired])
            #expect(device.ends.isEmpty)
        }
    }

    @Test("an app whose handler does not return after the expiration is ended")
    func stuck() throws {
        try SimulatedDevice.run { device in
            device.expect(.jobNotCompleted)
            try launch(on: device) { run, _ in
                run.onExpiration {}
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
            begin(device)
            device.advance(by: .seconds(30))
            #expect(device.ends.first?.hasPrefix("0x2182bad2") == true)
        }
    }

    @Test("a simulated launch or expiration throws if there is no request or run")
    func simulation() throws {
        try SimulatedDevice.run { device in
            try launch(on: device) { run, host in
                run.onExpiration { run.complete(success: true) }
                try? await host.engine.sleep(for: .seconds(60))
            }
            device.open()
            let host = try #require(device.host)
            host.start {
                do throws(BackgroundJobError) {
                    try await host.jobs.simulateLaunch("refresh")
                    try? await host.engine.sleep(for: .seconds(1))
                    try await host.jobs.simulateExpiration("refresh")
                    try? await host.engine.sleep(for: .seconds(1))
                    try await host.jobs.simulateExpiration("refresh")
                } catch {
                    host.note("\(error.code)")
                }
                do throws(BackgroundJobError) { try await host.jobs.simulateLaunch("refresh") } catch {
                    host.note("\(error.code)")
                }
                let pending = await host.jobs.pending()
                host.note("\(pending.count) pending")
            }
            device.advance(by: .seconds(3))
            #expect(device.ownNotes == ["notRunning", "notPending", "0 pending"])
            #expect(device.jobs.history.map(\.outcome) == [.expired])
        }
    }

    @Test("cancelling withdraws one pending request, or all of them")
    func cancel() throws {
        try SimulatedDevice.run { device in
            try launch(on: device) { _, _ in }
            let host = try #require(device.host)
            device.open()
            host.start {
                await host.jobs.cancel("unknown")
                host.note("\(await host.jobs.pending().count)")
                await host.jobs.cancel("refresh")
                host.note("\(await host.jobs.pending().count)")
                try? await host.jobs.submit(.refresh)
                await host.jobs.cancelAll()
                host.note("\(await host.jobs.pending().count)")
            }
            device.advance(by: .zero)
            #expect(device.ownNotes == ["1", "0", "0"])
        }
    }
}
