#if SQLite
    import ApusJobs
    import GRDB

    /// The tables of Apus in a database: one of its own, or an application's, of which nothing else is touched.
    ///
    /// `apus_owner` has the version of the tables. What has been shipped is never edited: a change is a new text at the
    /// end of `migrations`, and a new fixture in the tests. Tables and version are committed together, so a process that
    /// is killed while it makes a file leaves an empty one.
    enum Schema {
        /// The version that ``tables`` makes. What files of earlier ones had is in ``FormerSchema``.
        private static let first: Int64 = 8

        /// Number n, counted from 0, brings tables of version `first` + n to the next one.
        private static let migrations = [
            // Ended jobs are found by the instant until which they are kept. How long that was for those that have
            // ended is not known here, so it is 180 days from now on. `unique_until` has no use any more; to drop a column,
            // SQLite reads the whole schema, and fails at an application's view of a table that is gone.
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
            // A text is never equal to a blob: a key, to no payload. `unique_payload` says whether the one or the other
            // counts: 0, 1, or 2 for a job that has ended.
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

        /// The newest schema that this code knows.
        static let version = first + Int64(migrations.count)

        /// "Apus" in ASCII; the `application_id` of a file of its own, whose `user_version` is the version, too: earlier
        /// versions of Apus, and programs such as `file`, know it by them.
        static let applicationID: Int64 = 0x4170_7573

        /// Whose database it is.
        enum Host {
            /// Apus' own, which may also have tables of an application.
            case apus
            /// An application's, which gave it to the store.
            case application
        }

        /// The version of the tables in a database; 0 if it has none.
        static func version(in db: Database) throws -> Int64 {
            if try hasTable("apus_owner", in: db) {
                return try Int64.fetchOne(db, sql: "SELECT schema FROM apus_owner") ?? 0
            }
            return try hasIdentity(db) ? max(0, number(db, "user_version")) : 0
        }

        /// GRDB's own function remembers its answer while another program makes the table.
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

        /// Refuses, before anything has been written, a file that this code does not understand.
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

        /// Refuses, before anything has been written, a file that would have to be migrated.
        static func checkIsNewest(_ db: Database, path: String) throws {
            let found = try version(in: db)
            guard found < version else { return }
            throw JobError(
                code: .unavailable,
                message: """
                    the database \(path) was written by an older version of Apus (schema \(found); this program needs \
                    \(version)), and a source is not changed; migrate it first: apus store migrate --store '\(path)'
                    """)
        }

        /// Brings the tables to the newest schema, in one transaction.
        static func migrate(_ db: Database, of host: Host = .apus) throws {
            guard try version(in: db) < version else { return }
            let enforced = try number(db, "foreign_keys")
            // Off, as in https://sqlite.org/lang_altertable.html#otheralter: a migration may replace a table that
            // others refer to. The pragma has no effect inside a transaction.
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            defer { try? db.execute(sql: "PRAGMA foreign_keys = \(enforced)") }
            try db.inTransaction(.immediate) {
                try migrateInTransaction(db, of: host)
                return .commit
            }
        }

        /// The same in the caller's transaction, in which foreign keys are not enforced before its end, or none refers to
        /// a table that is replaced.
        static func migrateInTransaction(_ db: Database, of host: Host) throws {
            // Read again: with the lock that the transaction holds, nothing changes it any more.
            let done = try version(in: db)
            guard done < version else { return }
            let isOwn = try hasIdentity(db) || host == .apus && isEmpty(db)
            if done == 0 {
                if isOwn { try FormerSchema.dropMigrationsTable(db, of: 0) }
                try db.execute(sql: tables)
                try db.execute(sql: indexes)
            } else if done < first {
                // Dropping a table deletes what refers to its rows.
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
