#if Postgres
    import ApusJobs

    /// The schema in which a store has its tables and functions.
    ///
    /// The statements of this library are written for the schema `apus`, and a connection puts this name in its place as it
    /// sends a text. So values of users, which may have that word, are parameters of a statement and never in its text.
    struct SchemaName: Hashable, Sendable, CustomStringConvertible {
        let name: String

        static let apus = SchemaName(unchecked: "apus")

        private init(unchecked name: String) { self.name = name }

        /// That of a store's session (``StoreSession/schema``).
        init(ofSession name: String?) { self = name.map { SchemaName(unchecked: $0) } ?? .apus }

        /// So that the names of a node's connections and channels, which contain it, have the 63 bytes that PostgreSQL
        /// keeps of a name.
        private static let mostBytes = 32

        /// What is allowed is one identifier, with quotation marks or without, and a schema of its own.
        /// - Throws: ``PostgresError`` with the code `invalid`.
        init(_ name: String) throws(PostgresError) {
            let isPlain = name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            guard isPlain, name.utf8.count <= Self.mostBytes, let first = name.first, !first.isNumber,
                !name.hasPrefix("pg_"),
                !["public", "information_schema"].contains(name)
            else {
                throw PostgresError(
                    code: .invalid,
                    message: """
                        schema: a schema's name has 1 to \(Self.mostBytes) of a-z, 0-9 and _, and begins neither with a \
                        digit nor with pg_; it has nothing but jobs in it, so it cannot be public
                        """)
            }
            self.name = name
        }

        var description: String { name }

        /// As an identifier of SQL, also for a reserved word.
        var quoted: String { self == .apus ? name : "\"\(name)\"" }

        /// A statement that was written for the schema `apus`.
        func text(_ sql: String) -> String {
            if self == .apus { return sql }
            var (text, rest) = ("", sql[...])
            while let found = rest.firstRange(of: Self.apus.name) {
                let before = rest[..<found.lowerBound].last ?? text.last
                let after = rest[found.upperBound...].first
                text += rest[..<found.lowerBound]
                rest = rest[found.upperBound...]
                // In `apus_node_1`, the name of a channel, the name ends before the underscore.
                let isWhole =
                    !(before.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false)
                    && !(after.map { $0.isLetter || $0.isNumber } ?? false)
                text += isWhole ? (after == "." ? quoted : name) : Self.apus.name
            }
            return text + rest
        }

        /// A channel's name, as a statement for `apus_…` has it.
        func channel(_ suffix: String) -> String { "\(name)_\(suffix)" }

        /// Names the session locks of the nodes, whose numbers begin with 1 in each schema.
        var lockClass: Int32 {
            self == .apus ? Self.apusLockClass : Int32(truncatingIfNeeded: name.stableHash)
        }

        private static let apusLockClass: Int32 = 0x6170_7573

        /// Names the locks of names and labels (``TurnStatements/lockNames(_:)``). The locked number has the schema.
        static let nameLockClass = apusLockClass + 1

        /// Whether a node's session is there.
        func isLocked(_ node: String) -> String {
            """
            EXISTS (
                SELECT 1 FROM pg_locks AS l
                WHERE l.locktype = 'advisory' AND l.granted AND l.classid::int8 = \(UInt32(bitPattern: lockClass))
                    AND l.objid::int8 = \(node) AND l.objsubid = 2
                    AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
            """
        }
    }
#endif
