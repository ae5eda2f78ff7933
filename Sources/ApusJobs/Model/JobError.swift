/// What can go wrong with jobs: a code for programs, a message for people that says what to do, and the cause.
public struct JobError: Error, Sendable, CustomStringConvertible {
    /// The kind of error. Two errors of one kind can have different messages.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String {
            case invalid, notFound, ambiguous, alreadyExists, conflict, notOwner, owned, full, damaged, newerSchema,
                unavailable, closed
        }
        private var name: Name
        private init(_ name: Name) { self.name = name }
        /// An argument was not acceptable; the message names it and the accepted forms.
        public static let invalid = Code(.invalid)
        /// There is no such job.
        public static let notFound = Code(.notFound)
        /// Several jobs match.
        public static let ambiguous = Code(.ambiguous)
        /// The identifier is taken, and the request said `refuse`; or the name is, and it had to be free.
        public static let alreadyExists = Code(.alreadyExists)
        /// The job was changed concurrently, so read it again; or it has reached a limit, which the message names.
        public static let conflict = Code(.conflict)
        /// The store has a newer owner: this one can write nothing any more.
        public static let notOwner = Code(.notOwner)
        /// Another process owns the store; the message names it.
        public static let owned = Code(.owned)
        /// The disk (or the store) is full. Nothing of the change was written; it can be tried again.
        public static let full = Code(.full)
        /// The file is not a database, or not a whole one.
        public static let damaged = Code(.damaged)
        /// The store was written by a newer version of Apus.
        public static let newerSchema = Code(.newerSchema)
        /// The store cannot be reached or written now (permissions, I/O).
        public static let unavailable = Code(.unavailable)
        /// The scheduler or the store is closed.
        public static let closed = Code(.closed)
        /// The code's name, as in the JSON API.
        public var description: String { name.rawValue }
        /// The code with that name.
        package init?(named name: String) {
            guard let name = Name(rawValue: name) else { return nil }
            self.name = name
        }
    }

    /// The kind of error.
    public var code: Code
    /// What happened, and what to do.
    public var message: String
    /// What caused it.
    public var cause: (any Error)?
    /// Whether nothing is wrong with what was asked for: later, or elsewhere, the answer may be another one.
    var isTransient: Bool { [.unavailable, .full, .notOwner, .owned, .closed].contains(code) }
    /// An error.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
    /// See ``JobChange/requiresFreeName``.
    package static func nameIsTaken(_ name: String, cause: (any Error)? = nil) -> JobError {
        JobError(code: .alreadyExists, message: "name: a job that has not ended has the name \"\(name)\"", cause: cause)
    }

    /// See ``JobChange/onlyBeside``.
    package static func isLabelled(_ jobs: LabelledJobs, cause: (any Error)? = nil) -> JobError {
        JobError(
            code: .alreadyExists,
            message: "labels: another job has the label \(jobs.label)=\(jobs.value) by now; read them again",
            cause: cause)
    }

    /// The code and the message.
    public var description: String { cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)" }
}
