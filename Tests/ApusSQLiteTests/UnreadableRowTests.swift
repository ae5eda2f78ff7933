#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import GRDB
    import Testing

    @Suite("Rows of a file that this program cannot read")
    struct UnreadableRowTests {
        struct Damage: Sendable, CustomTestStringConvertible {
            var name: String
            /// The statements with which another program changes the job with the key 1.
            var sql: String
            /// The problem that the check reports.
            var problem: String
            var isOfRun = false

            var testDescription: String { name }
        }

        static let damages = [
            Damage(
                name: "a trigger of a newer version", sql: "UPDATE apus_request SET trigger = 'tides' WHERE job = 1",
                problem: "trigger"),
            Damage(
                name: "a schedule that is none",
                sql: "UPDATE apus_request SET trigger = 'calendar', trigger_calendar = '{\"rule\": 7}' WHERE job = 1",
                problem: "trigger"),
            Damage(
                name: "labels that are no texts", sql: "UPDATE apus_request SET labels = '{\"a\": 1}' WHERE job = 1",
                problem: "labels"),
            Damage(
                name: "JSON that does not parse", sql: "UPDATE apus_request SET labels = '{\"a\": \"' WHERE job = 1",
                problem: "labels"),
            Damage(
                name: "metadata that are a list", sql: "UPDATE apus_request SET metadata = '[1]' WHERE job = 1",
                problem: "metadata"),
            Damage(
                name: "an unknown policy", sql: "UPDATE apus_request SET overlap = 'dance' WHERE job = 1",
                problem: "overlap"
            ),
            Damage(
                name: "an interval that is out of range",
                sql: "UPDATE apus_request SET trigger = 'every', trigger_ns = -5 WHERE job = 1", problem: "trigger"),
            Damage(
                name: "a condition of a newer version", sql: "UPDATE apus_request SET conditions = 64 WHERE job = 1",
                problem: "conditions"),
            Damage(
                name: "a priority of a newer version",
                sql: "UPDATE apus_job SET priority = 9, lane = '9 0 default bad' WHERE key = 1", problem: "priority"),
            Damage(
                name: "an unknown state", sql: "UPDATE apus_job SET state = 'dreaming' WHERE key = 1", problem: "state"),
            Damage(
                name: "an open run with a number that is out of range",
                sql: "UPDATE apus_run SET lost_before = 9223372036854775807 WHERE job = 1", problem: "run",
                isOfRun: true),
            Damage(name: "no request", sql: "DELETE FROM apus_request WHERE job = 1", problem: "request"),
        ]

        private func change(_ path: String, _ sql: String) throws {
            let queue = try foreignConnection(path)
            try queue.inDatabase { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; \(sql)")
            }
            try queue.close()
        }

        /// Creates a file with the jobs `bad`, which has an open run, and `good`; their keys are 1 and 2.
        private func file(_ directory: Directory) async throws -> String {
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            for id in ["bad", "good"] {
                let job = sampleJob(id)
                let run = Run(
                    jobKey: 0, jobID: job.id, occurrence: 1, attempt: 1, due: job.firstDue, state: .running,
                    claimed: job.firstDue)
                try await store.add(job, session, runs: [run])
            }
            try await store.close(session)
            return store.path
        }

        private let last = WallInstant(nanoseconds: .max)

        private func readsGood(_ store: SQLiteStore, _ session: StoreSession, _ damage: Damage) async throws {
            let due = try await store.due(through: last, limit: 9, in: session)
            #expect(due.jobs.map(\.job.id) == ["good"])
            #expect(due.unreadable.map(\.id) == ["bad"])
            #expect(due.unreadable.first?.problem.contains(damage.problem) == true, "\(due.unreadable)")
            // The jobs are read one after another, as a scheduler does.
            var (key, found) = (Int64(0), [JobID]())
            while let next = try await store.interrupted(after: key, limit: 1, in: session).first {
                if case .job(let loaded) = next { found.append(loaded.job.id) }
                key = next.key
            }
            #expect(found == ["good"])
            #expect(try await store.find([.id("good")])[0].map { [$0].readable.count } == 1)
            let bad = try await store.find([.key(1)])[0]
            guard case .unreadable(let job) = bad else {
                Issue.record("\(String(describing: bad))")
                return
            }
            #expect(job.id == "bad")
            try await expectError(.damaged) { _ = try await store.job("bad") }
            // The list does not read open runs.
            #expect(try await store.jobs(JobQuery()).jobs.map(\.id) == (damage.isOfRun ? ["bad", "good"] : ["good"]))
            #expect(try await store.soonest(limit: 9).map(\.id) == ["good"])
            #expect(try await store.runs(RunQuery()).runs.contains { $0.jobID == "good" })
            #expect(try await store.jobs(JobQuery(labels: ["a": "1"])).jobs.isEmpty)
        }

        @Test("a parked job that was then ended by hand stays ended")
        func endedByHand() async throws {
            let directory = try Directory()
            let path = try await file(directory)
            try change(path, "UPDATE apus_request SET labels = 'none' WHERE job = 1")
            let store = SQLiteStore(path: path)
            let session = try await store.open()
            let unreadable = try await store.due(through: last, limit: 9, in: session).unreadable
            #expect(unreadable.map(\.id) == ["bad"])
            _ = try await store.commit(StoreTurn(parts: [], clock: sampleClock(), setAside: unreadable), in: session)
            try await store.close(session)
            try change(
                path,
                """
                UPDATE apus_request SET labels = '{}' WHERE job = 1;
                UPDATE apus_job SET state = 'cancelled', next_due = NULL WHERE key = 1;
                """)
            let again = SQLiteStore(path: path)
            let next = try await again.open()
            #expect(try await again.setAside(after: 0, limit: 9).isEmpty)
            let job = try #require(try await again.job("bad")?.job)
            #expect(job.state == .cancelled && job.nextWake == nil)
            try await again.close(next)
        }

        @Test(
            "an unreadable row stops only its own job at each opening, and the check names it", arguments: damages)
        func othersAreRead(_ damage: Damage) async throws {
            let directory = try Directory()
            let path = try await file(directory)
            #expect(try await SQLiteInspection(path: path).check().isEmpty)
            try change(path, damage.sql)
            let findings = try await SQLiteInspection(path: path).check()
            let isNamed = findings.contains {
                $0.rule == "every job and every run can be read" && "\($0.examples)".contains("bad")
            }
            let hasNoRequest =
                damage.name == "no request" && findings.contains { $0.rule.hasPrefix("jobs have requests") }
            #expect(isNamed || hasNoRequest, "\(findings)")
            for _ in 1...2 {
                let store = SQLiteStore(path: path)
                let session = try await store.open()
                try await readsGood(store, session, damage)
                let unreadable = try await store.due(through: last, limit: 9, in: session).unreadable
                _ = try await store.commit(
                    StoreTurn(parts: [], clock: sampleClock(), setAside: unreadable), in: session)
                #expect(try await store.due(through: last, limit: 9, in: session).unreadable.isEmpty)
                #expect(try await store.setAside(after: 0, limit: 9) == unreadable)
                let status = try await SQLiteInspection(path: path).status()
                #expect(status.setAsideCount == 1 && status.setAside == unreadable)
                try await store.close(session)
            }
        }

        @Test("a repaired row is read by the next owner and is due as before")
        func mended() async throws {
            let directory = try Directory()
            let path = try await file(directory)
            try change(path, "UPDATE apus_request SET overlap = 'dance' WHERE job = 1")
            let store = SQLiteStore(path: path)
            let session = try await store.open()
            let unreadable = try await store.due(through: last, limit: 9, in: session).unreadable
            _ = try await store.commit(
                StoreTurn(parts: [], clock: sampleClock(), setAside: unreadable), in: session)
            try await store.close(session)
            try change(path, "UPDATE apus_request SET overlap = 'skip' WHERE job = 1")
            let next = try await store.open()
            let due = try await store.due(through: last, limit: 9, in: next)
            #expect(due.jobs.map(\.job.id) == ["bad", "good"] && due.jobs.allSatisfy { $0.open.count == 1 })
            #expect(due.jobs.first?.job.nextWake == sampleJob("bad").nextWake)
            #expect(try await SQLiteInspection(path: path).check().isEmpty)
            try await store.close(next)
        }

        @Test("copying refuses unreadable rows, and gives a readable parked job its wakes")
        func copy() async throws {
            let directory = try Directory()
            let path = try await file(directory)
            let store = SQLiteStore(path: path)
            let session = try await store.open()
            let job = UnreadableJob(key: 1, id: "bad", problem: "an older version could not read it")
            _ = try await store.commit(StoreTurn(parts: [], clock: sampleClock(), setAside: [job]), in: session)
            try await store.close(session)
            let target = directory.file("copy.db")
            let copy = StoreCopy(from: CopyableSQLiteStore(path: path), to: CopyableSQLiteStore(path: target))
            _ = try await copy.run { _ in }
            let copied = SQLiteStore(path: target)
            let opened = try await copied.open()
            #expect(try await copied.job("bad")?.job.nextWake == sampleJob("bad").nextWake)
            try await copied.close(opened)
            try change(path, "UPDATE apus_request SET overlap = 'dance' WHERE job = 1")
            let again = StoreCopy(
                from: CopyableSQLiteStore(path: path), to: CopyableSQLiteStore(path: directory.file("again.db")))
            let error = try await expectError(.damaged) { _ = try await again.run { _ in } }
            #expect(error.message.contains("bad"))
        }

        @Test("a copy contains refused submissions")
        func refusals() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            try foreignConnection(store.path).inDatabase { db in
                _ = try store.submit(JobRequest(id: "a", trigger: .after(.zero)), in: db)
            }
            let refusal = SubmissionRefusal(
                refused: WallInstant(secondsSince1970: 1_767_225_600), code: "invalid", message: "it is")
            let submission = try await store.submissions(limit: 1, in: session)[0]
            _ = try await store.commit(
                StoreTurn(
                    parts: [[]], clock: sampleClock(),
                    taken: [TakenSubmission(submission.sequence, part: 0, refusal: refusal)]), in: session)
            let before = try await store.refusals(limit: 9, cursor: nil)
            #expect(before.refusals.map(\.id) == ["a"])
            try await store.close(session)
            let target = directory.file("copy.db")
            let copy = StoreCopy(from: CopyableSQLiteStore(path: store.path), to: CopyableSQLiteStore(path: target))
            #expect(try await copy.run { _ in }.last?.target.rows == 1)
            let copied = SQLiteStore(path: target)
            let opened = try await copied.open()
            #expect(try await copied.refusals(limit: 9, cursor: nil) == before)
            try await copied.close(opened)
        }
    }
#endif
