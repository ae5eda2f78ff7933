#if SQLite
    import ApusJobs
    import ApusTimers
    import ApusVirtualTime
    import GRDB
    import Testing

    @testable import ApusSQLite

    @Suite("The inspection of a file")
    struct InspectionTests {
        private let directory: Directory
        private let path: String

        init() async throws {
            directory = try Directory()
            path = directory.file()
            let store = SQLiteStore(path: path)
            let session = try await store.open()
            for number in 1...4 {
                var job = sampleJob("job-\(number)")
                job.openRunCount = 1
                let run = Run(jobKey: 0, jobID: job.id, occurrence: 1, attempt: 1, due: job.firstDue, state: .waiting)
                try await store.add(job, session, runs: [run])
            }
            var ended = sampleJob("ended", payload: [7])
            (ended.state, ended.bookkeeping.wake, ended.nextDue) = (.finished, nil, nil)
            ended.keptUntil = ended.updated
            ended.request.uniqueness = .payload()
            let range = Run(
                jobKey: 0, jobID: ended.id, occurrence: 1, through: 3, attempt: 0, due: ended.firstDue, standsFor: 3,
                state: .skipped, isFinal: true, reason: "missed", finished: ended.firstDue)
            let later = Run(
                jobKey: 0, jobID: ended.id, occurrence: 4, attempt: 1, due: ended.firstDue, state: .failed,
                isFinal: true,
                finished: ended.firstDue)
            try await store.add(ended, session, runs: [range, later])
            try await store.close(session)
        }

        /// The statements that break each of the rules.
        private static let damages: [(rule: String, sql: String)] = [
            ("a job counts", "UPDATE apus_job SET open_runs = 2 WHERE id = 'job-1'"),
            ("a job has the lane", "UPDATE apus_job SET queue = 'other' WHERE id = 'job-3'"),
            (
                "an identifier belongs",
                "DROP INDEX apus_job_id_unique; UPDATE apus_job SET id = 'job-1' WHERE id = 'job-2'"
            ),
            (
                "kind and content belong",
                """
                DROP INDEX apus_request_unique; UPDATE apus_request SET unique_payload = 1, kind = 'k' WHERE job IN (1, 2)
                """
            ),
            ("what is unique", "UPDATE apus_request SET unique_payload = 1 WHERE kind = 'ended'"),
            ("a job that has ended", "UPDATE apus_job SET kept_until = NULL WHERE id = 'ended'"),
            ("an occurrence has one outcome", "UPDATE apus_run SET through = 9 WHERE through = 3"),
            (
                "an occurrence that has an outcome",
                """
                INSERT INTO apus_run (job, occurrence, attempt, through, lost_before, due, stands_for, state, final, output)
                VALUES (1, 1, 2, 1, 0, 0, 1, 'failed', 1, x'')
                """
            ),
            ("jobs have requests", "PRAGMA foreign_keys = OFF; DELETE FROM apus_request WHERE job = 2"),
        ]

        @Test("an undamaged file passes the check, also while it is in use")
        func allIsWell() async throws {
            let store = SQLiteStore(path: path)
            let session = try await store.open()
            #expect(try await SQLiteInspection(path: path).check().isEmpty)
            try await store.close(session)
        }

        @Test("the check finds a violation of each rule")
        func damages() async throws {
            #expect(Self.damages.count == SQLiteInspection.rules.count)
            for (rule, sql) in Self.damages {
                let copy = directory.file("\(uniqueNumber.next()).db")
                try DatabaseQueue(path: path).backup(to: DatabaseQueue(path: copy))
                let queue = try DatabaseQueue(path: copy)
                try await queue.writeWithoutTransaction { try $0.execute(sql: sql) }
                try queue.close()
                let found = try await SQLiteInspection(path: copy).check()
                #expect(found.map(\.rule).contains { $0.hasPrefix(rule) }, "\(rule): \(found)")
            }
        }

        private let uniqueNumber = Counter()

        @Test("the status counts jobs and runs, and names the owner of a file in use")
        func status() async throws {
            let idle = try await SQLiteInspection(path: path).status()
            #expect(idle.jobs == [.scheduled: 4, .finished: 1])
            #expect((idle.waitingRuns, idle.claimedRuns, idle.endedRuns) == (4, 0, 2))
            #expect(idle.earliestWake == sampleJob("x").bookkeeping.wake)
            #expect(idle.nodes.isEmpty && idle.bytes > 4_096)
            let store = SQLiteStore(path: path, configuration: .init(ownerName: "daemon seven"))
            let session = try await store.open()
            let used = try await SQLiteInspection(path: path).status()
            #expect(used.nodes.first?.name.contains("daemon seven") == true)
            try await store.close(session)
        }

        @Test("inspecting a missing file does not create it")
        func missing() async throws {
            let error = await #expect(throws: JobError.self) {
                _ = try await SQLiteInspection(path: directory.file("none.db")).status()
            }
            #expect(error?.code == .notFound)
        }
    }
#endif
