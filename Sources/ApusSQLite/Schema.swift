#if SQLite
    import ApusJobs
    import GRDB

    /// The tables, as text. What has been shipped is never edited: a change is a new text at the end of `migrations`,
    /// and a new fixture in the tests.
    ///
    /// The file's `user_version` counts the migrations that it has had. Identity, tables and version are committed
    /// together, so a process that is killed while it makes a file leaves an empty one.
    enum Schema {
        /// Number n, counted from 1, brings a file of schema n - 1 to schema n.
        private static let migrations = [version1, version2, version3, version4, version5, version6, version7]

        /// The newest schema that this code knows.
        static let version = Int64(migrations.count)

        /// "Apus" in ASCII; the file's `application_id`.
        static let applicationID: Int64 = 0x4170_7573

        /// Refuses, before anything has been written, a file that this code does not understand.
        static func check(_ db: Database, path: String) throws {
            let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            let application = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
            guard try application == applicationID || (application == 0 && version == 0 && isUnfinished(db)) else {
                throw SQLiteErrors.damaged(
                    path, "is a SQLite database of another program, not one of Apus; nothing in it was changed")
            }
            guard version <= Self.version else {
                throw JobError(
                    code: .newerSchema,
                    message: """
                        the database \(path) was written by a newer version of Apus (schema \(version); this program knows \(Self.version)); \
                        update this program. Nothing in the file was changed
                        """)
            }
        }

        /// Refuses, before anything has been written, a file that would have to be migrated.
        static func checkIsNewest(_ db: Database, path: String) throws {
            let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            guard version < Self.version else { return }
            throw JobError(
                code: .unavailable,
                message: """
                    the database \(path) was written by an older version of Apus (schema \(version); this program needs \
                    \(Self.version)), and a source is not changed; migrate it first: apus store migrate --store '\(path)'
                    """)
        }

        /// Brings the file to the newest schema, in one transaction.
        static func migrate(_ db: Database) throws {
            // Off, as in https://sqlite.org/lang_altertable.html#otheralter: a migration may replace a table that
            // others refer to. The pragma has no effect inside a transaction.
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
            try db.inTransaction(.immediate) {
                // Read again: with the lock that the transaction holds, nothing changes it any more.
                let done = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                guard done < migrations.count else { return .rollback }
                try db.execute(sql: "PRAGMA application_id = \(applicationID)")
                if try isFormerTable(db, of: done) { try db.execute(sql: "DROP TABLE \(formerTable)") }
                for migration in migrations[max(0, done)...] { try db.execute(sql: migration) }
                try db.execute(sql: "PRAGMA user_version = \(version)")
                for table in ["request", "run"] { try db.checkForeignKeys(in: table) }
                return .commit
            }
        }

        private static let formerTable = "grdb_migrations"

        /// Whether versions before 0.1.0 counted the migrations of a file of that schema in the table, which since then
        /// may be an application's: they named them v1 and v2, and had no others.
        private static func isFormerTable(_ db: Database, of version: Int) throws -> Bool {
            guard version <= 2, try db.tableExists(formerTable) else { return false }
            let identifiers = try String.fetchAll(db, sql: "SELECT identifier FROM \(formerTable) ORDER BY identifier")
            return identifiers == Array(["v1", "v2"].prefix(max(0, version)))
        }

        /// Whether a file without identity holds nothing yet. Versions before 0.1.0 made a table for their migrations
        /// in a transaction of its own; if they were killed after it, the file has that table, without rows, and
        /// nothing else.
        private static func isUnfinished(_ db: Database) throws -> Bool {
            let tables = try String.fetchAll(db, sql: "SELECT DISTINCT tbl_name FROM sqlite_master")
            guard tables == [formerTable] else { return tables.isEmpty }
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(formerTable)") == 0
        }

        // The CHECK constraints are the state machine, for writers of all kinds: a person with a SQL prompt is one.
        // They compare with one literal after another: for IN with three or more, SQLite builds a table for each row
        // that is written, which took half the time of an insert.
        private static let version1 = """
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

        // Bits: 1 network, 2 external power, 4 idle.
        private static let version2 = """
            PRAGMA user_version = 2;

            ALTER TABLE job ADD COLUMN
                conditions INTEGER NOT NULL DEFAULT 0 CONSTRAINT job_conditions_known CHECK (conditions BETWEEN 0 AND 7);
            """

        private static let version3 = """
            ALTER TABLE job ADD COLUMN
                idempotency_key TEXT CONSTRAINT job_idempotency_key_1_to_255_bytes CHECK (
                    idempotency_key IS NULL OR length(CAST(idempotency_key AS BLOB)) BETWEEN 1 AND 255);
            CREATE UNIQUE INDEX job_idempotency_key ON job (idempotency_key) WHERE idempotency_key IS NOT NULL;
            """
    }
#endif
