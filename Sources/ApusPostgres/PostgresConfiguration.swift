#if Postgres
    import ApusTimers
    import CPostgres

    /// The address of a PostgreSQL server, and the behaviour of a connection to it.
    ///
    /// It is created from a connection string of libpq: `postgres://user:password@host:5432/database?sslmode=require`
    /// or `host=… port=… dbname=… user=…`, with all keywords of libpq, such as several hosts, `target_session_attrs`,
    /// `passfile` and `service`. Values that are not specified come from libpq's environment variables (`PGHOST` …) and
    /// its password file. Descriptions never contain a password.
    public struct PostgresConfiguration: Sendable {
        /// The maximum time for connecting, for all hosts together.
        ///
        /// The default is `connect_timeout` (in seconds) of the connection string, or 10 s.
        public var connectTimeout: Duration
        /// The maximum time that the server works on one statement (`statement_timeout`, in whole milliseconds, 1 ms to
        /// 24 days); `nil` for the server's own setting.
        ///
        /// The default is 10 s.
        public var statementTimeout: Duration? = .seconds(10)
        /// The maximum time from the submission of a batch to its answer, on the uptime clock; `nil` for no limit.
        ///
        /// After this time the connection is closed, and the fate of the batch is unknown. The default is 30 s.
        public var answerTimeout: Duration? = .seconds(30)
        /// The time after which the kernel closes a TCP connection whose sent data are not acknowledged, in whole
        /// milliseconds up to 24 days, on Linux only; zero or less means the system's own time.
        ///
        /// It is also the time that each host has to accept a connection. The default is `tcp_user_timeout` (in
        /// milliseconds) of the connection string, or 5 s.
        public var tcpUserTimeout: Duration
        /// The idle time after which the kernel sends TCP keepalive probes, in whole seconds, 1 s to 9 hours.
        ///
        /// The kernel sends three probes at this interval. The default is `keepalives_idle` (in seconds) of the
        /// connection string, or 5 s.
        public var keepaliveInterval: Duration
        /// The name of the connection in `pg_stat_activity` and in the server's log.
        ///
        /// The default is `application_name` of the connection string, or `apus`.
        public var applicationName: String
        /// The schema of the database that contains a store's tables and functions, by default `apus`.
        ///
        /// Stores in different schemas are independent.
        public var schema: String { schemaName.name }
        var schemaName: SchemaName

        /// The specified keywords of libpq with their values.
        private var options: [Option]

        private struct Option: Sendable {
            var keyword: String
            var value: String
            /// Whether libpq marks the value as secret.
            var isSecret: Bool
        }

        /// Creates a configuration from a `postgres://` URI, or from `keyword=value` pairs of libpq.
        ///
        /// - Parameters:
        ///   - text: the URI, or the pairs. A URI may have the parameter `schema`, which libpq does not know.
        ///   - schema: the ``schema``, which takes precedence over the schema in a URI. A name has 1 to 32 of a-z, 0-9
        ///     and _, and begins neither with a digit nor with `pg_`.
        /// - Throws: ``PostgresError`` with the code `invalid`, without the text, because it may contain a password.
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

        /// Returns the text without the parameter `schema` of a URI, and the value of this parameter.
        ///
        /// The value is not percent-decoded, because valid names need no escapes.
        private static func takeSchema(from text: String) -> (text: String, schema: String?) {
            let scalars = text.unicodeScalars
            let isURI = ["postgres://", "postgresql://"].contains { scalars.starts(with: $0.unicodeScalars) }
            guard isURI else { return (text, nil) }
            // A password may contain a question mark.
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

        package mutating func set(_ keyword: String, to value: String) {
            options.removeAll { $0.keyword == keyword }
            options.append(Option(keyword: keyword, value: value, isSecret: keyword.contains("password")))
        }

        private static func parse(_ text: String) throws(PostgresError) -> [Option] {
            var words: UnsafeMutablePointer<CChar>?
            guard !text.utf8.contains(0), let parsed = PQconninfoParse(text, &words) else {
                // libpq's message quotes the text, and the invalid part may be an unescaped password.
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

        /// Returns the hosts or ports of an option, which are separated by commas; none if there is no value.
        package static func list(_ value: String?) -> [String] {
            value?.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }

        /// Checks the hosts, the ports and the database for parts of an unescaped password, because libpq's messages
        /// would quote them.
        ///
        /// A `:`, `/` or `@` in a password shifts the rest of the password into these values.
        private func checkPorts() throws(PostgresError) {
            let ports = Self.list(self["port"])
            // The name of a socket in the abstract namespace begins with @.
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

        /// The value of a keyword of libpq, if it was specified.
        package subscript(_ keyword: String) -> String? { options.first { $0.keyword == keyword }?.value }

        // MARK: For libpq

        /// All keywords and values for a connection.
        var connectionParameters: [(keyword: String, value: String)] {
            var parameters = options.filter { !Self.computed.contains($0.keyword) }.map { ($0.keyword, $0.value) }
            parameters += [
                ("application_name", applicationName), ("client_encoding", "UTF8"), ("options", serverOptions),
                ("tcp_user_timeout", "\(tcpUserTimeout.wholeMilliseconds)"),
                ("keepalives_idle", "\(keepaliveInterval.keepaliveSeconds)"),
                ("keepalives_interval", "\(keepaliveInterval.keepaliveSeconds)"),
                ("keepalives_count", "3"),
            ]
            return parameters
        }

        private static let computed: Set = [
            "application_name", "client_encoding", "options", "tcp_user_timeout", "keepalives_idle",
            "keepalives_interval",
            "keepalives_count",
        ]

        /// The settings of the session.
        ///
        /// A later setting overrides an earlier one. The user's settings can therefore override the time-out, but not
        /// the isolation level: the snapshot of a batch must not depend on a default of the database.
        private var serverOptions: String {
            let timeout = statementTimeout.map { "-c statement_timeout=\(max(1, $0.wholeMilliseconds)) " } ?? ""
            let own = self["options"].map { "\($0) " } ?? ""
            return timeout + own + "-c default_transaction_isolation=read\\ committed"
        }
    }

    extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The keywords and values, with `***` for secrets, and the schema unless it is `apus`.
        public var description: String {
            options.map { option in
                option.isSecret ? "\(option.keyword)=***" : "\(option.keyword)=\(option.value.quotedForConninfo)"
            }.joined(separator: " ") + (schemaName == .apus ? "" : " schema=\(schema)")
        }

        /// The same text as ``description``.
        public var debugDescription: String { description }

        /// A mirror of the ``description`` only, so that `dump` and assertions print no password.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }

    extension Duration {
        /// The duration in milliseconds, rounded up, and at most the 24 days that libpq and the server accept.
        fileprivate var wholeMilliseconds: Int32 {
            let (whole, rest) = max(0, wholeNanoseconds).quotientAndRemainder(dividingBy: 1_000_000)
            return Int32(clamping: rest == 0 ? whole : whole + 1)
        }

        /// The duration in seconds, rounded down, within what the kernel accepts for keepalive probes: 1 s to 9 hours.
        fileprivate var keepaliveSeconds: Int32 { min(max(1, wholeMilliseconds / 1_000), 32_767) }
    }

    extension String {
        fileprivate var quotedForConninfo: String {
            if !isEmpty, !contains(where: { " '\\".contains($0) }) { return self }
            return "'" + map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
        }
    }
#endif
