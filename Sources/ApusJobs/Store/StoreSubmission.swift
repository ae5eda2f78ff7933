public import ApusTimers

/// A request in the store that no scheduler has taken yet.
///
/// It is a job that an application has submitted in its own transaction, or another scheduler's command for a job in
/// this scheduler's shards.
public struct StoreSubmission: Hashable, Sendable {
    /// The unique number of the submission; later submissions have greater numbers.
    public var sequence: Int64
    /// The instant of the submission, from which its trigger counts.
    public var submitted: WallInstant
    /// The command; `nil` if the stored command cannot be read, for the reason in `problem`.
    ///
    /// Such a submission is refused.
    public var command: JobCommand?
    /// The reason why the command cannot be read.
    public var problem: String?
    /// Whether another scheduler waits for the result (``TakenSubmission/reply``).
    public var isCall: Bool
    /// The shard whose owner takes the submission.
    public var shard: ShardID

    /// Creates a submission.
    public init(
        sequence: Int64, submitted: WallInstant, command: JobCommand, isCall: Bool = false, shard: ShardID = .only
    ) {
        self.shard = shard
        self.sequence = sequence
        self.submitted = submitted
        self.command = command
        self.isCall = isCall
    }

    /// Creates a submission that cannot be read.
    public init(
        sequence: Int64, submitted: WallInstant, problem: String, isCall: Bool = false, shard: ShardID = .only
    ) {
        self.shard = shard
        self.sequence = sequence
        self.submitted = submitted
        self.problem = problem
        self.isCall = isCall
    }
}

/// A submission that a part of a turn carries out or refuses, and that is removed in the same transaction if the part
/// is applied.
///
/// If the shard has no such submission, the part is refused with `conflict` and changes nothing. So each submission is
/// taken once, even if the answers to commits are lost. A part that only removes a submission has no changes.
public struct TakenSubmission: Hashable, Sendable {
    /// The submission's ``StoreSubmission/sequence``.
    public var sequence: Int64
    /// The submission's ``StoreSubmission/shard``, which the session owns.
    public var shard: ShardID
    /// The position of the part in ``StoreTurn/parts``.
    public var part: Int
    /// The reply to the scheduler that has sent the command; `nil` if no scheduler waits for a reply.
    public var reply: JobReply?
    /// The refusal that the store keeps for an application's submission (``JobStore/refusals(limit:cursor:)``).
    ///
    /// It is `nil` if the submission is carried out, or if another scheduler waits for the result (``reply``).
    public var refusal: SubmissionRefusal?

    /// Creates a record of the submission that a part takes.
    public init(
        _ sequence: Int64, shard: ShardID = .only, part: Int, reply: JobReply? = nil,
        refusal: SubmissionRefusal? = nil
    ) {
        self.sequence = sequence
        self.shard = shard
        self.part = part
        self.reply = reply
        self.refusal = refusal
    }
}

/// The refusal of a submission: its instant, and its reason as an error's code and message.
public struct SubmissionRefusal: Hashable, Sendable {
    /// The instant of the refusal, by the wall clock.
    public var refused: WallInstant
    /// The name of the error's ``JobError/code``.
    public var code: String
    /// The error's ``JobError/message``.
    public var message: String

    /// Creates a refusal.
    public init(refused: WallInstant, code: String, message: String) {
        self.refused = refused
        self.code = code
        self.message = message
    }
}

/// A submission of an application that was refused when it was taken.
public struct RefusedSubmission: Hashable, Sendable {
    /// The submission's ``StoreSubmission/sequence``.
    public var sequence: Int64
    /// The instant of the submission.
    public var submitted: WallInstant
    /// The instant of the refusal, and its reason.
    public var refusal: SubmissionRefusal
    /// The stored text: a ``JobCommand`` in its coded form, or an invalid text.
    public var command: String

    /// Creates a refused submission.
    public init(sequence: Int64, submitted: WallInstant, refusal: SubmissionRefusal, command: String) {
        self.sequence = sequence
        self.submitted = submitted
        self.refusal = refusal
        self.command = command
    }

    /// The identifier of the job that was submitted; `nil` if the stored text has none.
    public var id: JobID? {
        let bytes = Array(command.utf8)
        if let command = try? JobJSON.decode(JobCommand.self, from: bytes) { return command.ids.first }
        return (try? JobJSON.decode(RefusedCommand.self, from: bytes))?.requests.first.map { JobID($0.id) }
    }

    /// The identifiers in a stored text that is not a valid command.
    private struct RefusedCommand: Decodable {
        struct Request: Decodable { var id: String }
        var requests: [Request]
    }
}

/// A page of refused submissions, ordered by descending sequence.
public struct RefusalPage: Hashable, Sendable {
    /// The submissions.
    public var refusals: [RefusedSubmission]
    /// The `cursor` for the next page; `nil` at the end.
    public var nextCursor: String?
    /// Creates a page.
    public init(refusals: [RefusedSubmission], nextCursor: String?) {
        self.refusals = refusals
        self.nextCursor = nextCursor
    }

    /// Creates a page of at most `limit` of the found submissions; if more were found, there is a next page.
    package init(found: [RefusedSubmission], limit: Int) {
        refusals = Array(found.prefix(limit))
        nextCursor = found.count > limit ? refusals.last.map { "s\($0.sequence)" } : nil
    }

    /// Returns the sequence below which a page begins.
    ///
    /// - Throws: ``JobError`` with `invalid`.
    package static func position(_ cursor: String?) throws(JobError) -> Int64 {
        if let cursor { try ListPage.position(cursor, prefix: "s") } else { .max }
    }
}

/// A command for a job in another scheduler's shard.
///
/// It becomes a ``StoreSubmission``, which is taken by the scheduler that owns the shard at that time.
public struct ForwardedCommand: Hashable, Sendable {
    /// The origin of a forwarded command.
    public enum Origin: Hashable, Sendable {
        /// A caller's command.
        ///
        /// The reply is signalled with this number (``StoreSignal/reply(call:_:)``).
        case call(Int, JobCommand, submitted: WallInstant)
        /// The submission with this ``StoreSubmission/sequence``, which moves from this shard of the session to
        /// ``ForwardedCommand/shard``.
        ///
        /// The command's part is refused with `conflict` if the session's shard has no such submission.
        case submission(Int64, from: ShardID)
    }
    /// The origin of the command.
    public var origin: Origin
    /// The shard of the command's job.
    public var shard: ShardID
    /// The position of the command's part in ``StoreTurn/parts``; this part has no changes.
    public var part: Int

    /// Creates a command for the owner of the shard.
    public init(_ origin: Origin, shard: ShardID, part: Int) {
        self.origin = origin
        self.shard = shard
        self.part = part
    }
}

extension StoreTurn {
    /// The submissions that are taken, by the positions of their parts.
    package var takenByPart: [Int: TakenSubmission] {
        Dictionary(taken.map { ($0.part, $0) }, uniquingKeysWith: { $1 })
    }

    /// Returns the shards of the submissions that the parts at these positions take or move, and of all jobs that the
    /// turn sets aside.
    package func shardsBeside(parts: some Sequence<Int>) -> Set<ShardID> {
        let parts = Set(parts)
        var shards = Set(setAside.map(\.shard))
        for taken in taken where parts.contains(taken.part) { shards.insert(taken.shard) }
        for command in forwarded where parts.contains(command.part) {
            if case .submission(_, let shard) = command.origin { shards.insert(shard) }
        }
        return shards
    }
}

/// The stream of a store's signals to its owner; a new stream ends the previous one.
package final class StoreSignals: Sendable {
    private let continuation = Locked<AsyncStream<StoreSignal>.Continuation?>(nil)

    package init() {}

    package func stream() -> AsyncStream<StoreSignal> {
        // All signals are equal, so a buffer for one is enough.
        let (stream, new) = AsyncStream.makeStream(of: StoreSignal.self, bufferingPolicy: .bufferingNewest(1))
        replace(by: new)
        return stream
    }

    /// Notifies the owner, if there is one, of submissions.
    package func signalSubmissions() { continuation.withLock { $0 }?.yield(.submissions) }

    package func finish() { replace(by: nil) }

    private func replace(by new: AsyncStream<StoreSignal>.Continuation?) {
        let old = continuation.withLock { continuation in
            defer { continuation = new }
            return continuation
        }
        old?.finish()
    }
}
