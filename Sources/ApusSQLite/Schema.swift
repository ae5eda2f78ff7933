#if SQLite
    import ApusJobs
    import GRDB

    /// The tables of Apus, in a file of their own or in an application's database.
    ///
    /// Nothing else in an application's database is changed. `apus_owner` has the version of the tables. Released
    /// migrations are never edited: a change is a new text at the end of `migrations`, with a new fixture in the tests.
    /// Tables and version are committed together, so a process that is killed while it creates a file leaves an empty
    /// one.
    enum Schema {
        /// The version of ``tables``; earlier versions are in ``FormerSchema``.
        private static let first: Int64 = 8

        /// The migrations; number n, counted from 0, migrates version `first` + n to the next one.
        private static let migrations = [
            // Adds the policies `expiry` and `retention`, and the instant until which an ended job is kept, with its
            // index. The retention of jobs that have ended is not known here, so they are kept for at least 180 days
            // from now. `unique_until` is no longer used, but stays, because SQLite reads the whole schema to drop a
            // column, and fails if an application has a view of a missing table.
            """
            ALTER TABLE apus_request ADD COLUMN expiry INTEGER;
            ALTER TABLE apus_request ADD COLUMN retention INTEGER;
            ALTER TABLE apus_job ADD COLUMN kept_until INTEGER;
            UPDATE apus_job
            SET kept_until = max(unique_until, (CAST(strftime('%s', 'now') AS INTEGER) + 15552000) * 1000000000)
            WHERE NOT (state = 'scheduled' OR state = 'suspended');
            DROP INDEX apus_job_ended;
            CREATE INDEX apus_job_ended ON apus_job (kept_until)
                WHERE (state = 'cancelled' OR state = 'finished') AND open_runs = 0;
            """,
            """
            ALTER TABLE apus_request ADD COLUMN fairness_key TEXT;
            ALTER TABLE apus_request ADD COLUMN key_group INTEGER;
            ALTER TABLE apus_queue ADD COLUMN concurrency_per_key INTEGER;
            """,
            // Makes jobs unique by a key or by their payload. A text never equals a blob, so a key never equals a
            // payload. `unique_payload` is 1 for a job that is unique by its content, 2 when such a job has ended, and
            // 0 for all other jobs.
            """
            ALTER TABLE apus_request ADD COLUMN unique_key TEXT;
            DROP INDEX apus_request_payload_unique;
            DROP INDEX apus_request_payload;
            CREATE UNIQUE INDEX apus_request_unique ON apus_request (kind, ifnull(unique_key, payload))
                WHERE unique_payload = 1;
            CREATE INDEX apus_request_content ON apus_request (kind, ifnull(unique_key, payload), job)
                WHERE unique_payload > 0;
            """,
        ]

        /// The newest version that this code knows.
        static let version = first + Int64(migrations.count)

        /// The `application_id` of a file of Apus: "Apus" in ASCII.
        ///
        /// The `user_version` of such a file is the version of the tables. Earlier versions of Apus, and programs such
        /// as `file`, identify the file by these two numbers.
        static let applicationID: Int64 = 0x4170_7573

        /// The owner of a database.
        enum Host {
            /// The database is a file of Apus, which may also contain tables of an application.
            case apus
            /// The database belongs to an application, which passed it to the store.
            case application
        }

        /// Returns the version of the tables in a database; 0 if it has none.
        static func version(in db: Database) throws -> Int64 {
            if try hasTable("apus_owner", in: db) {
                return try Int64.fetchOne(db, sql: "SELECT schema FROM apus_owner") ?? 0
            }
            return try hasIdentity(db) ? max(0, number(db, "user_version")) : 0
        }

        /// Returns whether a table exists.
        ///
        /// It does not use GRDB's function, which caches the answer even if another program creates the table.
        static func hasTable(_ name: String, in db: Database) throws -> Bool {
            let found = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?)"
            return try Bool.fetchOne(db, sql: found, arguments: [name]) == true
        }

        private static func hasIdentity(_ db: Database) throws -> Bool {
            try number(db, "application_id") == applicationID
        }

        private static func number(_ db: Database, _ pragma: String) throws -> Int64 {
            try Int64.fetchOne(db, sql: "PRAGMA \(pragma)") ?? 0
        }

        /// Refuses a file of another program or of a newer version of Apus, before anything is written.
        static func check(_ db: Database, path: String, of host: Host = .apus) throws {
            let found = try version(in: db)
            guard try host == .application || found > 0 || hasIdentity(db) || isEmpty(db) else {
                throw SQLiteErrors.damaged(
                    path,
                    """
                    is a SQLite database of another program, not one of Apus (an application gives its own to \
                    SQLiteStore(in:)); nothing in it was changed
                    """)
            }
            guard found <= version else {
                throw JobError(
                    code: .newerSchema,
                    message: """
                        the database \(path) was written by a newer version of Apus (schema \(found); this program knows \(version)); \
                        update this program. Nothing in the file was changed
                        """)
            }
        }

        private static func isEmpty(_ db: Database) throws -> Bool {
            try number(db, "application_id") == 0 && number(db, "user_version") == 0 && FormerSchema.isUnfinished(db)
        }

        /// Refuses a file that needs a migration, before anything is written.
        static func checkIsNewest(_ db: Database, path: String) throws {
            let found = try version(in: db)
            guard found < version else { return }
            throw JobError(
                code: .unavailable,
                message: """
                    the database \(path) was written by an older version of Apus (schema \(found); this program needs \
                    \(version)), and a copy does not change its source; migrate it first: apus store migrate --store '\(path)'
                    """)
        }

        /// Migrates the tables to the newest version, in one transaction.
        static func migrate(_ db: Database, of host: Host = .apus) throws {
            guard try version(in: db) < version else { return }
            let enforced = try number(db, "foreign_keys")
            // Foreign keys are not enforced here (https://sqlite.org/lang_altertable.html#otheralter), because a
            // migration may replace a table to which others refer. The pragma has no effect inside a transaction.
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            defer { try? db.execute(sql: "PRAGMA foreign_keys = \(enforced)") }
            try db.inTransaction(.immediate) {
                try migrateInTransaction(db, of: host)
                return .commit
            }
        }

        /// Migrates the tables in the caller's transaction.
        ///
        /// If the migration replaces a table to which others refer, foreign keys must not be enforced before the end of
        /// that transaction.
        static func migrateInTransaction(_ db: Database, of host: Host) throws {
            // The version is read again, because only the lock of the transaction excludes other writers.
            let done = try version(in: db)
            guard done < version else { return }
            let isOwn = try hasIdentity(db) || host == .apus && isEmpty(db)
            if done == 0 {
                if isOwn { try FormerSchema.dropMigrationsTable(db, of: 0) }
                try db.execute(sql: tables)
                try db.execute(sql: indexes)
            } else if done < first {
                // With foreign keys enforced, dropping a table deletes the rows that refer to it.
                guard try number(db, "foreign_keys") == 0 else {
                    throw JobError(
                        code: .invalid,
                        message: """
                            the tables of an earlier version of Apus cannot be migrated while foreign keys are enforced: \
                            let a store open the database, or register the migration with deferred checks
                            """)
                }
                try FormerSchema.migrate(db, from: done)
            }
            for migration in migrations[Int(max(done, first) - first)...] { try db.execute(sql: migration) }
            try db.execute(sql: "UPDATE apus_owner SET schema = ?", arguments: [version])
            if isOwn {
                try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            }
            for table in ["apus_request", "apus_run", "apus_set_aside"] { try db.checkForeignKeys(in: table) }
        }
    }
#endif
