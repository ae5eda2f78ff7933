import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rules of Apple, documentation/backgroundtasks/bgtask, and of BGTask.h.
@MainActor
@Suite("Runs of background jobs")
struct JobRunTests {
    /// Runs a test on a device with a suspended app whose refresh has just begun.
    private func run(
        policy: SystemPolicy = SystemPolicy(),
        _ handle: @escaping @MainActor @Sendable (SimulatedHost, SimulatedTask) -> Void,
        then body: (SimulatedDevice) throws -> Void
    ) throws {
        try SimulatedDevice.run(policy: policy) { device in
            try device.launchJobApp { handle($0, $1) }
            try device.jobs.submitRequest(.refresh)
            device.pressHome()
            device.advance(by: .seconds(3))
            #expect(device.host?.phase == .suspended)
            device.launchJob("refresh")
            try body(device)
        }
    }

    @Test("a refresh has 30 s: its handler is called shortly before the end, and its remaining time can be read")
    func refreshTime() throws {
        try run { host, task in
            host.note("\(task.timeRemaining ?? .zero), \(host.backgroundTimeRemaining ?? .zero)")
            task.expirationHandler = {
                host.note("expired with \(task.timeRemaining ?? .zero)")
                task.setCompleted(success: false)
            }
        } then: { device in
            device.advance(by: .seconds(25))
            #expect(device.ownNotes == ["runs refresh", "30.0 seconds, 30.0 seconds"])
            device.advance(by: .seconds(1))
            #expect(device.ownNotes.last == "expired with 4.0 seconds")
            #expect(device.jobLog.suffix(2) == ["expired refresh", "completed refresh: failure"])
            #expect(device.jobs.history.map(\.outcome) == [.expired])
        }
    }

    @Test("an app that has not completed an expired run when its time is over is ended")
    func notCompleted() throws {
        try run { host, task in
            task.expirationHandler = { host.note("expired") }
        } then: { device in
            device.expect(.jobNotCompleted)
            device.advance(by: .milliseconds(29_999))
            #expect(device.ends.isEmpty)
            device.advance(by: .milliseconds(1))
            let why = "0x2182bad2 task timeout: background job “refresh” was not completed in time"
            #expect(device.ends == [why])
            #expect(device.jobs.history.map(\.outcome) == [.killed(why)])
        }
    }

    @Test("a run may still be completed a little after its expiration")
    func windUp() throws {
        try run { host, task in
            task.expirationHandler = {
                host.engine.schedule(after: .seconds(3)) { task.setCompleted(success: true) }
            }
        } then: { device in
            device.advance(by: .seconds(40))
            #expect(device.ends.isEmpty)
            #expect(device.jobs.history.map(\.outcome) == [.expired])
        }
    }

    @Test("a run without an expiration handler fails without notice, the app is suspended, and the log has a warning")
    func noExpirationHandler() throws {
        try run { _, _ in
        } then: { device in
            device.advance(by: .seconds(40))
            #expect(device.jobs.history.map(\.outcome) == [.expired])
            #expect(device.ownNotes == ["runs refresh"])
            #expect(device.ends.isEmpty)
            #expect(device.host?.phase == .suspended)
            let warning =
                "the background job refresh was not completed in time, and has no expiration handler; set one"
            #expect(device.warnings.contains(warning))
        }
    }

    @Test("the app is suspended as soon as all its jobs are complete, and not before")
    func suspension() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp { host, task in
                let delay: Duration = task.identifier == "refresh" ? .seconds(5) : .seconds(200)
                host.engine.schedule(after: delay) { task.setCompleted(success: true) }
            }
            try device.jobs.submitRequest(.refresh)
            try device.jobs.submitRequest(.tidy)
            device.lock()
            device.advance(by: .seconds(3))
            device.launchJob("refresh")
            device.launchJob("tidy")
            device.advance(by: .seconds(199))
            #expect(device.host?.phase == .background)
            #expect(device.jobs.history.map(\.outcome) == [.succeeded, nil])
            device.advance(by: .seconds(3))
            #expect(device.host?.phase == .suspended)
            #expect(device.jobs.history.map(\.outcome) == [.succeeded, .succeeded])
        }
    }

    @Test("an app that is launched for a job enters the background before its handler is called")
    func order() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            try device.jobs.submitRequest(.refresh)
            device.kill()
            device.launchJob("refresh")
            let tail = device.log.suffix(6).map { "\($0.actor.rawValue) \($0.what)" }
            #expect(
                tail == [
                    "system launched: background job refresh", "system job: launched refresh",
                    "system phase background", "app note: hears background", "app note: runs refresh",
                    "app job: completed refresh: success",
                ])
        }
    }

    @Test("a suspended app is notified of the background phase before its handler is called")
    func resumed() throws {
        try run { _, task in
            task.setCompleted(success: true)
        } then: { device in
            let tail = device.log.suffix(4).map { "\($0.actor.rawValue) \($0.what)" }
            #expect(
                tail == [
                    "app note: hears suspended", "app note: hears background", "app note: runs refresh",
                    "app job: completed refresh: success",
                ])
            device.advance(by: .seconds(3))
            #expect(device.host?.phase == .suspended)
        }
    }

    @Test("the expiration handler is released after its call, and when the run is completed")
    func handlerIsCleared() throws {
        final class Witness: Sendable {}
        try SimulatedDevice.run { device in
            weak var witness: Witness?
            let kept = Box<SimulatedTask?>(nil)
            try device.launchJobApp { _, task in
                let held = Witness()
                witness = held
                kept.value = task
                task.expirationHandler = { withExtendedLifetime(held) {} }
            }
            try device.jobs.submitRequest(.refresh)
            device.launchJob("refresh")
            #expect(witness != nil)
            device.expireJob("refresh")
            #expect(witness == nil)
            #expect(kept.value?.expirationHandler == nil)
            kept.value?.setCompleted(success: true)
            try device.jobs.submitRequest(.refresh)
            device.launchJob("refresh")
            kept.value?.setCompleted(success: true)
            #expect(witness == nil)
            #expect(device.jobs.history.map(\.outcome) == [.expired, .succeeded])
        }
    }

    @Test("a second completion causes a warning and changes nothing")
    func completedTwice() throws {
        try run { _, task in
            task.setCompleted(success: true)
            task.setCompleted(success: false)
        } then: { device in
            #expect(device.warnings.last == "the background job refresh was already completed; complete it once")
            #expect(device.jobs.history.map(\.outcome) == [.succeeded])
        }
    }

    @Test("a failed run is not repeated by itself")
    func failure() throws {
        try run(policy: .impatient) { _, task in
            task.setCompleted(success: false)
        } then: { device in
            device.advance(by: .seconds(86_400))
            #expect(device.jobs.history.map(\.outcome) == [.failed])
            #expect(device.jobs.pendingRequests().isEmpty)
        }
    }

    @Test("a simulated launch follows no rule: it begins in the foreground, and after a force quit")
    func simulatedLaunch() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            device.setLowPowerMode(true)
            try device.jobs.submitRequest(.refresh)
            device.launchJob("refresh")
            #expect(device.host?.phase == .active)
            try device.jobs.submitRequest(.refresh)
            device.pressHome()
            device.swipeAway()
            #expect(device.host == nil)
            device.launchJob("refresh")
            #expect(device.jobs.history.map(\.outcome) == [.succeeded, .succeeded])
            #expect(device.jobs.obstacles(for: "refresh") == [.notPending])
        }
    }

    @Test("an app that keeps the main loop busy until the time is over is ended then")
    func busy() throws {
        try run { host, task in
            task.expirationHandler = { host.note("never") }
            host.work(for: .seconds(45))
            host.note("never")
        } then: { device in
            device.expect(.jobNotCompleted)
            #expect(device.ownNotes == ["runs refresh"])
            #expect(device.ends.first?.hasPrefix("0x2182bad2 task timeout") == true)
            let record = try #require(device.jobs.history.first)
            #expect(try record.launched.duration(to: #require(record.ended)) == .seconds(30))
        }
    }

    @Test(
        "an app that computes for 80 % of a minute in the background is killed, unless the job requires external power")
    func cpu() throws {
        func compute(_ request: BackgroundJobRequest, seconds: Int, pause: Int) throws -> [String] {
            try SimulatedDevice.run { device in
                try device.launchJobApp { host, task in
                    host.work(for: .seconds(seconds))
                    host.engine.schedule(after: .seconds(pause)) {
                        host.work(for: .seconds(seconds))
                        task.setCompleted(success: true)
                    }
                }
                try device.jobs.submitRequest(request)
                device.lock()
                device.launchJob("tidy")
                device.advance(by: .seconds(200))
                if !device.ends.isEmpty { device.expect(.tooMuchCPU) }
                return device.ends
            }
        }
        #expect(try compute(.tidy, seconds: 24, pause: 2).map { $0.prefix(4) } == ["CPU:"])
        #expect(try compute(.tidy, seconds: 23, pause: 2).isEmpty)
        #expect(try compute(.tidy, seconds: 24, pause: 14).isEmpty)
        let plugged = BackgroundJobRequest("tidy", .processing(requiresExternalPower: true))
        #expect(try compute(plugged, seconds: 100, pause: 1).isEmpty)
    }

    @Test("while a job runs, the time of the app's background tasks does not run")
    func claims() throws {
        try run { host, task in
            let claim = Box(BackgroundTaskID.invalid)
            claim.value = host.beginBackgroundTask(name: "save") {
                host.note("background task expired")
                host.endBackgroundTask(claim.value)
            }
            host.engine.schedule(after: .seconds(20)) { task.setCompleted(success: true) }
        } then: { device in
            device.advance(by: .seconds(20 + 25))
            #expect(device.ownNotes == ["runs refresh"])
            #expect(device.host?.phase == .background)
            device.advance(by: .seconds(1))
            #expect(device.ownNotes.last == "background task expired")
        }
    }

    @Test("runs end with their process, and further calls of theirs have no effect")
    func killed() throws {
        let kept = Box<SimulatedTask?>(nil)
        try run { _, task in
            kept.value = task
        } then: { device in
            device.kill()
            #expect(device.jobs.history.map(\.outcome) == [.killed("crash")])
            #expect(device.jobs.running.isEmpty)
            let log = device.log
            kept.value?.setCompleted(success: true)
            kept.value?.setCompleted(success: true)
            #expect(device.log == log)
        }
    }

    @Test("a process without a handler for its job only causes a warning")
    func noHandler() throws {
        try SimulatedDevice.run { device in
            let isFirst = Box(true)
            device.install(.jobs) { host in
                if isFirst.value { _ = host.jobs.registerLaunchHandler("refresh") { _ in } }
                isFirst.value = false
                return ProbeApp(host)
            }
            device.launch()
            try device.jobs.submitRequest(.refresh)
            device.kill()
            device.launchJob("refresh")
            device.advance(by: .seconds(5))
            #expect(device.warnings.contains("there is no launch handler for refresh; register one in every launch"))
            #expect(device.jobs.history.map(\.outcome) == [.noHandler])
            #expect(device.host?.phase == .suspended)
        }
    }

    @Test("requests survive the process and restarts, and the app is started for them")
    func survive() throws {
        try SimulatedDevice.run(policy: .impatient) { device in
            try device.launchJobApp()
            try device.jobs.submitRequest(.refresh)
            device.pressHome()
            device.advance(by: .seconds(3))
            device.applyMemoryPressure()
            #expect(device.host == nil)
            device.reboot()
            device.unlock()
            #expect(device.jobs.pendingRequests() == [.refresh])
            device.advance(by: .seconds(900))
            #expect(device.jobs.history.map(\.outcome) == [.succeeded])
            #expect(device.jobs.report.description.hasPrefix("1 runs\n"))
        }
    }
}
