#if Postgres
    package import ApusJobs
    import ApusTimers

    extension PostgresTransfer: MoveTarget {
        package func beginMove() async throws -> any StoreMoveImport { try await beginImport() }

        package func has(_ move: StoreMove) async throws -> Bool {
            do {
                let connection = try await connect()
                do {
                    // With the lock, the session of an earlier attempt has ended, and with it its last transaction.
                    try await PostgresImport.takeLock(on: connection, engine)
                    let isThere = try await connection.query("SELECT to_regclass('apus.moved') IS NOT NULL")[0]
                        .decode(Bool.self, at: 0)
                    let found =
                        isThere
                        ? try await connection.query("SELECT 1 FROM apus.moved WHERE id = $1", [.text(move.id)]) : nil
                    await connection.close()
                    return found?.isEmpty == false
                } catch {
                    await connection.close()
                    throw error
                }
            } catch {
                throw Self.jobError(error)
            }
        }
    }

    extension PostgresPages {
        func versions(after key: Int64, limit: Int) async throws -> [JobVersion] {
            try await read([
                PostgresStatement(
                    "SELECT key, version FROM apus.job WHERE key > $1 ORDER BY key LIMIT $2",
                    [.int64(key), .int64(Int64(limit))])
            ])[0].map { JobVersion(key: try $0.decode(at: 0), version: try $0.decode(at: 1)) }
        }

        func jobs(_ keys: [Int64]) async throws -> [StoredJob] {
            try await jobs(where: "j.key = ANY ($1) ORDER BY j.key", [.array(keys)])
        }

        func runs(of keys: [Int64], after position: RunPosition, limit: Int) async throws -> [StoredRun] {
            try await runs(
                where: "job = ANY ($1) AND job >= $2 AND (job, sequence) > ($2, $3)", by: "job", "sequence",
                limit: "$4",
                [.array(keys), .int64(position.job), .int64(position.sequence), .int64(Int64(limit))])
        }
    }

    extension PostgresImport: StoreMoveImport {
        func removeJobs(_ keys: [Int64]) async throws {
            // By the primary keys of each.
            let statements = [
                "DELETE FROM apus.open_run WHERE job = ANY ($1)",
                "DELETE FROM apus.request WHERE job = ANY ($1)",
                """
                DELETE FROM apus.wake AS w USING apus.job AS j
                WHERE j.key = ANY ($1) AND NOT w.elapsed AND w.instant = j.wake AND w.key = j.key
                """,
                """
                DELETE FROM apus.wake AS w USING apus.job AS j
                WHERE j.key = ANY ($1) AND w.elapsed AND w.instant = j.elapsed_wake AND w.key = j.key
                """,
                """
                UPDATE apus.ended AS e SET keys = array(SELECT k FROM unnest(e.keys) AS k WHERE NOT k = ANY ($1))
                FROM (SELECT DISTINCT updated FROM apus.job WHERE key = ANY ($1)) AS j
                WHERE e.updated = j.updated AND e.keys && $1
                """,
                """
                DELETE FROM apus.ended AS e USING apus.job AS j
                WHERE j.key = ANY ($1) AND e.updated = j.updated AND e.keys = '{}'
                """,
                "DELETE FROM apus.job WHERE key = ANY ($1)",
            ]
            _ = try await execute(PostgresBatch(statements.map { PostgresStatement($0, [.array(keys)]) }))
        }

        func removeRuns(of keys: [Int64]) async throws {
            _ = try await execute(
                PostgresBatch([PostgresStatement("DELETE FROM apus.run WHERE job = ANY ($1)", [.array(keys)])]))
        }

        func removeRuns(_ runs: [StoredRun]) async throws {
            _ = try await execute(
                PostgresBatch([
                    PostgresStatement(
                        "DELETE FROM apus.run WHERE sequence = ANY ($1)", [.array(runs.map(\.sequence))])
                ]))
        }

        func removeSubmissions() async throws {
            _ = try await execute(PostgresBatch([PostgresStatement("DELETE FROM apus.submission")]))
        }
    }
#endif
