import ApusCalendar
import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

/// The size of runs, their frequency and their number for each job have bounds, whatever a request asks for.
@Suite("The bounds of runs")
struct RunBoundTests {
    private struct Long: Error, CustomStringConvertible {
        let description: String
    }

    @Test("a handler's long message is truncated with a mark that gives its length")
    func words() throws {
        let harness = try SchedulerHarness()
        let words = "x" + String(repeating: "é", count: 500_000)
        harness.scheduler.register("throws") { _ in throw Long(description: words) }
        harness.scheduler.register("discards") { _ in throw RunDecision.discard(reason: words) }
        harness.scheduler.register("snoozes") { _ in throw RunDecision.snooze(for: .seconds(100), reason: words) }
        harness.scheduler.register("short") { _ in throw Long(description: String(repeating: "x", count: 8_192)) }
        for kind in ["throws", "discards", "snoozes", "short"] {
            try harness.submit(kind, .after(.seconds(1)), kind: kind)
        }
        harness.advance(2)
        for kind in ["throws", "discards", "snoozes"] {
            let reason = try #require(try harness.runs(kind).first?.reason)
            #expect((8_190...8_192).contains(reason.utf8.count), "\(kind)")
            #expect(reason.hasPrefix("xéé") && reason.hasSuffix("é… [1000001 bytes]"), "\(kind)")
        }
        #expect(try harness.runs("short").first?.reason == String(repeating: "x", count: 8_192))
    }

    @Test("a progress report reaches subscribers truncated as it is stored")
    func progress() throws {
        let harness = try SchedulerHarness()
        let events = harness.scheduler.events()
        harness.scheduler.register("reports") { context in
            context.report(progress: 0.5, message: String(repeating: "x", count: 100_000))
        }
        try harness.submit(.after(.seconds(1)), kind: "reports")
        harness.advance(2)
        try harness.perform { await $0.stop(grace: .zero) }
        let lengths = Locked<[Int]>([])
        harness.time.start {
            for await event in events {
                if case .progress(_, _, _, _, let message) = event {
                    lengths.withLock { $0.append(message?.utf8.count ?? 0) }
                }
            }
        }
        harness.time.settle()
        #expect(lengths.withLock { $0 } == [1_000])
    }

    @Test("every command refuses unbounded labels")
    func labels() throws {
        let harness = try SchedulerHarness()
        let labels = ["label": String(repeating: "x", count: 10_000_000)]
        var request = JobRequest(id: "job", kind: "work", trigger: .after(.seconds(1_000)), conflict: .update)
        _ = try harness.perform { [request] in try await $0.submit(request) }
        request.labels = labels
        var other = request
        other.id = "other"
        let restoration = JobRestoration(request: other, isSuspended: false, progress: nil)
        let commands: [@Sendable (JobScheduler) async throws -> Void] = [
            { [request] in _ = try await $0.submit(request) },
            { _ = try await $0.update("job") { $0.labels = labels } },
            { _ = try await $0.restore([restoration]) },
        ]
        for command in commands {
            let error = #expect(throws: JobError.self) { try harness.perform { try await command($0) } }
            #expect(error?.code == .invalid && error?.message.hasPrefix("labels: ") == true)
        }
        #expect(try harness.job().request.labels.isEmpty)
    }

    @Test("a job that is always late has no more open runs than its catch-up limit")
    func alwaysLate() throws {
        let start = WallInstant(secondsSince1970: 1_767_225_600)
        let policies = JobPolicies(missedRuns: .runAll(limit: 5), grace: .zero, overlap: .allow(limit: 2))
        let request = JobRequest(id: "job", trigger: .every(.seconds(1)), policies: policies)
        var machine = try JobMachine.submitted(request, now: start, in: ZoneDatabase.system)
        var most = 0
        // Every third step of time is long enough for several occurrences.
        var late = 0.001
        for step in 1...300 {
            late += step % 3 == 0 ? 4 : 1
            let action = machine.arriveAndStart(now: start.advanced(by: .seconds(late)), limit: 1)
            guard action.change != nil else { continue }
            machine.committed(machine.job)
            machine.checkInvariants()
            most = max(most, machine.open.count)
        }
        #expect(most == 5)
        #expect(machine.job.missedCount > 500)
    }

    @Test("manual runs are refused once 1,000 are open, and the refusal names the limit")
    func byHand() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1_000)), kind: "unknown")
        let refused = try harness.perform { scheduler in
            await withTaskGroup(of: JobError?.self) { group in
                for _ in 0..<1_003 {
                    group.addTask {
                        do {
                            _ = try await scheduler.runNow("job")
                            return nil
                        } catch { return error as? JobError }
                    }
                }
                return await group.reduce(into: [JobError]()) { found, error in if let error { found.append(error) } }
            }
        }
        #expect(refused.count == 3)
        #expect(refused.allSatisfy { $0.code == .conflict && $0.message.contains("1000 of its runs are open") })
        let run = try #require(try harness.runs().first { $0.state == .waiting })
        _ = try harness.perform { try await $0.cancelRun("job", occurrence: run.occurrence) }
        _ = try harness.perform { try await $0.runNow("job") }
    }

    @Test("a handler that snoozes for no time is called ten times a second, and so is one that fails without a pause")
    func hotLoops() throws {
        let harness = try SchedulerHarness()
        let calls = Locked<[String: Int]>([:])
        harness.scheduler.register("snoozes") { _ in
            calls.withLock { $0["snoozes", default: 0] += 1 }
            throw RunDecision.snooze(for: .zero)
        }
        harness.scheduler.register("fails") { _ in
            calls.withLock { $0["fails", default: 0] += 1 }
            throw Long(description: "at once")
        }
        harness.scheduler.register("retries") { _ in
            calls.withLock { $0["retries", default: 0] += 1 }
            throw RunDecision.retry(after: .zero, reason: "again")
        }
        for kind in ["snoozes", "fails", "retries"] {
            try harness.submit(
                kind, .after(.seconds(1)), kind: kind, .init(retry: .constant(attempts: 1_000, delay: .zero)))
        }
        harness.advance(2.05)
        #expect(calls.withLock { $0 } == ["snoozes": 11, "fails": 11, "retries": 11])
    }

    @Test("a run that was snoozed begins after those that have waited longer")
    func endOfTheQueue() throws {
        let harness = try SchedulerHarness()
        _ = try harness.perform { try await $0.configure(queue: "q", [.concurrency(1)]) }
        harness.calls.postponeNext(1)
        let plans = [("snoozed", "scarce", 1.0), ("long", "slow", 1.0), ("later", "work", 1.5)]
        for (id, kind, seconds) in plans {
            let request = JobRequest(
                id: JobID(id), kind: kind, trigger: .after(.seconds(seconds)), queue: "q")
            _ = try harness.perform { try await $0.submit(request) }
        }
        harness.advance(20)
        #expect(harness.calls.all.map(\.job) == ["snoozed", "long", "later", "snoozed"])
    }
}
