import ApusCalendar
import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of what is found, and in which order.
    static let queries: [StoreCheck] = [
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
                    $0.queue = "mail"
                    $0.fairnessKey = "acme"
                })
            var last = sampleJob("B") {
                $0.name = "Backup"
                $0.queue = "pictures"
            }
            last.request.fairnessKey = "é"
            (last.created, last.nextDue) = (instant(60), instant(90))
            try await opened.add(last)
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
            try expectEqual(try await ids(JobQuery(names: ["abc"])), ["b%_"], "a name")
            try expectEqual(
                try await ids(JobQuery(names: ["backup", "Backup", "ab"])), ["abc", "B"], "one of several names")
            try expectEqual(
                try await ids(JobQuery(names: ["backup", "abc"], states: [.suspended])), [], "names and a state")
            try expectEqual(try await ids(JobQuery(states: [.suspended])), ["abd"], "a state")
            try expectEqual(try await ids(JobQuery(states: [.suspended, .scheduled])).count, 4, "two states")
            try expectEqual(try await ids(JobQuery(kind: "k")), ["abd", "b%_"], "a kind")
            try expectEqual(try await ids(JobQuery(queues: ["mail"])), ["b%_"], "a queue")
            try expectEqual(try await ids(JobQuery(queues: ["mail", "pictures", "none"])), ["b%_", "B"], "two queues")
            try expectEqual(try await store.count(JobQuery(queues: ["default"])), 2, "jobs of the default queue")
            for (range, expected) in [(60..<61, ["B"]), (59..<60, []), (60..<60, []), (0..<61, ["B"])] {
                let created = instant(Int64(range.lowerBound))..<instant(Int64(range.upperBound))
                let found = try await ids(JobQuery(queues: ["pictures"], created: created))
                try expectEqual(
                    found, expected, "submitted from \(range.lowerBound) s on, before \(range.upperBound) s")
            }
            try expectEqual(try await ids(JobQuery(fairnessKeys: ["é"])), ["B"], "a fairness key")
            try expectEqual(try await ids(JobQuery(fairnessKeys: ["acme", "é", ""])), ["b%_", "B"], "several keys")
            for (range, expected) in [(90..<91, ["B"]), (89..<90, []), (90..<90, [])] {
                let due = instant(Int64(range.lowerBound))..<instant(Int64(range.upperBound))
                try expectEqual(
                    try await ids(JobQuery(due: due)), expected,
                    "due from \(range.lowerBound) s on, before \(range.upperBound) s")
            }
            try expectEqual(try await ids(JobQuery(labels: ["x": "1"])), ["abc", "abd"], "a label")
            try expectEqual(try await ids(JobQuery(labels: ["x": "1", "y": "2"])), ["abc"], "two labels")
            try expectEqual(
                try await ids(JobQuery(idPrefixOrName: "ab", states: [.suspended], kind: "k", labels: ["x": "1"])),
                ["abd"],
                "everything")
        },
        StoreCheck(name: "jobs are found by their next due instant after the clock was set, whatever it counts") {
            factory in
            let opened = try await Opened(factory)
            for (id, trigger) in [
                ("elapsed", .every(.seconds(60))), ("wall", .every(.seconds(60), anchoredAt: instant(0))),
            ] as [(String, Trigger)] {
                var job = sampleJob(id, trigger: trigger)
                job.nextDue = instant(90)
                try await opened.add(job)
            }
            _ = try await opened.store.commit(
                StoreTurn(parts: [], clock: sampleClock(setBy: .seconds(3_600))), in: opened.session)
            for (seconds, expected) in [(90, ["wall"]), (3_690, ["elapsed"])] as [(Int64, [String])] {
                let query = JobQuery(due: instant(seconds)..<instant(seconds + 1))
                try expectEqual(
                    try await opened.store.jobs(query).jobs.map(\.id.rawValue), expected, "due at \(seconds) s")
                try expectEqual(try await opened.store.count(query), 1, "how many are due at \(seconds) s")
            }
        },
        StoreCheck(name: "jobs with a calendar trigger are found page by page, in both orders, and counted") {
            factory in
            let opened = try await Opened(factory)
            let daily = try CalendarSchedule(words: "every day at 9:00")
            for number in 0..<7 {
                let trigger = Trigger.calendar(daily, timeZone: "UTC")
                try await opened.add(
                    sampleJob(
                        "job\(number)", state: number == 6 ? .suspended : .scheduled,
                        trigger: number % 2 == 0 ? trigger : .every(.seconds(60))))
            }
            for newestFirst in [false, true] {
                let query = JobQuery(states: [.scheduled], calendarsOnly: true, newestFirst: newestFirst, limit: 2)
                var found: [[String]] = []
                for try await page in opened.store.pages(of: query) { found.append(page.jobs.map(\.id.rawValue)) }
                try expectEqual(
                    found, newestFirst ? [["job4", "job2"], ["job0"]] : [["job0", "job2"], ["job4"]], "the pages")
            }
            try expectEqual(try await opened.store.count(JobQuery(calendarsOnly: true)), 4, "the count")
        },
        StoreCheck(name: "jobs that match are counted on all pages") { factory in
            let opened = try await Opened(factory)
            for number in 0..<7 {
                try await opened.add(
                    sampleJob("job\(number)", state: number < 3 ? .suspended : .scheduled) {
                        $0.name = number == 1 ? "job" : nil
                        $0.labels = ["even": number % 2 == 0 ? "yes" : "no"]
                    })
            }
            func count(_ query: JobQuery) async throws -> Int { try await opened.store.count(query) }
            try expectEqual(try await count(JobQuery(limit: 2)), 7, "all")
            try expectEqual(try await count(JobQuery(limit: 2, cursor: nil)), 7, "all")
            try expectEqual(try await count(JobQuery(states: [.suspended])), 3, "a state")
            try expectEqual(
                try await count(JobQuery(states: [.suspended], labels: ["even": "yes"])), 2, "a state and a label")
            try expectEqual(try await count(JobQuery(idPrefixOrName: "job")), 7, "a prefix and a name")
            try expectEqual(try await count(JobQuery(kind: "nothing")), 0, "none")
        },
        StoreCheck(name: "the jobs that wake first come first, by either clock, and at most as many as asked for") {
            factory in
            let opened = try await Opened(factory)
            for (number, seconds) in [50, 10, 40, 30, 20].enumerated() {
                let trigger = Trigger.every(.seconds(60), anchoredAt: number % 2 == 0 ? instant(0) : nil)
                try await opened.add(sampleJob("job\(seconds)", wake: Int64(seconds), trigger: trigger))
            }
            try await opened.add(sampleJob("never"))
            let soonest = try await opened.store.soonest(limit: 3).map(\.id.rawValue)
            try expectEqual(soonest, ["job10", "job20", "job30"], "the soonest")
            try expectEqual(try await opened.store.soonest(limit: 100).count, 5, "all that wake")
        },
        StoreCheck(name: "a page without last runs has the same jobs") { factory in
            let opened = try await Opened(factory)
            for name in ["a", "b"] { try await opened.add(sampleJob(name)) }
            let page = try await opened.store.jobs(JobQuery(includesLastRuns: false))
            try expectEqual(page.jobs, try await opened.store.jobs(JobQuery()).jobs, "jobs")
            try expectEqual(page.lastRuns, [nil, nil], "last runs")
        },
        StoreCheck(name: "pages of jobs are whole, without repetition, and end") { factory in
            let opened = try await Opened(factory)
            let names = (0..<7).map { "job\(6 - $0)" }
            for name in names { try await opened.add(sampleJob(name)) }
            for newestFirst in [false, true] {
                var found: [String] = []
                var after: String?
                var pages = 0
                repeat {
                    let query = JobQuery(newestFirst: newestFirst, limit: 3, cursor: after)
                    let page = try await opened.store.jobs(query)
                    try expect(page.jobs.count == page.lastRuns.count, "a last run for each job")
                    found += page.jobs.map(\.id.rawValue)
                    after = page.nextCursor
                    pages += 1
                } while after != nil && pages < 10
                try expectEqual(found, newestFirst ? names.reversed() : names, "jobs")
                try expectEqual(pages, 3, "pages")
            }
        },
        StoreCheck(
            name: "a page of jobs has for each its running attempt, or else the last that began, or else its last skip"
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
                    sampleRun(job, 2, state: .running) { $0.claimed = instant(120) },
                    sampleRun(job, 3, state: .succeeded, isFinal: true) { $0.claimed = instant(180) },
                    sampleRun(job, 4, attempt: 0, state: .skipped, isFinal: true),
                ])
            try expectEqual(try await lastRuns(), [nil, 2], "with a running attempt")
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
                    sampleRun(job, 4, state: .running) { $0.claimed = instant(240) }, sampleRun(job, 5),
                ])
            func found(_ query: RunQuery) async throws -> [Int] {
                try await opened.store.runs(query).runs.map(\.occurrence)
            }
            try expectEqual(try await found(RunQuery(begunOnly: true)), [4, 1], "those that began")
            try expectEqual(try await found(RunQuery(states: [.skipped, .waiting])), [5, 2], "two states")
            try expectEqual(
                try await found(RunQuery(jobID: job.id, occurrence: 4, states: [.running], begunOnly: true, limit: 1)),
                [4], "everything")
        },
        StoreCheck(name: "runs are found by the kind, the queue, the fairness key and the labels of their jobs") {
            factory in
            let opened = try await Opened(factory)
            for (id, kind, queue, key) in [("a", "k", "q", "x"), ("b", "k", "p", nil), ("c", "l", "q", "y")] {
                var job = sampleJob(id)
                (job.request.kind, job.request.queue, job.request.fairnessKey) = (kind, QueueID(queue), key)
                job.request.labels = ["queue": queue, "id": id]
                job = try await opened.add(job)
                try await opened.change(
                    job, runs: [sampleRun(job, 1, state: .failed, isFinal: true), sampleRun(job, 2)])
            }
            func found(_ query: RunQuery) async throws -> [String] {
                try await opened.store.runs(query).runs.map { "\($0.jobID) \($0.occurrence)" }
            }
            try expectEqual(try await found(RunQuery(kind: "k")), ["b 2", "b 1", "a 2", "a 1"], "a kind")
            try expectEqual(
                try await found(RunQuery(queues: ["q", "r"], states: [.failed])), ["c 1", "a 1"], "queues, and a state")
            try expectEqual(try await found(RunQuery(fairnessKeys: ["x", "z"])), ["a 2", "a 1"], "keys")
            try expectEqual(
                try await found(RunQuery(labels: ["queue": "q", "id": "c"])), ["c 2", "c 1"], "all of the labels")
            try expectEqual(try await found(RunQuery(jobID: "b", queues: ["q"])), [], "a job of another queue")
            let first = try await opened.store.runs(RunQuery(kind: "k", limit: 3))
            try expectEqual(
                try await found(RunQuery(kind: "k", limit: 3, cursor: first.nextCursor)), ["a 1"], "the second page")
        },
        StoreCheck(name: "runs that are open, or have ended since an instant, are found, with their jobs' names") {
            factory in
            let opened = try await Opened(factory)
            var named = sampleJob("a")
            named.request.name = "backup"
            var a = try await opened.add(named)
            var b = try await opened.add(sampleJob("b"))
            (a.nextOccurrence, b.nextOccurrence) = (4, 4)
            a = try await opened.change(
                a,
                runs: [
                    sampleRun(a, 1, state: .failed, isFinal: true) { $0.finished = instant(60) },
                    sampleRun(a, 2, state: .succeeded, isFinal: true) { $0.finished = instant(120) },
                    sampleRun(a, 3),
                ])
            b = try await opened.change(
                b, runs: [sampleRun(b, 1, state: .failed, isFinal: true) { $0.finished = instant(120) }])
            func found(_ query: RunQuery) async throws -> [String] {
                try await opened.store.runs(query).runs.map { "\($0.jobID) \($0.occurrence)" }
            }
            try expectEqual(
                try await found(RunQuery(since: instant(120))), ["b 1", "a 3", "a 2"], "at the instant and after it")
            try expectEqual(try await found(RunQuery(since: instant(121))), ["a 3"], "only the open one")
            try expectEqual(
                try await found(RunQuery(jobID: a.id, states: [.failed], since: instant(60))), ["a 1"], "with a state")
            try expectEqual(
                try await opened.store.runs(RunQuery()).names, [a.id: "backup"], "of jobs that have a name")
        },
        StoreCheck(name: "jobs are found by how their last attempt ended, whatever was skipped or has begun since") {
            factory in
            let opened = try await Opened(factory)
            for name in ["never", "failing", "well", "lost"] {
                var job = try await opened.add(sampleJob(name))
                job.nextOccurrence = 6
                let ends: [RunState] =
                    switch name {
                    case "failing": [.succeeded, .failed]
                    case "well": [.failed, .succeeded]
                    case "lost": [.lost]
                    default: []
                    }
                for (index, state) in ends.enumerated() {
                    job = try await opened.change(
                        job,
                        runs: [sampleRun(job, index + 1, state: state, isFinal: true) { $0.claimed = instant(120) }])
                }
                try await opened.change(
                    job,
                    runs: [
                        sampleRun(job, 3, attempt: 0, state: .skipped, isFinal: true),
                        sampleRun(job, 4, state: .running) { $0.claimed = instant(240) }, sampleRun(job, 5),
                    ])
            }
            func found(_ query: JobQuery) async throws -> [String] {
                try await opened.store.jobs(query).jobs.map(\.id.rawValue)
            }
            try expectEqual(try await found(JobQuery(lastEnded: [.failed, .lost])), ["failing", "lost"], "two states")
            try expectEqual(try await found(JobQuery(lastEnded: [.succeeded])), ["well"], "one state")
            try expectEqual(
                try await found(JobQuery(idPrefixOrName: "l", states: [.scheduled], lastEnded: [.failed, .lost])),
                ["lost"], "with more conditions")
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
            try expectEqual(all.map(\.jobID.rawValue).prefix(4), ["b", "a", "b", "a"], "jobs")
            try expectEqual(
                try await store.runs(RunQuery(jobID: a.id)).runs.map(\.occurrence), [5, 4, 3, 2, 1], "one job")
            try expectEqual(
                try await store.runs(RunQuery(jobID: b.id, occurrence: 3)).runs.map(\.occurrence), [3], "one occurrence"
            )
            try expectEqual(try await store.runs(RunQuery(jobID: JobID("no"))).runs.count, 0, "no job")
            let first = try await store.runs(RunQuery(jobID: a.id, limit: 3))
            let second = try await store.runs(RunQuery(jobID: a.id, limit: 3, cursor: first.nextCursor))
            try expectEqual((first.runs + second.runs).map(\.occurrence), [5, 4, 3, 2, 1], "two pages")
            try expect(first.nextCursor != nil && second.nextCursor == nil, "ends of pages")
        },
    ]
}
