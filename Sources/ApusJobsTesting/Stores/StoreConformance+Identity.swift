import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of identifiers and idempotency keys.
    static let identity: [StoreCheck] = [
        StoreCheck(name: "a new job is refused if a job that has not ended has its identifier") { factory in
            let opened = try await Opened(factory)
            try await opened.add(sampleJob("a"))
            try await opened.add(sampleJob("b", state: .suspended))
            for id in ["a", "b"] {
                try await expectError(.conflict, text: "a taken identifier") { try await opened.add(sampleJob(id)) }
            }
        },
        StoreCheck(name: "a new job that requires a free name is refused while a job that has not ended has the name") {
            factory in
            let opened = try await Opened(factory)
            func named(_ id: String, _ name: String? = "backup", isAlone: Bool = true) -> JobChange {
                var change = opened.adding(sampleJob(id) { $0.name = name })
                change.requiresFreeName = isAlone
                return change
            }
            let results = try await opened.commit([
                [named("a")], [named("b")], [named("other", "other"), named("c")], [named("d", isAlone: false)],
                [named("e", "Backup")],
            ])
            var first = try results[0].get()[0]
            for number in [1, 2] {
                try expectRefused(results[number], .alreadyExists, text: "part \(number) with a taken name")
            }
            try expectEqual(try await opened.allIDs(), ["a", "d", "e"], "jobs; one did not ask for its name alone")
            try expectRefused(
                try await opened.commit([[named("a")]])[0], .conflict, text: "the identifier counts before the name")
            first = try await opened.change(first, runs: [sampleRun(first, 1, state: .succeeded, isFinal: true)])
            let second = try await opened.changing(
                first, runs: [sampleRun(first, 1, attempt: 2, state: .failed, isFinal: true)])
            let beside = try await opened.commit([[named("h")], [second]])
            try expectRefused(beside[0], .alreadyExists, text: "a taken name beside a second outcome")
            try expectRefused(beside[1], .conflict, .invalid, text: "a second outcome beside a taken name")
            (first.state, first.nextDue) = (.finished, nil)
            try await opened.change(first)
            let later = try await opened.commit([[named("f")], [named("g", "other")]])
            try expectRefused(later[0], .alreadyExists, text: "a name of a job that did not ask for it")
            try expectEqual(try later[1].get().map(\.id.rawValue), ["g"], "a name of a refused part")
        },
        StoreCheck(name: "a new job is refused if jobs that its submission does not know have the label") { factory in
            let opened = try await Opened(factory)
            func labelled(_ id: String, _ file: String, beside known: Set<Int64>? = nil) -> JobChange {
                var change = opened.adding(sampleJob(id) { $0.labels = ["crontab": file, "more": "b"] })
                change.onlyBeside = known.map { LabelledJobs(label: "crontab", value: file, keys: $0) }
                return change
            }
            let results = try await opened.commit([
                [labelled("a", "one", beside: []), labelled("b", "one")], [labelled("c", "one", beside: [])],
                [labelled("d", "two", beside: [])], [labelled("e", "one")],
            ])
            try expectRefused(results[1], .alreadyExists, text: "a label of a part before it")
            try expectEqual(try await opened.allIDs(), ["a", "b", "d", "e"], "jobs")
            let known = try results[0].get() + results[3].get()
            var ended = known[0]
            (ended.state, ended.nextDue) = (.finished, nil)
            try await opened.change(ended)
            let keys = known.map(\.key)
            let missing = try await opened.commit([[labelled("f", "one", beside: [keys[0], keys[1]])]])
            try expectRefused(missing[0], .alreadyExists, text: "one job that is not known")
            let later = try await opened.commit([
                [labelled("g", "one", beside: Set(keys[1...]))], [labelled("h", "Two", beside: [])],
            ])
            try expectEqual(later.compactMap { try? $0.get()[0].id.rawValue }, ["g", "h"], "all are known")
        },
        StoreCheck(name: "a job that has ended frees its identifier, and keeps its own under its key") { factory in
            let opened = try await Opened(factory)
            var keys: [Int64] = []
            for state in [JobState.finished, .cancelled, .finished] {
                var job = try await opened.add(sampleJob("a"))
                keys.append(job.key)
                (job.state, job.nextDue) = (state, nil)
                try await opened.change(job)
            }
            let live = try await opened.add(sampleJob("a"))
            try expectEqual(try await opened.load(JobID("a")).job, live, "the job that the identifier means")
            try expectEqual(try await opened.allIDs(), ["a", "a", "a", "a"], "identifiers")
            for key in keys {
                let job = try await opened.store.load([.key(key)])[0]?.job
                try expect(
                    job?.key == key && job?.id == JobID("a") && job?.state.isFinal == true, "\(key): \(job as Any)")
            }
        },
        StoreCheck(name: "an identifier refers to the job that has not ended, or else to the last one submitted") {
            factory in
            let opened = try await Opened(factory)
            try expect(try await opened.store.job(JobID("a")) == nil, "a job that was never submitted")
            var first = try await opened.add(sampleJob("a"))
            (first.state, first.nextDue) = (.finished, nil)
            first = try await opened.change(first, runs: [sampleRun(first, 1, state: .succeeded, isFinal: true)])
            try expectEqual(try await opened.load(first.id).job, first, "the only one, ended")
            var second = try await opened.add(sampleJob("a"))
            second = try await opened.change(second, runs: [sampleRun(second, 1)])
            try expectEqual(try await opened.load(first.id).job.key, second.key, "the job that has not ended")
            try expectEqual(
                try await opened.store.runs(RunQuery(jobID: first.id)).runs.map(\.jobKey), [second.key], "its runs")
            (second.state, second.nextDue) = (.cancelled, nil)
            second = try await opened.change(
                second, runs: [sampleRun(second, 1, state: .cancelled, isFinal: true)])
            // A change does not make the earlier job the last submitted one.
            first = try await opened.change(first)
            try expectEqual(try await opened.load(first.id).job, second, "the last submitted job")
        },
        StoreCheck(name: "an ended job cannot come back while another has its identifier") { factory in
            let opened = try await Opened(factory)
            let ended = try await opened.add(sampleJob("a", state: .cancelled))
            try await opened.add(sampleJob("a"))
            var back = ended
            back.state = .scheduled
            try await expectError(.conflict, text: "the identifier is taken") { try await opened.change(back) }
            try expectEqual(try await opened.store.load([.key(ended.key)])[0]?.job, ended, "the ended job")
        },
        StoreCheck(name: "a job is replaced by two changes of one part: the old one's end, and the new one") {
            factory in
            let opened = try await Opened(factory)
            var old = try await opened.add(sampleJob("a", wake: 60))
            old.nextOccurrence = 3
            old = try await opened.change(old, runs: [sampleRun(old, 1, state: .running), sampleRun(old, 2)])
            var ended = old
            (ended.state, ended.nextDue, ended.bookkeeping.elapsedWake) = (.cancelled, nil, nil)
            let runs = [1, 2].map { number in
                sampleRun(old, number, state: .cancelled, isFinal: true) { $0.reason = "replaced" }
            }
            let end = try await opened.changing(ended, runs: runs)
            let jobs = try await opened.commit([[end, opened.adding(sampleJob("a", wake: 90))]])[0].get()
            try expect(jobs[1].key > old.key && jobs[1].version == 1, "the new job is \(jobs[1])")
            try expectEqual(try await opened.load(old.id).job, jobs[1], "the job with the identifier")
            try expectEqual(try await opened.load(old.id).open, [], "its open runs")
            let kept = try await opened.store.load([.key(old.key)])[0].orFail("the old job is gone")
            try expect(kept.job.state == .cancelled && kept.open.isEmpty, "the old job is \(kept)")
            try expectEqual(
                try await opened.store.runs(RunQuery()).runs.map(\.reason), ["replaced", "replaced"], "runs")
            // One change of this part has a wrong version. The whole part is refused, so its new job "a" does not
            // replace the present one.
            var stale = jobs[1]
            (stale.state, stale.nextDue, stale.bookkeeping.elapsedWake) = (.cancelled, nil, nil)
            stale.version = 7
            let refused = try await opened.commit([
                [opened.adding(sampleJob("other")), try await opened.changing(stale), opened.adding(sampleJob("a"))]
            ])
            try expectRefused(refused[0], .conflict, text: "a version that is not")
            try expectEqual(try await opened.load(old.id).job, jobs[1], "the job with the identifier")
        },
        StoreCheck(name: "an identifier can be replaced repeatedly, whatever other jobs are called") { factory in
            let opened = try await Opened(factory)
            for name in ["a~1", "a~2"] { try await opened.add(sampleJob(name)) }
            var live = try await opened.add(sampleJob("a"))
            for _ in 0..<4 {
                (live.state, live.nextDue) = (.cancelled, nil)
                let end = try await opened.changing(live)
                live = try await opened.commit([[end, opened.adding(sampleJob("a"))]])[0].get()[1]
            }
            try expectEqual(try await opened.allIDs(), ["a~1", "a~2", "a", "a", "a", "a", "a"], "identifiers")
            try expectEqual(try await opened.load(JobID("a")).job, live, "the last one")
            try expectEqual(try await opened.load(JobID("a~1")).job.version, 1, "the other job")
        },
        StoreCheck(name: "a new job whose idempotency key is taken is refused, whatever its identifier") { factory in
            let opened = try await Opened(factory)
            let first = try await opened.add(sampleJob("a") { $0.idempotencyKey = "key" })
            var ended = try await opened.add(sampleJob("b") { $0.idempotencyKey = "other" })
            (ended.state, ended.nextDue) = (.finished, nil)
            ended = try await opened.change(ended)
            for key in ["key", "other"] {
                try await expectError(.conflict, text: "the taken key \(key)") {
                    try await opened.add(sampleJob("c") { $0.idempotencyKey = key })
                }
            }
            let third = try await opened.add(sampleJob("d") { $0.idempotencyKey = "third" })
            var moved = third
            moved.request.idempotencyKey = "key"
            try await expectError(.conflict, text: "a change to a taken key") {
                try await opened.change(moved, isRequestChanged: true)
            }
            try expectEqual(
                try await opened.store.jobs(JobQuery(idempotencyKey: "key")).jobs, [first], "the job with the key")
            try expectEqual(
                try await opened.store.load([
                    .idempotencyKey("other"), .idempotencyKey("none"), .idempotencyKey("third"),
                ])
                .map(\.?.job), [ended, nil, third], "the jobs with the keys")
            try expectEqual(try await opened.allIDs().count, 3, "jobs")
        },
        StoreCheck(name: "loading answers in the order of the references, with nothing where there is no job") {
            factory in
            let opened = try await Opened(factory)
            let a = try await opened.add(sampleJob("a") { $0.idempotencyKey = "key" })
            let b = try await opened.add(sampleJob("b"), runs: [sampleRun(sampleJob("b"), 1, state: .running)])
            let found = try await opened.store.load([
                .id(b.id), .key(999_999), .idempotencyKey("key"), .key(a.key), .id(JobID("a\0")), .id(b.id),
            ])
            try expectEqual(found.map(\.?.job.key), [b.key, nil, a.key, a.key, nil, b.key], "jobs")
            try expectEqual(found.map(\.?.open.count), [1, nil, 0, 0, nil, 1], "open runs")
            try expectEqual(found.compactMap(\.?.shard), [ShardID](repeating: opened.shard, count: 4), "shards")
            try expectEqual(try await opened.store.load([]).count, 0, "nothing asked for")
        },
    ]
}
