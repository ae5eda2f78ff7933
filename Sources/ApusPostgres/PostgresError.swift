#if Postgres
    /// An error of PostgreSQL or its client library, with a code for programs, a message with the remedy, and the fate
    /// of the batch.
    public struct PostgresError: Error, Sendable, CustomStringConvertible {
        /// The kind of an error; errors of one kind can have different messages.
        public struct Code: Hashable, Sendable, CustomStringConvertible {
            private enum Name: String {
                case invalid, unreachable, authentication, databaseMissing, encryptionRequired, encryptionRefused,
                    insufficientPrivilege, readOnly, tooManyConnections, shutDown, crashed, startingUp, timedOut,
                    conflict,
                    full, undefined, constraint, lost, noAnswer, closed, cancelled, other
            }
            private var name: Name
            private init(_ name: Name) { self.name = name }

            /// An argument, a statement or a value is not accepted; the message names it.
            public static let invalid = Code(.invalid)
            /// No server answers at the address.
            public static let unreachable = Code(.unreachable)
            /// The server does not accept the user or the password.
            public static let authentication = Code(.authentication)
            /// The database does not exist.
            public static let databaseMissing = Code(.databaseMissing)
            /// The server accepts only encrypted connections, and this one is not encrypted.
            public static let encryptionRequired = Code(.encryptionRequired)
            /// The required encrypted connection could not be made: the server has no TLS, or its certificate is not
            /// trusted.
            public static let encryptionRefused = Code(.encryptionRefused)
            /// The user lacks the privilege.
            public static let insufficientPrivilege = Code(.insufficientPrivilege)
            /// The server or the transaction is read-only, for example on a standby.
            public static let readOnly = Code(.readOnly)
            /// The server has reached its maximum number of connections.
            public static let tooManyConnections = Code(.tooManyConnections)
            /// An administrator ended the session or the server.
            public static let shutDown = Code(.shutDown)
            /// The server has crashed, and is restarting.
            public static let crashed = Code(.crashed)
            /// The server is starting, stopping or recovering, and accepts no connections now.
            public static let startingUp = Code(.startingUp)
            /// The server aborted a statement that took too long, waited too long for a lock or was cancelled, or it ended
            /// an idle session.
            public static let timedOut = Code(.timedOut)
            /// Another transaction conflicted with this one (serialization, deadlock), so the batch can be repeated.
            public static let conflict = Code(.conflict)
            /// The server's disk or memory is full.
            public static let full = Code(.full)
            /// A table, schema, column, function or type does not exist.
            public static let undefined = Code(.undefined)
            /// A constraint of the database was violated.
            public static let constraint = Code(.constraint)
            /// The connection broke.
            public static let lost = Code(.lost)
            /// The server did not answer in time, and the connection was closed.
            public static let noAnswer = Code(.noAnswer)
            /// The connection is closed.
            public static let closed = Code(.closed)
            /// The task was cancelled before anything was sent.
            public static let cancelled = Code(.cancelled)
            /// The server refused for another reason.
            public static let other = Code(.other)

            /// The name of the code.
            public var description: String { name.rawValue }
        }

        /// An error message of the server.
        public struct ServerMessage: Sendable, Hashable {
            /// The five characters of the error's SQLSTATE.
            public var sqlState: String
            /// The text of the message, without values of rows.
            public var message: String
            /// The details, which may contain values of rows and are therefore in no description and no log.
            public var detail: String?
            /// The server's suggestion.
            public var hint: String?
            /// The name of the violated constraint.
            public var constraint: String?
        }

        /// The kind of error.
        public var code: Code
        /// A sentence for people that says what happened and what to do.
        public var message: String
        /// What is known about the fate of the batch.
        public var fate: PostgresFate
        /// The number of the failed statement in the batch, counted from 0; `nil` if the commit or the connection
        /// failed.
        public var statement: Int?
        /// The server's message, if the server reported the error.
        public var server: ServerMessage?

        /// Creates an error.
        public init(
            code: Code, message: String, fate: PostgresFate = .notApplied, statement: Int? = nil,
            server: ServerMessage? = nil
        ) {
            self.code = code
            self.message = message
            self.fate = fate
            self.statement = statement
            self.server = server
        }

        /// The code, the message, the server's message, and the fate of the batch.
        public var description: String {
            var text = "\(code): \(message)"
            if let server {
                text += " (\(server.sqlState): \(server.message)"
                if let statement { text += "; statement \(statement) of the batch" }
                text += ")"
            }
            switch fate {
            case .notApplied: break
            case .applied: text += "; the batch was applied"
            case .unknown: text += "; it is not known whether the batch was applied"
            }
            return text
        }
    }

    /// The fate of a batch that ended with an error.
    public enum PostgresFate: Sendable, Hashable {
        /// Nothing of the batch was or will be applied.
        case notApplied
        /// The whole batch was applied; only its results are missing.
        case applied
        /// The connection broke after the batch was sent and before it was answered, so it was or will be applied
        /// entirely or not at all.
        ///
        /// Query the database before you repeat the batch.
        case unknown
    }
#endif
