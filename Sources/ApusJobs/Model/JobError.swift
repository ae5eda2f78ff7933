/// An error of a job, a scheduler or a store: a code for programs, a message with the remedy for people, and the cause.
public struct JobError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    ///
    /// Errors of one kind can have different messages.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String {
            case invalid, notFound, ambiguous, alreadyExists, conflict, notOwner, owned, full, damaged, newerSchema,
                unavailable, closed
        }
        private var name: Name
        private init(_ name: Name) { self.name = name }
        /// An argument was not acceptable; the message names it and the accepted forms.
        public static let invalid = Code(.invalid)
        /// The job does not exist.
        public static let notFound = Code(.notFound)
        /// Several jobs match, although only one may match.
        public static let ambiguous = Code(.ambiguous)
        /// An existing job stands in the way of the submission.
        ///
        /// The job counts as the same and the conflict policy is `refuse`, or it has not ended and has a name or a
        /// label that the submission requires to be free.
        public static let alreadyExists = Code(.alreadyExists)
        /// The job was changed concurrently and must be read again, or it has reached a limit, which the message names.
        public static let conflict = Code(.conflict)
        /// The store has a newer owner, so the earlier owner can no longer write to it.
        public static let notOwner = Code(.notOwner)
        /// Another process owns the store; the message names it.
        public static let owned = Code(.owned)
        /// The disk, or the store, is full.
        ///
        /// No part of the change was written, so the change can be repeated.
        public static let full = Code(.full)
        /// The file is not a complete database.
        public static let damaged = Code(.damaged)
        /// The store was written by a newer version of Apus.
        public static let newerSchema = Code(.newerSchema)
        /// The store cannot be reached or written at present (permissions, I/O).
        public static let unavailable = Code(.unavailable)
        /// The scheduler or the store is closed.
        public static let closed = Code(.closed)
        /// The name of the code, as in the JSON API.
        public var description: String { name.rawValue }
        package init?(named name: String) {
            guard let name = Name(rawValue: name) else { return nil }
            self.name = name
        }
    }

    /// The kind of error.
    public var code: Code
    /// A sentence for people that says what happened and what to do.
    public var message: String
    /// The error that caused this one.
    public var cause: (any Error)?
    /// Whether the cause is the state of the store or the scheduler, so that a scheduler may accept the same request
    /// later.
    var isTransient: Bool { [.unavailable, .full, .notOwner, .owned, .closed].contains(code) }
    /// Creates an error.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
    /// Returns the error for a job whose name must be free and is taken (``JobChange/requiresFreeName``).
    package static func nameIsTaken(_ name: String, cause: (any Error)? = nil) -> JobError {
        JobError(
            code: .alreadyExists, message: "name: another job that has not ended has the name \"\(name)\"", cause: cause
        )
    }

    /// Returns the error for a job with a label that another job has (``JobChange/onlyBeside``).
    package static func isLabelled(_ jobs: LabelledJobs, cause: (any Error)? = nil) -> JobError {
        JobError(
            code: .alreadyExists,
            message: "labels: another job has the label \(jobs.label)=\(jobs.value) now; read the jobs again",
            cause: cause)
    }

    /// The code, the message and the cause.
    public var description: String { cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)" }
}
