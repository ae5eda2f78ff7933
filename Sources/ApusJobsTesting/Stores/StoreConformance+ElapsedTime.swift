import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of what moves when the wall clock is set; see ``/ApusJobs/JobStore``.
    static let elapsedTime: [StoreCheck] = [
        StoreCheck(
            name:
                "setting the clock moves the instants of relative jobs and the pauses of waiting runs, and nothing else"
        ) { factory in
            let opened = try await Opened(factory)
            let jobs = try await addSamples(opened)
            var expected: [Int64: LoadedJob] = [:]
            for loaded in try await opened.store.load(jobs.map { .key($0.key) }) {
                let loaded = try loaded.orFail("a job is gone")
                expected[loaded.job.key] = loaded
            }
            var runs = try await opened.store.runs(RunQuery(limit: 100)).runs
            try expectEqual(runs.count, 14, "runs")
            var offset = Duration.zero
            for step in [Duration.seconds(3_600), .seconds(-7_200), .zero, .nanoseconds(1)] {
                offset += step
                _ = try await opened.commit([], clock: sampleClock(setBy: offset))
                for key in expected.keys { expected[key] = moved(expected[key]!, by: step) }
                let relative = Set(jobs.filter(\.request.trigger.isRelative).map(\.key))
                runs = runs.map { moved($0, isTriggerRelative: relative.contains($0.jobKey), by: step) }

                for (job, found) in zip(jobs, try await opened.store.load(jobs.map { .key($0.key) })) {
                    try expectEqual(found, expected[job.key], "\(job.id), loaded after \(offset)")
                }
                let page = try await opened.store.jobs(JobQuery())
                try expectEqual(page.jobs, jobs.map { expected[$0.key]!.job }, "the jobs of a page after \(offset)")
                try expectEqual(try await opened.store.runs(RunQuery(limit: 100)).runs, runs, "runs after \(offset)")
                for case let last? in page.lastRuns {
                    try expect(runs.contains(last), "the last run of a page after \(offset) is \(last)")
                }
            }
        },
        StoreCheck(name: "instants that are written with a new clock are read with this clock") { factory in
            let opened = try await Opened(factory)
            let old = try await opened.add(sampleJob("old", wake: 60))
            let untouched = try await opened.add(sampleJob("untouched", wake: 60))
            let clock = sampleClock(setBy: .seconds(-500))
            var changed = old
            (changed.firstDue, changed.nextDue, changed.bookkeeping.elapsedWake) = (instant(7), instant(8), instant(9))
            let unborn = sampleJob("new", wake: 70)
            let waiting = sampleRun(unborn, 1, attempt: 2) { $0.notBefore = instant(80) }
            let results = try await opened.commit(
                [[try await opened.changing(changed)], [opened.adding(unborn, runs: [waiting])]], clock: clock)
            let jobs = try results.map { try $0.get()[0] }
            try expectEqual(
                [jobs[0].firstDue, jobs[0].nextDue, jobs[0].bookkeeping.elapsedWake],
                [instant(7), instant(8), instant(9)], "answer")
            for job in jobs {
                let loaded = try await opened.load(job.id)
                try expectEqual(loaded.job, job, "the stored job")
                try expectEqual(loaded.elapsedOffset, .seconds(-500), "its offset")
            }
            let run = try await opened.load(JobID("new")).open[0]
            try expect(run.due == instant(60) && run.notBefore == instant(80), "\(run)")
            try expectEqual(try await opened.load(untouched.id).job.nextDue, instant(60 - 500), "the job left alone")
        },
        StoreCheck(
            name: "a run's instants stay the same from its claim on, and those of its retry move with the clock again"
        ) {
            factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a", wake: 60))
            job.nextOccurrence = 2
            job = try await opened.change(job, runs: [sampleRun(job, 1) { $0.notBefore = instant(61) }])
            var clock = sampleClock(setBy: .seconds(100))
            _ = try await opened.commit([], clock: clock)
            var loaded = try await opened.load(job.id)
            var run = loaded.open[0]
            try expect(run.due == instant(160) && run.notBefore == instant(161), "waiting: \(run)")
            (run.state, run.claimed) = (.running, instant(170))
            try await opened.change(loaded.job, runs: [run], clock: clock)
            clock = sampleClock(setBy: .seconds(1_000))
            _ = try await opened.commit([], clock: clock)
            loaded = try await opened.load(job.id)
            try expectEqual(loaded.open, [run], "the claimed run")
            (run.state, run.finished) = (.failed, instant(1_080))
            let retry = sampleRun(job, 1, attempt: 2) { run in
                (run.due, run.notBefore) = (instant(160), instant(1_090))
            }
            try await opened.change(loaded.job, runs: [run, retry], clock: clock)
            _ = try await opened.commit([], clock: sampleClock(setBy: .zero))
            let runs = try await opened.store.runs(RunQuery()).runs
            try expectEqual(runs[1], run, "the ended run")
            try expectEqual([runs[0].due, runs[0].notBefore], [instant(160 - 1_000), instant(90)], "the retry")
        },
        StoreCheck(name: "due jobs are found by both clocks, in one order, and the next wake is right") { factory in
            let opened = try await Opened(factory)
            let wall = Trigger.at(instant(60))
            for (id, wake, trigger) in [
                ("a", 30, wall), ("b", 10, .every(.seconds(60))), ("c", 20, wall), ("d", 10, .after(.seconds(10))),
                ("e", 40, .every(.seconds(60))),
            ] as [(String, Int64, Trigger)] {
                try await opened.add(sampleJob(id, wake: wake, trigger: trigger))
            }
            func check(
                _ through: Int64, _ limit: Int, _ ids: [String], next: Int64?, line: UInt = #line
            ) async throws {
                let due = try await opened.store.due(through: instant(through), limit: limit, in: opened.session)
                try expectEqual(due.jobs.map(\.job.id.rawValue), ids, "jobs through \(through)", line: line)
                try expectEqual(due.next, next.map { instant($0) }, "next after \(through), \(limit)", line: line)
            }
            try await check(99, 99, ["b", "d", "c", "a", "e"], next: nil)
            try await check(99, 2, ["b", "d"], next: 20)
            // The clock is set forward by 15 s, so instants of elapsed time are 15 s later by the clock.
            _ = try await opened.commit([], clock: sampleClock(setBy: .seconds(15)))
            try await check(99, 99, ["c", "b", "d", "a", "e"], next: nil)
            try await check(24, 99, ["c"], next: 25)
            try await check(25, 99, ["c", "b", "d"], next: 30)
            try await check(30, 99, ["c", "b", "d", "a"], next: 55)
            try await check(99, 1, ["c"], next: 25)
            try await check(99, 2, ["c", "b"], next: 25)
            try await check(99, 4, ["c", "b", "d", "a"], next: 55)
            try await check(99, 0, [], next: 20)
            _ = try await opened.commit([], clock: sampleClock(setBy: .seconds(-5)))
            try await check(5, 99, ["b", "d"], next: 20)
            try await check(99, 99, ["b", "d", "c", "a", "e"], next: nil)
        },
        StoreCheck(name: "a job that wakes by both clocks is due by the earlier one, once") { factory in
            let opened = try await Opened(factory)
            var both = sampleJob("both", wake: 20, trigger: .at(instant(20)))
            both.bookkeeping.elapsedWake = instant(50)
            try await opened.add(both)
            try await opened.add(sampleJob("late", wake: 80, trigger: .at(instant(80))))
            func due(_ through: Int64, _ limit: Int = 9) async throws -> DueJobs {
                try await opened.store.due(through: instant(through), limit: limit, in: opened.session)
            }
            try expectEqual(try await due(19).next, instant(20), "next after 19")
            for through in [20, 60] as [Int64] {
                let found = try await due(through)
                try expectEqual(found.jobs.map(\.job.id.rawValue), ["both"], "jobs through \(through)")
                try expectEqual(found.next, instant(80), "next of the other jobs after \(through)")
            }
            _ = try await opened.commit([], clock: sampleClock(setBy: .seconds(-40)))
            let found = try await due(10)
            try expectEqual(found.jobs.map(\.job.nextWake), [instant(10)], "by elapsed time")
            try expectEqual(found.next, instant(80), "next after 10")
        },
        StoreCheck(name: "the next wake is another job's, however many due jobs wake by the other clock before it") {
            factory in
            let opened = try await Opened(factory)
            for number in 1...3 as ClosedRange<Int64> {
                var both = sampleJob("both\(number)", wake: 20, trigger: .at(instant(20)))
                both.bookkeeping.elapsedWake = instant(50 + number)
                try await opened.add(both)
            }
            var late = sampleJob("late", wake: 80, trigger: .at(instant(80)))
            (late.bookkeeping.wake, late.bookkeeping.elapsedWake) = (nil, instant(80))
            try await opened.add(late)
            let found = try await opened.store.due(through: instant(30), limit: 9, in: opened.session)
            try expectEqual(found.jobs.count, 3, "how many are due")
            try expectEqual(found.next, instant(80), "next of the other jobs")
        },
        StoreCheck(name: "the last possible instant stays, however the clock is set") { factory in
            let opened = try await Opened(factory)
            let never = WallInstant(nanoseconds: .max)
            var job = sampleJob("a")
            (job.firstDue, job.nextDue, job.bookkeeping.elapsedWake) = (never, never, never)
            job = try await opened.add(job, runs: [sampleRun(job, 1) { ($0.due, $0.notBefore) = (never, never) }])
            for offset in [Duration.seconds(9_999), .seconds(-9_999), .zero] {
                _ = try await opened.commit([], clock: sampleClock(setBy: offset))
                let loaded = try await opened.load(job.id)
                try expectEqual(loaded.job, job, "after \(offset)")
                try expectEqual([loaded.open[0].due, loaded.open[0].notBefore], [never, never], "after \(offset)")
            }
        },
        StoreCheck(name: "the clock record is empty at first, and the last one is in the session of the next owner") {
            factory in
            var opened = try await Opened(factory)
            try expect(opened.session.clock == nil, "a new store has the record \(opened.session.clock as Any)")
            let job = try await opened.add(sampleJob("a", wake: 60))
            let clocks = [
                StoreClock(bootID: nil, wallOffset: .seconds(-3), elapsedOffset: .zero),
                StoreClock(
                    bootID: "a boot", wallOffset: .nanoseconds(1_767_225_600_000_000_001), elapsedOffset: .seconds(7)),
            ]
            for clock in clocks {
                _ = try await opened.commit([], clock: clock)
                try await opened.store.close(opened.session)
                opened = try await Opened(try await factory.reopen(opened.store))
                try expectEqual(opened.session.clock, clock, "the record")
                try expectEqual(try await opened.load(job.id).elapsedOffset, clock.elapsedOffset, "a job's offset")
            }
            try expectEqual(try await opened.load(job.id).job.nextDue, instant(67), "a job's instant")
        },
    ]

    /// Adds a job for each trigger, with runs of all kinds.
    private static func addSamples(_ opened: Opened) async throws -> [Job] {
        var jobs: [Job] = []
        for trigger in [
            Trigger.every(.seconds(60)), .after(.seconds(60)), .at(instant(60)),
            .every(.seconds(9), anchoredAt: instant(0)),
        ] {
            var unborn = sampleJob("job\(jobs.count)", wake: 60, trigger: trigger)
            unborn.nextOccurrence = 4
            // This wake is the end of a delay. A delay counts elapsed time, whatever the trigger of the job is.
            unborn.bookkeeping.elapsedWake = instant(45)
            let runs = [
                sampleRun(unborn, -1) { $0.due = instant(30) },
                sampleRun(unborn, 1, attempt: 2) { $0.notBefore = instant(45) },
                sampleRun(unborn, 2, state: .running) { ($0.claimed, $0.notBefore) = (instant(121), instant(119)) },
            ]
            jobs.append(try await opened.add(unborn, runs: runs))
        }
        var asleep = sampleJob("asleep", state: .suspended)
        (asleep.remainder, asleep.nextOccurrence) = (.seconds(5), 2)
        jobs.append(
            try await opened.add(asleep, runs: [sampleRun(asleep, 1, attempt: 3) { $0.notBefore = instant(90) }]))
        let ended = sampleRun(sampleJob("ended"), 1, state: .failed, isFinal: true) { run in
            (run.notBefore, run.claimed, run.started) = (instant(60), instant(61), instant(62))
            run.finished = instant(63)
        }
        jobs.append(try await opened.add(sampleJob("ended", state: .finished), runs: [ended]))
        return jobs
    }

    private static func moved(_ loaded: LoadedJob, by step: Duration) -> LoadedJob {
        var loaded = loaded
        let isRelative = loaded.job.request.trigger.isRelative
        loaded.elapsedOffset += step
        loaded.job.bookkeeping.elapsedWake = loaded.job.bookkeeping.elapsedWake?.advanced(by: step)
        if isRelative {
            loaded.job.firstDue = loaded.job.firstDue.advanced(by: step)
            loaded.job.nextDue = loaded.job.nextDue?.advanced(by: step)
        }
        loaded.open = loaded.open.map { moved($0, isTriggerRelative: isRelative, by: step) }
        return loaded
    }

    private static func moved(_ run: Run, isTriggerRelative: Bool, by step: Duration) -> Run {
        var run = run
        guard run.state == .waiting else { return run }
        if isTriggerRelative || run.occurrence <= 0 { run.due = run.due.advanced(by: step) }
        run.notBefore = run.notBefore?.advanced(by: step)
        return run
    }
}
