import ApusBackground
import ApusDevice
import ApusTimers
import Foundation
import Testing

@MainActor
@Suite("The timeline of a device")
struct DeviceTimelineTests {
    /// Returns a device with an app that is opened for a minute a day, and that submits a new refresh in each refresh.
    private func days(_ count: Int, policy: SystemPolicy = SystemPolicy()) throws -> SimulatedDevice {
        let device = SimulatedDevice(seed: 3, policy: policy)
        let manifest = AppManifest(backgroundModes: [.fetch], permittedTaskIdentifiers: ["feed"])
        device.install(manifest) { host in
            try host.jobs.register("feed") { _ in
                try await host.engine.sleep(for: .seconds(5))
                try await host.jobs.submit(BackgroundJobRequest("feed", .refresh))
            }
            return ProbeApp(host) { _, phase in
                guard phase == .background else { return }
                try? host.jobs.submitRequest(BackgroundJobRequest("feed", .refresh))
                host.endBackgroundTask(host.beginBackgroundTask(name: "saving"))
            }
        }
        for _ in 0..<count {
            device.open()
            device.advance(by: .seconds(60))
            device.pressHome()
            device.advance(by: .seconds(86_340))
        }
        return device
    }

    private func lane(_ name: String, of timeline: DeviceTimeline) throws -> DeviceTimeline.Lane {
        try #require(timeline.lanes.first { $0.name == name })
    }

    @Test("the app's lane has its phases, one after the other without a gap")
    func phases() throws {
        let timeline = DeviceTimeline(try days(2).log)
        let spans = try lane("app", of: timeline).spans
        #expect(Set(spans.map(\.kind)) == [.active, .inactive, .background, .suspended])
        for (span, next) in zip(spans, spans.dropFirst()) { #expect(span.end == next.start) }
        #expect(spans.last?.end == timeline.duration)
        #expect(spans.filter { $0.kind == .active }.map(\.duration) == [.seconds(60), .seconds(60)])
    }

    @Test("a job's lane has its waits and its runs, without a gap from the submission on")
    func jobs() throws {
        let device = try days(2)
        let timeline = DeviceTimeline(device.log)
        let spans = try lane("job feed", of: timeline).spans
        #expect(spans.count { $0.kind == .running } == device.jobs.history.count)
        #expect(spans.filter { $0.kind == .running }.allSatisfy { $0.duration == .seconds(5) })
        for (span, next) in zip(spans, spans.dropFirst()) { #expect(span.end == next.start) }
        let waited = timeline.waits.filter { $0.identifier == "feed" }
        #expect(waited.contains { $0.reason.contains("not expected to be used soon") })
        #expect(
            waited.reduce(.zero) { $0 + $1.duration }
                == spans.filter { $0.kind == .waiting }.reduce(.zero) { $0 + $1.duration })
        #expect(waited.map(\.duration) == waited.map(\.duration).sorted(by: >))
    }

    @Test("background tasks are spans, and a task that was open when the app ended has failed")
    func tasks() throws {
        let device = SimulatedDevice()
        device.expect(.backgroundTaskNotEnded)
        device.install { host in
            ProbeApp(host) { _, phase in
                guard phase == .background else { return }
                _ = host.beginBackgroundTask(name: "forgotten")
                let saving = host.beginBackgroundTask(name: "saving")
                host.engine.schedule(after: .seconds(3)) { host.endBackgroundTask(saving) }
            }
        }
        device.launch()
        device.pressHome()
        device.advance(by: .seconds(60))
        let timeline = DeviceTimeline(device.log)
        let spans = try lane("background tasks", of: timeline).spans
        #expect(spans.map(\.label) == ["saving", "forgotten"])
        #expect(spans.map(\.kind) == [.running, .failed])
        #expect(spans.map(\.duration) == [.seconds(3), .seconds(26)])
        #expect(try lane("warnings and faults", of: timeline).marks.contains { $0.kind == .fault })
        #expect(try lane("app", of: timeline).marks.contains { $0.label.hasPrefix("ended: 0x8badf00d") })
    }

    @Test("setting the wall clock takes no time on the timeline; the device's sleep does")
    func clocks() throws {
        let device = SimulatedDevice()
        device.install { ProbeApp($0) }
        device.launch()
        device.advance(by: .seconds(10))
        device.moveWallClock(by: .seconds(86_400))
        device.advance(by: .seconds(10))
        device.moveWallClock(by: .seconds(-7_200))
        device.advance(by: .seconds(10))
        device.sleepMachine(for: .seconds(100))
        device.pressHome()
        let timeline = DeviceTimeline(device.log)
        #expect(timeline.duration == .seconds(130))
    }

    @Test(
        "a job that is submitted again while it runs waits after its run; a withdrawn job waits no longer"
    )
    func orders() {
        func event(_ seconds: Int64, _ what: BackgroundJobEvent.What) -> DeviceEvent {
            DeviceEvent(
                wall: WallInstant(secondsSince1970: seconds),
                uptime: UptimeInstant(nanoseconds: UInt64(seconds) * 1_000_000_000), actor: .app,
                what: .job(BackgroundJobEvent("a", what)))
        }
        let log = [
            event(0, .submitted), event(10, .launched), event(12, .submitted), event(15, .completed(success: true)),
            event(20, .submitted), event(30, .deferred(reasons: ["low battery"])), event(50, .cancelled),
            event(60, .refused("notPermitted")),
        ]
        let timeline = DeviceTimeline(log)
        let spans = timeline.lanes.flatMap(\.spans)
        #expect(
            spans.map(\.label) == [
                "for an opportunity", "runs", "for an opportunity", "for an opportunity", "low battery",
            ])
        #expect(spans.map(\.start) == [0, 10, 15, 20, 30].map { .seconds($0) })
        #expect(spans.map(\.end) == [10, 15, 20, 30, 50].map { .seconds($0) })
        #expect(timeline.waits.map(\.duration) == [25, 20].map { .seconds($0) })
        #expect(timeline.lanes.flatMap(\.marks).contains { $0.label == "refused: notPermitted" && $0.kind == .warning })
    }

    @Test("jobs whose identifiers differ only in a last part with digits share a row, with labels for each")
    func oneRow() {
        func event(_ seconds: Int64, _ identifier: String, _ what: BackgroundJobEvent.What) -> DeviceEvent {
            DeviceEvent(
                wall: WallInstant(secondsSince1970: seconds),
                uptime: UptimeInstant(nanoseconds: UInt64(seconds) * 1_000_000_000), actor: .app,
                what: .job(BackgroundJobEvent(identifier, what)))
        }
        let timeline = DeviceTimeline([
            event(0, "export.1", .submitted), event(1, "export.2A", .submitted), event(1, "export.all", .submitted),
            event(4, "export.1", .launched), event(6, "export.1", .completed(success: true)),
            event(8, "export.2A", .launched), event(9, "export.all", .launched),
        ])
        #expect(timeline.lanes.map(\.name) == ["job export.*", "job export.all"])
        #expect(
            timeline.lanes[0].spans.map(\.label) == [
                "export.1: for an opportunity", "export.1: runs", "export.2A: for an opportunity", "export.2A: runs",
            ])
        #expect(timeline.waits.map(\.identifier) == ["export.*", "export.all"])
        #expect(timeline.waits.map(\.duration) == [.seconds(11), .seconds(8)])
    }

    @Test("an empty log has an empty timeline")
    func empty() {
        let timeline = DeviceTimeline([])
        #expect(timeline.lanes.isEmpty && timeline.waits.isEmpty && timeline.duration == .zero)
        #expect(timeline.html.contains("No background job has waited."))
    }

    @Test("the trace is JSON with an event for each span and each mark, in microseconds, and a name for each lane")
    func trace() throws {
        let timeline = DeviceTimeline(try days(1).log)
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(timeline.chromeTrace.utf8)) as? [String: Any])
        let events = try #require(json["traceEvents"] as? [[String: Any]])
        func count(_ kind: String) -> Int { events.count { $0["ph"] as? String == kind } }
        #expect(count("X") == timeline.lanes.reduce(0) { $0 + $1.spans.count })
        #expect(count("i") == timeline.lanes.reduce(0) { $0 + $1.marks.count })
        let names = events.filter { $0["name"] as? String == "thread_name" }
            .compactMap { ($0["args"] as? [String: Any])?["name"] as? String }
        #expect(names == timeline.lanes.map(\.name))
        let active = try #require(events.first { $0["cat"] as? String == "active" })
        #expect(active["dur"] as? Int == 60_000_000)
    }

    @Test("the page has the waits in words, and no text of the app can end its script or become markup")
    func page() throws {
        let html = DeviceTimeline(try days(2).log).html
        #expect(html.contains("<td>feed</td><td>"))
        let device = SimulatedDevice()
        device.install { host in
            host.endBackgroundTask(host.beginBackgroundTask(name: "</script><b>"))
            return ProbeApp(host)
        }
        device.launch()
        let hostile = DeviceTimeline(device.log).html
        #expect(hostile.components(separatedBy: "</script>").count == 3)
        #expect(hostile.contains(#"<\/script><b>"#))
    }

    @Test("the rules of four releases differ in long intents, continued work and processing after a force quit")
    func releases() {
        var policy = SystemPolicy()
        #expect(SystemPolicy.iOS27 == policy && policy.intents.hasLongRunning)
        policy.intents.hasLongRunning = false
        #expect(SystemPolicy.iOS26 == policy)
        #expect(SystemPolicy.iOS26.jobs.hasContinuedJobs && SystemPolicy.iOS26.jobs.processingRunsAfterForceQuit)
        #expect(!SystemPolicy.iOS18.jobs.hasContinuedJobs && SystemPolicy.iOS18.jobs.processingRunsAfterForceQuit)
        #expect(!SystemPolicy.iOS17.jobs.hasContinuedJobs && !SystemPolicy.iOS17.jobs.processingRunsAfterForceQuit)
    }

    @Test("before iOS 26, a request for continued work is unavailable")
    func noContinuedWork() throws {
        for (policy, code) in [(SystemPolicy.iOS18, BackgroundJobError.Code.unavailable), (.iOS26, nil)] {
            try SimulatedDevice.run(policy: policy) { device in
                device.install(AppManifest(permittedTaskIdentifiers: ["export"])) { host in
                    _ = host.jobs.registerLaunchHandler("export") { $0.setCompleted(success: true) }
                    return ProbeApp(host)
                }
                device.launch()
                let host = try #require(device.host)
                var refused: BackgroundJobError.Code?
                do throws(BackgroundJobError) {
                    try host.jobs.submitRequest(
                        BackgroundJobRequest("export", .continued(ContinuedJob(title: "Export", subtitle: ""))))
                } catch { refused = error.code }
                #expect(refused == code)
            }
        }
    }
}
