#if Postgres && SQLite
    import ApusJobs
    @testable import ApusPostgres
    import ApusSQLite
    import ApusVirtualTime
    import ApusTimers
    import Foundation
    import GRDB
    import Testing

    /// Moves of a file's jobs while they change.
    extension CopyTests {
        /// A file that changes before each state of it that is read after the first.
        private final class ChangingFile: MoveSource {
            let file: SQLiteMoveSource
            let change: @Sendable () async throws -> Void
            private let reads = Locked(0)

            init(_ file: SQLiteMoveSource, _ change: @escaping @Sendable () async throws -> Void) {
                self.file = file
                self.change = change
            }

            func mark() async throws -> StoreMoveMark? { try await file.mark() }
            func beginSnapshot() async throws -> any StoreRows {
                let isFirst = reads.withLock { reads in
                    reads += 1
                    return reads == 1
                }
                if !isFirst { try await change() }
                return try await file.beginSnapshot()
            }
            func beginHandOver() async throws -> any StoreHandOver { try await file.beginHandOver() }
        }

        /// Changes some jobs and some of their runs in place, ends some, removes history, adds some and removes some.
        private func change(
            _ store: SQLiteStore, _ session: StoreSession, _ random: RandomStore, _ round: Int
        ) async throws {
            let page = try await store.jobs(JobQuery(limit: 1_000))
            var parts: [[JobChange]] = []
            for (index, old) in page.jobs.enumerated() where (index + round) % 3 == 0 {
                var job = old
                job.missed += 1
                var change = JobChange(expected: .version(job.version), job: job, keptRuns: index % 2 == 0 ? 2 : nil)
                let runs = try await store.runs(RunQuery(job: job.id, limit: 100)).runs.filter { $0.jobKey == job.key }
                if var run = runs.first(where: { !$0.state.isOpen }) {
                    run.reason = "changed in round \(round)"
                    change.runs.append(run)
                }
                // What was open is over, in the row that it had.
                if var open = runs.first(where: { $0.state == .claimed }) {
                    (open.state, open.isFinal, open.finished) = (.failed, false, RandomStore.now)
                    change.runs.append(open)
                    change.job.openRuns -= 1
                }
                parts.append([change])
            }
            let added = random.changes(20).map { change in
                var change = change
                change.job.request.id = JobID("\(change.job.request.id)-\(change.job.state.isFinal ? 0 : round)")
                change.job.request.idempotencyKey = nil
                change.job.request.payload.append(UInt8(round))
                for index in change.runs.indices { change.runs[index].job = change.job.request.id }
                return [change]
            }
            let results = try await store.commit(StoreTurn(parts: parts + added, clock: RandomStore.clock), in: session)
            #expect(results.count { (try? $0.get()) != nil } > parts.count)
            _ = try await store.retire(endedBefore: RandomStore.now, budget: 3, in: session)
        }

        @Test("what changes during a move is in the target too, row by row", arguments: [1, 2, 3] as [UInt64])
        func live(seed: UInt64) async throws {
            try await withFolder { folder in
                try await withDatabase { database in
                    let (path, random) = ("\(folder)/a.db", RandomStore(seed: seed + 100))
                    let rounds = Locked(0)
                    try await fill(path, seed: seed, jobs: 200)
                    let store = SQLiteStore(path: path)
                    let session = try await store.open(as: NodeID(rawValue: "live"))
                    let file = ChangingFile(SQLiteMoveSource(path: path)) {
                        let round = rounds.withLock { rounds in
                            rounds += 1
                            return rounds
                        }
                        try await change(store, session, random, round)
                    }
                    let last = Locked<Contents?>(nil)
                    let move = StoreMove(id: "m", source: path, target: "there")
                    let outcome = try await StoreMover(from: file, to: PostgresTransfer(database), move).run {
                        try await file.change()
                        try await store.close(session)
                        let contents = try await contents(SQLiteTransfer(path: path))
                        last.withLock { $0 = contents }
                    } report: { _ in
                    }
                    guard case .moved(let report) = outcome else { throw JobError(.invalid, "\(outcome)") }
                    #expect(report.changes.jobs > 50 && report.changes.runs > 50 && rounds.withLock { $0 } > 1)
                    var (source, target) = (
                        try #require(last.withLock { $0 }), try await contents(PostgresTransfer(database))
                    )
                    for index in target.submissions.indices { target.submissions[index].shard = nil }
                    source.replaceNulls()
                    target.replaceNulls()
                    #expect(source == target)
                    #expect(try await PostgresInspection(database).check().isEmpty)
                    // The file cannot be opened, and a later move finds that this one counts.
                    let opened = await error { _ = try await store.open(as: NodeID(rawValue: "again")) }
                    #expect(opened?.message.contains("were moved to there") == true)
                    let again = try await StoreMover(
                        from: SQLiteMoveSource(path: path), to: PostgresTransfer(database), move
                    ).run {
                    } report: { _ in
                    }
                    guard case .hadBeenMoved = again else { throw JobError(.invalid, "\(again)") }
                    try await withDatabase { other in
                        let elsewhere = await error {
                            _ = try await StoreMover(
                                from: SQLiteMoveSource(path: path), to: PostgresTransfer(other), move
                            ).run {
                            } report: { _ in
                            }
                        }
                        #expect(elsewhere?.code == .alreadyExists)
                    }
                }
            }
        }

        @Test("an application's transaction in a file whose jobs were moved is refused")
        func submissionAfterMove() async throws {
            try await withFolder { folder in
                try await withDatabase { database in
                    let path = "\(folder)/a.db"
                    try await fill(path, seed: 5)
                    let move = StoreMove(id: "m", source: path, target: "o'clock")
                    _ = try await StoreMover(
                        from: SQLiteMoveSource(path: path), to: PostgresTransfer(database), move
                    ).run {
                    } report: { _ in
                    }
                    #expect(throws: (any Error).self) {
                        try DatabaseQueue(path: path).write { db in
                            try db.execute(sql: "INSERT INTO submission (submitted, request) VALUES (1, '{}')")
                        }
                    }
                }
            }
        }
    }
#endif
