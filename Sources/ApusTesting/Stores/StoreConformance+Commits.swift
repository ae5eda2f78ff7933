import ApusJobs
import ApusTimers

extension StoreConformance {
    /// What a commit does, and refuses.
    static let commits: [StoreCheck] = [
        StoreCheck(name: "a new job gets a key and version 1, and keys grow with each submission") { factory in
            let opened = try await Opened(factory)
            let a = try await opened.add(sampleJob("a"))
            let b = try await opened.add(sampleJob("b"))
            try expect(a.key > 0 && b.key > a.key, "keys \(a.key), \(b.key)")
            try expectEqual(a.version, 1, "version")
            try expectEqual(try await opened.load(JobID("a")).job, a, "the stored job")
        },
        StoreCheck(name: "a change is refused when the version is not the expected one, and grows it by one otherwise")
        {
            factory in
            let opened = try await Opened(factory)
            let old = try await opened.add(sampleJob("a"))
            var job = old
            job.state = .suspended
            let new = try await opened.change(job)
            try expectEqual(new.version, 2, "version")
            try await expectError(.conflict, text: "an old version") { try await opened.change(old) }
            var stranger = old
            stranger.key = 999_999
            try await expectError(.conflict, text: "a key that is not there") { try await opened.change(stranger) }
            try expectEqual(try await opened.load(JobID("a")).job.state, .suspended, "state")
        },
        StoreCheck(name: "a new job whose identifier is taken is refused") { factory in
            let opened = try await Opened(factory)
            try await opened.add(sampleJob("a"))
            try await expectError(.conflict, text: "a taken identifier") { try await opened.add(sampleJob("a")) }
        },
        StoreCheck(name: "a new job whose idempotency key is taken is refused, whatever its identifier") { factory in
            let opened = try await Opened(factory)
            let first = try await opened.add(sampleJob("a") { $0.idempotencyKey = "key" })
            try await opened.add(sampleJob("b") { $0.idempotencyKey = "other" })
            for expected in [JobChange.Expectation.absent, .replace] {
                try await expectError(.conflict, text: "a taken key") {
                    let again = sampleJob("c") { $0.idempotencyKey = "key" }
                    _ = try await opened.store.commit([JobChange(expected: expected, job: again)], epoch: opened.epoch)
                }
            }
            let found = try await opened.store.jobs(JobQuery(idempotencyKey: "key")).jobs
            try expectEqual(found, [first], "the job with the key")
            try expectEqual(try await opened.store.jobs(JobQuery()).jobs.count, 2, "jobs")
        },
        StoreCheck(name: "a call with one refused change applies none of its changes") { factory in
            let opened = try await Opened(factory)
            let a = try await opened.add(sampleJob("a"))
            var changed = a
            changed.state = .suspended
            let run = sampleRun(a, 1)
            try await expectError(.conflict, text: "the second change") {
                _ = try await opened.store.commit(
                    [
                        JobChange(expected: .version(1), job: changed, runs: [run]),
                        JobChange(expected: .absent, job: sampleJob("b")),
                        JobChange(expected: .absent, job: sampleJob("a")),
                    ], epoch: opened.epoch)
            }
            let loaded = try await opened.load(JobID("a"))
            try expectEqual(loaded, LoadedJob(job: a, open: []), "the job of the first change")
            try expect(try await opened.store.job(JobID("b")) == nil, "the job of the middle change is there")
            try expectEqual(try await opened.store.runs(RunQuery()).runs.count, 0, "runs")
        },
        StoreCheck(name: "the answers of a commit have the order of its changes") { factory in
            let opened = try await Opened(factory)
            let names = ["c", "a", "d", "b"]
            let jobs = try await opened.store.commit(
                names.map { JobChange(expected: .absent, job: sampleJob($0)) }, epoch: opened.epoch)
            try expectEqual(jobs.map(\.id.rawValue), names, "order")
        },
        StoreCheck(name: "a refused call among concurrent ones fails alone") { factory in
            let opened = try await Opened(factory)
            try await opened.add(sampleJob("taken"))
            let results = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let id = number % 10 == 3 ? "taken" : "job\(number)"
                        return (try? await opened.add(sampleJob(id))) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(results, 36, "successful calls")
            try expectEqual(try await opened.store.jobs(JobQuery(limit: 100)).jobs.count, 37, "jobs")
        },
        StoreCheck(
            name: "replacing frees the identifier, cancels the old job and makes its open runs cancelled(replaced)"
        ) {
            factory in
            let opened = try await Opened(factory)
            let old = try await opened.add(sampleJob("a", wake: 60))
            var moved = old
            moved.nextOccurrence = 3
            try await opened.change(
                moved, runs: [sampleRun(old, 1, state: .claimed), sampleRun(old, 2)])
            let new = try await opened.store.commit(
                [JobChange(expected: .replace, job: sampleJob("a", wake: 90))], epoch: opened.epoch)[0]
            try expect(new.key > old.key, "the key did not grow")
            try expectEqual(new.version, 1, "version")
            let loaded = try await opened.load(JobID("a"))
            try expectEqual(loaded.job.key, new.key, "the job with the identifier")
            try expectEqual(loaded.open.count, 0, "open runs of the new job")
            let all = try await opened.store.jobs(JobQuery())
            let retired = try all.jobs.first { $0.key == old.key }.orFail("the old job is gone")
            try expectEqual(retired.state, .cancelled, "state of the old job")
            try expect(retired.wake == nil && retired.nextDue == nil, "the old job has something to come")
            try expect(retired.id != new.id, "the old job has the identifier still")
            let runs = try await opened.store.runs(RunQuery(job: retired.id)).runs
            try expectEqual(runs.count, 2, "runs of the old job")
            for run in runs {
                try expect(
                    run.state == .cancelled && run.reason == "replaced" && run.isFinal && run.job == retired.id,
                    "\(run)")
            }
            try expectEqual(try await opened.store.interruptedJobs().count, 0, "interrupted jobs")
            try expectEqual(
                try await opened.store.wakingJobs(through: instant(1_000), limit: 9).count, 1, "waking jobs")
        },
        StoreCheck(name: "replacing a job that is not there adds it") { factory in
            let opened = try await Opened(factory)
            let job = try await opened.store.commit(
                [JobChange(expected: .replace, job: sampleJob("a"))], epoch: opened.epoch)[0]
            try expectEqual(try await opened.load(JobID("a")).job, job, "job")
        },
        StoreCheck(name: "an identifier can be replaced again and again") { factory in
            let opened = try await Opened(factory)
            for _ in 0..<5 {
                _ = try await opened.store.commit(
                    [JobChange(expected: .replace, job: sampleJob("a"))], epoch: opened.epoch)
            }
            let jobs = try await opened.store.jobs(JobQuery()).jobs
            try expectEqual(jobs.count, 5, "jobs")
            try expectEqual(Set(jobs.map(\.id)).count, 5, "identifiers")
        },
        StoreCheck(name: "a second outcome for an occurrence is refused") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            job = try await opened.change(job, runs: [sampleRun(job, 1, state: .succeeded, isFinal: true)])
            let second = sampleRun(job, 1, attempt: 2, state: .failed, isFinal: true)
            do {
                try await opened.change(job, runs: [second])
            } catch is JobError {
                try expectEqual(try await opened.store.runs(RunQuery(job: JobID("a"))).runs.count, 1, "runs")
                try expectEqual(try await opened.load(JobID("a")).job.version, job.version, "version")
                return
            }
            throw ConformanceFailure("the second outcome was accepted")
        },
    ]
}

extension Optional {
    func orFail(_ text: String) throws -> Wrapped {
        guard let self else { throw ConformanceFailure(text) }
        return self
    }
}
