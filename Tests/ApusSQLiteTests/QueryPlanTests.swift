#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import Testing

    @Suite("The query plans of the store")
    struct QueryPlanTests {
        /// The statements that read a table from one end until their limit is reached.
        ///
        /// They are lists without a filter, or with a filter for which there is no index.
        private static let lists = [
            "ORDER BY job.key LIMIT ?", "ORDER BY job.key DESC LIMIT ?", "ORDER BY run.sequence DESC LIMIT ?",
        ]

        /// The statements that may sort, because they sort only the claimed runs of a job, the runs of an occurrence,
        /// or the keys of a prefix.
        private static let sorted = [
            "INDEXED BY apus_run_open", "run.occurrence <= ? AND run.through >= ?",
            "UNION SELECT job FROM apus_request",
        ]

        @Test("no statement of a scheduler scans or sorts a table, except lists without a selective filter")
        func plans() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            try await useEverything(store, session)
            let plans = try await store.queryPlans()
            #expect(plans.keys.contains { $0.contains("UPDATE apus_job AS job SET wake = (SELECT") })
            func using(_ part: String) -> [String] { plans.filter { $0.key.contains(part) }.flatMap(\.value) }
            #expect(plans.count > 25)
            for (sql, plan) in plans {
                for step in plan {
                    let readsTable =
                        ["job", "request", "run"].contains {
                            step.hasPrefix("SCAN \($0)") || step.hasPrefix("SCAN apus_\($0)")
                        }
                        || step.contains("AUTOMATIC")
                    if readsTable { #expect(Self.lists.contains { sql.contains($0) }, "\(step) in \(sql)") }
                    let sorts = step.contains("TEMP B-TREE")
                    if sorts { #expect(Self.sorted.contains { sql.contains($0) }, "\(step) in \(sql)") }
                }
            }
            #expect(using("DELETE FROM apus_job AS job WHERE key IN").contains { $0.contains("job_ended ") })
            #expect(using("SELECT 1 FROM apus_job AS job WHERE").contains { $0.contains("job_ended ") })
            #expect(using("DELETE FROM apus_run").allSatisfy { !$0.contains("run_identity") })
            #expect(using("SELECT key, wake").contains { $0.contains("job_wake ") })
            #expect(using("SELECT key, elapsed_wake").contains { $0.contains("job_elapsed_wake ") })
            #expect(using("trigger_anchor IS NOT NULL").contains { $0.contains("request_anchored ") })
            #expect(using("trigger_calendar IS NOT NULL AND job > 0").contains { $0.contains("request_calendar ") })
            #expect(using("ORDER BY request.job").filter { $0.contains("request_calendar ") }.count == 2)
            #expect(using("request.idempotency_key = ?").contains { $0.contains("request_idempotency_key ") })
            #expect(using("unique_payload = 1").allSatisfy { $0.contains("request_unique ") })
            #expect(using("unique_payload > 0").contains { $0.contains("request_content ") })
            for index in ["job_id_unique ", "job_id_others "] {
                #expect(using("id >= ? AND id < ?").contains { $0.contains(index) })
                #expect(using("SELECT key FROM apus_job AS job WHERE id = ?").contains { $0.contains(index) })
            }
            try await store.openAndClose()
        }

        private func useEverything(_ store: SQLiteStore, _ session: StoreSession) async throws {
            let last = WallInstant(nanoseconds: .max)
            var ended = sampleJob("ended")
            (ended.state, ended.nextDue, ended.bookkeeping.wake) = (.finished, nil, nil)
            ended.keptUntil = ended.updated
            try await store.add(ended, session)
            try await store.add(sampleJob("waits"), session)
            var job = try await store.add(relativeJob("a"), session)
            job.nextOccurrence = 2
            job.openRunCount = 1
            let run = Run(
                jobKey: job.key, jobID: job.id, occurrence: 1, attempt: 1, due: job.firstDue, state: .running,
                claimed: last)
            job = try await store.change(job, session, runs: [run], keptRuns: 3)
            let whole = JobChange(expected: .version(job.version), job: job, isRequestChanged: true)
            _ = try await store.commit([[whole], [adding(sampleJob("b")), adding(sampleJob("b"))]], session)
            _ = try await store.due(through: last, limit: 10, in: session)
            _ = try await store.interrupted(after: 0, limit: 10, in: session)
            _ = try await store.anchored(after: 0, limit: 10, in: session)
            _ = try await store.load([
                .id(job.id), .id(JobID("none")), .key(1), .idempotencyKey("key"),
                .unique(kind: "a", .payload([1]), submittedAfter: last),
            ])
            for query in [
                JobQuery(), JobQuery(idPrefixOrName: "a"), JobQuery(states: [.scheduled, .suspended]),
                JobQuery(states: [.finished]), JobQuery(kind: "a", labels: ["x": "1"]), JobQuery(idempotencyKey: "key"),
                JobQuery(limit: 1, cursor: "j1"), JobQuery(lastEnded: [.failed, .lost]), JobQuery(newestFirst: true),
                JobQuery(newestFirst: true, cursor: "j1"), JobQuery(states: [.scheduled], calendarsOnly: true),
                JobQuery(states: [.scheduled], calendarsOnly: true, cursor: "j1"),
            ] { _ = try await store.jobs(query) }
            for query in [
                RunQuery(), RunQuery(jobID: job.id), RunQuery(jobID: job.id, occurrence: 1),
                RunQuery(jobID: job.id, states: [.failed], begunOnly: true), RunQuery(limit: 1, cursor: "r9"),
                RunQuery(since: last), RunQuery(kind: "a", queues: ["q"], fairnessKeys: ["k"], labels: ["x": "1"]),
                RunQuery(jobID: job.id, queues: ["q"]),
            ] { _ = try await store.runs(query) }
            let unreadable = UnreadableJob(key: job.key, id: job.id, problem: "it is damaged")
            let refusal = SubmissionRefusal(refused: last, code: "invalid", message: "it is")
            _ = try await store.commit(
                StoreTurn(
                    parts: [[]], clock: sampleClock(), taken: [TakenSubmission(1, part: 0, refusal: refusal)],
                    setAside: [unreadable]), in: session)
            _ = try await store.setAside(after: 0, limit: 10)
            _ = try await store.refusals(limit: 10, cursor: nil)
            let next = try await store.open()
            _ = try await store.retire(
                keptUntil: last, refusedBefore: last, budget: 10, in: next)
        }
    }
#endif
