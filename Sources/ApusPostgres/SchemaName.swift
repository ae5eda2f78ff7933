#if Postgres
    import ApusJobs

    /// The name of the schema that contains a store's tables and functions.
    ///
    /// The statements of this library name the schema `apus`, and a connection replaces `apus` by the actual name when
    /// it sends a statement. Values of users may contain the word `apus`, so they must be parameters and never part of
    /// the text of a statement.
    struct SchemaName: Hashable, Sendable, CustomStringConvertible {
        let name: String

        static let apus = SchemaName(unchecked: "apus")

        private init(unchecked name: String) { self.name = name }

        /// Creates the name from a store's session (``StoreSession/schema``).
        init(ofSession name: String?) { self = name.map { SchemaName(unchecked: $0) } ?? .apus }

        /// The maximum length, so that the names of connections and channels, which contain it, have at most the 63
        /// bytes that PostgreSQL keeps.
        private static let mostBytes = 32

        /// Creates a name of a-z, 0-9 and _, which does not begin with a digit.
        ///
        /// - Throws: ``PostgresError`` with the code `invalid` for any other name, for one of more than 32 bytes, and
        ///   for one of PostgreSQL's own schemas: `public`, `information_schema` and those that begin with `pg_`.
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
                        digit nor with pg_; only jobs are in it, so it cannot be public
                        """)
            }
            self.name = name
        }

        var description: String { name }

        /// The name as an SQL identifier, which is valid for reserved words too.
        var quoted: String { self == .apus ? name : "\"\(name)\"" }

        /// Returns a statement with the name of this schema in place of the name `apus`.
        func text(_ sql: String) -> String {
            if self == .apus { return sql }
            var (text, rest) = ("", sql[...])
            while let found = rest.firstRange(of: Self.apus.name) {
                let before = rest[..<found.lowerBound].last ?? text.last
                let after = rest[found.upperBound...].first
                text += rest[..<found.lowerBound]
                rest = rest[found.upperBound...]
                // In `apus_node_1`, the name of a channel, the schema's name ends before the underscore.
                let isWhole =
                    !(before.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false)
                    && !(after.map { $0.isLetter || $0.isNumber } ?? false)
                text += isWhole ? (after == "." ? quoted : name) : Self.apus.name
            }
            return text + rest
        }

        /// Returns the name of a channel: this schema's name, an underscore and `suffix`, as in `apus_events`.
        func channel(_ suffix: String) -> String { "\(name)_\(suffix)" }

        /// The class of the nodes' session locks.
        ///
        /// It differs between schemas, because each schema numbers its nodes from 1.
        var lockClass: Int32 {
            self == .apus ? Self.apusLockClass : Int32(truncatingIfNeeded: name.stableHash)
        }

        private static let apusLockClass: Int32 = 0x6170_7573

        /// The class of the locks of names and labels (``TurnStatements/lockNames(_:)``), whose lock numbers depend on
        /// the schema.
        static let nameLockClass = apusLockClass + 1

        /// Returns the SQL condition that is true if a node's session holds the node's lock.
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
