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

    /// A submission.
    public init(sequence: Int64, submitted: WallInstant, command: JobCommand, isCall: Bool = false) {
        self.sequence = sequence
        self.submitted = submitted
        self.command = command
        self.isCall = isCall
    }

    /// A submission that cannot be read.
    public init(sequence: Int64, submitted: WallInstant, problem: String, isCall: Bool = false) {
        self.sequence = sequence
        self.submitted = submitted
        self.problem = problem
        self.isCall = isCall
    }
}

/// A submission that a part of a turn carries out or refuses: it is removed in the same transaction, if the part is
/// applied.
///
/// The part is refused with `conflict`, and changes nothing, if there is no such submission: so each is taken once,
/// whatever becomes of the answers to commits. A part that only removes a submission has no changes.
public struct TakenSubmission: Hashable, Sendable {
    /// ``StoreSubmission/sequence``.
    public var sequence: Int64
    /// The position of the part in ``StoreTurn/parts``.
    public var part: Int
    /// What the scheduler that has sent the command is answered; `nil` if none waits.
    public var reply: JobReply?

    /// Says that the part takes the submission.
    public init(_ sequence: Int64, part: Int, reply: JobReply? = nil) {
        self.sequence = sequence
        self.part = part
        self.reply = reply
    }
}

/// A command for a job of another scheduler's shard: it becomes a ``StoreSubmission`` for the owner that the
/// shard has when it is taken.
public struct ForwardedCommand: Hashable, Sendable {
    /// What is forwarded.
    public enum Origin: Hashable, Sendable {
        /// A caller's command. The reply is signalled with this number (``StoreSignal/reply(call:_:)``).
        case call(Int, JobCommand, submitted: WallInstant)
        /// A submission with this ``StoreSubmission/sequence``, which moves to the other shard. Its part is refused with
        /// `conflict` if there is no such submission.
        case submission(Int64)
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
    /// The sequences of the submissions that are taken, by the positions of their parts.
    package var takenByPart: [Int: Int64] {
        Dictionary(taken.map { ($0.part, $0.sequence) }, uniquingKeysWith: { $1 })
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
