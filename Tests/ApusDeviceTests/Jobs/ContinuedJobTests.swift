import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

/// The rules of Apple, documentation/backgroundtasks/performing-long-running-tasks-on-ios-and-ipados, and of
/// BGTaskRequest.h of iOS 26.
@MainActor
@Suite("Continued work")
struct ContinuedJobTests {
    /// Reports one more unit of a hundred every ten seconds, up to the last one.
    private func progress(_ task: SimulatedTask, _ host: SimulatedHost, unit: Int64 = 1, until last: Int64 = 100) {
        task.report(completed: unit, of: 100)
        if unit == 100 { return task.setCompleted(success: true) }
        guard unit < last else { return }
        host.engine.schedule(after: .seconds(10)) {
            MainActor.assumeIsolated { progress(task, host, unit: unit + 1, until: last) }
        }
    }

    @Test("continued work begins at once in the foreground, despite an earliest begin, and runs on in the background")
    func beginsAtOnce() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchJobApp()
            _ = host.jobs.registerLaunchHandler("export.1") { task in
                host.note("runs")
                progress(task, host)
            }
            let later = device.time.wall().advanced(by: .seconds(86_400))
            let job = ContinuedJob(title: "Export")
            try host.jobs.submitRequest(BackgroundJobRequest("export.1", .continued(job), earliestBegin: later))
            device.advance(by: .zero)
            #expect(device.ownNotes == ["runs"])
            device.pressHome()
            device.advance(by: .seconds(500))
            #expect(host.phase == .background)
            #expect(host.backgroundTimeRemaining == nil)
            #expect(device.jobs.running.first?.progress.completed == 51)
            device.advance(by: .seconds(600))
            #expect(device.jobs.history.map(\.outcome) == [.succeeded])
            #expect(host.phase == .suspended)
        }
    }

    @Test("continued work is not permitted from the background")
    func onlyInForeground() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            #expect(device.jobs.registerLaunchHandler("export.1") { _ in })
            device.pressHome()
            let request = BackgroundJobRequest("export.1", .continued(ContinuedJob(title: "Export")))
            #expect(device.refusal(of: request) == .notPermitted)
        }
    }

    @Test("when the system is busy, the strategy fail throws, and the strategy queue waits for the running work")
    func busy() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchJobApp()
            try device.beginContinued { task in
                host.engine.schedule(after: .seconds(20)) { task.setCompleted(success: true) }
            }
            let failure = #expect(throws: BackgroundJobError.self) { try device.beginContinued("export.2", .fail) }
            #expect(failure?.code == .cannotStartNow)
            try device.beginContinued("export.3") { $0.setCompleted(success: true) }
            #expect(device.jobs.pendingRequests().map(\.identifier) == ["export.3"])
            #expect(device.jobs.obstacles(for: "export.3") == [.busy])
            #expect(device.ownNotes == ["runs export.1"])
            device.advance(by: .seconds(20))
            #expect(device.ownNotes == ["runs export.1", "runs export.3"])
            try device.beginContinued("export.4", .fail) { $0.setCompleted(success: true) }
            #expect(device.ownNotes.last == "runs export.4")
        }
    }

    @Test("queued work begins even if the app is in the background or its process has ended meanwhile")
    func queuedInBackground() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchJobApp(
                AppManifest(permittedTaskIdentifiers: ["export.1", "export.2", "export.3"])
            ) { host, task in
                host.engine.schedule(after: .seconds(30)) { task.setCompleted(success: true) }
            }
            for number in 1...3 {
                let job = ContinuedJob(title: "Export")
                try host.jobs.submitRequest(BackgroundJobRequest("export.\(number)", .continued(job)))
            }
            device.pressHome()
            device.advance(by: .seconds(40))
            #expect(device.jobs.running.map(\.identifier) == ["export.2"])
            #expect(host.phase == .background)
            device.kill()
            device.advance(by: .seconds(40))
            #expect(device.jobs.history.map(\.outcome) == [.succeeded, .killed("crash"), .succeeded])
        }
    }

    @Test("with two places, a second piece of work begins beside the first")
    func places() throws {
        var policy = SystemPolicy()
        policy.jobs.continuedAtOnce = 2
        try SimulatedDevice.run(policy: policy) { device in
            try device.launchJobApp()
            try device.beginContinued("export.1", .fail)
            try device.beginContinued("export.2", .fail)
            #expect(device.jobs.running.count == 2)
            device.kill()
        }
    }

    @Test("continued work expires without progress; slow progress is enough")
    func stall() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchJobApp()
            try device.beginContinued { task in
                task.expirationHandler = {
                    host.note("expired")
                    task.setCompleted(success: false)
                }
                progress(task, host, until: 10)
            }
            device.pressHome()
            device.advance(by: .seconds(90 + 59))
            #expect(device.ownNotes == ["runs export.1"])
            device.advance(by: .seconds(1))
            #expect(device.ownNotes == ["runs export.1", "expired"])
            #expect(device.jobs.history.map(\.outcome) == [.expired])
        }
    }

    @Test("reports that do not increase the completed share are no progress")
    func noProgress() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchJobApp()
            let timer = Box<RepeatingTimer?>(nil)
            try device.beginContinued { task in
                task.report(completed: 50, of: 100)
                timer.value = try? RepeatingTimer(every: .seconds(10), engine: host.engine) { tick in
                    task.report(completed: Int64(50 * tick.number), of: Int64(100 * tick.number))
                }
                timer.value?.resume()
            }
            device.advance(by: .seconds(60))
            timer.value?.cancel()
            #expect(device.jobs.history.map(\.outcome) == [.expired])
        }
    }

    /// The source is Apple DTS, developer.apple.com/forums/thread/818623.
    @Test("a cancellation by the user calls the expiration handler")
    func cancelled() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            try device.beginContinued { task in
                task.expirationHandler = { task.setCompleted(success: false) }
            }
            try device.beginContinued("export.2")
            device.pressHome()
            device.cancelJob("export.2")
            #expect(device.jobs.pendingRequests().isEmpty)
            device.cancelJob("export.1")
            device.cancelJob("refresh")
            #expect(device.jobs.history.map(\.outcome) == [.expired])
            #expect(device.jobLog.suffix(2) == ["expired export.1", "completed export.1: failure"])
            #expect(device.warnings == ["there is no continued job refresh to cancel"])
        }
    }

    @Test("an app that does not complete work that the user has cancelled is ended")
    func cancelledInVain() throws {
        try SimulatedDevice.run { device in
            device.expect(.jobNotCompleted)
            try device.launchJobApp()
            try device.beginContinued { task in task.expirationHandler = {} }
            device.cancelJob("export.1")
            device.advance(by: .seconds(4))
            #expect(device.host == nil)
        }
    }

    @Test("closing the app withdraws queued work and ends running work, without any callback")
    func swipedAway() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchJobApp()
            try device.beginContinued { task in
                task.expirationHandler = { host.note("never") }
            }
            try device.beginContinued("export.2")
            device.openAppSwitcher()
            device.swipeAway()
            device.advance(by: .seconds(10))
            #expect(device.ownNotes == ["runs export.1"])
            #expect(device.jobs.history.map(\.outcome) == [.killed("force quit")])
            #expect(device.jobs.pendingRequests().isEmpty)
            #expect(device.ends == ["force quit"])
        }
    }

    @Test("work that requires the graphics processor is permitted only if the device allows it in the background")
    func gpu() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            let failure = #expect(throws: BackgroundJobError.self) {
                try device.beginContinued(requiresGPU: true)
            }
            #expect(failure?.code == .notPermitted)
            device.policy.jobs.allowsBackgroundGPU = true
            try device.beginContinued("export.2", requiresGPU: true) { $0.setCompleted(success: true) }
            #expect(device.ownNotes == ["runs export.2"])
        }
    }

    @Test("the title and subtitle of continued work can be changed while it runs; other jobs have none")
    func title() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp { _, task in
                task.updateTitle("Refresh", subtitle: "now")
            }
            try device.beginContinued()
            let task = try #require(device.jobs.running.first)
            #expect([task.title, task.subtitle] == ["Export", ""])
            task.updateTitle("Export", subtitle: "page 2")
            #expect([task.title, task.subtitle] == ["Export", "page 2"])
            try device.jobs.submitRequest(.refresh)
            device.launchJob("refresh")
            let refresh = try #require(device.jobs.running.last)
            #expect(refresh.title.isEmpty)
            device.kill()
        }
    }

    @Test("queued work does not survive a restart")
    func reboot() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            try device.beginContinued()
            try device.beginContinued("export.2")
            device.reboot()
            device.unlock()
            device.advance(by: .seconds(3_600))
            #expect(device.jobs.history.map(\.outcome) == [.killed("reboot")])
            #expect(device.jobs.pendingRequests().isEmpty)
        }
    }
}
