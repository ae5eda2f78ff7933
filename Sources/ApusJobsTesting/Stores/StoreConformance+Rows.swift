import ApusCalendar
import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks that every field of a job and of a run is stored.
    static let rows: [StoreCheck] = [
        StoreCheck(name: "every field of a job comes back as it was written") { factory in
            let opened = try await Opened(factory)
            let policies: [JobPolicies] = [
                JobPolicies(),
                JobPolicies(
                    tolerance: .milliseconds(1_500), missedRuns: .runAll(limit: 7), grace: .nanoseconds(1_000_001),
                    expiry: .nanoseconds(600_000_000_007), overlap: .queue(limit: 3),
                    retry: RetryPolicy.exponential(
                        attempts: 9, maximumLost: 2, from: .milliseconds(250),
                        to: .seconds(8),
                        jitter: 0.125), timeLimit: .seconds(90), conditions: [.network, .idle],
                    retention: .nanoseconds(86_400_000_000_009)),
                JobPolicies(missedRuns: .skip, overlap: .allow(limit: 2), conditions: .externalPower),
                JobPolicies(overlap: .replace, conditions: [.network, .externalPower, .idle]), JobPolicies(),
            ]
            var schedule = try CalendarSchedule(cron: "H 9 * * 1-5")
            schedule.from = CivilDateTime("2026-01-01T00:00:00")
            schedule.exclusions = [
                .schedule(try CalendarSchedule(words: "every month on the last friday at 9:00"))
            ]
            let triggers: [Trigger] = [
                .at(instant(5)), .after(.seconds(3) + .nanoseconds(7)), .every(.milliseconds(1)),
                .every(.seconds(3_600), anchoredAt: instant(-90), count: 12),
                .calendar(schedule, timeZone: "Europe/Berlin", gap: .skip, repeated: .both, count: 7),
            ]
            for (number, (policies, trigger)) in zip(policies, triggers).enumerated() {
                var request = JobRequest(
                    id: JobID("job.\(number)"), name: number == 0 ? nil : "Ein Täst ☃ 'quoted' \"\\%_", kind: "kind",
                    trigger: trigger, policies: policies, labels: ["ключ": "значение", "": "", "a=b": "c\nd"],
                    payload: Array(0...255) + [0, 0, UInt8(number)], queue: number == 0 ? .default : "mail",
                    priority: JobPriority.allCases[number % 4], fairnessKey: number == 1 ? nil : "☃ \(number)",
                    metadata: number == 1 ? [:] : ["traceparent": "00-☃"],
                    uniqueness: [
                        .identifier, .payload(), .payload(within: .seconds(60)),
                        .key("key \(number)", within: .seconds(60)),
                    ][number % 4])
                request.conflict = .replace
                let job = Job(
                    request: request, state: .suspended, created: instant(1), updated: instant(2), firstDue: instant(3),
                    origin: 13, nextOccurrence: 17, nextDue: number == 1 ? nil : instant(4),
                    dueNote: number == 4 ? DueNote(rawValue: "gap 2026-03-29 02:30:00") : nil,
                    remainder: number == 2 ? nil : .nanoseconds(123_456_789),
                    occurrenceCount: 16, missedCount: 5, wake: number == 0 ? nil : instant(6),
                    elapsedWake: number == 3 ? nil : instant(7), runsSinceRetired: 11,
                    keptUntil: number == 2 ? nil : instant(8))
                let stored = try await opened.add(job)
                var expected = job
                expected.key = stored.key
                expected.version = 1
                try expectEqual(stored, expected, "the answer")
                // The conflict policy is not stored with the job.
                var found = try await opened.load(job.id).job
                found.request.conflict = expected.request.conflict
                try expectEqual(found, expected, "the stored job")
            }
        },
        StoreCheck(name: "every field of a run comes back as it was written") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            let run = Run(
                jobKey: job.key, jobID: job.id, occurrence: 4, attempt: 3, lostBefore: 2, due: instant(1),
                dueNote: .secondOfRepeated, standsFor: 5,
                state: .failed, reason: "gründe\n\"x\"", claimed: instant(3), started: instant(4), finished: instant(5),
                exitCode: -9, output: Array(0...255))
            let waiting = sampleRun(job, 4, attempt: 4) { run in
                run.notBefore = instant(77)
                run.lostBefore = 2
                run.reason = "missed"
            }
            let skipped = sampleRun(job, 1, attempt: 0, state: .skipped, isFinal: true) { run in
                run.through = 3
                run.reason = "missed"
                run.finished = instant(2)
            }
            let done = sampleRun(job, 5, state: .succeeded, isFinal: true) { run in
                (run.due, run.claimed, run.started, run.finished) = (instant(2), instant(3), instant(4), instant(5))
                run.result = Array(0...255)
                run.progress = RunProgress(fraction: 1, message: "ganz \"☃\"")
            }
            let byHand = sampleRun(job, -3, state: .running) { run in
                run.claimed = instant(9)
                run.progress = RunProgress(fraction: 0.25)
            }
            job.nextOccurrence = 6
            try await opened.change(job, runs: [skipped, run, waiting, done, byHand])
            let found = try await opened.store.runs(RunQuery(jobID: job.id)).runs
            for expected in [skipped, run, waiting, done, byHand] {
                try expect(found.contains(expected), "\(expected) is not among \(found)")
            }
            try expectEqual(
                try await opened.load(job.id).open, [byHand, waiting], "open runs, by occurrence and attempt")
        },
        StoreCheck(name: "a run that is written again takes the place of the old row") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            job = try await opened.change(job, runs: [sampleRun(job, 1), sampleRun(job, 2)])
            job = try await opened.change(job, runs: [sampleRun(job, 1, state: .running)])
            try expectEqual(try await opened.load(job.id).open.map(\.state), [.running, .waiting], "states")
            job = try await opened.change(job, runs: [sampleRun(job, 1, state: .succeeded, isFinal: true)])
            try expectEqual(try await opened.load(job.id).open.map(\.occurrence), [2], "open runs")
            try expectEqual(try await opened.store.runs(RunQuery(jobID: job.id)).runs.count, 2, "rows")
        },
        StoreCheck(name: "runs of a new job are written with its key") { factory in
            let opened = try await Opened(factory)
            let unborn = sampleJob("a")
            let job = try await opened.add(unborn, runs: [sampleRun(unborn, 1, state: .running)])
            try expectEqual(try await opened.load(job.id).open.map(\.jobKey), [job.key], "keys")
        },
        StoreCheck(name: "a payload of 64 KiB and an output of 64 KiB fit") { factory in
            let opened = try await Opened(factory)
            let big = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            var job = try await opened.add(sampleJob("a") { $0.payload = big })
            job = try await opened.change(
                job, runs: [sampleRun(job, 1, state: .succeeded, isFinal: true) { $0.output = big }])
            try expectEqual(try await opened.load(job.id).job.request.payload, big, "payload")
            try expectEqual(try await opened.store.runs(RunQuery(jobID: job.id)).runs.first?.output, big, "output")
        },
        StoreCheck(name: "instants at both ends of the range keep their order and are never early") { factory in
            let opened = try await Opened(factory)
            let precision = opened.store.capabilities.timePrecision
            let ends: [UInt64] = [
                0, 1, UInt64(Int64.max) - 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max,
            ]
            var ids: [String] = []
            for nanoseconds in ends {
                for trigger in [Trigger.at(instant(0)), .every(.seconds(60))] {
                    let instant = WallInstant(nanoseconds: nanoseconds)
                    var job = sampleJob("job\(ids.count)", trigger: trigger)
                    (job.firstDue, job.nextDue) = (instant, instant)
                    if trigger.isRelative {
                        job.bookkeeping.elapsedWake = instant
                    } else {
                        job.bookkeeping.wake = instant
                    }
                    try await opened.add(job)
                    ids.append(job.id.rawValue)
                    let stored = try await opened.load(job.id).job
                    for found in [stored.firstDue, stored.nextDue!, stored.nextWake!] {
                        try expect(found >= instant, "\(found) is earlier than \(instant)")
                        // A store may keep all instants from the year 2262 on, which need more than 63 bits, as the
                        // last instant.
                        let isFar = nanoseconds >= UInt64(Int64.max) && found.nanoseconds == .max
                        try expect(
                            isFar || instant.duration(to: found) <= precision, "\(found) is later than \(instant)")
                    }
                }
            }
            func due(_ nanoseconds: UInt64) async throws -> DueJobs {
                try await opened.store.due(
                    through: WallInstant(nanoseconds: nanoseconds), limit: 99, in: opened.session)
            }
            let all = try await due(.max)
            try expectEqual(all.jobs.map(\.job.id.rawValue), ids, "order")
            try expect(all.next == nil, "a wake after the end")
            let middle = WallInstant(nanoseconds: UInt64(Int64.max))
            try expectEqual(try await due(UInt64(Int64.max)).next.map { $0 > middle }, true, "a wake in the upper half")
            try expectEqual(try await due(0).jobs.map(\.job.id.rawValue), Array(ids.prefix(2)), "due at the beginning")
        },
        StoreCheck(name: "numbers of occurrences and keys have 64 bits") { factory in
            let opened = try await Opened(factory)
            var job = sampleJob("a")
            job.nextOccurrence = 1 << 40
            job.occurrenceCount = (1 << 40) - 1
            job.missedCount = 1 << 39
            job = try await opened.add(job)
            let range = sampleRun(job, 1, attempt: 0, state: .skipped, isFinal: true) { $0.through = (1 << 40) - 1 }
            job = try await opened.change(job, runs: [range])
            try expectEqual(try await opened.load(job.id).job, job, "job")
            try expectEqual(
                try await opened.store.runs(RunQuery(jobID: job.id)).runs.first?.through, (1 << 40) - 1, "range")
        },
    ]
}
