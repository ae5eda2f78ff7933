import ApusBackground
import ApusJobs
import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("A job that waits for conditions")
struct JobConditionsTests {
    private static let met = DeviceConditions(network: .available, isOnExternalPower: true, isIdle: true)

    private func harness(
        _ device: DeviceConditions, configuration: JobScheduler.Configuration = .init(bootID: "boot")
    ) throws -> SchedulerHarness {
        try SchedulerHarness(configuration: configuration, host: TestHost(device))
    }

    private func awaited(_ harness: SchedulerHarness, _ id: String = "job") -> JobConditions {
        harness.scheduler.awaitedConditions(JobID(id))
    }

    @Test(
        "a due occurrence waits for its condition, is shown as waiting, and begins when the condition is met",
        arguments: [
            (.network, DeviceConditions(network: DeviceConditions.Network.none), .noNetwork),
            (.externalPower, DeviceConditions(isOnExternalPower: false), .noExternalPower),
            (.idle, DeviceConditions(isIdle: false), .deviceInUse),
        ] as [(JobConditions, DeviceConditions, BackgroundJobObstacle)])
    func waits(_ condition: JobConditions, _ device: DeviceConditions, _ obstacle: BackgroundJobObstacle) throws {
        let harness = try harness(device)
        try harness.submit(.after(.seconds(5)), .init(conditions: condition))
        harness.advance(4)
        #expect(awaited(harness).isEmpty, "it is not due")
        harness.advance(96)
        #expect(harness.calls.all.isEmpty)
        #expect(try harness.history() == ["1 waiting"])
        #expect(awaited(harness) == condition)
        #expect(awaited(harness).obstacles == [obstacle])
        harness.device(Self.met)
        #expect(harness.calls.seconds == [100])
        #expect(harness.calls.all.first?.lateness == .seconds(95), "counted from its due instant")
        #expect(awaited(harness).isEmpty)
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test("a job with several conditions waits until all of them hold at once")
    func allAtOnce() throws {
        let harness = try harness(DeviceConditions(network: .some(.none), isOnExternalPower: true))
        try harness.submit(.after(.seconds(1)), .init(conditions: [.network, .externalPower]))
        harness.advance(10)
        #expect(awaited(harness) == .network)
        harness.device(DeviceConditions(network: .available, isOnExternalPower: false))
        #expect(awaited(harness) == .externalPower)
        #expect(harness.calls.all.isEmpty)
        harness.device(DeviceConditions(network: .available, isOnExternalPower: true))
        #expect(harness.calls.seconds == [10])
    }

    @Test("a run waits only for an unmet condition: not for a met, costly or unknown one, nor without a host")
    func notWaitedFor() throws {
        let all: JobConditions = [.network, .externalPower, .idle]
        for device in [Self.met, DeviceConditions(), DeviceConditions(network: .constrained)] {
            let harness = try harness(device)
            try harness.submit(.after(.seconds(5)), .init(conditions: all))
            harness.advance(10)
            #expect(harness.calls.seconds == [5])
        }
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(5)), .init(conditions: all))
        harness.advance(10)
        #expect(harness.calls.seconds == [5])
    }

    @Test("a run that has begun continues when the conditions end")
    func continues() throws {
        let harness = try harness(Self.met)
        try harness.submit(.after(.seconds(1)), kind: "slow", .init(conditions: .network))
        harness.advance(5)
        harness.device(DeviceConditions(network: .some(.none)))
        harness.advance(10)
        #expect(try harness.history() == ["1 succeeded"])
        #expect(harness.calls.reasons.isEmpty)
    }

    @Test("a manual run waits for no condition, before and after the job is due")
    func byHand() throws {
        let harness = try harness(DeviceConditions(isOnExternalPower: false))
        try harness.submit(.after(.seconds(10)), .init(conditions: .externalPower))
        _ = try harness.perform { try await $0.runNow(JobID("job")) }
        harness.advance(20)
        _ = try harness.perform { try await $0.runNow(JobID("job")) }
        harness.advance(1)
        #expect(harness.calls.seconds == [0, 20])
        #expect(harness.calls.occurrences.allSatisfy { $0 <= 0 })
        #expect(awaited(harness) == .externalPower)
        try harness.check()
    }

    @Test(
        "later occurrences follow the overlap policy while one waits",
        arguments: [
            (.skip, ["2-3 skipped(overlap)"], [1], ["1 succeeded"]),
            (.queue(limit: 1), ["3 skipped(queueFull)"], [1, 2], ["1 succeeded", "2 succeeded"]),
            (.allow(limit: 2), ["3 skipped(overlap)"], [1, 2], ["1 succeeded", "2 succeeded"]),
            (.replace, ["1 cancelled(replaced)", "2 cancelled(replaced)"], [3], ["3 succeeded"]),
        ] as [(OverlapPolicy, [String], [Int], [String])])
    func overlap(_ policy: OverlapPolicy, _ gone: [String], _ ran: [Int], _ succeeded: [String]) throws {
        let harness = try harness(DeviceConditions(network: .some(.none)))
        try harness.submit(.every(.seconds(10), count: 3), .init(overlap: policy, conditions: .network))
        harness.advance(35)
        #expect(harness.calls.all.isEmpty)
        harness.device(Self.met)
        harness.advance(1)
        #expect(harness.calls.occurrences == ran)
        #expect(harness.calls.seconds.allSatisfy { $0 == 35 })
        #expect(Set(try harness.history()) == Set(gone + succeeded))
        #expect(try harness.job().missedCount == 0, "it arrived on time")
        try harness.check()
    }

    @Test("missed occurrences follow their policy as usual, and their catch-up runs wait for the condition")
    func missed() throws {
        let harness = try harness(DeviceConditions(network: .some(.none)))
        try harness.submit(
            .every(.seconds(10), count: 4),
            .init(missedRuns: .runAll(limit: 2), overlap: .queue(), conditions: .network))
        try harness.time.perform(advancingTime: true) { [scheduler = harness.scheduler] in
            await scheduler.stop(grace: .zero)
        }
        harness.advance(35)
        try harness.crash()
        harness.advance(1)
        #expect(try harness.history() == ["1 skipped(missed)", "2 waiting(missed)", "3 waiting(missed)"])
        #expect(awaited(harness) == .network)
        harness.device(Self.met)
        harness.advance(10)
        #expect(harness.calls.occurrences == [2, 3, 4])
        try harness.check()
    }

    @Test("the time limit begins with the run, and waiting for the condition uses up no attempt")
    func retryAndTimeLimit() throws {
        let harness = try harness(DeviceConditions(network: .some(.none)))
        let retry = RetryPolicy.exponential(attempts: 2, from: .seconds(2), jitter: 0)
        try harness.submit(
            .after(.seconds(1)), kind: "slow", .init(retry: retry, timeLimit: .seconds(4), conditions: .network))
        harness.advance(60)
        harness.device(Self.met)
        harness.advance(2)
        harness.device(DeviceConditions(network: .some(.none)))
        harness.advance(38)
        #expect(try harness.history() == ["1 failed(timedOut)", "1.2 waiting"])
        #expect(harness.calls.seconds == [60])
        #expect(harness.calls.reasons == [.timedOut])
        #expect(awaited(harness) == .network)
        harness.device(Self.met)
        harness.advance(10)
        #expect(harness.calls.seconds == [60, 100])
        #expect(try harness.history() == ["1 failed(timedOut)", "1.2 failed(timedOut)"])
        try harness.check()
    }

    @Test("the host is examined when a job with conditions is due, observed only while one waits, and never polled")
    func following() throws {
        let harness = try harness(DeviceConditions(network: .some(.none)))
        let host = try #require(harness.host)
        let idle = harness.time.pendingTimerCount
        try harness.submit("plain", .after(.seconds(5)))
        try harness.submit(.after(.seconds(10)), .init(conditions: .network))
        harness.advance(9)
        #expect(host.readings == 0 && !host.isFollowed.conditions)
        harness.advance(1)
        #expect(host.isFollowed.conditions)
        let readings = host.readings
        let wakeUps = harness.time.engine.statistics.wakeUps
        harness.advance(100_000)
        #expect(host.readings == readings)
        #expect(harness.time.engine.statistics.wakeUps == wakeUps)
        #expect(harness.time.pendingTimerCount == idle)
        harness.device(Self.met)
        #expect(harness.calls.all.map(\.job) == ["plain", "job"])
        #expect(!host.isFollowed.conditions)
        #expect(harness.time.pendingTimerCount == idle)
    }

    @Test("observing the host ends when the waiting job is cancelled, suspended or replaced, or the scheduler stops")
    func followingEnds() throws {
        let harness = try harness(DeviceConditions(isOnExternalPower: false))
        let host = try #require(harness.host)
        let policies = JobPolicies(conditions: .externalPower)
        func isFollowed(after act: (SchedulerHarness) throws -> Void) throws -> [Bool] {
            try harness.submit(.after(.seconds(1)), policies)
            harness.advance(2)
            let before = host.isFollowed.conditions
            try act(harness)
            harness.time.settle()
            return [before, host.isFollowed.conditions]
        }
        let ends = [true, false]
        #expect(try isFollowed { _ = try $0.perform { try await $0.cancel(JobID("job")) } } == ends)
        #expect(try isFollowed { _ = try $0.perform { try await $0.suspend(JobID("job")) } } == ends)
        #expect(try isFollowed { _ = try $0.submit(.after(.seconds(1_000)), policies) } == ends)
        #expect(
            try isFollowed { harness in
                try harness.time.perform { [scheduler = harness.scheduler] in await scheduler.stop(grace: .zero) }
            } == ends)
        #expect(harness.calls.all.isEmpty)
    }

    @Test("a suspended job does not wait for conditions, and waits again when it is resumed")
    func suspended() throws {
        let harness = try harness(DeviceConditions(isOnExternalPower: false))
        try harness.submit(.after(.seconds(1)), .init(conditions: .externalPower))
        harness.advance(2)
        _ = try harness.perform { try await $0.suspend(JobID("job")) }
        #expect(awaited(harness).isEmpty)
        harness.device(Self.met)
        harness.advance(10)
        #expect(harness.calls.all.isEmpty)
        harness.device(DeviceConditions(isOnExternalPower: false))
        _ = try harness.perform { try await $0.resume(JobID("job")) }
        harness.advance(10)
        #expect(awaited(harness) == .externalPower)
        harness.device(Self.met)
        #expect(harness.calls.seconds == [22])
    }

    @Test("a change between examining the host and observing it is not missed")
    func changeInBetween() throws {
        let harness = try harness(DeviceConditions(network: .some(.none)))
        harness.host?.changeUnseen(to: Self.met)
        try harness.submit(.after(.seconds(1)), .init(conditions: .network))
        harness.advance(2)
        #expect(harness.calls.seconds == [1])
        #expect(harness.host?.isFollowed.conditions == false)
    }

    @Test("after a crash a waiting occurrence waits again, and begins once")
    func crash() throws {
        let harness = try harness(DeviceConditions(network: .some(.none)))
        try harness.submit(.after(.seconds(1)), .init(missedRuns: .skip, conditions: .network))
        harness.advance(10)
        try harness.crash()
        harness.advance(1_000)
        #expect(try harness.history() == ["1 waiting"])
        #expect(awaited(harness) == .network)
        harness.device(Self.met)
        harness.advance(1)
        #expect(try harness.history() == ["1 succeeded"])
        #expect(harness.calls.seconds == [1_010])
        #expect(harness.host?.isFollowed.conditions == false)
    }

    @Test("jobs that wait for conditions take no room from others, and all begin in the end, oldest first")
    func room() throws {
        let harness = try harness(
            DeviceConditions(network: .some(.none)),
            configuration: .init(maximumLoaded: 5, maximumConcurrentRuns: 1, bootID: "boot"))
        for number in 0..<40 {
            try harness.submit("waiting\(number)", .after(.seconds(40 - number)), .init(conditions: .network))
        }
        harness.advance(50)
        try harness.crash()
        try harness.submit("other", .every(.seconds(10), count: 3))
        harness.advance(100)
        #expect(harness.calls.seconds == [60, 70, 80])
        let wakeUps = harness.time.engine.statistics.wakeUps
        harness.advance(10_000)
        #expect(harness.time.engine.statistics.wakeUps == wakeUps)
        harness.device(Self.met)
        harness.advance(60)
        #expect(harness.calls.all.dropFirst(3).map(\.job) == (0..<40).reversed().map { "waiting\($0)" })
    }

    @Test("jobs that become due together share one examination of the host")
    func sharedReading() throws {
        let harness = try harness(Self.met)
        for number in 0..<50 { try harness.submit("job\(number)", .after(.seconds(5)), .init(conditions: .network)) }
        harness.advance(5)
        #expect(harness.calls.all.count == 50)
        #expect(harness.host?.readings == 1)
    }

    @Test("a scheduler that is dropped while a job waits stops observing the host")
    func dropped() throws {
        let host = TestHost(DeviceConditions(network: .some(.none)))
        var harness: SchedulerHarness? = try SchedulerHarness(host: host)
        try harness?.submit(.after(.seconds(1)), .init(conditions: .network))
        harness?.advance(2)
        #expect(host.isFollowed.conditions)
        harness = nil
        host.time.settle()
        #expect(!host.isFollowed.conditions)
    }

    @Test("an update that adds conditions applies to the occurrence due in the same turn")
    func updatedWhileDue() throws {
        let harness = try harness(DeviceConditions(network: DeviceConditions.Network.none))
        try harness.submit(.at(harness.at(5)))
        // The due occurrence and the update both wait for the end of a commit.
        harness.store.fail(.hold)
        harness.time.start { [scheduler = harness.scheduler] in
            _ = try? await scheduler.submit(JobRequest(id: "other", kind: "work", trigger: .after(.seconds(500))))
        }
        harness.advance(4)
        #expect(harness.store.held == 1)
        let update = JobRequest(
            id: "job", kind: "work", trigger: .at(harness.at(5)), policies: .init(conditions: .network))
        harness.time.start { [scheduler = harness.scheduler] in _ = try? await scheduler.submit(update) }
        harness.advance(2)
        harness.store.fail(nil)
        harness.store.release()
        harness.advance(10)
        #expect(harness.calls.all.isEmpty)
        #expect(awaited(harness) == .network)
        harness.device(Self.met)
        #expect(harness.calls.seconds == [16])
        try harness.check()
    }

    @Test("unknown conditions are refused")
    func unknown() throws {
        let harness = try harness(Self.met)
        let error = #expect(throws: JobError.self) {
            try harness.submit(.after(.seconds(1)), .init(conditions: JobConditions(rawValue: 9)))
        }
        #expect(error?.code == .invalid && error?.message.hasPrefix("conditions:") == true)
    }
}
