import Testing

@testable import ApusJobs

@Suite("The jobs in memory")
struct LoadedJobsTests {
    @Test("each changed job is examined once, in the order of the changes")
    func order() throws {
        var jobs = LoadedJobs()
        for key in 1...3 { _ = jobs.insert(try .sample(Int64(key)), shard: .only) }
        for key in [3, 1, 3, 2] as [Int64] { jobs.examine(try #require(jobs[key])) }
        #expect(jobs.takeExamined(atMost: 2).map(\.key) == [3, 1])
        #expect(jobs.hasExamined == true)
        #expect(jobs.takeExamined(atMost: 2).map(\.key) == [2])
        #expect(jobs.hasExamined == false)
        #expect(jobs.brokenInvariant() == nil)
    }

    @Test("a job that has left memory is neither examined nor doubtful, and its identifier is unknown")
    func removed() throws {
        var jobs = LoadedJobs()
        let entry = jobs.insert(try .sample(1), shard: .only)
        jobs.name(entry)
        jobs.examine(entry)
        jobs.doubt(entry)
        #expect(jobs.isAnyDoubtful([JobID("job1")]) == true)
        jobs.remove(entry)
        #expect(jobs.takeExamined(atMost: 9).isEmpty)
        #expect(jobs.doubtful.isEmpty && jobs.isAnyDoubtful([JobID("job1")]) == false)
        #expect(jobs[JobID("job1")] == nil)
        #expect(jobs.brokenInvariant() == nil)
    }

    @Test("a job that returns to memory is examined once")
    func back() throws {
        var jobs = LoadedJobs()
        let old = jobs.insert(try .sample(1), shard: .only)
        jobs.examine(old)
        jobs.remove(old)
        let new = jobs.insert(try .sample(1), shard: .only)
        jobs.examine(new)
        let examined = jobs.takeExamined(atMost: 9)
        #expect(examined.count == 1 && examined.first === new)
    }

    @Test("an identifier refers to the job that took it last")
    func names() throws {
        var jobs = LoadedJobs()
        let old = jobs.insert(try .sample(1, id: "job"), shard: .only)
        jobs.name(old)
        let new = jobs.insert(try .sample(2, id: "job"), shard: .only)
        jobs.name(new)
        jobs.remove(old)
        #expect(jobs[JobID("job")]?.key == 2)
        jobs.forgetName("job")
        #expect(jobs[JobID("job")] == nil && jobs.count == 1)
    }

    @Test("the list of changed jobs is empty until something changes")
    func news() throws {
        #expect(JobNews().isEmpty)
        let changes: [(inout JobNews) -> Void] = [
            { $0.ends = [PendingEnd(key: RunKey(1))] }, { $0.progress[RunKey(1)] = RunProgress(fraction: 0.5) },
            { $0.isInterrupted = true }, { $0.isOutdated = true }, { $0.setBack = .seconds(1) },
            { $0.mustReadZone = true },
        ]
        for (index, change) in changes.enumerated() {
            var news = JobNews()
            change(&news)
            #expect(!news.isEmpty && news.isOfSweep == (index >= 4))
        }
    }
}
