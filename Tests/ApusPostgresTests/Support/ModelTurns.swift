#if Postgres
    import ApusJobs
    import ApusTimers

    @testable import ClusterSimulation

    /// Draws random turns, most of which can be applied to the tables' present contents.
    struct ModelTurns {
        static let past = WallInstant(secondsSince1970: 1_735_689_600)
        static let kinds = ["mail", "build"]
        static let queues: [QueueID] = ["default", "q", "r"]
        let random: SeededRandom

        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        /// Returns `true` once in `count` times on average.
        func isOne(in count: Int) -> Bool { below(count) == 0 }
        func one<C: RandomAccessCollection>(of values: C) -> C.Element {
            values[values.index(values.startIndex, offsetBy: below(values.count))]
        }
        private func optional<Value>(_ value: Value) -> Value? { isOne(in: 2) ? value : nil }
        func instant() -> WallInstant { Self.past.advanced(by: .seconds(below(1_000)) + .nanoseconds(below(1_000))) }
        func id() -> JobID { JobID("job-\(below(8))") }

        /// Returns the jobs that a node announces as runnable, or `nil`.
        func jobs() -> RunnableJobs? {
            one(of: [
                nil, RunnableJobs(kinds: Set(Self.kinds)),
                RunnableJobs(kinds: ["mail", "\u{0}\""], queues: .only(["q", "r"])),
                RunnableJobs(kinds: []), RunnableJobs(kinds: ["build"], queues: .nothing),
            ])
        }

        // MARK: Jobs

        func request(_ id: JobID) -> JobRequest {
            JobRequest(
                id: id, name: optional("name-\(below(6))"), kind: one(of: Self.kinds),
                trigger: one(of: [
                    // `apus.submit` refuses an instant that has passed.
                    .at(instant().advanced(by: .seconds(36_500 * 86_400))), .after(.seconds(below(100) + 1)),
                    .every(.seconds(below(60) + 1)),
                    .every(.seconds(60), anchoredAt: instant(), count: optional(9)),
                ]), payload: [UInt8(below(3))], queue: one(of: Self.queues),
                priority: one(of: JobPriority.allCases), fairnessKey: optional("customer"),
                uniqueness: one(of: [.identifier, .identifier, .payload(), .payload(within: .seconds(600))]),
                idempotencyKey: isOne(in: 4) ? "key-\(below(6))" : nil)
        }

        func command() -> JobCommand {
            switch below(4) {
            case 0: .submit([request(id())])
            case 1: .cancel(id())
            case 2: .runNow(id())
            default: .cancelRun(id(), occurrence: below(3))
            }
        }

        /// Draws the next due instant of the job, and its wakes on the wall clock and on the clock for elapsed time.
        private func wake(_ job: inout Job) {
            job.nextDue = optional(instant())
            job.bookkeeping.wake = optional(instant())
            job.bookkeeping.elapsedWake = optional(instant())
        }

        private func new(_ shard: ShardID) -> JobChange {
            let created = instant()
            var job = Job(
                request: request(id()), created: created, updated: created, firstDue: created, nextOccurrence: 1,
                nextDue: nil)
            wake(&job)
            var runs: [Run] = []
            if isOne(in: 2) { runs.append(run(of: job, 1, 1, one(of: [.waiting, .running]))) }
            if isOne(in: 4) { runs.append(run(of: job, 0, 1, .waiting)) }
            if isOne(in: 8) { runs.append(run(of: job, 2, 1, .failed, isFinal: true)) }
            job.openRunCount = runs.count(where: \.state.isOpen)
            job.nextOccurrence = 3
            return JobChange(
                shard: shard, expected: .absent, requiresFreeName: isOne(in: 3), job: job, runs: runs)
        }

        private func run(
            of job: Job, _ occurrence: Int, _ attempt: Int, _ state: RunState, isFinal: Bool = false
        ) -> Run {
            // The database refuses to claim a run whose due instant is far ahead of its clock.
            let due = state == .running && isOne(in: 40) ? WallInstant(secondsSince1970: 4_000_000_000) : instant()
            return Run(
                jobKey: job.key, jobID: job.id, occurrence: occurrence, attempt: attempt, due: due, state: state,
                isFinal: isFinal, reason: optional("why"), notBefore: isOne(in: 4) ? instant() : nil,
                claimed: state == .running ? instant() : nil, finished: state.isOpen ? nil : instant(),
                output: state.isOpen ? [] : [1, 2])
        }

        private func change(of row: ModelDatabase.Row) -> JobChange {
            var job = row.job
            job.updated = instant()
            job.missedCount += below(2)
            var runs: [Run] = []
            var open = row.open
            for _ in 0..<below(3) {
                switch below(5) {
                case 0:
                    runs.append(run(of: job, job.nextOccurrence, 1, one(of: [.waiting, .running])))
                    job.nextOccurrence += 1
                case 1:
                    var skipped = run(of: job, job.nextOccurrence, 0, .skipped, isFinal: true)
                    skipped.through += below(3)
                    runs.append(skipped)
                    job.nextOccurrence = skipped.through + 1
                case 2:
                    // This adds an outcome to an occurrence, which may have one already.
                    let some = row.runs.values.sorted { ModelDatabase.RunID($0) < ModelDatabase.RunID($1) }
                    guard !some.isEmpty else { continue }
                    let other = one(of: some)
                    runs.append(run(of: job, other.occurrence, other.attempt + 10 + runs.count, .failed, isFinal: true))
                default:
                    guard !open.isEmpty else { continue }
                    var run = open.remove(at: below(open.count))
                    run.state = one(of: [.waiting, .running, .succeeded, .succeeded, .failed, .lost, .cancelled])
                    run.isFinal = !run.state.isOpen && !isOne(in: 4)
                    if run.state == .running { run.claimed = instant() }
                    if !run.state.isOpen, !run.isFinal {
                        runs.append(self.run(of: job, run.occurrence, run.attempt + 1, .waiting))
                    }
                    runs.append(run)
                }
            }
            runs = Dictionary(runs.map { (ModelDatabase.RunID($0), $0) }) { first, _ in first }
                .sorted { $0.key < $1.key }.map(\.value)
            var after = row.runs
            for run in runs { after[ModelDatabase.RunID(run)] = run }
            job.openRunCount = after.values.count(where: \.state.isOpen)
            var isChanged = false
            if isOne(in: 4) {
                let key = job.request.idempotencyKey
                // A relative trigger stays relative, and an absolute one absolute, because all stored instants would
                // have to be rewritten otherwise.
                let isRelative = job.request.trigger.isRelative
                repeat { job.request = request(job.id) } while job.request.trigger.isRelative != isRelative
                if !isOne(in: 3) { job.request.idempotencyKey = key }
                isChanged = true
            }
            if isOne(in: 3) { job.state = one(of: JobState.allCases) }
            job.keptUntil = job.state.isFinal ? instant() : nil
            wake(&job)
            // The tables refuse an ended job with a future occurrence.
            if job.state.isFinal, !isOne(in: 20) {
                (job.nextDue, job.bookkeeping.wake, job.bookkeeping.elapsedWake) = (nil, nil, nil)
            }
            let version = isOne(in: 8) ? row.job.version + Int64(below(3)) - 1 : row.job.version
            return JobChange(
                shard: row.shard, expected: .version(version), job: job, isRequestChanged: isChanged, runs: runs,
                keptRuns: isOne(in: 4) ? below(4) : nil, destination: isOne(in: 5) ? ShardID(rawValue: below(256)) : nil
            )
        }

        // MARK: Turns

        /// Returns the job's unique content, idempotency key and name, as far as the job has them.
        private static func names(_ job: Job) -> Set<String> {
            let request = job.request
            let content = request.uniqueContent.map { "\(request.kind) \($0)" }
            return Set([content, request.idempotencyKey, request.name].compactMap { $0 })
        }

        func turn(_ tables: ModelDatabase.Tables, _ session: StoreSession, of node: Int64) -> StoreTurn {
            var turn = StoreTurn(
                parts: [],
                clock: StoreClock(
                    bootID: one(of: ["a", "b"]), wallOffset: .seconds(below(2)), elapsedOffset: .seconds(-3_601)))
            let shards = session.shards.keys.sorted()
            // The rows are sorted before drawing, so that a seed determines the history.
            let stored = tables.rows.values.sorted { $0.job.key < $1.job.key }
            var rows = stored.filter { session.shards[$0.shard] != nil || isOne(in: 8) }
            // Rarely, the submissions include one that another node has to take.
            var waiting = tables.submissions.filter { session.shards[$0.shard] != nil || isOne(in: 8) }
                .map { (sequence: $0.stored.sequence, shard: $0.shard) }
            /// Returns a waiting submission, rarely with a wrong number or shard.
            func submission(_ part: Int) -> (sequence: Int64, shard: ShardID)? {
                if isOne(in: 8) { return (900_000 + Int64(part), shards.first ?? ShardID(rawValue: 0)) }
                guard var found = waiting.popLast() else { return nil }
                if isOne(in: 12) { found.shard = ShardID(rawValue: below(256)) }
                return found
            }
            var names: Set<String> = []
            for part in 0..<(isOne(in: 10) ? 0 : 1 + below(4)) {
                var changes: [JobChange] = []
                if !isOne(in: 5) {
                    for _ in 0..<(isOne(in: 4) ? 2 : 1) {
                        if !rows.isEmpty, !isOne(in: 3) {
                            changes.append(change(of: rows.remove(at: below(rows.count))))
                        } else {
                            let isForeign = shards.isEmpty || isOne(in: 8)
                            changes.append(new(isForeign ? ShardID(rawValue: below(256)) : one(of: shards)))
                        }
                    }
                }
                // If a name moves from one job to another in one turn, the database may refuse it to both.
                changes = changes.filter { change in
                    let own = Self.names(change.job).union(tables.rows[change.job.key].map { Self.names($0.job) } ?? [])
                    defer { names.formUnion(own) }
                    return own.isDisjoint(with: names)
                }
                if isOne(in: 3), let (sequence, home) = submission(part) {
                    let replies: [JobReply?] = [
                        .jobs([id()]), .refused(code: "notFound", message: "there is none"), nil,
                    ]
                    let refusal = SubmissionRefusal(refused: instant(), code: "invalid", message: "it is")
                    turn.taken.append(
                        TakenSubmission(
                            sequence, shard: home, part: part, reply: one(of: replies),
                            refusal: isOne(in: 3) ? refusal : nil))
                } else if changes.isEmpty {
                    let shard = ShardID(rawValue: below(256))
                    if isOne(in: 3), let (sequence, home) = submission(part) {
                        turn.forwarded.append(
                            ForwardedCommand(.submission(sequence, from: home), shard: shard, part: part))
                    } else {
                        turn.forwarded.append(
                            ForwardedCommand(
                                .call(below(1_000), command(), submitted: instant()), shard: shard, part: part))
                    }
                }
                turn.parts.append(changes)
            }
            if isOne(in: 6) {
                turn.queues = [
                    JobQueue(
                        id: one(of: Self.queues), concurrency: optional(1 + below(5)),
                        concurrencyPerKey: optional(1 + below(3)),
                        rate: isOne(in: 4) ? QueueRate(runs: 2, per: .seconds(1)) : nil, isPaused: isOne(in: 4),
                        recentStarts: below(4), lastStart: optional(instant()))
                ]
            }
            if isOne(in: 4) {
                let rows = stored.filter { session.shards[$0.shard] != nil || isOne(in: 8) }
                turn.setAside = rows.filter { _ in isOne(in: 3) }.map { row in
                    let shard = isOne(in: 12) ? ShardID(rawValue: below(256)) : row.shard
                    return UnreadableJob(key: row.job.key, id: row.job.id, shard: shard, problem: "problem")
                }
            }
            if isOne(in: 8) { turn.released = shards.filter { _ in isOne(in: 4) } }
            turn.isLeaving = isOne(in: 30)
            return turn
        }
    }
#endif
