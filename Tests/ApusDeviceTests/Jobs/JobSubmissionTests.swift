import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

/// The rules of BGTaskScheduler.h and BGTaskRequest.h.
@MainActor
@Suite("Submitting background jobs")
struct JobSubmissionTests {
    private let minute = Duration.seconds(60)

    @Test("a request with the identifier of a pending one replaces it")
    func replacement() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            let later = BackgroundJobRequest(
                "refresh", .refresh, earliestBegin: device.time.wall().advanced(by: minute))
            try device.jobs.submitRequest(.refresh)
            try device.jobs.submitRequest(.tidy)
            try device.jobs.submitRequest(later)
            #expect(device.jobs.pendingRequests() == [.tidy, later])
            #expect(device.jobLog.suffix(2) == ["replaced refresh", "submitted refresh"])
        }
    }

    @Test("one refresh and ten processing requests may be pending; one more is refused, a replacement is not")
    func limits() throws {
        let names = (0...10).map { "tidy.\($0)" }
        let manifest = AppManifest(
            backgroundModes: [.fetch, .processing], permittedTaskIdentifiers: Set(names + ["refresh", "refresh.2"]))
        try SimulatedDevice.run { device in
            try device.launchJobApp(manifest)
            #expect(device.refusal(of: .refresh) == nil)
            #expect(device.refusal(of: BackgroundJobRequest("refresh.2", .refresh)) == .tooManyPending)
            #expect(device.refusal(of: .refresh) == nil)
            for name in names.prefix(10) { try device.jobs.submitRequest(BackgroundJobRequest(name, .processing())) }
            #expect(device.refusal(of: BackgroundJobRequest(names[10], .processing())) == .tooManyPending)
            #expect(device.refusal(of: BackgroundJobRequest(names[9], .processing())) == nil)
            #expect(device.jobs.pendingRequests().count == 11)
            device.jobs.cancelRequest(names[0])
            #expect(device.refusal(of: BackgroundJobRequest(names[10], .processing())) == nil)
            let report = device.jobs.report
            #expect(report.refusals.map(\.request.identifier) == ["refresh.2", "tidy.10"])
            #expect(report.refusals.allSatisfy { $0.code == .tooManyPending && $0.instant == device.time.wall() })
            #expect(report.description.contains(" refresh.2 was refused: tooManyPending: "))
        }
    }

    @Test("a refresh needs the mode fetch, processing the mode processing, and both a declared identifier")
    func modes() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp(
                AppManifest(backgroundModes: [.fetch], permittedTaskIdentifiers: ["refresh", "tidy", "export.*"]))
            #expect(device.refusal(of: .tidy) == .notPermitted)
            #expect(device.refusal(of: BackgroundJobRequest("other", .refresh)) == .notPermitted)
            #expect(device.refusal(of: BackgroundJobRequest("export.1", .refresh)) == .notPermitted)
            #expect(device.refusal(of: .refresh) == nil)
            try device.launchJobApp(
                AppManifest(backgroundModes: [.processing], permittedTaskIdentifiers: ["refresh", "tidy"]))
            #expect(device.refusal(of: .tidy) == nil)
            #expect(device.refusal(of: .refresh) == .notPermitted)
        }
    }

    @Test("on a simulator, every request is unavailable")
    func simulator() throws {
        var policy = SystemPolicy()
        policy.jobs.isSimulator = true
        try SimulatedDevice.run(policy: policy) { device in
            try device.launchJobApp()
            #expect(device.refusal(of: .refresh) == .unavailable)
            #expect(device.refusal(of: .tidy) == .unavailable)
            device.policy.jobs.isSimulator = false
            #expect(device.refusal(of: .refresh) == nil)
        }
    }

    @Test("while background refresh is off, refresh and processing are unavailable, and continued work is not")
    func backgroundRefreshOff() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            device.setBackgroundRefresh(false)
            #expect(device.refusal(of: .refresh) == .unavailable)
            #expect(device.refusal(of: .tidy) == .unavailable)
            try device.beginContinued()
            #expect(device.ownNotes == ["runs export.1"])
            device.setBackgroundRefresh(true)
            #expect(device.refusal(of: .refresh) == nil)
            device.kill()
        }
    }

    @Test("a request without a handler is a fault for the framework and an error for Apus, and is not pending")
    func noHandler() throws {
        var policy = SystemPolicy()
        policy.endsAppAtExceptions = false
        try SimulatedDevice.run(policy: policy) { device in
            device.expect(.noLaunchHandler)
            device.install(.jobs) { ProbeApp($0) }
            device.launch()
            try device.jobs.submitRequest(.refresh, place: "App/App.swift:9")
            #expect(device.faults.map(\.place) == ["App/App.swift:9"])
            let host = try #require(device.host)
            host.start {
                do throws(BackgroundJobError) { try await host.jobs.submit(.refresh) } catch {
                    host.note("\(error.code)")
                }
            }
            device.advance(by: .zero)
            #expect(device.ownNotes == ["notRegistered"])
            #expect(device.jobs.pendingRequests().isEmpty)
        }
    }

    @Test("an empty identifier and continued work without a title are invalid")
    func invalid() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            #expect(device.refusal(of: BackgroundJobRequest("", .refresh)) == .invalidArgument)
            let job = ContinuedJob(title: "")
            #expect(device.refusal(of: BackgroundJobRequest("export.1", .continued(job))) == .invalidArgument)
        }
    }

    @Test("a job never begins before its earliest begin on the wall clock, even if the clock is set back")
    func earliestBegin() throws {
        try SimulatedDevice.run(policy: .impatient) { device in
            try device.launchJobApp()
            let begin = device.time.wall().advanced(by: .seconds(7_200))
            try device.jobs.submitRequest(BackgroundJobRequest("refresh", .refresh, earliestBegin: begin))
            device.pressHome()
            #expect(device.jobs.obstacles(for: "refresh").first == .notBefore(begin))
            device.moveWallClock(by: .seconds(-3_600))
            device.advance(by: .seconds(7_300))
            #expect(device.launches(of: "refresh") == 0)
            device.advance(by: .seconds(3_500 + 900))
            #expect(device.launches(of: "refresh") == 1)
            #expect(try #require(device.jobs.history.first).launched >= begin)
        }
    }

    @Test("a job runs soon after the wall clock is set to its earliest begin")
    func wallClockMoved() throws {
        try SimulatedDevice.run(policy: .impatient) { device in
            try device.launchJobApp()
            let begin = device.time.wall().advanced(by: .seconds(7_200))
            try device.jobs.submitRequest(BackgroundJobRequest("refresh", .refresh, earliestBegin: begin))
            device.pressHome()
            device.moveWallClock(by: .seconds(7_200))
            device.advance(by: .seconds(900))
            let launches = device.launches(of: "refresh")
            #expect(launches == 1)
        }
    }

    @Test("a running job is not pending, and cancelling its request does not stop it")
    func running() throws {
        try SimulatedDevice.run(policy: .impatient) { device in
            try device.launchJobApp { host, task in
                host.engine.schedule(after: .seconds(20)) { task.setCompleted(success: true) }
            }
            try device.jobs.submitRequest(.refresh)
            device.pressHome()
            device.advance(by: .seconds(1))
            device.launchJob("refresh")
            device.advance(by: .seconds(1))
            #expect(device.jobs.running.map(\.identifier) == ["refresh"])
            #expect(device.jobs.pendingRequests().isEmpty)
            device.policy.jobs.listsRunningAsPending = true
            #expect(device.jobs.pendingRequests() == [.refresh])
            device.jobs.cancelRequest("refresh")
            device.jobs.cancelAllRequests()
            device.advance(by: .seconds(20))
            #expect(device.jobs.history.map(\.outcome) == [.succeeded])
        }
    }

    @Test("cancelled requests do not run, and have no timers")
    func cancel() throws {
        try SimulatedDevice.run(policy: .impatient) { device in
            try device.launchJobApp()
            device.pressHome()
            device.advance(by: .seconds(3))
            let timers = device.time.pendingTimerCount
            try device.jobs.submitRequest(.refresh)
            try device.jobs.submitRequest(.tidy)
            #expect(device.time.pendingTimerCount > timers)
            device.jobs.cancelRequest("refresh")
            device.jobs.cancelRequest("unknown")
            #expect(device.jobs.pendingRequests() == [.tidy])
            device.jobs.cancelAllRequests()
            #expect(device.time.pendingTimerCount == timers)
            device.advance(by: .seconds(86_400))
            #expect(device.jobs.history.isEmpty)
        }
    }

    @Test("a simulated launch or expiration without a request or run is only a warning")
    func simulateNothing() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            device.launchJob("refresh")
            device.expireJob("tidy")
            #expect(
                device.warnings == [
                    "No task request with identifier refresh has been scheduled",
                    "No task request with identifier tidy has been scheduled",
                ])
            let history = device.jobs.history
            #expect(history.isEmpty)
        }
    }
}
