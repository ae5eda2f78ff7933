#if Postgres
    /// The only place that converts SQLSTATEs, and libpq's messages without an SQLSTATE, to ``PostgresError``s.
    enum ServerErrors {
        /// The meaning of an SQLSTATE, or of a class of them, for a caller.
        struct Meaning: Sendable {
            /// SQLSTATEs of five characters, or classes of two.
            var states: [String]
            var code: PostgresError.Code
            var message: String
        }

        /// The meanings; that of an SQLSTATE takes precedence over that of its class.
        static let meanings: [Meaning] = [
            Meaning(
                states: ["28P01"], code: .authentication, message: "the server does not accept the user and password"),
            Meaning(
                states: ["28"], code: .authentication,
                message: "the server does not let this user in from here; check the user, the password "
                    + "and pg_hba.conf"),
            Meaning(
                states: ["3D000"], code: .databaseMissing,
                message: "the server has no such database; create it, or correct the name"),
            Meaning(
                states: ["42501"], code: .insufficientPrivilege,
                message: "the user may not do this; grant the privilege, or connect as the owner"),
            Meaning(
                states: ["25006"], code: .readOnly,
                message: "the server takes no writes; connect to the primary "
                    + "(several hosts, and target_session_attrs=read-write)"),
            Meaning(
                states: ["53300", "53400"], code: .tooManyConnections,
                message: "the server has no free connection; close some, or raise max_connections"),
            Meaning(states: ["57P01"], code: .shutDown, message: "an administrator ended the session; connect again"),
            Meaning(states: ["57P02"], code: .crashed, message: "the server has crashed and restarts; connect again"),
            Meaning(
                states: ["57P03"], code: .startingUp,
                message: "the server starts or stops and takes no connections now; connect again in a moment"),
            Meaning(states: ["57P04"], code: .databaseMissing, message: "the database was dropped"),
            Meaning(
                states: ["57P05", "25P03"], code: .timedOut,
                message: "the server ended a session that was idle for too long; connect again"),
            Meaning(
                states: ["57014"], code: .timedOut,
                message: "the statement took longer than the statement time-out, or was cancelled"),
            Meaning(
                states: ["55P03"], code: .timedOut, message: "a lock was not free within the lock time-out; try again"),
            Meaning(
                states: ["40001", "40P01", "40"], code: .conflict,
                message: "another transaction was in the way; try again"
            ),
            Meaning(
                states: ["53100"], code: .full, message: "the server's disk is full; free some space and try again"),
            Meaning(states: ["53200"], code: .full, message: "the server is out of memory; try again"),
            Meaning(states: ["53"], code: .full, message: "the server is out of a resource; try again"),
            Meaning(
                states: ["3F000", "42P01", "42703", "42883", "42704"], code: .undefined,
                message: "a name in the statement does not exist in the database; create the tables first, "
                    + "or check the search path"),
            Meaning(states: ["23"], code: .constraint, message: "the change violates a constraint of the database"),
            Meaning(
                states: ["22", "42"], code: .invalid, message: "the server does not accept the statement or a value"),
            Meaning(states: ["54"], code: .invalid, message: "the server does not accept so large a value"),
            Meaning(
                states: ["08P01"], code: .invalid,
                message: "the server refused the form of the connection; if a pooler is in between, it must allow it"),
            Meaning(states: ["08"], code: .lost, message: "the connection broke; connect again"),
            Meaning(
                states: ["58", "XX"], code: .other, message: "the server has failed internally; its log says why"),
        ]

        private static let byState = Dictionary(
            meanings.flatMap { meaning in meaning.states.map { ($0, meaning) } },
            uniquingKeysWith: { first, _ in first })

        /// Returns the error for a server's message about a statement or a session.
        static func error(
            _ server: PostgresError.ServerMessage, fate: PostgresFate = .notApplied, statement: Int? = nil
        ) -> PostgresError {
            let meaning = byState[server.sqlState] ?? byState[String(server.sqlState.prefix(2))]
            return PostgresError(
                code: meaning?.code ?? .other, message: meaning?.message ?? "the server refused the statement",
                fate: fate,
                statement: statement, server: server)
        }

        // MARK: Connecting

        /// Returns the error for libpq's message about a connection that could not be made.
        ///
        /// libpq 15 has no code for these errors. In the verbose form, which is set, a message of the server has its
        /// SQLSTATE after the severity: `FATAL:  28P01: password authentication failed`. With several hosts, the text
        /// contains the messages of all of them, and the last one is used.
        static func connectError(_ text: String) -> PostgresError {
            let lines = text.unicodeScalars.split(separator: "\n").map(Substring.init).filter {
                !$0.hasPrefix("LOCATION:")
            }
            // A continuation line is indented.
            let words = lines.dropFirst().reduce(lines.first.map(String.init) ?? "") {
                $0 + ($1.unicodeScalars.first == "\t" ? " \($1.dropFirst())" : "; \($1)")
            }
            if let server = lines.lazy.reversed().compactMap(serverMessage).first { return refused(server) }
            let code: PostgresError.Code
            let advice: String
            if words.contains("SSL") || words.contains("certificate") {
                (code, advice) = (
                    .encryptionRefused,
                    "an encrypted connection could not be made; check the server's TLS, and sslmode and sslrootcert"
                )
            } else if words.contains("no password supplied") {
                (code, advice) = (
                    .authentication, "the server asks for a password; give one, or put it into the password file"
                )
            } else if words.contains("session is read-only") || words.contains("server is in hot standby mode") {
                (code, advice) = (.readOnly, "none of the servers takes writes now; connect again in a moment")
            } else {
                (code, advice) = (
                    .unreachable, "the server cannot be reached; check that it runs, the host and the port"
                )
            }
            return PostgresError(code: code, message: "\(advice) (\(words))")
        }

        private static func refused(_ server: PostgresError.ServerMessage) -> PostgresError {
            var error = error(server)
            if error.code == .authentication, unencryptedRemarks.contains(where: server.message.contains) {
                error.code = .encryptionRequired
                error.message = "the server takes this user only over an encrypted connection; set sslmode=require"
            }
            return error
        }

        /// The phrases with which the server reports that no line of pg_hba.conf matches an unencrypted connection.
        private static let unencryptedRemarks = ["no encryption", "SSL off"]

        /// Finds the SQLSTATE and the message in a line such as `FATAL:  28P01: password authentication failed`.
        static func serverMessage(in line: Substring) -> PostgresError.ServerMessage? {
            let parts = line.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false).map(Substring.init)
            for index in parts.indices.dropFirst().dropLast() {
                let state = parts[index]
                // Two spaces follow the severity, which may be in any language.
                guard state.hasPrefix("  "), state.utf8.count == 7, state.dropFirst(2).allSatisfy(\.isStateCharacter)
                else { continue }
                let message = parts[(index + 1)...].joined(separator: ":")
                return PostgresError.ServerMessage(
                    sqlState: String(state.dropFirst(2)), message: String(message.drop { $0 == " " }))
            }
            return nil
        }

        // MARK: Broken connections

        /// Returns the error for a connection that broke.
        ///
        /// - Parameters:
        ///   - words: libpq's message.
        ///   - notice: the server's last message about the session, if any.
        /// - Returns: an error with an unknown fate.
        static func lost(_ words: String, notice: PostgresError.ServerMessage?) -> PostgresError {
            if let notice { return error(notice, fate: .unknown) }
            let words = words.unicodeScalars.split(separator: "\n")
                .map { String($0.drop { $0 == "\t" || $0 == " " }) }.joined(separator: " ")
            return PostgresError(code: .lost, message: "the connection broke; connect again (\(words))", fate: .unknown)
        }
    }

    extension Character {
        fileprivate var isStateCharacter: Bool { isASCII && (isNumber || isUppercase) }
    }
#endif
