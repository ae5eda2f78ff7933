#if Postgres
    import ApusJobs

    /// The versions of the schema, from 1 on. What has been shipped is never edited: a change is a new version at the
    /// end, and each says which older programs may work with a database that has it.
    package struct StoreMigrations: Sendable {
        /// What brings a database from the version before to this one.
        package struct Version: Sendable {
            /// In one transaction, in this order.
            package var statements: [String]
            /// The lowest version that a program may know to work with a database of this one. The version itself for a
            /// change that older programs would not survive; an earlier one if all that it does is to add.
            package var compatibleWith: Int

            package init(_ statements: [String], compatibleWith: Int) {
                self.statements = statements
                self.compatibleWith = compatibleWith
            }
        }

        /// Version n is at n - 1.
        package var versions: [Version]

        package init(_ versions: [Version]) { self.versions = versions }

        /// The newest version, which a program with these migrations knows.
        package var newest: Int { versions.count }

        /// The lowest version that a program may know to work with a database of the newest.
        package var compatibleWith: Int { versions.map(\.compatibleWith).max() ?? 0 }

        /// Those of this program.
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

    /// What a database says about its schema.
    package struct StoreSchemaState: Hashable, Sendable {
        /// 0: there is none.
        package var version: Int
        /// The lowest version that a program may know to work with it.
        package var compatibleWith: Int
        /// Whether the shards are there: while a copy is written, they are not.
        package var isWhole: Bool

        package init(version: Int, compatibleWith: Int, isWhole: Bool = true) {
            self.version = version
            self.compatibleWith = compatibleWith
            self.isWhole = isWhole
        }
    }

    /// Reads, makes and migrates the schema of a database.
    struct SchemaKeeper: Sendable {
        let link: ServerLink
        let migrations: StoreMigrations

        /// The one row has the version and which programs may work with it; after what was committed before.
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

        /// - Throws: ``JobError`` with `unavailable` if the user may not read it; ``PostgresError``.
        func state() async throws -> StoreSchemaState {
            do {
                return try Self.state(of: try await link.read([Self.select])[0])
            } catch let error as PostgresError where error.code == .undefined {
                return StoreSchemaState(version: 0, compatibleWith: 0)
            } catch let error as PostgresError where error.code == .insufficientPrivilege {
                throw try await missingPrivilege(error, isNew: false)
            }
        }

        /// Makes the schema if there is none. One that is there is not changed: that is up to ``migrate(_:)``.
        /// - Throws: ``JobError`` with `newerSchema`, `unavailable`.
        func prepare() async throws {
            let found = try await state()
            if found.version == 0 { try await migrate { _ in } }
            try check(found.version == 0 ? try await state() : found)
        }

        /// Whether this program may work with the database.
        /// - Throws: ``JobError`` with `newerSchema`, `unavailable`, and `conflict` while a copy is written into it.
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
                        a copy into the database has not ended; wait for it, or if it was interrupted, repeat it: \
                        apus store copy
                        """)
            }
        }

        /// What ``migrate(_:)`` would apply.
        func missing(in state: StoreSchemaState) -> [StoreMigrations.Version] {
            Array(migrations.versions.dropFirst(state.version))
        }

        /// Whether a migration from that version puts an end to programs that work with it now.
        func endsOlderPrograms(from state: StoreSchemaState) -> Bool {
            state.version > 0 && missing(in: state).contains { $0.compatibleWith > state.compatibleWith }
        }

        /// Brings the schema to the newest version, all in one transaction. Programs that do it at once wait for each
        /// other; the later ones find nothing to do.
        /// - Parameter willApply: is called with the version that is there, before anything is sent.
        /// - Throws: ``JobError`` with `newerSchema`, `unavailable`, and `owned` if programs run that could not
        ///   continue with the new schema.
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
                // For as long as it takes; the lock too, which another migration has.
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
                // Turns would queue up after a pending lock request.
                "SET LOCAL lock_timeout = '5s'",
            ]
            if isBreaking {
                // A node that opens the store meanwhile waits, and reads the new version then; earlier ones can write
                // nothing any more.
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
