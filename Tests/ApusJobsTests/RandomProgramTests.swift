import ApusBackground
import ApusJobs
import ApusTesting
import ApusTimers
import Testing

/// Random lives of jobs: submissions, commands, crashes, clock changes, changes of the device, faults of the store. A failing seed is printed,
/// and repeats exactly.
@Suite("Random programs")
struct RandomProgramTests {
    @Test("every occurrence has one outcome and none ran early, whatever happens", arguments: 1...60)
    func program(_ seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        let harness = try SchedulerHarness(
            seed: seed,
            configuration: .init(
                horizon: .seconds(20), maximumLoaded: 3 + pick(10), maximumConcurrentRuns: 1 + pick(6),
                historyRunsPerJob: 100_000, bootID: "boot"), host: JobsHost(device(pick)))
        let ids = (0..<(2 + pick(8))).map { "job\($0)" }
        for id in ids { try harness.submit(id, trigger(harness, pick), kind: kind(pick), policies(pick)) }
        harness.calls.failNext(pick(30))
        harness.calls.postponeNext(pick(30))
        for _ in 0..<60 {
            let id = JobID(ids[pick(ids.count)])
            let event = pick(26)
            switch event {
            case 0: try harness.crash()
            case 1: _ = try? harness.perform { try await $0.suspend(id) }
            case 2, 3: _ = try? harness.perform { try await $0.resume(id) }
            case 4: _ = try? harness.perform { try await $0.runNow(id) }
            case 5: if pick(4) == 0 { _ = try? harness.perform { try await $0.cancel(id) } }
            case 6: harness.time.moveWall(by: .seconds(pick(2) == 0 ? 100 : -100))
            case 7: harness.store.fail(.before(JobError(.full, "no room")))
            case 8: harness.store.faults { $0 % 3 == 0 ? .after(JobError(.unavailable, "no answer")) : nil }
            case 9, 10:
                harness.store.fail(nil)
                harness.store.release { $0 > 1 ? (0..<$0).reversed() : Array(0..<$0) }
            case 11: _ = try? harness.submit(id.rawValue, trigger(harness, pick), kind: kind(pick), policies(pick))
            case 12:
                try harness.time.perform(advancingTime: true) { [scheduler = harness.scheduler, grace = pick(5)] in
                    await scheduler.stop(grace: .seconds(grace))
                }
                harness.time.advance(by: .seconds(pick(100)))
                try harness.crash()
            case 13: harness.store.faults { $0 % 3 == 1 ? .hold : nil }
            case 14:
                // In the middle of commits: some were applied without an answer, the others never will be.
                harness.store.faults { $0 % 2 == 0 ? .hold : .after(JobError(.unavailable, "no answer")) }
                harness.time.advance(by: .milliseconds(pick(12_000)))
                try harness.crash()
            case 15, 16: harness.device(device(pick))
            case 17: harness.calls.postponeNext(pick(30))
            default: harness.time.advance(by: .milliseconds(pick(12_000)))
            }
        }
        let early = harness.calls.all.filter { $0.occurrence > 0 && $0.conditions.contains(.idle) }
        #expect(early.isEmpty, "seed \(seed): nobody left the device alone, and yet \(early) ran")
        // The world is at peace again: everything must come to rest, and be accounted for.
        harness.store.fail(nil)
        harness.store.release()
        harness.device(DeviceConditions(network: .available, isOnExternalPower: true, isIdle: true))
        harness.time.advance(by: .seconds(1))
        for id in ids {
            _ = try? harness.perform { try await $0.resume(JobID(id)) }
        }
        harness.time.advance(by: .seconds(20_000))
        for id in ids {
            try harness.check(id)
            let outcomes = try harness.runs(id).filter { $0.reason == "no descriptors" }
            #expect(outcomes.isEmpty, "seed \(seed): what could not begin has an outcome: \(outcomes)")
            let job = try harness.job(id)
            #expect(
                job.state.isFinal, "seed \(seed): \(id) is \(job.state), next due \(String(describing: job.nextDue))")
        }
        #expect(harness.calls.all.allSatisfy { $0.lateness >= .zero }, "seed \(seed)")
        let timers = harness.time.pendingTimers
        #expect(timers == 0, "seed \(seed): \(timers) timers are left")
        #expect(harness.host?.isFollowed.conditions == false, "seed \(seed): the host is followed for nothing")
    }

    /// It is in use the whole time.
    private func device(_ pick: (Int) -> Int) -> DeviceConditions {
        DeviceConditions(
            network: [nil, .some(.none), .constrained, .available][pick(4)],
            isOnExternalPower: [nil, false, true][pick(3)], isIdle: false)
    }

    private func trigger(_ harness: SchedulerHarness, _ pick: (Int) -> Int) -> Trigger {
        switch pick(5) {
        case 0: .after(.milliseconds(1 + pick(90_000)))
        case 1: .at(harness.time.wall().advanced(by: .milliseconds(pick(90_000))))
        case 2:
            .every(
                .milliseconds(500 + pick(9_000)), anchoredAt: harness.time.wall().advanced(by: .seconds(pick(40) - 20)),
                count: 1 + pick(30))
        default: .every(.milliseconds(200 + pick(20_000)), count: 1 + pick(30))
        }
    }

    private func kind(_ pick: (Int) -> Int) -> String { ["work", "slow", "failing", "stubborn", "scarce"][pick(5)] }

    private func policies(_ pick: (Int) -> Int) -> JobPolicies {
        JobPolicies(
            tolerance: .milliseconds(pick(2) * pick(3_000)),
            missedRuns: [.runOnce, .skip, .runAll(limit: 1 + pick(5))][pick(3)],
            grace: [nil, .zero, .seconds(2)][pick(3)],
            overlap: [.skip, .queue(limit: 1 + pick(3)), .allow(limit: 1 + pick(3)), .replace][pick(4)],
            retry: RetryPolicy(
                maximumAttempts: 1 + pick(4), maximumLost: 1 + pick(6), initialBackoff: .milliseconds(pick(3_000)),
                maximumBackoff: .seconds(10)),
            timeLimit: [nil, .seconds(4)][pick(2)],
            conditions: [[], [], .network, .externalPower, [.network, .externalPower], .idle][pick(6)])
    }
}
