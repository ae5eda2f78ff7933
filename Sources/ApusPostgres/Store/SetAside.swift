#if Postgres
    import ApusJobs
    import ApusTimers

    extension StoreSchema {
        /// The tables of jobs that are set aside and of refused submissions.
        ///
        /// A job that the owner of its shard could not read is recorded with its wakes and the owner's epoch. The next
        /// owner makes the job due again, and tries to read it. A record is valid only while the job has the recorded
        /// version; otherwise the job was read and changed since.
        ///
        /// The commands of refused submissions are stored as JSON.
        static let version4SetAside: [String] = [
            """
            CREATE TABLE apus.set_aside (
                job bigint PRIMARY KEY,
                version bigint NOT NULL,
                shard integer NOT NULL,
                epoch bigint NOT NULL,
                problem text NOT NULL,
                wake bigint,
                elapsed_wake bigint)
            """,
            "CREATE INDEX set_aside_shard ON apus.set_aside (shard, epoch)",
            """
            CREATE TABLE apus.refusal (
                sequence bigint PRIMARY KEY,
                shard integer NOT NULL,
                submitted bigint NOT NULL,
                refused bigint NOT NULL,
                code text NOT NULL,
                message text NOT NULL,
                command text NOT NULL)
            """,
            "CREATE INDEX refusal_refused ON apus.refusal (refused)",
            // The users with privileges for jobs get the same privileges for these tables.
            """
            DO $body$
            DECLARE given record;
            BEGIN
                FOR given IN
                    SELECT a.privilege_type AS privilege, CASE WHEN a.grantee = 0 THEN 'PUBLIC'
                        ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
                    FROM pg_class AS c, aclexplode(c.relacl) AS a
                    WHERE c.oid = 'apus.job'::regclass AND a.grantee <> c.relowner
                LOOP
                    EXECUTE format('GRANT %s ON apus.set_aside, apus.refusal TO %s', given.privilege, given.grantee);
                END LOOP;
            END
            $body$
            """,
            // The function returns null for invalid JSON, so that a damaged text does not fail a statement that reads
            // other rows too.
            """
            CREATE FUNCTION apus.json(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $body$
            BEGIN
                RETURN value::jsonb;
            EXCEPTION WHEN data_exception THEN
                RETURN NULL;
            END
            $body$
            """,
        ]
    }

    /// Sets aside jobs that cannot be read.
    enum SetAside {
        /// The condition that the job `j` is not set aside; it searches an index for each row, whatever the planner
        /// estimates.
        static let isNone = """
            (SELECT s.version FROM apus.set_aside AS s WHERE s.job = j.key) IS DISTINCT FROM j.version
            """

        /// Returns the query for the wakes of the jobs; it searches every lane.
        ///
        /// The stored lane of a job that cannot be read may differ from the lane of its request.
        private static func wakes(_ column: String, isElapsed: Bool, in lanes: String) -> String {
            """
            SELECT o.place FROM input AS i CROSS JOIN \(lanes) AS l CROSS JOIN LATERAL (
                SELECT t.ctid AS place FROM apus.wake AS t
                WHERE t.elapsed = \(isElapsed) AND t.lane = l.lane AND t.instant = i.\(column) AND t.key = i.key
                OFFSET 0) AS o
            WHERE i.\(column) IS NOT NULL AND l.lane IS NOT NULL
            """
        }

        /// Returns the expression for the wake to record.
        ///
        /// Setting a job aside removes the wakes from its row. If the job is set aside again before its row has
        /// changed, the wakes that were recorded the first time are kept.
        private static func keptUnlessChanged(_ column: String) -> String {
            "CASE WHEN s.version = excluded.version THEN coalesce(excluded.\(column), s.\(column)) ELSE excluded.\(column) END"
        }

        /// Sets jobs aside, and removes their wakes; parameters: keys, shards, epochs, problems.
        private static let note = """
            WITH RECURSIVE \(StoreQueries.lanes("wall", isElapsed: false)),
            \(StoreQueries.lanes("elapsed", isElapsed: true)),
            input AS MATERIALIZED (
                SELECT i.*, j.* FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::text[])
                    AS i (key, shard, epoch, problem), LATERAL (
                    SELECT t.ctid AS place, t.version, t.wake, t.elapsed_wake FROM apus.job AS t
                    WHERE t.key = i.key AND t.shard = i.shard OFFSET 0) AS j
            ), asleep AS (
                DELETE FROM apus.wake AS w USING (
                    \(wakes("wake", isElapsed: false, in: "wall"))
                    UNION ALL
                    \(wakes("elapsed_wake", isElapsed: true, in: "elapsed"))
                ) AS o WHERE w.ctid = o.place
            ), noted AS (
                INSERT INTO apus.set_aside AS s (job, version, shard, epoch, problem, wake, elapsed_wake)
                SELECT key, version, shard, epoch, problem, wake, elapsed_wake FROM input
                ON CONFLICT (job) DO UPDATE SET
                    version = excluded.version, shard = excluded.shard, epoch = excluded.epoch,
                    problem = excluded.problem, wake = \(keptUnlessChanged("wake")),
                    elapsed_wake = \(keptUnlessChanged("elapsed_wake"))
            )
            UPDATE apus.job AS j SET wake = NULL, elapsed_wake = NULL FROM input AS i WHERE j.ctid = i.place
            """

        /// Returns the statement that sets the jobs aside in the transaction of a turn; `nil` if no job is in the
        /// session's shards.
        static func statement(_ jobs: [UnreadableJob], in session: StoreSession) -> PostgresStatement? {
            var rows = RowArrays()
            for job in jobs {
                guard let epoch = session.shards[job.shard] else { continue }
                rows.add(job.key)
                rows.add(job.shard.rawValue)
                rows.add(epoch.rawValue)
                rows.add(job.problem.withoutNull)
                rows.endRow()
            }
            return rows.isEmpty ? nil : PostgresStatement(note, rows.parameters)
        }

        /// The maximum number of jobs that one statement makes due again.
        static let pageSize: Int64 = 1_000

        /// Returns a statement that restores the wakes of jobs that earlier owners of these shards have set aside,
        /// unless the jobs have ended.
        ///
        /// The statement returns the number of records that it has removed.
        static func giveBack(_ shards: some Sequence<ShardID>, to node: Int64) -> PostgresStatement {
            PostgresStatement(
                """
                WITH page AS MATERIALIZED (
                    SELECT s.* FROM apus.set_aside AS s
                    WHERE s.shard = ANY ($1::int8[]) AND s.epoch < (
                        SELECT h.epoch FROM apus.shard AS h WHERE h.id = s.shard AND h.node = $2)
                    ORDER BY s.shard, s.epoch LIMIT $3
                ), gone AS (
                    DELETE FROM apus.set_aside AS s USING page AS p
                    WHERE s.job = p.job AND s.epoch = p.epoch AND s.version = p.version
                ), found AS MATERIALIZED (
                    SELECT p.job, p.wake, p.elapsed_wake, p.shard, j.place,
                        coalesce(\(JobColumns.lane), '\(JobColumns.laneWithoutRequest)') AS lane
                    FROM page AS p CROSS JOIN LATERAL (
                        SELECT j.ctid AS place FROM apus.job AS j
                        WHERE j.key = p.job AND j.version = p.version AND j.wake IS NULL AND j.elapsed_wake IS NULL
                            AND \(JobColumns.hasNotEnded)
                        OFFSET 0) AS j
                    LEFT JOIN apus.request AS r ON r.job = p.job
                ), woken AS (
                    INSERT INTO apus.wake (elapsed, lane, instant, key, shard)
                    SELECT false, lane, wake, job, shard FROM found WHERE wake IS NOT NULL
                    UNION ALL
                    SELECT true, lane, elapsed_wake, job, shard FROM found WHERE elapsed_wake IS NOT NULL
                    ON CONFLICT DO NOTHING
                ), changed AS (
                    UPDATE apus.job AS j SET wake = f.wake, elapsed_wake = f.elapsed_wake
                    FROM found AS f WHERE j.ctid = f.place
                )
                SELECT count(*) FROM page
                """, [.array(shards.map { Int64($0.rawValue) }), .int64(node), .int64(pageSize)])
        }
    }

    extension StoreQueries {
        func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] {
            let rows = try await link.read([Self.selectSetAside(after: key, limit: limit)])[0]
            return try Self.setAside(of: rows)
        }

        static func selectSetAside(after key: Int64, limit: Int) -> PostgresStatement {
            PostgresStatement(
                """
                SELECT j.key, j.id, j.shard::int8, s.problem
                FROM apus.set_aside AS s JOIN apus.job AS j ON j.key = s.job AND j.version = s.version
                WHERE s.job > $1 ORDER BY s.job LIMIT $2
                """, [.int64(key), .int64(Int64(limit))])
        }

        static func setAside(of rows: PostgresRows) throws -> [UnreadableJob] {
            try rows.map { row in
                var row = RowReader(row)
                let (key, id): (Int64, JobID) = (try row.next(), JobID(try row.next(String.self)))
                let shard = ShardID(rawValue: try row.int())
                return UnreadableJob(key: key, id: id, shard: shard, problem: try row.next())
            }
        }

        /// Returns the jobs with these keys that have no request.
        func withoutRequest(_ keys: [Int64]) async throws -> [UnreadableJob] {
            let rows = try await link.read([
                PostgresStatement(
                    """
                    SELECT j.key, j.id, j.shard::int8, 'it has no request' FROM apus.job AS j
                    WHERE j.key = ANY ($1::int8[])
                        AND NOT EXISTS (SELECT 1 FROM apus.request AS r WHERE r.job = j.key)
                    """, [.array(keys)])
            ])[0]
            return try Self.setAside(of: rows)
        }
    }

    enum RefusalColumns {
        /// The columns that ``read(_:)`` reads.
        static let all = ["sequence", "submitted", "refused", "code", "message", "command"]

        static func read(_ row: PostgresRow) throws -> RefusedSubmission {
            var row = RowReader(row)
            let sequence: Int64 = try row.next()
            let (submitted, refused) = (
                StoreInstant.decode(try row.next()), StoreInstant.decode(try row.next())
            )
            let refusal = SubmissionRefusal(refused: refused, code: try row.next(), message: try row.next())
            return RefusedSubmission(
                sequence: sequence, submitted: submitted, refusal: refusal, command: try row.next())
        }

        static func select(_ condition: String, _ position: Int64, limit: Int) -> PostgresStatement {
            PostgresStatement(
                """
                SELECT \(all.joined(separator: ", ")) FROM apus.refusal WHERE sequence \(condition) LIMIT $2
                """, [.int64(position), .int64(Int64(limit))])
        }

        /// Returns a statement that removes some of the submissions refused before an instant, the earliest first.
        ///
        /// The statement returns the number of removed submissions.
        static func retire(
            before instant: WallInstant, budget: Int, in shards: some Sequence<ShardID>
        ) -> PostgresStatement {
            PostgresStatement(
                """
                WITH old AS MATERIALIZED (
                    SELECT sequence FROM apus.refusal WHERE refused < $1 AND shard = ANY ($3::int8[])
                    ORDER BY refused LIMIT $2
                ), gone AS (
                    DELETE FROM apus.refusal AS r USING old AS o WHERE r.sequence = o.sequence
                )
                SELECT count(*) FROM old
                """,
                [
                    .int64(StoreInstant.encode(instant)), .int64(Int64(budget)),
                    .array(shards.map { Int64($0.rawValue) }),
                ])
        }
    }

    extension StoreQueries {
        func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
            let select = RefusalColumns.select(
                "< $1 ORDER BY sequence DESC", try RefusalPage.position(cursor), limit: limit + 1)
            return RefusalPage(
                found: try await link.read([select])[0].map { try RefusalColumns.read($0) }, limit: limit)
        }
    }
#endif
