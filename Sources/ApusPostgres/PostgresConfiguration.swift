#if Postgres
    import ApusTimers
    import CPostgres

    /// How to reach a PostgreSQL server, and how a connection behaves.
    ///
    /// It is made of what libpq takes: `postgres://user:password@host:5432/database?sslmode=require` or
    /// `host=… port=… dbname=… user=…`; several hosts, `target_session_attrs`, `passfile`, `service` and the rest of
    /// libpq's words are understood. What is not given comes from libpq's environment variables (`PGHOST` …) and its
    /// password file. No description shows a password.
    public struct PostgresConfiguration: Sendable {
        /// How long connecting takes at most, with all hosts together. 10 s by default, or `connect_timeout` (in
        /// seconds).
        public var connectTimeout: Duration
        /// How long the server works on one statement at most (`statement_timeout`, to the millisecond); nil for its
        /// own setting. 10 s by default.
        public var statementTimeout: Duration? = .seconds(10)
        /// How long the answer to a batch is waited for, from its submission, on the clock that stops while the machine
        /// sleeps. Afterwards the connection is closed, and the batch's fate is unknown. 30 s by default; nil for ever.
        public var answerTimeout: Duration? = .seconds(30)
        /// How long sent data may stay unacknowledged before the kernel gives the connection up, to the millisecond,
        /// over TCP. It is also how long each host may take to accept a connection. 5 s by default, or
        /// `tcp_user_timeout` (in milliseconds). Linux only.
        public var tcpUserTimeout: Duration
        /// After how much silence the kernel asks over TCP whether the server is there, to the second: three times,
        /// that long apart. 5 s by default, or `keepalives_idle` (in seconds).
        public var keepaliveInterval: Duration
        /// What the server calls the connection, in `pg_stat_activity` and in its log. `apus` by default, or
        /// `application_name`.
        public var applicationName: String
        /// The schema of the database in which a store has its tables and functions: `apus`, or what was given. Stores with
        /// different schemas know nothing of each other.
        public var schema: String { schemaName.name }
        var schemaName: SchemaName

        /// libpq's words and their values, as they were given.
        private var options: [Option]

        private struct Option: Sendable {
            var keyword: String
            var value: String
            /// Whether libpq says that it must not be shown.
            var isSecret: Bool
        }

        /// A configuration from a `postgres://` URI, or from libpq's `keyword=value` pairs.
        /// - Parameters:
        ///   - text: the URI, or the pairs. A URI may have the parameter `schema`, which libpq does not know.
        ///   - schema: see ``schema``, in place of the URI's: 1 to 32 of a-z, 0-9 and _, which begin neither with a digit nor
        ///     with `pg_`.
        /// - Throws: ``PostgresError`` with the code `invalid`, without the text: there may be a password in it.
        public init(_ text: String, schema: String? = nil) throws(PostgresError) {
            let (text, given) = Self.takeSchema(from: text)
            schemaName = try (schema ?? given).map { name throws(PostgresError) in try SchemaName(name) } ?? .apus
            var options = try Self.parse(text)
            func take(_ keyword: String) -> String? {
                guard let index = options.firstIndex(where: { $0.keyword == keyword }) else { return nil }
                return options.remove(at: index).value
            }
            func takeNumber(_ keyword: String) throws(PostgresError) -> Int64? {
                guard let text = take(keyword) else { return nil }
                guard let number = Int64(text), (0...Int64(Int32.max)).contains(number) else {
                    throw PostgresError(code: .invalid, message: "\(keyword) of the connection string is not a number")
                }
                return number
            }
            connectTimeout = try takeNumber("connect_timeout").map { .seconds($0) } ?? .seconds(10)
            tcpUserTimeout = try takeNumber("tcp_user_timeout").map { .milliseconds($0) } ?? .seconds(5)
            keepaliveInterval = try takeNumber("keepalives_idle").map { .seconds($0) } ?? .seconds(5)
            applicationName = take("application_name") ?? "apus"
            self.options = options
            try checkPorts()
        }

        /// The text without the parameter `schema` of a URI, and its value. A name that is allowed needs no percent signs.
        private static func takeSchema(from text: String) -> (text: String, schema: String?) {
            let scalars = text.unicodeScalars
            let isURI = ["postgres://", "postgresql://"].contains { scalars.starts(with: $0.unicodeScalars) }
            guard isURI else { return (text, nil) }
            // A password may have a question mark.
            let server = scalars.drop { $0 != "/" }.dropFirst(2)
            let userScalars = server.prefix { $0 != "@" && $0 != "/" }
            let isUser = server[userScalars.endIndex...].first == "@"
            let afterScalars = isUser ? server[userScalars.endIndex...] : server
            guard let start = afterScalars.firstIndex(of: "?") else { return (text, nil) }
            let word = "schema=".unicodeScalars
            var others = scalars[start...].dropFirst().split(separator: "&", omittingEmptySubsequences: false)
            guard let given = others.last(where: { $0.starts(with: word) }) else { return (text, nil) }
            others.removeAll { $0.starts(with: word) }
            let parameters = others.map { String($0) }.joined(separator: "&")
            return (
                "\(text[..<start])\(parameters.isEmpty ? "" : "?")\(parameters)", String(given.dropFirst(word.count))
            )
        }

        /// Adds to libpq's words, or replaces one.
        package mutating func set(_ keyword: String, to value: String) {
            options.removeAll { $0.keyword == keyword }
            options.append(Option(keyword: keyword, value: value, isSecret: keyword.contains("password")))
        }

        private static func parse(_ text: String) throws(PostgresError) -> [Option] {
            var words: UnsafeMutablePointer<CChar>?
            guard !text.utf8.contains(0), let parsed = PQconninfoParse(text, &words) else {
                // libpq's words quote the text, and what is wrong with it may be an unescaped password.
                PQfreemem(words)
                throw PostgresError(
                    code: .invalid,
                    message: """
                        the connection string is not understood; write postgres://user:password@host:5432/database, with \
                        special characters as in %40, or pairs of libpq's keywords as in "host=… dbname=… user=…"
                        """)
            }
            defer { PQconninfoFree(parsed) }
            var options: [Option] = []
            var next = parsed
            while let keyword = next.pointee.keyword {
                if let value = next.pointee.val {
                    let isSecret = next.pointee.dispchar.map { $0.pointee == UInt8(ascii: "*") } ?? false
                    options.append(
                        Option(keyword: String(cString: keyword), value: String(cString: value), isSecret: isSecret))
                }
                next += 1
            }
            return options
        }

        /// The hosts or ports of an option, which has one, or several with commas between; none if it is not given.
        package static func list(_ value: String?) -> [String] {
            value?.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }

        /// An unescaped `:`, `/` or `@` in a password ends up in the port or in the host, which libpq would quote.
        private func checkPorts() throws(PostgresError) {
            let ports = Self.list(self["port"])
            // A socket in the abstract namespace begins with @.
            let isHostPlain = Self.list(self["host"]).allSatisfy { !$0.unicodeScalars.dropFirst().contains("@") }
            guard ports.allSatisfy({ $0.isEmpty || UInt16($0) != nil }), isHostPlain,
                self["dbname"]?.unicodeScalars.contains("@") != true
            else {
                throw PostgresError(
                    code: .invalid,
                    message: "the host, port or database of the connection string is not understood; "
                        + "write special characters of a password as in %40"
                )
            }
        }

        /// The value of one of libpq's words, if it was given.
        package subscript(_ keyword: String) -> String? { options.first { $0.keyword == keyword }?.value }

        // MARK: For libpq

        /// All keywords and values of a connection.
        var connectionParameters: [(keyword: String, value: String)] {
            var parameters = options.filter { !Self.computed.contains($0.keyword) }.map { ($0.keyword, $0.value) }
            parameters += [
                ("application_name", applicationName), ("client_encoding", "UTF8"), ("options", serverOptions),
                ("tcp_user_timeout", "\(tcpUserTimeout.wholeMilliseconds)"),
                ("keepalives_idle", "\(max(1, keepaliveInterval.wholeMilliseconds / 1_000))"),
                ("keepalives_interval", "\(max(1, keepaliveInterval.wholeMilliseconds / 1_000))"),
                ("keepalives_count", "3"),
            ]
            return parameters
        }

        private static let computed: Set = [
            "application_name", "client_encoding", "options", "tcp_user_timeout", "keepalives_idle",
            "keepalives_interval",
            "keepalives_count",
        ]

        /// Settings of the session. Those of the user follow and override the time-out; the isolation is not theirs to
        /// change: what a batch sees must not depend on a database's default.
        private var serverOptions: String {
            let timeout = statementTimeout.map { "-c statement_timeout=\(max(1, $0.wholeMilliseconds)) " } ?? ""
            let own = self["options"].map { "\($0) " } ?? ""
            return timeout + own + "-c default_transaction_isolation=read\\ committed"
        }
    }

    extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The keywords and values, with `***` for secrets, and the schema if it is another than `apus`.
        public var description: String {
            options.map { option in
                option.isSecret ? "\(option.keyword)=***" : "\(option.keyword)=\(option.value.quotedForConninfo)"
            }.joined(separator: " ") + (schemaName == .apus ? "" : " schema=\(schema)")
        }

        /// The same as ``description``.
        public var debugDescription: String { description }

        /// Shows the ``description`` only, so that `dump` and assertions print no password.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }

    extension Duration {
        /// Rounded up.
        fileprivate var wholeMilliseconds: Int64 { (max(0, wholeNanoseconds) + 999_999) / 1_000_000 }
    }

    extension String {
        fileprivate var quotedForConninfo: String {
            if !isEmpty, !contains(where: { " '\\".contains($0) }) { return self }
            return "'" + map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
        }
    }
#endif
