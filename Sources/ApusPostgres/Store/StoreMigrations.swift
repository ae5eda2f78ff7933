#if Postgres
    import ApusJobs

    /// The versions of the schema, from 1 on.
    ///
    /// A released version is never edited: a change is a new version at the end. Each version states which older
    /// programs can work with a database that has it.
    package struct StoreMigrations: Sendable {
        /// The migration of a database from the previous version to this one.
        package struct Version: Sendable {
            /// The statements in order, which are executed in one transaction.
            package var statements: [String]
            /// The lowest version that a program must know to work with a database of this version.
            ///
            /// It is this version itself if the change would break older programs, and an earlier one if the change
            /// only adds something.
            package var compatibleWith: Int

            package init(_ statements: [String], compatibleWith: Int) {
                self.statements = statements
                self.compatibleWith = compatibleWith
            }
        }

        /// The versions; version n is at index n - 1.
        package var versions: [Version]

        package init(_ versions: [Version]) { self.versions = versions }

        /// The newest version, which a program with these migrations knows.
        package var newest: Int { versions.count }

        /// The lowest version that a program must know to work with a database of the newest version.
        package var compatibleWith: Int { versions.map(\.compatibleWith).max() ?? 0 }

        /// The migrations of this program.
        package static let shipped = StoreMigrations([
            Version(StoreSchema.version1, compatibleWith: 1),
            Version(StoreSchema.version2, compatibleWith: 2),
            Version(StoreSchema.version3, compatibleWith: 2),
            Version(StoreSchema.version4, compatibleWith: 4),
            Version(StoreSchema.version5, compatibleWith: 5),
            Version(StoreSchema.version6, compatibleWith: 6),
            Version(StoreSchema.version7, compatibleWith: 7),
        ])
    }

    /// The state of the schema of a database.
    package struct StoreSchemaState: Hashable, Sendable {
        /// The version; 0 if there is no schema.
        package var version: Int
        /// The lowest version that a program must know to work with the database.
        package var compatibleWith: Int
        /// Whether the shards exist; they do not exist while a copy is written.
        package var isWhole: Bool

        package init(version: Int, compatibleWith: Int, isWhole: Bool = true) {
            self.version = version
            self.compatibleWith = compatibleWith
            self.isWhole = isWhole
        }
    }

    /// Reads, creates and migrates the schema of a database.
    struct SchemaKeeper: Sendable {
        let link: ServerLink
        let migrations: StoreMigrations

        /// Selects, in one row, the schema's version, the lowest version that programs must know, and whether the
        /// shards exist.
        static let select = PostgresStatement(
            """
            SELECT max(version), max(compatible_with), EXISTS (SELECT 1 FROM apus.shard) FROM apus.schema_version
            """)

        static func state(of rows: PostgresRows) throws -> StoreSchemaState {
            var row = RowReader(rows[0])
            return StoreSchemaState(
                version: try row.optionalInt() ?? 0, compatibleWith: try row.optionalInt() ?? 0, isWhole: try row.next()
            )
        }

        /// Reads the state of the schema.
        ///
        /// - Throws: ``JobError`` with `unavailable` if the user lacks the privilege; ``PostgresError``.
        func state() async throws -> StoreSchemaState {
            do {
                return try Self.state(of: try await link.read([Self.select])[0])
            } catch let error as PostgresError where error.code == .undefined {
                return StoreSchemaState(version: 0, compatibleWith: 0)
            } catch let error as PostgresError where error.code == .insufficientPrivilege {
                throw try await missingPrivilege(error, isNew: false)
            }
        }

        /// Creates the schema if there is none.
        ///
        /// An existing schema is not migrated: ``migrate(_:)`` does that.
        ///
        /// - Throws: ``JobError`` with `newerSchema` or `unavailable`, or with `conflict` while a copy is written into
        ///   the database.
        func prepare() async throws {
            let found = try await state()
            if found.version == 0 { try await migrate { _ in } }
            try check(found.version == 0 ? try await state() : found)
        }

        /// Checks that this program can work with the database.
        ///
        /// - Throws: ``JobError`` with `newerSchema` or `unavailable`, or with `conflict` while a copy is written into
        ///   the database.
        func check(_ state: StoreSchemaState) throws(JobError) {
            guard state.compatibleWith <= migrations.newest else {
                throw JobError(
                    code: .newerSchema,
                    message: """
                        the schema of the database has version \(state.version), and programs must know version \
                        \(state.compatibleWith) at least; this one knows \(migrations.newest). Update this program; nothing \
                        in the database was changed
                        """)
            }
            guard state.version >= migrations.newest else {
                throw JobError(
                    code: .unavailable,
                    message: """
                        the schema of the database has version \(state.version), and this program needs version \
                        \(migrations.newest); run: apus store migrate --store \
                        postgres://…\(link.schema == .apus ? "" : "?schema=\(link.schema)")
                        """)
            }
            guard state.isWhole else {
                throw JobError(
                    code: .conflict,
                    message: """
                        a copy into the database has not ended; wait for it, or repeat it if it was interrupted: \
                        apus store copy
                        """)
            }
        }

        /// Returns the versions that ``migrate(_:)`` would apply.
        func missing(in state: StoreSchemaState) -> [StoreMigrations.Version] {
            Array(migrations.versions.dropFirst(state.version))
        }

        /// Returns whether a migration from this state breaks programs that can work with the database now.
        func endsOlderPrograms(from state: StoreSchemaState) -> Bool {
            state.version > 0 && missing(in: state).contains { $0.compatibleWith > state.compatibleWith }
        }

        /// Migrates the schema to the newest version, in one transaction.
        ///
        /// Programs that migrate at the same time wait for each other, and the later ones find nothing to do.
        ///
        /// - Parameter willApply: called with the current state before each attempt.
        /// - Throws: ``JobError`` with `newerSchema` or `unavailable`, or with `owned` if programs are running that
        ///   cannot work with the new schema.
        func migrate(_ willApply: (StoreSchemaState) -> Void) async throws {
            while true {
                let found = try await state()
                guard found.version < migrations.newest else { return try check(found) }
                let isBreaking = endsOlderPrograms(from: found)
                if isBreaking { try await checkNoNodeRuns() }
                willApply(found)
                do {
                    _ = try await link.execute(batch(from: found.version, isBreaking: isBreaking))
                    return
                } catch let error as PostgresError where error.server?.sqlState == Self.wasMigrated {
                    continue
                } catch let error as PostgresError where error.code == .insufficientPrivilege {
                    throw try await missingPrivilege(error, isNew: found.version == 0)
                }
            }
        }

        private static let wasMigrated = "AP410"

        private func batch(from version: Int, isBreaking: Bool) -> PostgresBatch {
            var statements = [
                // There is no time limit for the statements, nor for the lock, which another migration may hold.
                "SET LOCAL statement_timeout = 0",
                "SET LOCAL lock_timeout = 0",
                "SELECT pg_advisory_xact_lock(\(link.schema.lockClass), 0)",
                """
                DO $body$
                DECLARE found integer := 0;
                BEGIN
                    IF to_regclass('apus.schema_version') IS NOT NULL THEN
                        SELECT coalesce(max(version), 0) INTO found FROM apus.schema_version;
                    END IF;
                    IF found <> \(version) THEN
                        RAISE EXCEPTION 'the schema has version % by now', found USING ERRCODE = '\(Self.wasMigrated)';
                    END IF;
                    IF to_regnamespace('apus') IS NULL THEN
                        CREATE SCHEMA "apus";
                    END IF;
                END
                $body$
                """,
                // While this transaction waits for the lock of a table, turns wait too, so it must not wait for long.
                "SET LOCAL lock_timeout = '5s'",
            ]
            if isBreaking {
                // A node that opens the store in the meantime waits for this lock, and then reads the new version.
                // Nodes that opened the store earlier can write nothing any more.
                statements += [
                    "LOCK TABLE apus.node IN EXCLUSIVE MODE",
                    "UPDATE apus.node SET ended = clock_timestamp() WHERE ended IS NULL",
                    "UPDATE apus.shard SET node = NULL WHERE node IS NOT NULL",
                    "DELETE FROM apus.beat", "DELETE FROM apus.place", "DELETE FROM apus.reply",
                ]
            }
            for (index, new) in migrations.versions.enumerated().dropFirst(version) {
                statements += new.statements
                statements.append(
                    """
                    INSERT INTO apus.schema_version (version, compatible_with)
                    VALUES (\(index + 1), \(new.compatibleWith))
                    """)
            }
            return PostgresBatch(
                statements.map { PostgresStatement($0, isPrepared: false) }, transaction: .explicit(.readCommitted),
                answerTimeout: .seconds(86_400))
        }

        private func checkNoNodeRuns() async throws {
            let names = try await link.read([
                PostgresStatement(
                    """
                    SELECT n.name FROM apus.node AS n
                    WHERE n.ended IS NULL AND \(link.schema.isLocked("n.id")) ORDER BY n.id
                    """)
            ])[0].map { try $0.decode(String.self, at: 0) }
            guard names.isEmpty else {
                throw JobError(
                    code: .owned,
                    message: """
                        programs of an older version cannot use the new schema, and these run: \
                        \(names.joined(separator: ", ")); stop them first. Nothing was changed
                        """)
            }
        }

        // MARK: Privileges

        private func missingPrivilege(_ error: PostgresError, isNew: Bool) async throws -> JobError {
            let row = try await link.read([
                PostgresStatement(
                    """
                    SELECT quote_ident(current_user), quote_ident(current_database()),
                        to_regnamespace('apus') IS NOT NULL
                    """)
            ])[0][0]
            let (user, database): (String, String) = (try row.decode(at: 0), try row.decode(at: 1))
            if isNew, try row.decode(Bool.self, at: 2) {
                return JobError(
                    code: .unavailable,
                    message: """
                        the user \(user) may not make tables in the schema \(link.schema) of the database \(database); let \
                        its owner run: GRANT USAGE, CREATE ON SCHEMA \(link.schema.quoted) TO \(user)
                        """, cause: error)
            }
            let schema = link.schema.quoted
            let remedy =
                isNew
                ? """
                may not make the schema \(link.schema) in the database \(database); let its owner run: \
                GRANT CREATE ON DATABASE \(database) TO \(user) \
                (or: CREATE SCHEMA \(schema) AUTHORIZATION \(user))
                """
                : """
                may not use the schema \(link.schema) of the database \(database), which another user owns; let that user run: \
                GRANT USAGE ON SCHEMA \(schema) TO \(user); \
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(user); \
                GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(user)
                """
            return JobError(code: .unavailable, message: "the user \(user) \(remedy)", cause: error)
        }
    }
#endif
