import ApusJobs
import ApusTimers

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The writer: calls that arrive while a commit is syncing go together into the next one.
///
/// Calls are taken in the order of their arrival. One `BEGIN IMMEDIATE … COMMIT` serves as many as wait, and each is
/// answered after the commit. Nobody waits for company: a call that comes alone is committed alone.
final class GroupCommit: Sendable {
    /// A call that waits for its answer.
    private struct Call: Sendable {
        var changes: [JobChange]
        var epoch: StoreEpoch
        var answer: CheckedContinuation<[Job], any Error>
    }

    private enum Item: Sendable {
        case call(Call)
        /// Work that wants the connection for itself.
        case alone(@Sendable (ChangeWriter, Connection) -> Void)
    }

    private struct State: ~Copyable {
        var waiting: [Item] = []
        var isDraining = false
        /// Set by `finish`: whoever comes later is turned away.
        var isFinished = false
        /// Records that go with the next commit, and the owner that they come from.
        var metadata: [String: String] = [:]
        var metadataEpoch: Int64 = 0
        /// Set when a sync has failed: no later answer could be trusted.
        var failure: JobError?
        var commits = 0
    }

    /// What a failed group does next.
    private enum Mode { case together, savepoints }

    private let state = Locked(State())
    private let connection: Connection
    private let limit: Int
    private let beforeCommit: (@Sendable () -> Void)?
    private let writer: WriterBox

    /// A writer on that connection; `limit` is the most changes in one commit, unless a single call has more.
    init(_ connection: Connection, limit: Int, beforeCommit: (@Sendable () -> Void)?) async throws {
        self.connection = connection
        self.limit = limit
        self.beforeCommit = beforeCommit
        writer = try await connection.perform { WriterBox(writer: try ChangeWriter($0)) }
    }

    /// Carries the writer to the connection's queue.
    private struct WriterBox: @unchecked Sendable {  // `writer` is used only on the connection's queue
        let writer: ChangeWriter
    }

    /// How many commits have been made.
    var commits: Int { state.withLock { $0.commits } }

    /// How many calls wait for the commit after the one in progress.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Commits `changes`, with whoever else is waiting.
    func commit(_ changes: [JobChange], epoch: StoreEpoch) async throws -> [Job] {
        try await withCheckedThrowingContinuation { continuation in
            if !add(.call(Call(changes: changes, epoch: epoch, answer: continuation))) {
                continuation.resume(throwing: closed)
            }
        }
    }

    /// Runs `body` alone in a transaction of its own, in its turn.
    func alone<Value: Sendable>(
        epoch: StoreEpoch?, _ body: @escaping @Sendable (ChangeWriter, Connection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isAdded = add(
                .alone { writer, connection in
                    let result = Result {
                        try connection.transaction("BEGIN IMMEDIATE") {
                            if let epoch { try Self.check(epoch, writer.currentEpoch()) }
                            return try body(writer, connection)
                        }
                    }
                    continuation.resume(with: result.mapError { SQLiteErrors.jobError($0, path: connection.path) })
                })
            if !isAdded { continuation.resume(throwing: closed) }
        }
    }

    private var closed: JobError { JobError(.closed, "the store \(connection.path) is closed; call open() first") }

    /// Keeps a record for the next commit.
    func setMetadata(_ key: String, to value: String, epoch: StoreEpoch) {
        state.withLock { state in
            if state.metadataEpoch != epoch.rawValue { state.metadata = [:] }
            state.metadataEpoch = epoch.rawValue
            state.metadata[key] = value
        }
    }

    /// A record that waits for the next commit.
    func waitingMetadata(_ key: String) -> String? { state.withLock { $0.metadata[key] } }

    /// Writes the records that no commit has taken along, and turns away whoever comes later. What came earlier has
    /// been answered then.
    func finish() async throws {
        try await alone(epoch: nil) { writer, _ in
            self.state.withLock { $0.isFinished = true }
            let metadata = self.metadata(for: try writer.currentEpoch())
            try writer.write(metadata: metadata)
        }
    }

    /// The records for the next commit, if the owner that they come from is still the owner.
    private func metadata(for epoch: Int64) -> [String: String] {
        state.withLock { $0.metadataEpoch == epoch ? $0.metadata : [:] }
    }

    /// - Returns: false if the store is closed.
    private func add(_ item: Item) -> Bool {
        let mustStart = state.withLock { state -> Bool? in
            if state.isFinished { return nil }
            state.waiting.append(item)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if mustStart == true { connection.enqueue { _ in self.drain() } }
        return mustStart != nil
    }

    // MARK: On the connection's queue

    private func drain() {
        while true {
            let items = takeGroup()
            if items.isEmpty { return }
            if case .alone(let body) = items[0] {
                body(writer.writer, connection)
            } else {
                run(
                    items.map {
                        if case .call(let call) = $0 { call } else { preconditionFailure("a group has only calls") }
                    })
            }
        }
    }

    /// The next group: calls up to the limit, or one item that wants to be alone. Empty when nothing waits; then
    /// draining has ended.
    private func takeGroup() -> [Item] {
        state.withLock { state in
            var changes = 0
            var count = 0
            for item in state.waiting {
                guard case .call(let call) = item else { break }
                changes += call.changes.count
                if count > 0, changes > limit { break }
                count += 1
            }
            if state.waiting.isEmpty { state.isDraining = false }
            let group = Array(state.waiting.prefix(max(1, count)))
            state.waiting.removeFirst(group.count)
            return group
        }
    }

    private func run(_ calls: [Call]) {
        if let failure = state.withLock({ $0.failure }) { return refuse(calls, failure) }
        do {
            try answer(calls, with: results(calls, .together))
        } catch is PartlyApplied {
            do { try answer(calls, with: results(calls, .savepoints)) } catch { runApart(calls, error) }
        } catch {
            runApart(calls, error)
        }
    }

    /// After a commit that failed as a whole: each call is tried alone, because a smaller one may find the room that
    /// all together did not.
    private func runApart(_ calls: [Call], _ error: any Error) {
        if let failure = error as? SQLiteFailure, failure.isFailedSync {
            let error = JobError(
                .unavailable,
                "writing \(connection.path) to the disk failed, and the store writes nothing more until it is opened again; check the disk",
                cause: failure)
            state.withLock { $0.failure = error }
            return refuse(calls, error)
        }
        guard calls.count > 1 else {
            return calls[0].answer.resume(throwing: SQLiteErrors.jobError(error, path: connection.path))
        }
        for call in calls { run([call]) }
    }

    private func refuse(_ calls: [Call], _ error: any Error) {
        for call in calls { call.answer.resume(throwing: error) }
    }

    private func answer(_ calls: [Call], with results: [Result<[Job], JobError>]) {
        for (call, result) in zip(calls, results) { call.answer.resume(with: result) }
    }

    /// Thrown when a call failed after it had written something: the group is written again, with a savepoint for each
    /// call.
    private struct PartlyApplied: Error {}

    /// The answers, which are true when this returns: the transaction is committed.
    private func results(_ calls: [Call], _ mode: Mode) throws -> [Result<[Job], JobError>] {
        let (results, metadata) = try connection.transaction("BEGIN IMMEDIATE") {
            () -> ([Result<[Job], JobError>], [String: String]) in
            let epoch = try writer.writer.currentEpoch()
            let results = try calls.map { try result(of: $0, epoch, mode) }
            let metadata = self.metadata(for: epoch)
            if !metadata.isEmpty { try writer.writer.write(metadata: metadata) }
            beforeCommit?()
            return (results, metadata)
        }
        state.withLock { $0.commits += 1 }
        forget(metadata)
        return results
    }

    private func result(of call: Call, _ epoch: Int64, _ mode: Mode) throws -> Result<[Job], JobError> {
        if mode == .savepoints { try connection.statement("SAVEPOINT call").run() }
        do {
            try Self.check(call.epoch, epoch)
            let jobs = try writer.writer.apply(call.changes)
            if mode == .savepoints { try connection.statement("RELEASE call").run() }
            return .success(jobs)
        } catch {
            let mapped = SQLiteErrors.jobError(error, path: connection.path)
            guard connection.isInTransaction, Self.concernsOneCall(mapped.code) else { throw error }
            if mode == .savepoints {
                try connection.statement("ROLLBACK TO call").run()
                try connection.statement("RELEASE call").run()
            } else if writer.writer.rowsChanged > 0 {
                throw PartlyApplied()
            }
            return .failure(mapped)
        }
    }

    /// Whether the others of the group are unharmed by an error.
    private static func concernsOneCall(_ code: JobError.Code) -> Bool {
        code == .conflict || code == .invalid || code == .notOwner
    }

    static func check(_ epoch: StoreEpoch, _ current: Int64) throws {
        guard epoch.rawValue == current else {
            throw JobError(
                .notOwner,
                "the store has a newer owner (epoch \(current); this one had \(epoch.rawValue)): nothing was written")
        }
    }

    /// Records that were committed need not wait any longer, unless they have been set again.
    private func forget(_ metadata: [String: String]) {
        if metadata.isEmpty { return }
        state.withLock { state in
            for (key, value) in metadata where state.metadata[key] == value { state.metadata[key] = nil }
        }
    }
}
