#if SQLite
    import ApusJobs
    import GRDB

    /// The tables of files from before schema 8; the names of these tables have no prefix.
    ///
    /// Released migrations are never edited.
    enum FormerSchema {
        /// The migrations; number n, counted from 1, migrates schema n - 1 to schema n.
        static let migrations = [version1, version2, version3, version4, version5, version6, version7]

        private static let migrationsTable = "grdb_migrations"

        /// Returns whether a file without an application identifier is still empty.
        ///
        /// Versions before 0.1.0 created a table for their migrations in a transaction of its own. If the process was
        /// killed after this transaction, the file contains only this table, without rows.
        static func isUnfinished(_ db: Database) throws -> Bool {
            let tables = try String.fetchAll(db, sql: "SELECT DISTINCT tbl_name FROM sqlite_master")
            guard tables == [migrationsTable] else { return tables.isEmpty }
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(migrationsTable)") == 0
        }

        /// Removes the table in which versions before 0.1.0 recorded the migrations v1 and v2 of a file.
        ///
        /// In a later file, a table of this name may belong to an application.
        static func dropMigrationsTable(_ db: Database, of version: Int64) throws {
            guard version <= 2, try Schema.hasTable(migrationsTable, in: db) else { return }
            let identifiers = try String.fetchAll(
                db, sql: "SELECT identifier FROM \(migrationsTable) ORDER BY identifier")
            guard identifiers == Array(["v1", "v2"].prefix(Int(version))) else { return }
            try db.execute(sql: "DROP TABLE \(migrationsTable)")
        }

        /// Migrates a file to schema 8, by moving all rows to the tables of ``Schema/tables``.
        static func migrate(_ db: Database, from version: Int64) throws {
            try dropMigrationsTable(db, of: version)
            for migration in migrations[Int(version)...] { try db.execute(sql: migration) }
            // A row that violates a constraint is moved too, because its reader sets the job aside.
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            defer { try? db.execute(sql: "PRAGMA ignore_check_constraints = OFF") }
            try db.execute(sql: Schema.tables)
            let names = ["job", "request", "run", "set_aside", "queue", "submission", "refusal", "clock"]
            for name in names {
                let columns = try db.columns(in: name).map(\.name)
                // Rows without a job would violate a foreign key, so they are left out.
                let rows = columns.contains("job") ? "WHERE job IN (SELECT key FROM apus_job)" : ""
                let list = columns.joined(separator: ", ")
                try db.execute(sql: "INSERT INTO apus_\(name) (\(list)) SELECT \(list) FROM \(name) \(rows)")
            }
            try db.execute(
                sql: """
                    UPDATE apus_owner SET (epoch, last_key) = (SELECT epoch, last_key FROM owner);
                    DELETE FROM sqlite_sequence WHERE name = 'apus_submission';
                    INSERT INTO sqlite_sequence (name, seq)
                    SELECT 'apus_submission', seq FROM sqlite_sequence WHERE name = 'submission';
                    """)
            for name in names.reversed() + ["owner"] { try db.execute(sql: "DROP TABLE \(name)") }
            try db.execute(sql: Schema.indexes)
        }

        fileprivate static let version1 = """
            PRAGMA application_id = 1097889139;
            PRAGMA user_version = 1;

            CREATE TABLE owner (
                id INTEGER PRIMARY KEY CONSTRAINT one_owner CHECK (id = 1),
                epoch INTEGER NOT NULL,
                last_key INTEGER NOT NULL
            ) STRICT;
            INSERT INTO owner (id, epoch, last_key) VALUES (1, 0, 0);

            CREATE TABLE metadata (
                key TEXT NOT NULL PRIMARY KEY,
                value TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE job (
                key INTEGER PRIMARY KEY,
                version INTEGER NOT NULL,
                id TEXT NOT NULL CONSTRAINT job_id_unique UNIQUE,
                name TEXT,
                kind TEXT NOT NULL,
                state TEXT NOT NULL,
                created INTEGER NOT NULL,
                updated INTEGER NOT NULL,
                first INTEGER NOT NULL,
                next_occurrence INTEGER NOT NULL,
                next_due INTEGER,
                remainder INTEGER,
                occurrences INTEGER NOT NULL,
                missed INTEGER NOT NULL,
                wake INTEGER,
                trigger TEXT NOT NULL,
                trigger_ns INTEGER NOT NULL,
                trigger_anchor INTEGER,
                trigger_count INTEGER,
                tolerance INTEGER NOT NULL,
                missed_runs TEXT NOT NULL,
                missed_limit INTEGER,
                grace INTEGER,
                overlap TEXT NOT NULL,
                overlap_limit INTEGER,
                maximum_attempts INTEGER NOT NULL,
                maximum_lost INTEGER NOT NULL,
                initial_backoff INTEGER NOT NULL,
                maximum_backoff INTEGER NOT NULL,
                jitter REAL NOT NULL,
                time_limit INTEGER,
                labels TEXT NOT NULL,
                payload BLOB NOT NULL,
                CONSTRAINT job_key_positive CHECK (key > 0),
                CONSTRAINT job_version_positive CHECK (version > 0),
                CONSTRAINT job_id_1_to_300_bytes CHECK (length(CAST(id AS BLOB)) BETWEEN 1 AND 300),
                CONSTRAINT job_state_known CHECK (state = 'scheduled' OR state = 'suspended' OR state = 'cancelled' OR state = 'finished'),
                CONSTRAINT job_final_has_nothing_to_come
                    CHECK ((state = 'scheduled' OR state = 'suspended') OR (next_due IS NULL AND wake IS NULL)),
                CONSTRAINT job_remainder_only_suspended CHECK (remainder IS NULL OR state = 'suspended'),
                CONSTRAINT job_instants_not_negative CHECK (
                    created >= 0 AND updated >= 0 AND first >= 0
                    AND (next_due IS NULL OR next_due >= 0) AND (wake IS NULL OR wake >= 0)),
                CONSTRAINT job_counts_not_negative CHECK (next_occurrence >= 1 AND occurrences >= 0 AND missed >= 0),
                CONSTRAINT job_trigger_known CHECK (trigger = 'at' OR trigger = 'after' OR trigger = 'every'),
                CONSTRAINT job_only_every_repeats
                    CHECK (trigger = 'every' OR (trigger_anchor IS NULL AND trigger_count IS NULL)),
                CONSTRAINT job_missed_runs_known CHECK (
                    ((missed_runs = 'runOnce' OR missed_runs = 'skip') AND missed_limit IS NULL)
                    OR (missed_runs = 'runAll' AND missed_limit IS NOT NULL)),
                CONSTRAINT job_overlap_known CHECK (
                    ((overlap = 'skip' OR overlap = 'replace') AND overlap_limit IS NULL)
                    OR ((overlap = 'queue' OR overlap = 'allow') AND overlap_limit IS NOT NULL)),
                CONSTRAINT job_attempts_in_range CHECK (maximum_attempts >= 1 AND maximum_lost >= 0),
                CONSTRAINT job_jitter_0_to_1 CHECK (jitter BETWEEN 0 AND 1),
                CONSTRAINT job_labels_object
                    CHECK (labels = '{}' OR (json_valid(labels) AND json_type(labels) = 'object')),
                CONSTRAINT job_payload_64_KiB CHECK (length(payload) <= 65536)
            ) STRICT;

            -- Recovery and the near horizon: one range read.
            CREATE INDEX job_wake ON job (wake, key) WHERE wake IS NOT NULL;
            CREATE INDEX job_name ON job (name) WHERE name IS NOT NULL;
            -- A page of the unfinished ones among any number of ended ones.
            CREATE INDEX job_unfinished ON job (key) WHERE state IN ('scheduled', 'suspended');

            CREATE TABLE run (
                sequence INTEGER PRIMARY KEY,
                job INTEGER NOT NULL REFERENCES job (key) ON DELETE CASCADE,
                occurrence INTEGER NOT NULL,
                attempt INTEGER NOT NULL,
                through INTEGER NOT NULL,
                lost_before INTEGER NOT NULL,
                due INTEGER NOT NULL,
                stands_for INTEGER NOT NULL,
                state TEXT NOT NULL,
                final INTEGER NOT NULL,
                reason TEXT,
                not_before INTEGER,
                claimed INTEGER,
                started INTEGER,
                finished INTEGER,
                exit_code INTEGER,
                output BLOB NOT NULL,
                CONSTRAINT run_identity UNIQUE (job, occurrence, attempt),
                CONSTRAINT run_state_known CHECK (
                    state = 'waiting' OR state = 'claimed' OR state = 'succeeded' OR state = 'failed'
                    OR state = 'skipped' OR state = 'lost' OR state = 'cancelled'),
                CONSTRAINT run_final_is_0_or_1 CHECK (final = 0 OR final = 1),
                CONSTRAINT run_open_is_not_final CHECK ((state <> 'waiting' AND state <> 'claimed') OR final = 0),
                CONSTRAINT run_success_and_skip_are_final CHECK ((state <> 'succeeded' AND state <> 'skipped') OR final = 1),
                CONSTRAINT run_open_has_not_finished CHECK ((state <> 'waiting' AND state <> 'claimed') OR finished IS NULL),
                CONSTRAINT run_waiting_has_not_started CHECK (state <> 'waiting' OR (claimed IS NULL AND started IS NULL)),
                CONSTRAINT run_never_early CHECK (started IS NULL OR started >= due),
                CONSTRAINT run_reason_present
                    CHECK ((state <> 'skipped' AND state <> 'lost' AND state <> 'cancelled') OR reason IS NOT NULL),
                CONSTRAINT run_skipped_was_never_started CHECK (state <> 'skipped' OR (claimed IS NULL AND started IS NULL)),
                CONSTRAINT run_attempt_in_range CHECK (attempt >= 1 OR (attempt = 0 AND (state = 'skipped' OR state = 'cancelled'))),
                CONSTRAINT run_lost_before_in_range CHECK (lost_before BETWEEN 0 AND attempt),
                CONSTRAINT run_range CHECK (through = occurrence OR (through > occurrence AND state = 'skipped')),
                CONSTRAINT run_stands_for_positive CHECK (stands_for >= 1),
                CONSTRAINT run_instants_not_negative CHECK (
                    due >= 0 AND (not_before IS NULL OR not_before >= 0) AND (claimed IS NULL OR claimed >= 0)
                    AND (started IS NULL OR started >= 0) AND (finished IS NULL OR finished >= 0)),
                CONSTRAINT run_output_64_KiB CHECK (length(output) <= 65536)
            ) STRICT;

            -- Exactly one outcome for each occurrence.
            CREATE UNIQUE INDEX run_one_outcome ON run (job, occurrence) WHERE final = 1;
            CREATE INDEX run_open ON run (job, occurrence, attempt, state) WHERE state IN ('waiting', 'claimed');
            CREATE INDEX run_by_job ON run (job, sequence);
            """

        // The bits of `conditions` are 1 for the network, 2 for external power and 4 for idle.
        fileprivate static let version2 = """
            PRAGMA user_version = 2;

            ALTER TABLE job ADD COLUMN
                conditions INTEGER NOT NULL DEFAULT 0 CONSTRAINT job_conditions_known CHECK (conditions BETWEEN 0 AND 7);
            """

        fileprivate static let version3 = """
            ALTER TABLE job ADD COLUMN
                idempotency_key TEXT CONSTRAINT job_idempotency_key_1_to_255_bytes CHECK (
                    idempotency_key IS NULL OR length(CAST(idempotency_key AS BLOB)) BETWEEN 1 AND 255);
            CREATE UNIQUE INDEX job_idempotency_key ON job (idempotency_key) WHERE idempotency_key IS NOT NULL;
            """

        fileprivate static let version6 = [version6Lanes, version6Uniqueness, version6SetAside].joined(separator: "\n")

        // `lane` is the stored form of `QueueLane`. The first jobs of a lane are a range of an index, for each of the
        // two clocks.
        private static let version6Lanes = """
            ALTER TABLE job ADD COLUMN lane TEXT NOT NULL DEFAULT '';
            UPDATE job SET lane = ifnull((
                SELECT job.priority || ' ' || request.conditions || ' ' || job.queue || ' ' || request.kind
                FROM request WHERE request.job = job.key), '2 0 default ');
            DROP INDEX job_wake;
            DROP INDEX job_elapsed_wake;
            CREATE INDEX job_wake ON job (lane, wake, key) WHERE wake IS NOT NULL;
            CREATE INDEX job_elapsed_wake ON job (lane, elapsed_wake, key) WHERE elapsed_wake IS NOT NULL;
            CREATE INDEX request_anchored ON request (job)
                WHERE trigger_anchor IS NOT NULL OR trigger_calendar IS NOT NULL;
            """

        /// Adds `Job.uniqueUntil` as `unique_until`.
        ///
        /// The index orders ended jobs by the later of this instant and their end, so that removing jobs does not read
        /// those that must stay.
        private static let version6Uniqueness = """
            ALTER TABLE job ADD COLUMN unique_until INTEGER NOT NULL DEFAULT 0;
            UPDATE job SET unique_until = ifnull((
                SELECT min(job.created, 9223372036854775807 - period) + period FROM (
                    SELECT max(ifnull(unique_within, 0), iif(idempotency_key IS NULL, 0, 86400000000000)) AS period
                    FROM request WHERE request.job = job.key)), 0);
            DROP INDEX job_ended;
            CREATE INDEX job_ended ON job (max(updated, unique_until))
                WHERE (job.state = 'cancelled' OR job.state = 'finished') AND open_runs = 0;
            """

        private static let version6SetAside = """
            CREATE TABLE set_aside (
                job INTEGER PRIMARY KEY REFERENCES job (key) ON DELETE CASCADE,
                version INTEGER NOT NULL,
                problem TEXT NOT NULL,
                wake INTEGER,
                elapsed_wake INTEGER
            ) STRICT;

            CREATE TABLE refusal (
                sequence INTEGER PRIMARY KEY,
                submitted INTEGER NOT NULL,
                refused INTEGER NOT NULL,
                code TEXT NOT NULL,
                message TEXT NOT NULL,
                command TEXT NOT NULL
            ) STRICT;
            CREATE INDEX refusal_refused ON refusal (refused);
            """

        // A submission writes a page of each index in which the job has an entry. The open job of an identifier is
        // found by job_id_unique, so the other index of identifiers contains only ended jobs and those whose state is
        // unknown. Each index implicitly ends with the row's key, so the key is no longer a column of these indexes.
        fileprivate static let version7 = """
            DROP INDEX job_id;
            CREATE INDEX job_id_others ON job (id) WHERE NOT (job.state = 'scheduled' OR job.state = 'suspended');
            DROP INDEX job_wake;
            CREATE INDEX job_wake ON job (lane, wake) WHERE wake IS NOT NULL;
            DROP INDEX job_elapsed_wake;
            CREATE INDEX job_elapsed_wake ON job (lane, elapsed_wake) WHERE elapsed_wake IS NOT NULL;
            """
    }
#endif
