import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusLinux

/// The host's time is virtual, but its asynchronous work runs on the real executor, so the tests wait for that work.
@Suite("Background jobs under a Linux host")
@MainActor
struct BackgroundJobTests {
    private let diary = Log<String>()

    private func jobs(_ world: HostInVirtualTime) throws -> HostBackgroundJobs {
        let jobs = HostBackgroundJobs(
            host: world.host, configuration: .init(spread: .zero), random: SeededRandom(seed: 1), logger: .silent)
        try jobs.register("job") { [diary] run in
            run.onExpiration { diary.add("expires") }
            diary.add("begins")
            let (stream, end) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            end.finish()
            diary.add("wound up")
        }
        return jobs
    }

    private func submit(
        _ kind: BackgroundJobRequest.Kind, to jobs: HostBackgroundJobs, _ world: HostInVirtualTime
    ) throws {
        try world.time.perform(waitingForForeignWork: .seconds(300)) {
            try await jobs.submit(BackgroundJobRequest("job", kind))
        }
    }

    private func wait(_ world: HostInVirtualTime, until condition: () -> Bool) throws {
        try world.time.settle(waitingForForeignWork: .seconds(300), until: condition)
    }

    @Test(
        "a processing job keeps running after SIGTERM, expires near the end of the grace period, and winds up in what is left"
    )
    func stops() throws {
        let world = HostInVirtualTime()
        let jobs = try jobs(world)
        try submit(.processing(), to: jobs, world)
        try wait(world) { diary.all == ["begins"] }
        let run = world.run()
        world.send(.terminate)
        world.time.advance(by: .milliseconds(25_999))
        #expect(diary.all == ["begins"])
        #expect(world.host.phase == .background)
        world.time.advance(by: .milliseconds(1))
        #expect(diary.all.contains("expires"))
        try wait(world) { diary.all.contains("wound up") && jobs.running().isEmpty }
        let outcome = try world.time.perform(waitingForForeignWork: .seconds(300)) { try await run.value }
        #expect(outcome == .completed)
    }

    @Test("a refresh waits while the machine saves power, and begins when the host has noticed that it does not")
    func conditions() throws {
        let profile = "sys/firmware/acpi/platform_profile"
        let root = try FakeRoot([profile: "low-power"])
        let world = HostInVirtualTime(root: root.path)
        let jobs = try jobs(world)
        try submit(.refresh, to: jobs, world)
        #expect(jobs.obstacles(for: "job") == [.lowPowerMode])
        try root.write("balanced", to: profile)
        world.time.advance(by: .seconds(45))
        try wait(world) { diary.all == ["begins"] }
        #expect(jobs.obstacles(for: "job") == [])
        try world.time.perform(waitingForForeignWork: .seconds(300)) { try await jobs.simulateExpiration("job") }
        try wait(world) { diary.all.contains("wound up") && jobs.running().isEmpty }
    }
}

@Suite("Background jobs on real threads")
struct BackgroundJobThreadTests {
    @Test(
        "every job that begins while many threads submit, cancel and expire ends, with its background task",
        .timeLimit(.minutes(5)))
    func manyThreads() async throws {
        let engine = TimerEngine()
        let host = LinuxHost(
            engine: engine, conditions: LinuxConditions(root: "/nothing"), serviceManager: ServiceManager { _ in 0 },
            logger: .silent)
        let jobs = HostBackgroundJobs(
            host: host, configuration: .init(spread: .zero, refreshSpacing: .zero), logger: .silent)
        let begun = Log<String>()
        let ended = Log<String>()
        let names = ["a", "b", "c"]
        for name in names {
            try jobs.register(name) { run in
                begun.add(name)
                run.report(completed: 1, of: 2)
                await Task.yield()
                ended.add(name)
            }
        }
        // The number of jobs that begin before they are cancelled depends on the machine.
        repeat {
            await withTaskGroup(of: Void.self) { group in
                for seed in UInt64(1)...8 {
                    group.addTask {
                        let random = SeededRandom(seed: seed)
                        for _ in 0..<150 {
                            let name = names[Int(random.next() % 3)]
                            switch random.next() % 8 {
                            case 0...2: try? await jobs.submit(BackgroundJobRequest(name, .refresh))
                            case 3: try? await jobs.submit(BackgroundJobRequest(name, .processing()))
                            case 4:
                                let work = ContinuedJob(title: name, strategy: .fail)
                                try? await jobs.submit(BackgroundJobRequest(name, .continued(work)))
                            case 5: await jobs.cancel(name)
                            case 6: try? await jobs.simulateLaunch(name)
                            default: try? await jobs.simulateExpiration(name)
                            }
                        }
                    }
                }
            }
            let before = begun.all.count
            try await jobs.submit(BackgroundJobRequest("a", .refresh))
            while begun.all.count == before { await Task.yield() }
        } while begun.all.count <= 20
        await jobs.cancelAll()
        while !(jobs.running().isEmpty && host.registry.openNames.isEmpty) { await Task.yield() }
        #expect(await jobs.pending() == [])
        while ended.all.count < begun.all.count { await Task.yield() }
        engine.stop()
    }
}
