import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of retention and deletion: which rows a store removes, and which rows stay.
    static let retention: [StoreCheck] = [
        StoreCheck(
            name: "a job's history keeps the given number of its newest attempts, and as many of its newest skips"
        ) {
            factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            job.nextOccurrence = 10
            for number in 1...4 {
                job = try await opened.change(job, runs: [sampleRun(job, number, state: .succeeded, isFinal: true)])
            }
            // Some of the occurrences had waited before they were skipped.
            for number in 5...9 {
                var skipped = sampleSkip(job, number)
                if number > 7 { skipped.attempt = 1 }
                job = try await opened.change(job, runs: [skipped])
            }
            func occurrences() async throws -> [Int] {
                try await opened.store.runs(RunQuery(jobID: JobID("a"))).runs.map(\.occurrence)
            }
            try expectEqual(try await occurrences(), [9, 8, 7, 6, 5, 4, 3, 2, 1], "no run is removed")
            job = try await opened.change(job, keptRuns: 9)
            try expectEqual(try await occurrences().count, 9, "fewer runs than are kept")
            job = try await opened.change(job, keptRuns: 2)
            try expectEqual(try await occurrences(), [9, 8, 4, 3], "runs")
            // The runs that the change itself adds count towards the kept ones.
            job.nextOccurrence = 11
            job = try await opened.change(job, runs: [sampleRun(job, 10, state: .failed, isFinal: true)], keptRuns: 2)
            try expectEqual(try await occurrences(), [10, 9, 8, 4], "runs after another one")
            job = try await opened.change(job, keptRuns: 0)
            try expectEqual(try await occurrences(), [], "runs when none are kept")
        },
        StoreCheck(name: "open runs stay, however old, and other jobs' histories are left alone") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            let other = try await opened.add(sampleJob("b"))
            try await opened.change(
                other, runs: (1...4).map { sampleRun(other, $0, state: .succeeded, isFinal: true) })
            job.nextOccurrence = 8
            job = try await opened.change(job, runs: [sampleRun(job, 1, state: .running), sampleRun(job, 2)])
            job = try await opened.change(
                job, runs: (3...7).map { sampleRun(job, $0, state: .succeeded, isFinal: true) }, keptRuns: 2)
            try expectEqual(
                try await opened.store.runs(RunQuery(jobID: job.id)).runs.map(\.occurrence), [7, 6, 2, 1], "runs")
            try expectEqual(try await opened.load(job.id).open.map(\.occurrence), [1, 2], "open runs")
            try expectEqual(try await opened.store.runs(RunQuery(jobID: other.id)).runs.count, 4, "the other's runs")
        },
        StoreCheck(name: "history that a refused part would have removed stays") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            job = try await opened.change(
                job, runs: (1...4).map { sampleRun(job, $0, state: .succeeded, isFinal: true) })
            let change = try await opened.changing(job, keptRuns: 1)
            let refused = try await opened.commit([[change, opened.adding(sampleJob("a"))]])
            try expectRefused(refused[0], .conflict, text: "a taken identifier")
            try expectEqual(try await opened.store.runs(RunQuery(jobID: job.id)).runs.count, 4, "runs")
            try expectEqual(try await opened.load(job.id).job, job, "the job")
        },
        StoreCheck(name: "ended jobs are removed with their runs when they are no longer kept; all other jobs stay") {
            factory in
            let opened = try await Opened(factory)
            func add(_ id: String, _ state: JobState, keptUntil: Int64?, run: RunState) async throws {
                var job = sampleJob(id, state: state) { $0.idempotencyKey = "key of \(id)" }
                job.keptUntil = keptUntil.map(instant)
                try await opened.add(job, runs: [sampleRun(job, 1, state: run, isFinal: !run.isOpen)])
            }
            try await add("finished", .finished, keptUntil: 10, run: .succeeded)
            try await add("cancelled", .cancelled, keptUntil: 19, run: .cancelled)
            try await add("recent", .finished, keptUntil: 20, run: .succeeded)
            try await add("running", .cancelled, keptUntil: 10, run: .running)
            try await add("asleep", .suspended, keptUntil: nil, run: .succeeded)
            try await opened.add(sampleJob("scheduled", wake: 10))
            let greatest = try await opened.load(JobID("scheduled")).job.key
            try expect(!(try await retireAll(opened, before: instant(20), budget: 100)), "there is more")
            try expectEqual(try await opened.allIDs(), ["recent", "running", "asleep", "scheduled"], "jobs")
            try expectEqual(try await opened.store.runs(RunQuery()).runs.count, 3, "runs")
            try expect(try await opened.store.job(JobID("finished")) == nil, "a job that is gone is found")
            // The deleted job's identifier and idempotency key are free again, but its `key` is not given to another
            // job.
            let again = try await opened.add(sampleJob("finished") { $0.idempotencyKey = "key of finished" })
            try expect(again.key > greatest, "key \(again.key) after \(greatest)")
        },
        StoreCheck(name: "a job that ended again is kept as its last end says, sooner or later than before") {
            factory in
            for (first, last) in [(10, 20), (20, 10)] as [(Int64, Int64)] {
                let opened = try await Opened(factory)
                var job = sampleJob("a", state: .finished)
                job.keptUntil = instant(first)
                job = try await opened.add(job)
                (job.state, job.keptUntil) = (.scheduled, nil)
                job = try await opened.change(job)
                _ = try await retireAll(opened, before: instant(15), budget: 10)
                try expectEqual(try await opened.load(job.id).job.keptUntil, nil, "a job that continues")
                (job.state, job.keptUntil) = (.finished, instant(last))
                job = try await opened.change(job)
                try expectEqual(try await opened.load(job.id).job.keptUntil, instant(last), "until when")
                _ = try await retireAll(opened, before: instant(last), budget: 10)
                try expectEqual(try await opened.allIDs(), ["a"], "jobs at that instant")
                _ = try await retireAll(opened, before: instant(last + 1), budget: 10)
                try expectEqual(try await opened.allIDs(), [], "jobs after that")
                try await opened.store.close(opened.session)
            }
        },
        StoreCheck(name: "one call removes no more jobs than the budget allows, and reports that more are left") {
            factory in
            let opened = try await Opened(factory)
            for number in 0..<7 { try await opened.add(sampleJob("job\(number)", state: .finished)) }
            for left in [5, 3, 1] {
                let hasMore = try await opened.store.retire(
                    keptUntil: instant(1), refusedBefore: instant(1), budget: 2, in: opened.session)
                try expect(hasMore, "no more is announced with \(left) left")
                try expectEqual(try await opened.allIDs().count, left, "jobs")
            }
            try expect(!(try await retireAll(opened, before: instant(1), budget: 2)), "more is announced for ever")
            try expectEqual(try await opened.allIDs(), [], "jobs")
        },
        StoreCheck(name: "the number of a removed job is not given again, even by the next owner") { factory in
            let opened = try await Opened(factory)
            let last = try await opened.add(sampleJob("a", state: .finished))
            _ = try await retireAll(opened, before: instant(1), budget: 10)
            try await opened.store.close(opened.session)
            let next = try await Opened(try await factory.reopen(opened.store))
            let job = try await next.add(sampleJob("b"))
            try expect(job.key > last.key, "key \(job.key) after \(last.key)")
        },
        StoreCheck(name: "a deletion removes those of its jobs that have ended, with their runs") { factory in
            let opened = try await Opened(factory)
            func add(_ id: String, _ state: JobState, run: RunState = .succeeded) async throws -> JobVersion {
                let job = sampleJob(id, state: state) { request in
                    (request.kind, request.payload, request.uniqueness) = (id, [1], .payload(within: .seconds(3_600)))
                    request.idempotencyKey = "key of \(id)"
                }
                let added = try await opened.add(job, runs: [sampleRun(job, 1, state: run, isFinal: !run.isOpen)])
                return JobVersion(added)
            }
            let finished = try await add("finished", .finished)
            let cancelled = try await add("cancelled", .cancelled)
            let running = try await add("running", .cancelled, run: .running)
            let asleep = try await add("asleep", .suspended)
            let kept = try await add("kept", .finished)
            var (missing, older) = (kept, kept)
            (missing.key, older.version) = (kept.key + 1, kept.version - 1)
            let deleted = try await opened.store.delete(
                [missing, older, finished, running, asleep, cancelled, finished], in: opened.session)
            try expectEqual(deleted, [finished.key, cancelled.key], "deleted jobs")
            try expectEqual(try await opened.allIDs(), ["running", "asleep", "kept"], "jobs")
            try expectEqual(try await opened.store.runs(RunQuery()).runs.count, 3, "runs")
            try expectEqual(try await opened.store.delete([finished], in: opened.session), [], "what is gone")
            let found = try await opened.store.load([
                .id(JobID("finished")), .key(finished.key), .idempotencyKey("key of finished"),
                .unique(kind: "finished", .payload([1]), submittedAfter: instant(-1)),
            ])
            try expect(found.allSatisfy { $0 == nil }, "a job that is gone is found")
            let again = try await add("finished", .finished)
            try expect(again.key > kept.key, "the number \(again.key) after \(kept.key)")
            // The deleted jobs leave nothing in the store that keeps it from removing other ended jobs.
            try expect(!(try await retireAll(opened, before: instant(10 * 86_400), budget: 1)), "there is always more")
            try expectEqual(try await opened.allIDs(), ["running", "asleep"], "jobs after retention")
        },
        StoreCheck(name: "only the owner of the store deletes jobs, and what was deleted stays so") { factory in
            let opened = try await Opened(factory)
            let job = try await opened.add(sampleJob("a", state: .finished))
            let other = try await opened.add(sampleJob("b", state: .finished))
            try expectEqual(
                try await opened.store.delete([JobVersion(other)], in: opened.session), [other.key], "deleted jobs")
            try await opened.store.close(opened.session)
            try await expectError(.notOwner, .closed, text: "deleting") {
                _ = try await opened.store.delete([JobVersion(job)], in: opened.session)
            }
            let next = try await Opened(try await factory.reopen(opened.store))
            try expectEqual(try await next.allIDs(), ["a"], "jobs")
            let last = try await next.add(sampleJob("c"))
            try expect(last.key > other.key, "the number \(last.key) after \(other.key)")
        },
    ]

    /// Removes all ended jobs, in steps.
    ///
    /// - Returns: Whether the store still reports after ten steps that there may be more.
    private static func retireAll(_ opened: Opened, before instant: WallInstant, budget: Int) async throws -> Bool {
        for _ in 0..<10 {
            let hasMore = try await opened.store.retire(
                keptUntil: instant, refusedBefore: instant, budget: budget, in: opened.session)
            if !hasMore { return false }
        }
        return true
    }
}
