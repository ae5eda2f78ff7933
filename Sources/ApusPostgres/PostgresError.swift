#if Postgres
    /// What can go wrong with PostgreSQL: a code for programs, what happened and what to do, and what became of the
    /// batch.
    public struct PostgresError: Error, Sendable, CustomStringConvertible {
        /// The kind of error. Two errors of one kind can have different messages.
        public struct Code: Hashable, Sendable, CustomStringConvertible {
            private enum Name: String {
                case invalid, unreachable, authentication, databaseMissing, encryptionRequired, encryptionRefused,
                    insufficientPrivilege, readOnly, tooManyConnections, shutDown, crashed, startingUp, timedOut,
                    conflict,
                    full, undefined, constraint, lost, noAnswer, closed, cancelled, other
            }
            private var name: Name
            private init(_ name: Name) { self.name = name }

            /// An argument, a statement or a value was not acceptable; the message names it.
            public static let invalid = Code(.invalid)
            /// No server answers at the address.
            public static let unreachable = Code(.unreachable)
            /// The server does not accept the user and password.
            public static let authentication = Code(.authentication)
            /// The server has no database of that name.
            public static let databaseMissing = Code(.databaseMissing)
            /// The server takes only encrypted connections, and this one was not.
            public static let encryptionRequired = Code(.encryptionRequired)
            /// An encrypted connection was asked for and could not be made: the server has no TLS, or its certificate
            /// is not trusted.
            public static let encryptionRefused = Code(.encryptionRefused)
            /// The user may not do this.
            public static let insufficientPrivilege = Code(.insufficientPrivilege)
            /// The server, or the transaction, cannot write: it is a standby, for example.
            public static let readOnly = Code(.readOnly)
            /// The server has no connection to spare.
            public static let tooManyConnections = Code(.tooManyConnections)
            /// An administrator ended the session or the server.
            public static let shutDown = Code(.shutDown)
            /// The server has crashed, and restarts.
            public static let crashed = Code(.crashed)
            /// The server starts, stops or recovers, and takes no connections yet.
            public static let startingUp = Code(.startingUp)
            /// The server gave up a statement: it, or a lock that it waited for, took too long, or it was cancelled.
            public static let timedOut = Code(.timedOut)
            /// Another transaction was in the way (serialization, deadlock): the batch can be repeated.
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
            /// Anything else that the server refused.
            public static let other = Code(.other)

            /// The code's name.
            public var description: String { name.rawValue }
        }

        /// What the server said.
        public struct ServerMessage: Sendable, Hashable {
            /// The five characters of the SQL standard's code for the error.
            public var sqlState: String
            /// The server's words, without values of rows.
            public var message: String
            /// More of them. May have values of rows, so it is in no description and no log.
            public var detail: String?
            /// What the server suggests.
            public var hint: String?
            /// The name of the constraint that was violated.
            public var constraint: String?
        }

        /// The kind of error.
        public var code: Code
        /// What happened, and what to do.
        public var message: String
        /// What became of the batch.
        public var fate: PostgresFate
        /// Which statement of the batch failed, counted from 0. Nil if none did by itself: the commit failed, or the
        /// connection.
        public var statement: Int?
        /// What the server said, if it was the server that refused.
        public var server: ServerMessage?

        /// An error.
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

        /// The code, the message, the server's words, and what is known about the batch.
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

    /// What became of a batch that ended with an error.
    public enum PostgresFate: Sendable, Hashable {
        /// Nothing of it was applied, and nothing will be.
        case notApplied
        /// All of it was applied; only its results are missing.
        case applied
        /// The connection broke after the batch was sent and before its answer came: it may be applied, as a whole or
        /// not at all. Ask the database before you repeat it.
        case unknown
    }
#endif
