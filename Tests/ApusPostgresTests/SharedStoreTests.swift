#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusVirtualTime
    @testable import ApusTimers
    import Logging
    import Testing

    /// Several schedulers share a database in real time, with the product's own heartbeats and time-outs.
    @Suite("Schedulers that share a database", .timeLimit(.minutes(10)))
    struct SharedStoreTests {
        /// Gives `body` two schedulers that own half of the shards each.
        private func withTwo(
            _ body: (JobScheduler, JobScheduler, Database) async throws -> Void
        ) async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let first = JobScheduler(store: PostgresStore(patient: database.configuration))
                let second = JobScheduler(store: PostgresStore(patient: database.configuration))
                // Without a handler the schedulers would own no shards.
                for scheduler in [first, second] { scheduler.register("k") { _ in } }
                try await first.start()
                try await second.start()
                try await database.wait("each node owns half") { connection in
                    try await connection.value(
                        "SELECT count(DISTINCT node) = 2 AND count(node) = 256 FROM apus.shard", as: Bool.self)
                }
                do { try await body(first, second, database) } catch {
                    await first.stop(grace: .zero)
                    await second.stop(grace: .zero)
                    throw error
                }
                await first.stop(grace: .zero)
                await second.stop(grace: .zero)
            }
        }

        private static let far = Trigger.at(SystemTime().wall().advanced(by: .seconds(86_400)))

        @Test("a scheduler can change a job that it does not own")
        func foreignCommands() async throws {
            try await withTwo { owner, other, _ in
                // The kind has no handler, so the run waits until it is cancelled.
                try await owner.submit(JobRequest(id: "a", kind: "none", trigger: Self.far))
                #expect(try await other.suspend("a").state == .suspended)
                #expect(try await owner.job("a")?.state == .suspended)
                #expect(try await other.resume("a").state == .scheduled)
                let run = try await other.runNow("a")
                #expect(run.jobID == "a" && run.occurrence <= 0)
                #expect(try await other.cancelRun("a", occurrence: run.occurrence).state == .cancelled)
                #expect(try await other.cancel("a").state == .cancelled)
                await #expect(throws: JobError.self) { try await other.suspend("a") }
                await #expect(throws: JobError.self) { try await other.cancel("nothing") }
            }
        }

        @Test("an error of another scheduler's command reaches that scheduler's caller")
        func foreignRefusals() async throws {
            try await withTwo { owner, other, _ in
                try await owner.submit(JobRequest(id: "a", kind: "k", trigger: Self.far))
                let error = await #expect(throws: JobError.self) { try await other.cancelRun("a", occurrence: 7) }
                #expect(error?.code == .notFound && error?.message.contains("occurrence 7") == true)
            }
        }

        @Test("an identifier means one job, whichever node takes the submission")
        func sameIdentifier() async throws {
            try await withTwo { owner, other, database in
                var request = JobRequest(id: "a", name: "first", kind: "k", trigger: Self.far)
                let first = try await owner.submit(request)
                request.name = "second"
                request.conflict = .keep
                let kept = try await other.submit(request)
                #expect(kept.key == first.key && kept.outcome == .kept)
                request.conflict = .refuse
                let error = await #expect(throws: JobError.self) { try await other.submit(request) }
                #expect(error?.code == .alreadyExists)
                request.conflict = .update
                let updated = try await other.submit(request)
                #expect(updated.key == first.key && updated.request.name == "second" && updated.outcome == .updated)
                request.conflict = .replace
                let replaced = try await other.submit(request)
                #expect(replaced.key != first.key && replaced.outcome == .replaced)
                #expect(
                    try await database.value("SELECT count(*) FROM apus.job WHERE state = 'scheduled'", as: Int64.self)
                        == 1)
                request.idempotencyKey = "once"
                let keyed = try await owner.submit(request)
                #expect(try await other.submit(request).key == keyed.key)
            }
        }

        @Test("a submission while another scheduler runs the job's last occurrence makes one more run, after it")
        func submittedAgain() async throws {
            try await withTwo { owner, other, _ in
                let (began, beginning) = AsyncStream<Int>.makeStream()
                let (end, ending) = AsyncStream<Void>.makeStream()
                owner.register("k") { run in
                    beginning.yield(run.occurrence)
                    for await _ in end.prefix(1) {}
                }
                var runs = began.makeAsyncIterator()
                let request = JobRequest(id: "a", kind: "k", trigger: .after(.zero))
                let first = try await owner.submit(request)
                #expect(first.outcome == .inserted)
                let begun = await runs.next()
                #expect(begun == 1)
                let again = try await other.submit(request)
                #expect(again.outcome == .rescheduled && again.key == first.key)
                #expect(try await other.submit(request).outcome == .updated)
                ending.yield()
                let next = await runs.next()
                #expect(next == 2)
                #expect(try await other.runs(RunQuery(jobID: "a", states: [.succeeded])).runs.count == 1)
                ending.yield()
            }
        }

        @Test("two schedulers declare the same set of jobs, and the last declaration counts whichever owns the jobs")
        func declaredSet() async throws {
            try await withTwo { owner, other, _ in
                func job(_ id: String, kind: String = "k") -> JobRequest {
                    JobRequest(id: JobID(id), kind: kind, trigger: .every(.seconds(3_600)))
                }
                let first = (1...12).map { job("job-\($0)") }
                #expect(try await owner.declare(first, as: "app").submitted.allSatisfy { $0.outcome == .inserted })
                let same = try await other.declare(first, as: "app")
                #expect(same.cancelled.isEmpty && same.submitted.count == 12)
                let last = (1...6).map { job("job-\($0)", kind: "l") } + [job("new")]
                for scheduler in [other, owner] {
                    let answer = try await scheduler.declare(last, as: "app")
                    #expect(answer.cancelled.count == (scheduler === other ? 6 : 0))
                }
                let open = JobQuery(states: [.scheduled], labels: [JobScheduler.setLabel: "app"])
                let found = try await owner.jobs(open).jobs.map { "\($0.id) \($0.request.kind)" }
                #expect(Set(found) == Set((1...6).map { "job-\($0) l" } + ["new k"]))
            }
        }

        @Test("a job unique by its payload is unique across schedulers")
        func samePayload() async throws {
            try await withTwo { owner, other, _ in
                var request = JobRequest(id: "a", kind: "k", trigger: Self.far)
                request.payload = [1, 2, 3]
                request.uniqueness = .payload()
                request.conflict = .keep
                let first = try await owner.submit(request)
                request.id = "b"
                #expect(try await other.submit(request).key == first.key)
            }
        }

        @Test("an application's transaction in SQL submits a job, which runs once")
        func submitInSQL() async throws {
            try await withTwo { first, second, database in
                let runs = Locked<[JobID]>([])
                for scheduler in [first, second] {
                    scheduler.register("mail") { run in runs.withLock { $0.append(run.job.id) } }
                }
                try await database.run(
                    "BEGIN",
                    """
                    SELECT apus.submit(jsonb_build_object('id', 'mail-' || n, 'kind', 'mail', 'trigger',
                        jsonb_build_object('name', 'after', 'delayNanoseconds', 0))) FROM generate_series(1, 20) AS n
                    """,
                    "COMMIT", "BEGIN",
                    """
                    SELECT apus.submit('{"id": "never", "kind": "mail", "trigger": {"name": "after", "delayNanoseconds": 0}}')
                    """, "ROLLBACK")
                try await database.wait("all have run") { connection in
                    try await connection.value("SELECT count(*) >= 20 FROM apus.run WHERE final", as: Bool.self)
                }
                let outcomes = try await first.runs(RunQuery(limit: 100)).runs
                #expect(
                    outcomes.map { "\($0.jobID) \($0.attempt) \($0.state)" }.sorted()
                        == (1...20).map { "mail-\($0) 1 succeeded" }.sorted())
                #expect(Set(runs.withLock { $0 }) == Set((1...20).map { JobID("mail-\($0)") }))
                #expect(runs.withLock(\.count) == 20)
                await #expect(throws: PostgresError.self) { try await database.run("SELECT apus.submit('{}')") }
            }
        }

        @Test("a queue's limit holds for all schedulers together, and each gets its share")
        func queueLimit() async throws {
            try await withTwo { first, second, database in
                try await first.configure(queue: "q", .concurrency(2))
                try await database.wait("the other knows") { _ in
                    second.queues().contains { $0.queue.concurrency == 2 }
                }
                let counts = Locked<(now: Int, most: Int, by: [Int: Int])>((0, 0, [:]))
                for (number, scheduler) in [first, second].enumerated() {
                    scheduler.register("k") { _ in
                        counts.withLock { counts in
                            counts.now += 1
                            counts.most = max(counts.most, counts.now)
                            counts.by[number, default: 0] += 1
                        }
                        // Runs must last, or no two would overlap.
                        try await Task.sleep(for: .milliseconds(20))
                        counts.withLock { $0.now -= 1 }
                    }
                }
                for (number, scheduler) in [first, second].enumerated() {
                    try await scheduler.submit(
                        (0..<30).map {
                            JobRequest(id: JobID("\(number)-\($0)"), kind: "k", trigger: .after(.zero), queue: "q")
                        })
                }
                try await database.wait("all have run") { connection in
                    try await connection.value("SELECT count(*) = 60 FROM apus.run", as: Bool.self)
                }
                let seen = counts.withLock { $0 }
                #expect(seen.most <= 2 && seen.by == [0: 30, 1: 30])
                func areGivenBack() async throws {
                    try await database.wait("the places are given back") { connection in
                        try await connection.value(
                            "SELECT coalesce(sum(places), 0) = 0 FROM apus.place", as: Bool.self)
                    }
                }
                try await areGivenBack()
                // The database has granted a place, but the answer was lost, so the node does not know of the place.
                try await withConnection(database.configuration) { connection in
                    try await connection.run(
                        "SELECT apus.take_places(min(id), 'q', 0, 1) FROM apus.node WHERE ended IS NULL")
                }
                try await areGivenBack()
            }
        }

        @Test("one scheduler at a time runs a queue with a rate, and the rate holds for all together")
        func queueRate() async throws {
            try await withTwo { first, second, database in
                try await second.configure(queue: "q", .rate(QueueRate(runs: 3, per: .seconds(1))))
                try await database.wait("the other knows") { _ in
                    first.queues().contains { $0.queue.rate != nil }
                }
                let starts = Locked<[ContinuousInstant]>([])
                for scheduler in [first, second] {
                    scheduler.register("k") { _ in starts.withLock { $0.append(SystemTime().continuous()) } }
                }
                for (number, scheduler) in [first, second].enumerated() {
                    try await scheduler.submit(
                        (0..<5).map {
                            JobRequest(id: JobID("\(number)-\($0)"), kind: "k", trigger: .after(.zero), queue: "q")
                        })
                }
                try await database.wait("all have run") { connection in
                    try await connection.value("SELECT count(*) = 10 FROM apus.run", as: Bool.self)
                }
                // The test compares the instants of the claims in the store, because a handler begins only when it gets
                // a thread.
                let tooMany = try await database.value(
                    """
                    SELECT count(*) FROM apus.run AS a WHERE (
                        SELECT count(*) FROM apus.run AS b WHERE b.claimed BETWEEN a.claimed AND a.claimed + 990000000) > 3
                    """, as: Int64.self)
                #expect(tooMany == 0)
            }
        }

        @Test("other schedulers follow a queue's settings changed by one")
        func pausedQueue() async throws {
            try await withTwo { first, second, database in
                try await first.configure(queue: "q", .paused(true))
                try await database.wait("the other knows") { _ in second.queues().contains { $0.queue.isPaused } }
                #expect(second.queues().map(\.queue.id) == ["q"])
            }
        }

        @Test("two schedulers that change different settings of a queue at once keep both")
        func settingsAtOnce() async throws {
            try await withTwo { first, second, database in
                async let limit = first.configure(queue: "q", .concurrency(3))
                async let pause = second.configure(queue: "q", .paused(true))
                _ = try await (limit, pause)
                try await first.configure(queue: "q", .rate(QueueRate(runs: 5, per: .seconds(1))))
                let count = try await database.value(
                    "SELECT count(*) FROM apus.queue WHERE concurrency = 3 AND paused AND rate_runs = 5", as: Int64.self
                )
                #expect(count == 1)
            }
        }

        @Test("subscribers of one scheduler receive the events of the others")
        func events() async throws {
            try await withTwo { first, second, _ in
                first.register("k") { run in
                    run.emit(output: Array("hello".utf8))
                    run.report(progress: 0.5, message: "half")
                }
                let heard = second.events()
                // The first scheduler may not have the request for its events yet. In that case it reports this job as
                // a dropped event.
                try await first.submit(JobRequest(id: "early", kind: "none", trigger: Self.far))
                for await event in heard {
                    if case .submitted = event { break }
                    if case .dropped = event { break }
                }
                try await first.submit(JobRequest(id: "a", kind: "k", trigger: .after(.milliseconds(10))))
                var kinds: [String] = []
                for await event in heard {
                    switch event {
                    case .submitted(let job): kinds.append("submitted \(job.id)")
                    case .runStarted(let run): kinds.append("started \(run.jobID)")
                    case .output(let job, _, _, _, let bytes):
                        kinds.append("\(job) \(String(decoding: bytes, as: UTF8.self))")
                    case .progress(let job, _, _, let fraction, let text):
                        kinds.append("\(job) \(fraction) \(text ?? "")")
                    case .runEnded(let run):
                        kinds.append("\(run.jobID) \(run.state)")
                        try await first.delete(run.jobID)
                    case .deleted(let job): kinds.append("deleted \(job)")
                    default: break
                    }
                    if kinds.last == "deleted a" { break }
                }
                #expect(
                    Set(kinds) == ["submitted a", "started a", "a hello", "a 0.5 half", "a succeeded", "deleted a"])
            }
        }

        @Test("a node sends events only while another node asks for them, and reads them only while it has subscribers")
        func unwantedEvents() async throws {
            try await withDatabase { configuration in
                // Without a second beat, a request is sent only by `requestEvents(in:)`.
                var timing = MembershipMachine.Timing.patient
                timing.beat = .seconds(3_600)
                func store() -> PostgresStore {
                    PostgresStore(
                        configuration, engine: .shared, logger: Logger(label: "apus.postgres"), migrations: .shipped,
                        timing: timing)
                }
                let (first, second) = (store(), store())
                let one = try await first.open(as: NodeID(rawValue: "one"))
                // The second node is a client, which needs no shards. Without a scheduler, the first node could not
                // release any.
                let two = try await second.open(as: NodeID(rawValue: "two"), running: RunnableJobs(kinds: []))
                #expect(!first.isPublishing(in: one))
                #expect(!second.isPublishing(in: two))
                let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
                let hasSubscribers = Locked(true)
                var events = second.events(in: two) {
                    let hasAny = hasSubscribers.withLock { $0 }
                    answer.yield(hasAny)
                    return hasAny
                }.makeAsyncIterator()
                first.publish(.deleted(jobID: "unsent"), in: one)
                second.requestEvents(in: two)
                guard case .dropped(events: 1, outputBytes: 0) = await events.next() else {
                    Issue.record("the second node does not learn that an event was not sent")
                    return
                }
                #expect(first.isPublishing(in: one))
                #expect(!second.isPublishing(in: two))
                hasSubscribers.withLock { $0 = false }
                first.publish(.deleted(jobID: "unread"), in: one)
                for await hasAny in answers where !hasAny { break }
                hasSubscribers.withLock { $0 = true }
                first.publish(.deleted(jobID: "read"), in: one)
                guard case .deleted("read") = await events.next() else {
                    Issue.record("the second node reads another event than the one that it wants")
                    return
                }
                try await second.close(two)
                try await first.close(one)
            }
        }

        @Test("a scheduler follows the database's clock, however wrong its machine's clock is")
        func wrongClock() async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let engine = TimerEngine(time: ShiftedTime(shift: .seconds(3_600)), wakeup: SystemWakeup())
                let scheduler = JobScheduler(
                    store: PostgresStore(patient: database.configuration, engine: engine), engine: engine)
                let ran = Locked<[RunContext]>([])
                scheduler.register("k") { run in ran.withLock { $0.append(run) } }
                try await scheduler.start()
                let job = try await scheduler.submit(
                    JobRequest(id: "a", kind: "k", trigger: .after(.milliseconds(300))))
                let due = job.nextDue!
                try await database.wait("it has run") { connection in
                    try await connection.value("SELECT count(*) = 1 FROM apus.run", as: Bool.self)
                }
                let drift = SystemTime().wall().duration(to: due)
                #expect(drift < .seconds(60) && drift > .seconds(-60))
                #expect(ran.withLock { $0.first!.started >= due })
                await scheduler.stop(grace: .zero)
            }
        }

        @Test("the database refuses a claim before its due instant, and waits for one that is slightly early")
        func neverEarly() async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let store = PostgresStore(patient: database.configuration)
                try await store.close(try await store.open(as: NodeID(rawValue: "n")))
                try await database.run(
                    """
                    DO $$ BEGIN
                        PERFORM apus.await(apus.now() + 30000000);
                    END $$
                    """)
                let due = try await database.value("SELECT apus.now() + 20000000", as: Int64.self)
                #expect(
                    try await database.value("SELECT apus.now() >= \(due) FROM apus.await(\(due))", as: Bool.self))
                let error = await #expect(throws: PostgresError.self) {
                    try await database.run("SELECT apus.await(apus.now() + 5000000000)")
                }
                #expect(error?.server?.sqlState == "AP425")
                await store.disconnect()
            }
        }
    }
#endif
