import ApusJobs
import ApusTimers

extension StoreConformance {
    /// What is found, and in which order.
    static let queries: [StoreCheck] = [
        StoreCheck(name: "waking jobs come by (wake, key), through the instant, at most as many as asked for") {
            factory in
            let opened = try await Opened(factory)
            for (id, wake) in [("a", 30), ("b", 10), ("c", 20), ("d", 10), ("e", 31)] as [(String, Int64)] {
                try await opened.add(sampleJob(id, wake: wake))
            }
            try await opened.add(sampleJob("asleep", state: .suspended))
            let store = opened.store
            func ids(_ through: Int64, _ limit: Int) async throws -> [String] {
                try await store.wakingJobs(through: instant(through), limit: limit).map(\.job.id.rawValue)
            }
            try expectEqual(try await ids(30, 99), ["b", "d", "c", "a"], "through 30")
            try expectEqual(try await ids(30, 3), ["b", "d", "c"], "at most three")
            try expectEqual(try await ids(9, 99), [], "through 9")
            try expectEqual(try await ids(99, 0), [], "none asked for")
        },
        StoreCheck(name: "waking jobs bring their open runs, and only those") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a", wake: 10))
            job.nextOccurrence = 4
            job = try await opened.change(
                job,
                runs: [
                    sampleRun(job, 3), sampleRun(job, 2, attempt: 2, state: .claimed),
                    sampleRun(job, 2, attempt: 1, state: .lost), sampleRun(job, 1, state: .succeeded, isFinal: true),
                ])
            let loaded = try await opened.store.wakingJobs(through: instant(10), limit: 9)
            try expectEqual(loaded.count, 1, "jobs")
            try expectEqual(loaded[0].job, job, "job")
            try expectEqual(loaded[0].open.map { [$0.occurrence, $0.attempt] }, [[2, 2], [3, 1]], "open runs")
        },
        StoreCheck(name: "the next wake is the earliest one after the instant") { factory in
            let opened = try await Opened(factory)
            try expect(try await opened.store.nextWake(after: instant(0)) == nil, "an empty store wakes")
            for (id, wake) in [("a", 30), ("b", 10), ("c", nil)] as [(String, Int64?)] {
                try await opened.add(sampleJob(id, wake: wake))
            }
            try expectEqual(try await opened.store.nextWake(after: instant(0)), instant(10), "after 0")
            try expectEqual(try await opened.store.nextWake(after: instant(10)), instant(30), "after 10")
            try expect(try await opened.store.nextWake(after: instant(30)) == nil, "after 30")
        },
        StoreCheck(name: "interrupted jobs are those with a claimed run, whatever their state") { factory in
            let opened = try await Opened(factory)
            let a = try await opened.add(sampleJob("a"))
            try await opened.change(a, runs: [sampleRun(a, 1, state: .claimed)])
            let b = try await opened.add(sampleJob("b"))
            try await opened.change(b, runs: [sampleRun(b, 1)])
            var c = try await opened.add(sampleJob("c", state: .cancelled))
            c.nextDue = nil
            try await opened.change(c, runs: [sampleRun(c, 1, state: .claimed) { $0.reason = "cancelled" }])
            let found = try await opened.store.interruptedJobs()
            try expectEqual(Set(found.map(\.job.id.rawValue)), ["a", "c"], "jobs")
            try expectEqual(found.flatMap(\.open).map(\.state), [.claimed, .claimed], "runs")
        },
        StoreCheck(name: "jobs are found by prefix or name, state, kind and labels, all at once") { factory in
            let opened = try await Opened(factory)
            try await opened.add(
                sampleJob("abc") {
                    $0.name = "backup"
                    $0.labels = ["x": "1", "y": "2"]
                })
            try await opened.add(
                sampleJob("abd", state: .suspended) {
                    $0.kind = "k"
                    $0.labels = ["x": "1"]
                })
            try await opened.add(
                sampleJob("b%_") {
                    $0.name = "abc"
                    $0.kind = "k"
                    $0.labels = ["x": "2"]
                })
            try await opened.add(sampleJob("B") { $0.name = "Backup" })
            let store = opened.store
            func ids(_ query: JobQuery) async throws -> [String] { try await store.jobs(query).jobs.map(\.id.rawValue) }
            try expectEqual(try await ids(JobQuery()), ["abc", "abd", "b%_", "B"], "all, by submission")
            try expectEqual(try await ids(JobQuery(idPrefixOrName: "ab")), ["abc", "abd"], "a prefix")
            try expectEqual(
                try await ids(JobQuery(idPrefixOrName: "abc")), ["abc", "b%_"], "an identifier that is also a name")
            try expectEqual(try await ids(JobQuery(idPrefixOrName: "back")), [], "a part of a name")
            try expectEqual(try await ids(JobQuery(idPrefixOrName: "%")), [], "a wildcard")
            try expectEqual(try await ids(JobQuery(idPrefixOrName: "b%")), ["b%_"], "a prefix with a wildcard")
            try expectEqual(try await ids(JobQuery(idPrefixOrName: "b")), ["b%_"], "upper case is another letter")
            try expectEqual(try await ids(JobQuery(states: [.suspended])), ["abd"], "a state")
            try expectEqual(try await ids(JobQuery(states: [.suspended, .scheduled])).count, 4, "two states")
            try expectEqual(try await ids(JobQuery(kind: "k")), ["abd", "b%_"], "a kind")
            try expectEqual(try await ids(JobQuery(labels: ["x": "1"])), ["abc", "abd"], "a label")
            try expectEqual(try await ids(JobQuery(labels: ["x": "1", "y": "2"])), ["abc"], "two labels")
            try expectEqual(
                try await ids(JobQuery(idPrefixOrName: "ab", states: [.suspended], kind: "k", labels: ["x": "1"])),
                ["abd"],
                "everything")
        },
        StoreCheck(name: "pages of jobs are whole, without repetition, and end") { factory in
            let opened = try await Opened(factory)
            let names = (0..<7).map { "job\(6 - $0)" }
            for name in names { try await opened.add(sampleJob(name)) }
            var found: [String] = []
            var after: String?
            var pages = 0
            repeat {
                let page = try await opened.store.jobs(JobQuery(limit: 3, after: after))
                try expect(page.jobs.count == page.lastRuns.count, "a last run for each job")
                found += page.jobs.map(\.id.rawValue)
                after = page.next
                pages += 1
            } while after != nil && pages < 10
            try expectEqual(found, names, "jobs")
            try expectEqual(pages, 3, "pages")
        },
        StoreCheck(
            name: "a page of jobs brings of each the attempt that goes on, else the last that began, else the last skip"
        ) { factory in
            let opened = try await Opened(factory)
            try await opened.add(sampleJob("none"))
            var job = try await opened.add(sampleJob("some"))
            job.nextOccurrence = 6
            func lastRuns() async throws -> [Int?] {
                try await opened.store.jobs(JobQuery()).lastRuns.map { $0?.occurrence }
            }
            job = try await opened.change(job, runs: [sampleRun(job, 5)])
            try expectEqual(try await lastRuns(), [nil, nil], "with a run that waits")
            job = try await opened.change(
                job, runs: [sampleRun(job, 1, attempt: 0, state: .skipped, isFinal: true)])
            try expectEqual(try await lastRuns(), [nil, 1], "with a skip")
            job = try await opened.change(
                job,
                runs: [
                    sampleRun(job, 2, state: .claimed) { $0.claimed = instant(120) },
                    sampleRun(job, 3, state: .succeeded, isFinal: true) { $0.claimed = instant(180) },
                    sampleRun(job, 4, attempt: 0, state: .skipped, isFinal: true),
                ])
            try expectEqual(try await lastRuns(), [nil, 2], "with an attempt that goes on")
            job = try await opened.change(
                job,
                runs: [sampleRun(job, 2, state: .succeeded, isFinal: true) { $0.claimed = instant(120) }])
            try expectEqual(try await lastRuns(), [nil, 3], "with attempts that have ended")
        },
        StoreCheck(name: "runs are found by state, and by whether they began") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            job.nextOccurrence = 6
            try await opened.change(
                job,
                runs: [
                    sampleRun(job, 1, state: .failed) { $0.claimed = instant(60) },
                    sampleRun(job, 2, attempt: 0, state: .skipped, isFinal: true),
                    sampleRun(job, 3, state: .cancelled, isFinal: true),
                    sampleRun(job, 4, state: .claimed) { $0.claimed = instant(240) }, sampleRun(job, 5),
                ])
            func found(_ query: RunQuery) async throws -> [Int] {
                try await opened.store.runs(query).runs.map(\.occurrence)
            }
            try expectEqual(try await found(RunQuery(begunOnly: true)), [4, 1], "those that began")
            try expectEqual(try await found(RunQuery(states: [.skipped, .waiting])), [5, 2], "two states")
            try expectEqual(
                try await found(RunQuery(job: job.id, occurrence: 4, states: [.claimed], begunOnly: true, limit: 1)),
                [4], "everything")
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
            job = try await opened.change(job, runs: [sampleRun(job, 1, state: .claimed), range])
            try expectEqual(try await lastSkip(), range, "of one skip")
            job.nextOccurrence = 6
            range.through = 5
            job = try await opened.change(job, runs: [range])
            try expectEqual(try await lastSkip(), range, "of a range that has grown")
            try expectEqual(try await opened.store.runs(RunQuery(job: job.id)).runs.count, 2, "runs")
            let waking = try await opened.store.wakingJobs(through: instant(10), limit: 1)
            try expectEqual(waking.first?.lastSkip, range, "among waking jobs")
            job.nextOccurrence = 7
            job = try await opened.change(job, runs: [sampleRun(job, 6)])
            try expectEqual(try await lastSkip(), nil, "after an occurrence that was not skipped")
        },
        StoreCheck(name: "runs come newest first, by job and occurrence, in pages") { factory in
            let opened = try await Opened(factory)
            var a = try await opened.add(sampleJob("a"))
            var b = try await opened.add(sampleJob("b"))
            a.nextOccurrence = 6
            b.nextOccurrence = 6
            for number in 1...5 {
                a = try await opened.change(a, runs: [sampleRun(a, number, state: .succeeded, isFinal: true)])
                b = try await opened.change(b, runs: [sampleRun(b, number, state: .failed, isFinal: number % 2 == 0)])
            }
            let store = opened.store
            let all = try await store.runs(RunQuery()).runs
            try expectEqual(all.map(\.occurrence), [5, 5, 4, 4, 3, 3, 2, 2, 1, 1], "occurrences")
            try expectEqual(all.map(\.job.rawValue).prefix(4), ["b", "a", "b", "a"], "jobs")
            try expectEqual(
                try await store.runs(RunQuery(job: a.id)).runs.map(\.occurrence), [5, 4, 3, 2, 1], "one job")
            try expectEqual(
                try await store.runs(RunQuery(job: b.id, occurrence: 3)).runs.map(\.occurrence), [3], "one occurrence")
            try expectEqual(try await store.runs(RunQuery(job: JobID("no"))).runs.count, 0, "no job")
            let first = try await store.runs(RunQuery(job: a.id, limit: 3))
            let second = try await store.runs(RunQuery(job: a.id, limit: 3, after: first.next))
            try expectEqual((first.runs + second.runs).map(\.occurrence), [5, 4, 3, 2, 1], "two pages")
            try expect(first.next != nil && second.next == nil, "ends of pages")
        },
        StoreCheck(name: "shifting moves unfinished, unsuspended jobs with relative triggers, and no other") {
            factory in
            let opened = try await Opened(factory)
            var every = try await opened.add(sampleJob("every", wake: 60))
            every.wake = instant(45)
            every = try await opened.change(
                every, runs: [sampleRun(every, 1, attempt: 2) { $0.notBefore = instant(45) }])
            try await opened.add(sampleJob("after", wake: 60, trigger: .after(.seconds(60))))
            try await opened.add(sampleJob("at", wake: 60, trigger: .at(instant(60))))
            try await opened.add(sampleJob("anchored", wake: 60, trigger: .every(.seconds(9), anchoredAt: instant(0))))
            try await opened.add(sampleJob("asleep", state: .suspended))
            try await opened.add(sampleJob("ended", state: .finished))
            for offset in [3_600, -7_200] as [Int64] {
                let before = try await opened.store.jobs(JobQuery()).jobs
                try await opened.store.shiftRelativeJobs(by: .seconds(offset), epoch: opened.epoch)
                for (old, new) in zip(before, try await opened.store.jobs(JobQuery()).jobs) {
                    guard ["every", "after"].contains(old.id.rawValue) else {
                        try expectEqual(new, old, "\(old.id)")
                        continue
                    }
                    try expect(new.version > old.version, "the version of \(old.id) did not grow")
                    try expectEqual(new.first, old.first.advanced(by: .seconds(offset)), "first of \(old.id)")
                    try expectEqual(new.nextDue, old.nextDue?.advanced(by: .seconds(offset)), "nextDue of \(old.id)")
                    try expectEqual(new.wake, old.wake?.advanced(by: .seconds(offset)), "wake of \(old.id)")
                }
            }
            let run = try await opened.load(every.id).open[0]
            try expectEqual(run.notBefore, instant(45 - 3_600), "notBefore of the waiting run")
        },
        StoreCheck(name: "pruning counts attempts and skipped ranges apart: skips never displace attempts") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            job.nextOccurrence = 10
            for number in 1...3 {
                job = try await opened.change(job, runs: [sampleRun(job, number, state: .succeeded, isFinal: true)])
            }
            for number in 4...9 {
                job = try await opened.change(
                    job, runs: [sampleRun(job, number, attempt: 0, state: .skipped, isFinal: true)])
            }
            try await opened.store.prune(keepRuns: 2, endedBefore: instant(0), epoch: opened.epoch)
            let runs = try await opened.store.runs(RunQuery()).runs
            try expectEqual(runs.map(\.occurrence), [9, 8, 3, 2], "runs")
        },
        StoreCheck(name: "pruning keeps the newest runs and open ones, and removes jobs that ended long ago") {
            factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            job.nextOccurrence = 7
            job = try await opened.change(job, runs: [sampleRun(job, 1, state: .claimed)])
            for number in 2...6 {
                job = try await opened.change(job, runs: [sampleRun(job, number, state: .succeeded, isFinal: true)])
            }
            var old = sampleJob("old", state: .finished)
            old.updated = instant(10)
            old = try await opened.add(old)
            try await opened.change(old, runs: [sampleRun(old, 1, state: .succeeded, isFinal: true)])
            var recent = sampleJob("recent", state: .cancelled)
            recent.updated = instant(20)
            try await opened.add(recent)
            try await opened.store.prune(keepRuns: 2, endedBefore: instant(20), epoch: opened.epoch)
            let runs = try await opened.store.runs(RunQuery()).runs
            try expectEqual(runs.map(\.occurrence), [6, 5, 1], "runs")
            try expectEqual(
                try await opened.store.jobs(JobQuery()).jobs.map(\.id.rawValue), ["a", "recent"], "jobs")
        },
    ]
}
