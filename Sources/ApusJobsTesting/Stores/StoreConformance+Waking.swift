import ApusCalendar
import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of the jobs that a scheduler loads: those that are due, and those that are affected by a crash or by
    /// setting the wall clock.
    static let waking: [StoreCheck] = [
        StoreCheck(name: "due jobs come by (wake, key), through the instant, at most as many as asked for") { factory in
            let opened = try await Opened(factory)
            for (id, wake) in [("a", 30), ("b", 10), ("c", 20), ("d", 10), ("e", 31)] as [(String, Int64)] {
                try await opened.add(sampleJob(id, wake: wake))
            }
            try await opened.add(sampleJob("asleep", state: .suspended))
            func ids(_ through: Int64, _ limit: Int) async throws -> [String] {
                try await opened.store.due(through: instant(through), limit: limit, in: opened.session).jobs
                    .map(\.job.id.rawValue)
            }
            try expectEqual(try await ids(30, 99), ["b", "d", "c", "a"], "through 30")
            try expectEqual(try await ids(30, 3), ["b", "d", "c"], "at most three")
            try expectEqual(try await ids(30, 1), ["b"], "at most one")
            try expectEqual(try await ids(9, 99), [], "through 9")
            try expectEqual(try await ids(99, 0), [], "none asked for")
        },
        StoreCheck(name: "due jobs bring their open runs, and only those") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a", wake: 10))
            job.nextOccurrence = 4
            job = try await opened.change(
                job,
                runs: [
                    sampleRun(job, 3), sampleRun(job, 2, attempt: 2, state: .running),
                    sampleRun(job, 2, attempt: 1, state: .lost), sampleRun(job, 1, state: .succeeded, isFinal: true),
                ])
            let loaded = try await opened.store.due(through: instant(10), limit: 9, in: opened.session).jobs
            try expectEqual(loaded.count, 1, "jobs")
            try expectEqual(loaded[0].job, job, "job")
            try expectEqual(loaded[0].shard, opened.shard, "shard")
            try expectEqual(loaded[0].open.map { [$0.occurrence, $0.attempt] }, [[2, 2], [3, 1]], "open runs")
        },
        StoreCheck(name: "the next wake is the earliest of the jobs that were not given") { factory in
            let opened = try await Opened(factory)
            func next(_ through: Int64, _ limit: Int = 9) async throws -> WallInstant? {
                let due = try await opened.store.due(through: instant(through), limit: limit, in: opened.session)
                return due.next
            }
            try expect(try await next(0) == nil, "an empty store wakes")
            for (id, wake) in [("a", 30), ("b", 10), ("c", nil), ("d", 20)] as [(String, Int64?)] {
                try await opened.add(sampleJob(id, wake: wake))
            }
            try expectEqual(try await next(0), instant(10), "after 0")
            try expectEqual(try await next(10), instant(20), "after 10")
            try expectEqual(try await next(30, 1), instant(20), "after one of three")
            try expectEqual(try await next(20, 1), instant(20), "after one of two")
            try expect(try await next(30) == nil, "after 30")
        },
        StoreCheck(name: "interrupted jobs are those with a claimed run, whatever their state, by key, in pages") {
            factory in
            let opened = try await Opened(factory)
            let a = try await opened.add(sampleJob("a"))
            try await opened.change(
                a, runs: [sampleRun(a, 1, state: .running), sampleRun(a, 2, state: .running), sampleRun(a, 3)])
            let b = try await opened.add(sampleJob("b"))
            try await opened.change(b, runs: [sampleRun(b, 1)])
            let c = try await opened.add(sampleJob("c", state: .cancelled))
            try await opened.change(c, runs: [sampleRun(c, 1, state: .running) { $0.reason = "cancelled" }])
            let d = try await opened.add(sampleJob("d", state: .suspended))
            try await opened.change(d, runs: [sampleRun(d, -1, state: .running)])
            func found(after key: Int64, limit: Int) async throws -> [LoadedJob] {
                let page = try await opened.store.interrupted(after: key, limit: limit, in: opened.session)
                return page.readable
            }
            let all = try await found(after: 0, limit: 9)
            try expectEqual(all.map(\.job.id.rawValue), ["a", "c", "d"], "jobs")
            try expectEqual(all.map(\.open.count), [3, 1, 1], "their open runs")
            let first = try await found(after: 0, limit: 2)
            try expectEqual(first, Array(all.prefix(2)), "the first page")
            try expectEqual(try await found(after: first[1].job.key, limit: 2), [all[2]], "the second page")
            try expectEqual(try await found(after: all[2].job.key, limit: 2), [], "the end")
        },
        StoreCheck(name: "anchored jobs are those that repeat on the wall clock and have not ended, by key, in pages") {
            factory in
            let opened = try await Opened(factory)
            let anchored = Trigger.every(.seconds(60), anchoredAt: instant(0))
            try await opened.add(sampleJob("relative", wake: 60))
            let a = try await opened.add(sampleJob("a", wake: 60, trigger: anchored))
            try await opened.change(a, runs: [sampleRun(a, 1)])
            try await opened.add(sampleJob("at", wake: 60, trigger: .at(instant(60))))
            try await opened.add(sampleJob("b", state: .suspended, trigger: anchored))
            try await opened.add(sampleJob("ended", state: .finished, trigger: anchored))
            let calendar = Trigger.calendar(try CalendarSchedule(cron: "@daily"), timeZone: "UTC")
            try await opened.add(sampleJob("c", trigger: calendar))
            func found(after key: Int64, limit: Int) async throws -> [LoadedJob] {
                let page = try await opened.store.anchored(after: key, limit: limit, in: opened.session)
                return page.readable
            }
            let all = try await found(after: 0, limit: 9)
            try expectEqual(all.map(\.job.id.rawValue), ["a", "b", "c"], "jobs")
            try expectEqual(all.map(\.open.count), [1, 0, 0], "their open runs")
            let first = try await found(after: 0, limit: 1)
            try expectEqual(first, [all[0]], "the first page")
            try expectEqual(try await found(after: all[0].job.key, limit: 9), Array(all.dropFirst()), "the second page")
            try expectEqual(try await found(after: all[2].job.key, limit: 9), [], "the end")
        },
        StoreCheck(name: "a job brings the skipped range that ends with its last occurrence, and no other") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a", wake: 10))
            let id = job.id
            func lastSkip() async throws -> Run? {
                let loaded = try await opened.load(id)
                return loaded.lastSkip
            }
            try expectEqual(try await lastSkip(), nil, "of a new job")
            job.nextOccurrence = 3
            var range = sampleRun(job, 2, attempt: 0, state: .skipped, isFinal: true)
            job = try await opened.change(job, runs: [sampleRun(job, 1, state: .running), range])
            try expectEqual(try await lastSkip(), range, "of one skip")
            job.nextOccurrence = 6
            range.through = 5
            job = try await opened.change(job, runs: [range])
            try expectEqual(try await lastSkip(), range, "of a range that has grown")
            try expectEqual(try await opened.store.runs(RunQuery(jobID: job.id)).runs.count, 2, "runs")
            let due = try await opened.store.due(through: instant(10), limit: 1, in: opened.session)
            try expectEqual(due.jobs.first?.lastSkip, range, "among due jobs")
            job.nextOccurrence = 7
            job = try await opened.change(job, runs: [sampleRun(job, 6)])
            try expectEqual(try await lastSkip(), nil, "after an occurrence that was not skipped")
        },
    ]
}
