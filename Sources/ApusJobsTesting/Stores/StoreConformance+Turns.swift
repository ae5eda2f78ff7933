import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of what a turn does, and what it refuses.
    static let turns: [StoreCheck] = [
        StoreCheck(name: "a new job gets a key and version 1, and keys grow with each submission") { factory in
            let opened = try await Opened(factory)
            let a = try await opened.add(sampleJob("a"))
            let b = try await opened.add(sampleJob("b"))
            try expect(a.key > 0 && b.key > a.key, "keys \(a.key), \(b.key)")
            try expectEqual(a.version, 1, "version")
            try expectEqual(try await opened.load(JobID("a")).job, a, "the stored job")
        },
        StoreCheck(
            name: "a change is refused if the version is not the expected one, and otherwise increases it by one"
        ) {
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
        StoreCheck(name: "a refused part changes nothing, and the parts before and after it are applied") { factory in
            let opened = try await Opened(factory)
            let a = try await opened.add(sampleJob("a"))
            var changed = a
            changed.state = .suspended
            let results = try await opened.commit([
                [opened.adding(sampleJob("before"))],
                [
                    try await opened.changing(changed, runs: [sampleRun(a, 1)]), opened.adding(sampleJob("b")),
                    opened.adding(sampleJob("a")),
                ],
                [opened.adding(sampleJob("after"))],
            ])
            try expectRefused(results[1], .conflict, text: "the part with a taken identifier")
            try expectEqual(try results[0].get().map(\.id.rawValue), ["before"], "the first part")
            try expectEqual(try results[2].get().map(\.id.rawValue), ["after"], "the last part")
            try expectEqual(try await opened.load(JobID("a")).job, a, "the job of the refused part")
            try expectEqual(try await opened.load(JobID("a")).open, [], "its open runs")
            try expectEqual(try await opened.allIDs(), ["a", "before", "after"], "jobs")
            try expectEqual(try await opened.store.runs(RunQuery()).runs.count, 0, "runs")
        },
        StoreCheck(name: "each of many parts fails on its own, wherever it is in the turn") { factory in
            let opened = try await Opened(factory)
            try await opened.add(sampleJob("taken"))
            let results = try await opened.commit(
                (0..<40).map { number in
                    let own = opened.adding(sampleJob("job\(number)"))
                    return switch number % 10 {
                    case 3: [own, opened.adding(sampleJob("taken"))]
                    case 7: [opened.adding(sampleJob("taken"))]
                    default: [own]
                    }
                })
            for (number, result) in results.enumerated() {
                if number % 10 == 3 || number % 10 == 7 {
                    try expectRefused(result, .conflict, text: "part \(number)")
                } else {
                    try expectEqual(try result.get().map(\.id.rawValue), ["job\(number)"], "part \(number)")
                }
            }
            try expectEqual(try await opened.allIDs().count, 33, "jobs")
            try expectEqual(
                Set(try await opened.store.jobs(JobQuery(limit: 100)).jobs.map(\.key)).count, 33, "different keys")
        },
        StoreCheck(name: "the parts of a turn are applied in their order: a later one sees what an earlier one wrote") {
            factory in
            let opened = try await Opened(factory)
            let job = try await opened.add(sampleJob("a"))
            var (second, third) = (job, job)
            (second.missedCount, third.missedCount) = (1, 2)
            third.version = 2
            let results = try await opened.commit([
                [try await opened.changing(second)], [try await opened.changing(third)],
                [try await opened.changing(second)],
            ])
            try expectEqual(try results[0].get()[0].version, 2, "the first part's version")
            try expectEqual(try results[1].get()[0].version, 3, "the second part's version")
            try expectRefused(results[2], .conflict, text: "the version before both")
            try expectEqual(try await opened.load(job.id).job.missedCount, 2, "the last change")
        },
        StoreCheck(name: "a part gives back its jobs in the order of its changes, with keys and versions") { factory in
            let opened = try await Opened(factory)
            let old = try await opened.add(sampleJob("old"))
            let names = ["c", "a", "d", "b"]
            var changes = names.map { opened.adding(sampleJob($0)) }
            changes.insert(try await opened.changing(old), at: 2)
            let jobs = try await opened.commit([changes])[0].get()
            try expectEqual(jobs.map(\.id.rawValue), ["c", "a", "old", "d", "b"], "order")
            try expectEqual(jobs.map(\.version), [1, 1, 2, 1, 1], "versions")
            for job in jobs { try expectEqual(try await opened.load(job.id).job, job, "the stored job") }
        },
        StoreCheck(name: "a turn without parts, or with refused ones only, keeps the clock record") { factory in
            let opened = try await Opened(factory)
            _ = try await opened.commit([], clock: sampleClock(setBy: .seconds(5)))
            try await opened.store.close(opened.session)
            let second = try await Opened(try await factory.reopen(opened.store))
            try expectEqual(second.session.clock, sampleClock(setBy: .seconds(5)), "the record")
            try await second.add(sampleJob("a"), clock: sampleClock(setBy: .seconds(5)))
            let refused = try await second.commit(
                [[second.adding(sampleJob("a"))]], clock: sampleClock(setBy: .seconds(-7)))
            try expectRefused(refused[0], .conflict, text: "a taken identifier")
            try await second.store.close(second.session)
            let third = try await Opened(try await factory.reopen(second.store))
            try expectEqual(third.session.clock, sampleClock(setBy: .seconds(-7)), "the second record")
        },
        StoreCheck(name: "a request that has not changed stays as it is stored; one that has is written whole") {
            factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(
                sampleJob("a") {
                    $0.payload = [1, 2]
                    $0.labels = ["x": "1"]
                    $0.idempotencyKey = "key"
                })
            let request = job.request
            job.request.payload = [9]
            job.request.kind = "other"
            job.missedCount = 3
            _ = try await opened.change(job)
            var stored = try await opened.load(job.id).job
            try expectEqual(stored.request, request, "the request")
            try expectEqual(stored.missedCount, 3, "what changes with runs")
            stored.request.payload = [9]
            stored.request.kind = "other"
            stored.request.name = "name"
            stored.request.labels = [:]
            stored.request.policies.timeLimit = .seconds(3)
            stored.request.idempotencyKey = "another key"
            let changed = try await opened.change(stored, isRequestChanged: true)
            try expectEqual(changed.request, stored.request, "the answer")
            try expectEqual(try await opened.load(job.id).job, changed, "the stored job")
            try expect(try await opened.store.load([.idempotencyKey("key")])[0] == nil, "the old key finds a job")
            try expectEqual(
                try await opened.store.load([.idempotencyKey("another key")])[0]?.job, changed, "the new key's job")
        },
        StoreCheck(name: "a second outcome for an occurrence is refused") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            job = try await opened.change(job, runs: [sampleRun(job, 1, state: .succeeded, isFinal: true)])
            let second = sampleRun(job, 1, attempt: 2, state: .failed, isFinal: true)
            try await expectError(.conflict, .invalid, text: "the second outcome") {
                try await opened.change(job, runs: [second])
            }
            try expectEqual(try await opened.store.runs(RunQuery(jobID: JobID("a"))).runs.count, 1, "runs")
            try expectEqual(try await opened.load(JobID("a")).job.version, job.version, "version")
        },
        StoreCheck(name: "the turns of one task are applied in their order") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            for number in 1...50 {
                job.nextOccurrence = number
                job = try await opened.change(job)
            }
            try expectEqual(try await opened.load(job.id).job.nextOccurrence, 50, "the last change")
            try expectEqual(job.version, 51, "version")
        },
        StoreCheck(name: "one of several simultaneous turns that expect the same version is applied") { factory in
            let opened = try await Opened(factory)
            let job = try await opened.add(sampleJob("a"))
            let applied = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { (try? await opened.change(job)) != nil } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(applied, 1, "applied changes")
            try expectEqual(try await opened.load(job.id).job.version, 2, "version")
        },
    ]
}
