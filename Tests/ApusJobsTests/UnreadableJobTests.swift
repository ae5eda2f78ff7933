import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusJobs

/// These jobs' rows are damaged or were written by another version of the program.
@Suite("Jobs that cannot be read")
struct UnreadableJobTests {
    private func setAside(_ harness: SchedulerHarness) throws -> [String] {
        try harness.perform { try await $0.unreadableJobs() }.map { "\($0.id): \($0.problem)" }
    }

    private func lines(_ log: Log<String>) -> [String] { log.all.filter { $0.contains("cannot be read") } }

    @Test("a job that cannot be read is set aside and logged once, and all others run, at each start too")
    func othersRun() throws {
        let log = Log<String>()
        let harness = try SchedulerHarness(logger: log.logger)
        try harness.submit("bad", .every(.seconds(10)))
        try harness.submit("good", .every(.seconds(10)))
        harness.base.damage("bad", "its trigger is unknown")
        for start in 1...3 {
            try harness.crash()
            harness.advance(10)
            #expect(harness.calls.all.map(\.job) == Array(repeating: "good", count: start))
            #expect(try setAside(harness) == ["bad: its trigger is unknown"])
            #expect(lines(log).count == start)
        }
        #expect(lines(log)[0].hasPrefix("error ") && lines(log)[0].contains("job=bad"), "\(lines(log))")
        let page = try harness.perform { try await $0.jobs(JobQuery()) }
        #expect(page.jobs.map(\.id) == ["good"] && page.unreadable.map(\.id) == ["bad"])
    }

    @Test("a program that can read the parked job runs it after its next start, including missed occurrences")
    func readAgain() throws {
        let harness = try SchedulerHarness()
        let job = try harness.submit("job", .every(.seconds(10)))
        harness.base.damage("job", "its trigger is unknown")
        try harness.crash()
        harness.advance(30)
        harness.base.damage("job", nil)
        harness.advance(30)
        #expect(harness.calls.all.isEmpty)
        try harness.crash()
        harness.time.settle()
        #expect(harness.calls.all.map(\.standsFor) == [6])
        #expect(try harness.job().key == job.key)
        #expect(try setAside(harness) == [])
        try harness.check()
    }

    @Test("a scheduler starts although an interrupted run's job cannot be read")
    func interrupted() throws {
        let harness = try SchedulerHarness()
        for id in ["bad", "good"] { try harness.submit(id, .after(.seconds(1)), kind: "slow") }
        harness.advance(2)
        harness.base.damage("bad", "a run of it is damaged")
        try harness.crash()
        #expect(try setAside(harness) == ["bad: a run of it is damaged"])
        harness.advance(11)
        #expect(try harness.history("good") == ["1 lost(interrupted)", "1.2 succeeded"])
        harness.base.damage("bad", nil)
        try harness.crash()
        harness.advance(11)
        #expect(try harness.history("bad") == ["1 lost(interrupted)", "1.2 succeeded"])
    }

    @Test("unreadable jobs take no place in memory from other jobs, however many they are")
    func many() throws {
        let harness = try SchedulerHarness(configuration: .init(maximumLoaded: 8, bootID: "boot"))
        for number in 0..<100 { try harness.submit("bad\(number)", .at(harness.at(5))) }
        try harness.submit("good", .at(harness.at(6)))
        for number in 0..<100 { harness.base.damage(JobID("bad\(number)"), "its trigger is unknown") }
        try harness.crash()
        harness.advance(7)
        #expect(harness.calls.all.map(\.job) == ["good"])
        let found = try harness.perform { try await $0.unreadableJobs(limit: 1_000) }
        #expect(found.count == 100)
    }

    @Test("an unreadable job is set aside when the store accepts writes again")
    func storeFails() throws {
        let harness = try SchedulerHarness()
        try harness.submit("bad", .at(harness.at(100)))
        try harness.submit("good", .at(harness.at(100)))
        harness.base.damage("bad", "its trigger is unknown")
        harness.store.fail(.before(JobError(code: .full, message: "it is full")))
        harness.advance(110)
        #expect(try setAside(harness) == [] && harness.calls.all.isEmpty)
        // Retries are a second apart.
        #expect(harness.store.commits < 150)
        harness.store.fail(nil)
        harness.advance(2)
        #expect(try setAside(harness) == ["bad: its trigger is unknown"])
        #expect(harness.calls.all.map(\.job) == ["good"])
    }

    @Test("a command for an unreadable job, and a submission with its identifier, are refused with the cause")
    func commands() throws {
        let harness = try SchedulerHarness()
        let key = try harness.submit("job", .every(.seconds(10))).key
        harness.base.damage("job", "its trigger is unknown")
        try harness.crash()
        for _ in 1...2 {
            let error = #expect(throws: JobError.self) {
                try harness.perform { _ = try await $0.cancel("job") }
            }
            #expect(error?.code == .damaged && error?.message.contains("its trigger is unknown") == true)
        }
        #expect(throws: JobError.self) { try harness.submit("job", .after(.zero)) }
        #expect(throws: JobError.self) { _ = try harness.perform { try await $0.job("job") } }
        let request = JobRequest(id: "job", kind: "work", trigger: .after(.zero))
        try harness.base.submit(request, at: harness.time.wall())
        try harness.perform { try await $0.takeSubmissions() }
        let refusals = try harness.perform { try await $0.refusals() }.refusals
        #expect(refusals.map(\.id) == ["job"] && refusals.map(\.refusal.code) == ["damaged"])
        harness.base.damage("job", nil)
        let cancelled = try harness.perform { try await $0.cancel("job") }
        #expect(cancelled.key == key)
    }

    @Test("a job that is damaged while in memory leaves memory at the next read")
    func whileLoaded() throws {
        let harness = try SchedulerHarness()
        try harness.submit("bad", .at(harness.at(50)))
        try harness.submit("good", .at(harness.at(50)))
        harness.base.damage("bad", "its trigger is unknown")
        // The claim is applied without an answer, so the job is reread.
        harness.store.fail(.after(JobError(code: .unavailable, message: "the answer is lost")))
        harness.advance(50)
        harness.store.fail(nil)
        harness.advance(2)
        #expect(harness.calls.all.map(\.job) == ["good"])
        #expect(try setAside(harness) == ["bad: its trigger is unknown"])
    }
}

@Suite("Which jobs are set aside")
struct SetAsideJobsTests {
    private func job(_ key: Int64, shard: Int = 0) -> UnreadableJob {
        UnreadableJob(key: key, id: JobID("job\(key)"), shard: ShardID(rawValue: shard), problem: "damaged")
    }

    @Test("unreadable jobs are written once, in the order of their keys, one turn's worth at a time")
    func once() {
        var jobs = SetAsideJobs()
        for key in [3, 1, 2, 3] as [Int64] { jobs.find(job(key)) }
        #expect(jobs.mustWrite && jobs.count == 0)
        #expect(jobs.next(atMost: 2) == [job(1), job(2)])
        jobs.committed([job(1), job(2)])
        #expect(jobs.mustWrite && jobs.count == 2 && jobs.next(atMost: 2) == [job(3)])
        jobs.committed([job(3)])
        #expect(!jobs.mustWrite && jobs.count == 3 && jobs.contains(1))
        // Another owner had the shard and has released it, so the job is found, and must be written, again.
        jobs.find(job(1))
        #expect(jobs.next(atMost: 2) == [job(1)])
    }

    @Test("unreadable jobs of another scheduler's shard are unknown")
    func shards() {
        var jobs = SetAsideJobs()
        jobs.find(job(1, shard: 1))
        jobs.committed([job(2, shard: 1), job(3, shard: 2)])
        jobs.forget(ShardID(rawValue: 1))
        #expect(!jobs.mustWrite && jobs.count == 1)
        jobs.find(job(2, shard: 1))
        #expect(jobs.mustWrite)
    }
}
