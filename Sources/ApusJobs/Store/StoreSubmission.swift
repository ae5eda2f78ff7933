public import ApusTimers

/// What was asked of a scheduler through the store, and that none has taken yet: a job that an application has submitted
/// in a transaction of its own, or the command of another scheduler for a job of this one's shards.
public struct StoreSubmission: Hashable, Sendable {
    /// The store's number for it. It grows with each submission, and is given once.
    public var sequence: Int64
    /// When it was submitted: its trigger counts from then on.
    public var submitted: WallInstant
    /// What was asked for; `nil` if what is stored cannot be read, which `problem` describes. Such a submission is
    /// refused.
    public var command: JobCommand?
    /// Why the command cannot be read.
    public var problem: String?
    /// Another scheduler waits for what becomes of it (``TakenSubmission/reply``).
    public var isCall: Bool
    /// The shard whose owner takes it.
    public var shard: ShardID

    /// A submission.
    public init(
        sequence: Int64, submitted: WallInstant, command: JobCommand, isCall: Bool = false, shard: ShardID = .only
    ) {
        self.shard = shard
        self.sequence = sequence
        self.submitted = submitted
        self.command = command
        self.isCall = isCall
    }

    /// A submission that cannot be read.
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

/// A submission that a part of a turn carries out or refuses: it is removed in the same transaction, if the part is
/// applied.
///
/// The part is refused with `conflict`, and changes nothing, if there is no such submission in the shard: so each is
/// taken once, whatever becomes of the answers to commits. A part that only removes a submission has no changes.
public struct TakenSubmission: Hashable, Sendable {
    /// ``StoreSubmission/sequence``.
    public var sequence: Int64
    /// ``StoreSubmission/shard``, which the session owns.
    public var shard: ShardID
    /// The position of the part in ``StoreTurn/parts``.
    public var part: Int
    /// What the scheduler that has sent the command is answered; `nil` if none waits.
    public var reply: JobReply?
    /// Why an application's submission is refused, which the store keeps (``JobStore/refusals(limit:cursor:)``); `nil`
    /// if it is carried out, or is another scheduler's.
    public var refusal: SubmissionRefusal?

    /// Says that the part takes the submission.
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

/// Why a submission is refused.
public struct SubmissionRefusal: Hashable, Sendable {
    /// When it was refused, by the wall clock.
    public var refused: WallInstant
    /// ``JobError/code``, as its name.
    public var code: String
    /// ``JobError/message``.
    public var message: String

    /// A refusal.
    public init(refused: WallInstant, code: String, message: String) {
        self.refused = refused
        self.code = code
        self.message = message
    }
}

/// A submission of an application that was refused when it was taken.
public struct RefusedSubmission: Hashable, Sendable {
    /// ``StoreSubmission/sequence``.
    public var sequence: Int64
    /// When it was submitted.
    public var submitted: WallInstant
    /// Why it was refused.
    public var refusal: SubmissionRefusal
    /// What was asked for: a ``JobCommand`` in its coded form, or what is stored in the place of one.
    public var command: String

    /// A refused submission.
    public init(sequence: Int64, submitted: WallInstant, refusal: SubmissionRefusal, command: String) {
        self.sequence = sequence
        self.submitted = submitted
        self.refusal = refusal
        self.command = command
    }

    /// The identifier of the job that was to be made; `nil` if what is stored has none.
    public var id: JobID? {
        let bytes = Array(command.utf8)
        if let command = try? JobJSON.decode(JobCommand.self, from: bytes) { return command.ids.first }
        return (try? JobJSON.decode(RefusedCommand.self, from: bytes))?.requests.first.map { JobID($0.id) }
    }

    /// What is read of a command that is none.
    private struct RefusedCommand: Decodable {
        struct Request: Decodable { var id: String }
        var requests: [Request]
    }
}

/// One page of refused submissions, ordered by falling sequence.
public struct RefusalPage: Hashable, Sendable {
    /// The submissions.
    public var refusals: [RefusedSubmission]
    /// The `cursor` for the next page; `nil` at the end.
    public var nextCursor: String?
    /// A page.
    public init(refusals: [RefusedSubmission], nextCursor: String?) {
        self.refusals = refusals
        self.nextCursor = nextCursor
    }

    /// A page of so many, of which one more than `limit` were found if there are more.
    package init(found: [RefusedSubmission], limit: Int) {
        refusals = Array(found.prefix(limit))
        nextCursor = found.count > limit ? refusals.last.map { "s\($0.sequence)" } : nil
    }

    /// Below which sequence a page begins.
    /// - Throws: ``JobError`` with `invalid`.
    package static func position(_ cursor: String?) throws(JobError) -> Int64 {
        if let cursor { try ListPage.position(cursor, prefix: "s") } else { .max }
    }
}

/// A command for a job of another scheduler's shard: it becomes a ``StoreSubmission`` for the owner that the
/// shard has when it is taken.
public struct ForwardedCommand: Hashable, Sendable {
    /// What is forwarded.
    public enum Origin: Hashable, Sendable {
        /// A caller's command. The reply is signalled with this number (``StoreSignal/reply(call:_:)``).
        case call(Int, JobCommand, submitted: WallInstant)
        /// A submission with this ``StoreSubmission/sequence``, which moves from this shard, which the session owns, to
        /// the other one. Its part is refused with `conflict` if there is no such submission there.
        case submission(Int64, from: ShardID)
    }
    /// What is forwarded.
    public var origin: Origin
    /// The shard of the job that it concerns.
    public var shard: ShardID
    /// The position of the part in ``StoreTurn/parts``; it has no changes.
    public var part: Int

    /// A command for the owner of the shard.
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

    /// The shards of what the turn takes, moves and sets aside, beside those of the jobs that it changes.
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

/// The stream of a store's signals to its owner. A new stream ends the one before it.
package final class StoreSignals: Sendable {
    private let continuation = Locked<AsyncStream<StoreSignal>.Continuation?>(nil)

    package init() {}

    package func stream() -> AsyncStream<StoreSignal> {
        // One signal says as much as several.
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
