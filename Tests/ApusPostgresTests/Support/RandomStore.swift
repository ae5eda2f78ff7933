#if Postgres
    import ApusJobs
    import ApusTimers

    /// Generates the changes that fill an empty store with jobs in all states from one seed.
    struct RandomStore {
        static let now = WallInstant(secondsSince1970: 1_767_225_600)
        static let clock = StoreClock(
            bootID: "boot", wallOffset: .seconds(1_700_000_000) + .nanoseconds(7), elapsedOffset: .seconds(-3_601))

        private let random: SeededRandom

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        private func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        private func flag() -> Bool { below(2) == 0 }
        private func optional<Value>(_ value: Value) -> Value? { flag() ? value : nil }
        private func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }
        private func bytes(_ most: Int) -> [UInt8] { (0..<below(most)).map { _ in UInt8(below(256)) } }
        private func ago(_ seconds: Int) -> WallInstant {
            Self.now.advanced(by: .zero - .seconds(seconds) - .nanoseconds(below(1_000_000_000)))
        }

        func queues() -> [JobQueue] {
            [
                JobQueue(
                    id: "builds", concurrency: 2, concurrencyPerKey: 1, rate: QueueRate(runs: 100, per: .seconds(60)),
                    recentStarts: 3,
                    lastStart: ago(5)),
                JobQueue(id: "mail", isPaused: true),
            ]
        }

        /// Returns jobs with their runs, in the order of submission.
        func changes(_ count: Int) -> [JobChange] { (1...count).map(change) }

        private func change(_ number: Int) -> JobChange {
            let trigger: Trigger = one(of: [
                .at(Self.now.advanced(by: .seconds(below(1_000)))), .after(.milliseconds(below(100_000) + 1)),
                .every(.seconds(below(500) + 1)), .every(.seconds(60), anchoredAt: ago(100_000), count: 5_000),
                .at(WallInstant(nanoseconds: .max)),
            ])
            let state = one(of: JobState.allCases)
            let request = JobRequest(
                // Ended jobs may share their identifiers.
                id: JobID(state.isFinal ? "again-\(below(5))" : "job-\(number)"), name: optional("Ein \"Täst\" ☃"),
                kind: one(of: ["mail", "build"]), trigger: trigger, policies: policies(),
                labels: flag() ? ["team": "a\u{1}\\b", "Ort": "Köln"] : [:],
                payload: [UInt8(number & 0xFF)] + bytes(200),
                queue: one(of: ["default", "builds", "mail"]), priority: one(of: JobPriority.allCases),
                fairnessKey: optional("customer"),
                metadata: flag() ? ["traceparent": "00-\(number)"] : [:],
                uniqueness: one(of: [.identifier, .payload(), .payload(within: .seconds(3_600)), .key("key \(number)")]
                ),
                idempotencyKey: optional("key-\(number)"))
            let ended = below(12)
            var job = Job(
                request: request, state: state, created: ago(90_000), updated: ago(below(50_000)),
                firstDue: ago(80_000),
                origin: below(3), nextOccurrence: ended + 3, nextDue: nil, occurrenceCount: ended + 1,
                missedCount: below(3),
                runsSinceRetired: below(10))
            var runs = history(of: ended, of: job.request)
            job.keptUntil = state.isFinal ? job.updated.advanced(by: .seconds(below(9) * 86_400)) : nil
            if !state.isFinal {
                runs += open(job)
                job.nextDue = optional(Self.now.advanced(by: .seconds(below(900))))
                job.openRunCount = runs.count { $0.state.isOpen }
                if state == .suspended {
                    job.remainder = optional(.nanoseconds(below(1_000_000_000)))
                } else if trigger.isRelative {
                    job.bookkeeping.elapsedWake = job.nextDue
                } else {
                    job.bookkeeping.wake = job.nextDue
                    if flag() { job.bookkeeping.elapsedWake = Self.now.advanced(by: .seconds(below(60))) }
                }
            }
            return JobChange(expected: .absent, job: job, runs: runs)
        }

        private func policies() -> JobPolicies {
            JobPolicies(
                tolerance: .milliseconds(below(1_000)), missedRuns: one(of: [.runOnce, .skip, .runAll(limit: 7)]),
                grace: optional(.seconds(9)), expiry: optional(.seconds(99)),
                overlap: one(of: [.skip, .replace, .queue(limit: 3), .allow(limit: 4)]),
                retry: RetryPolicy.exponential(
                    attempts: below(9) + 1, maximumLost: below(4), from: .milliseconds(below(900) + 1),
                    to: .seconds(60), jitter: Double(below(100)) / 100),
                timeLimit: optional(.seconds(30)), conditions: JobConditions(rawValue: below(8)),
                retention: optional(.seconds(86_400)))
        }

        /// Returns runs with outcomes of all kinds: a skipped range, attempts that were not the last ones, and manual
        /// runs.
        private func history(of count: Int, of request: JobRequest) -> [Run] {
            var runs: [Run] = []
            for occurrence in 0..<count where occurrence > 0 || flag() {
                let due = ago(70_000 - occurrence * 60)
                var run = Run(
                    jobKey: 0, jobID: request.id, occurrence: one(of: [occurrence, -occurrence]), attempt: 1, due: due,
                    standsFor: below(3) + 1, state: .succeeded, isFinal: true, claimed: due,
                    started: due.advanced(by: .milliseconds(2)), finished: due.advanced(by: .seconds(1)),
                    exitCode: optional(below(256)), output: bytes(300), result: optional(bytes(40)),
                    progress: optional(RunProgress(fraction: 0.5, message: optional("half\u{0}way"))))
                switch below(5) {
                case 0:
                    (run.state, run.reason, run.result) = (.failed, "it said \u{0} ☃", nil)
                    run.isFinal = false
                    runs.append(run)
                    (run.attempt, run.isFinal, run.notBefore) = (2, true, due.advanced(by: .seconds(9)))
                case 1: (run.state, run.reason, run.result, run.lostBefore) = (.lost, "interrupted", nil, 1)
                case 2:
                    run = Run(
                        jobKey: 0, jobID: request.id, occurrence: run.occurrence, attempt: 0, due: due,
                        state: .cancelled,
                        isFinal: true, reason: "cancelled", finished: due)
                default: break
                }
                runs.append(run)
            }
            runs.append(
                Run(
                    jobKey: 0, jobID: request.id, occurrence: count, through: count + 2, attempt: 0, due: ago(60),
                    standsFor: 3, state: .skipped, isFinal: true, reason: "missed", finished: ago(50)))
            return runs
        }

        private func open(_ job: Job) -> [Run] {
            let occurrence = job.nextOccurrence + 1
            return switch below(4) {
            case 0: []
            case 1:
                [
                    Run(
                        jobKey: 0, jobID: job.id, occurrence: -50, attempt: 1, due: ago(3), state: .running,
                        claimed: Self.now, started: Self.now)
                ]
            case 2:
                // The open runs are a waiting retry and a manual run.
                [
                    Run(
                        jobKey: 0, jobID: job.id, occurrence: occurrence, attempt: 2, due: ago(2), state: .waiting,
                        reason: "missed", notBefore: Self.now.advanced(by: .seconds(below(500)))),
                    Run(jobKey: 0, jobID: job.id, occurrence: -51, attempt: 1, due: Self.now, state: .waiting),
                ]
            default: [Run(jobKey: 0, jobID: job.id, occurrence: occurrence, attempt: 1, due: ago(1), state: .waiting)]
            }
        }
    }
#endif
