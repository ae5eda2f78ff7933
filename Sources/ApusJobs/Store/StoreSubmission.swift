public import ApusTimers

/// A job that an application has submitted in a transaction of its own, and that no scheduler has taken yet.
public struct StoreSubmission: Hashable, Sendable {
    /// The store's number for it. It grows with each submission, and is given once.
    public var sequence: Int64
    /// When it was submitted: its trigger counts from then on.
    public var submitted: WallInstant
    /// What was asked for; `nil` if what is stored cannot be read, which `problem` describes. Such a submission is
    /// refused.
    public var request: JobRequest?
    /// Why the request cannot be read.
    public var problem: String?

    /// A submission.
    public init(sequence: Int64, submitted: WallInstant, request: JobRequest) {
        self.sequence = sequence
        self.submitted = submitted
        self.request = request
    }

    /// A submission that cannot be read.
    public init(sequence: Int64, submitted: WallInstant, problem: String) {
        self.sequence = sequence
        self.submitted = submitted
        self.problem = problem
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

    /// Says that the part takes the submission.
    public init(_ sequence: Int64, part: Int) {
        self.sequence = sequence
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

    /// Tells the owner, if there is one, that there are submissions.
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
