package import ApusTimers

/// Moves everything that a store keeps into an empty one while schedulers use it, and stops them only for what is left.
///
/// 1. *Copy*: one state of the source is copied and compared, as ``StoreCopy`` does.
/// 2. *Follow*: what has changed since is copied and compared, found by the jobs' versions, until little is left.
/// 3. *Stop*: the source's scheduler begins nothing more, and ends when what runs has ended.
/// 4. *Hand over*: with the source for itself, the rest is copied and compared. The source is marked, so that no
///    process opens it; then the target's last transaction makes it whole, and notes the move; then the mark is
///    settled.
///
/// At each instant one of the stores at most can be opened. Until the mark, that is the source; the target is not whole.
/// From the mark on, the target's last transaction decides. A process that ends in between leaves a mark that is not
/// settled: the next move asks the target, and continues from its answer.
package struct StoreMover: Sendable {
    package struct Changes: Hashable, Sendable {
        package var jobs = 0
        package var runs = 0

        static func += (one: inout Self, other: Self) {
            one.jobs += other.jobs
            one.runs += other.runs
        }
    }

    package struct Report: Sendable {
        /// As they were compared in the first state.
        package var tables: [StoreCopy.Table]
        /// What was copied after it.
        package var changes: Changes
        /// From the request to stop to the target's last transaction.
        package var downtime: Duration
    }

    package enum Outcome: Sendable {
        case moved(Report)
        /// By an earlier attempt, which ended before it could report the move.
        case hadBeenMoved
    }

    private let source: any MoveSource
    private let target: any MoveTarget
    private let move: StoreMove
    private let time: any TimeSource

    package init(
        from source: any MoveSource, to target: any MoveTarget, _ move: StoreMove, time: any TimeSource = SystemTime()
    ) {
        self.source = source
        self.target = target
        self.move = move
        self.time = time
    }

    /// - Parameters:
    ///   - stop: asks the source's scheduler to stop, and waits until it has. It may be called again, if another one has
    ///     begun meanwhile.
    ///   - report: is called after each page.
    /// - Returns: what was moved.
    /// - Throws: ``JobError``. The jobs are in the source then; if its message says that this is not known, no process
    ///   opens either store until the move is repeated.
    package func run(
        stop: () async throws -> Void, report: @escaping @Sendable (StoreCopy.Progress) -> Void
    ) async throws -> Outcome {
        if let mark = try await source.mark(), try await resolve(mark) { return .hadBeenMoved }
        let writer = try await target.beginMove()
        do {
            let tables = try await reading(try await source.beginSnapshot()) { reader in
                try await StoreCopy.copy(reader, to: writer, report)
            }
            let round = StoreMoveRound(writer: writer, report: report)
            var changes = try await follow(round)
            report(StoreCopy.Progress(phase: .stopping, done: StoreCounts(), total: StoreCounts()))
            let began = time.continuous()
            let handOver = try await takeOver(stop)
            do {
                changes += try await round.bringUpToDate(with: handOver)
                try await handOver.mark(move)
            } catch {
                try? await handOver.finish()
                throw error
            }
            try await decide(writer, handOver)
            let downtime = began.duration(to: time.continuous())
            return .moved(Report(tables: tables, changes: changes, downtime: downtime))
        } catch {
            await writer.abandon()
            throw error
        }
    }

    /// Until little is left, or it does not become less.
    private func follow(_ round: StoreMoveRound) async throws -> Changes {
        var all = Changes()
        var last = Int.max
        for _ in 0..<8 {
            let changes = try await reading(try await source.beginSnapshot()) {
                try await round.bringUpToDate(with: $0)
            }
            all += changes
            if changes.jobs <= 100 || changes.jobs > last / 4 * 3 { break }
            last = changes.jobs
        }
        return all
    }

    private func reading<Value>(
        _ reader: any StoreRows, _ body: (any StoreRows) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body(reader)
            try await reader.finish()
            return value
        } catch {
            try? await reader.finish()
            throw error
        }
    }

    /// Tries several times: a client that needs the daemon may start one first.
    private func takeOver(_ stop: () async throws -> Void) async throws -> any StoreHandOver {
        for attempt in 1... {
            try await stop()
            do { return try await source.beginHandOver() } catch let error as JobError
                where error.code == .owned && attempt < 5
            {}
        }
        preconditionFailure("the last attempt throws")
    }

    // MARK: The decision

    /// The target's last transaction, after the source was marked.
    private func decide(_ writer: any StoreMoveImport, _ handOver: any StoreHandOver) async throws {
        do { try await writer.finish(move) } catch {
            guard let isMoved = await fate() else {
                try? await handOver.finish()
                throw JobError(
                    .unavailable,
                    """
                    it is not known whether \(move.target) has the jobs of \(move.source) now, and neither is used until \
                    that is known: repeat the move when the database can be reached (\((error as? JobError)?.message ?? "\(error)"))
                    """, cause: error)
            }
            if !isMoved {
                try await handOver.settle(false)
                throw error
            }
        }
        try await handOver.settle(true)
    }

    /// Whether the target counts; `nil` if it cannot be asked for a while.
    private func fate() async -> Bool? {
        for attempt in 1...10 {
            if let isMoved = try? await target.has(move) { return isMoved }
            if attempt < 10 { try? await TimerEngine.shared.sleep(for: .seconds(1)) }
        }
        return nil
    }

    /// Continues an earlier move that did not finish.
    /// - Returns: whether the jobs are in the target already.
    private func resolve(_ mark: StoreMoveMark) async throws -> Bool {
        let isMoved = try await target.has(mark.move)
        guard isMoved || !mark.isSettled else {
            throw JobError(.alreadyExists, "the jobs of \(mark.move.source) were moved to \(mark.move.target)")
        }
        guard isMoved || mark.move.target == move.target else {
            throw JobError(
                .conflict,
                """
                it is not known whether an earlier move to \(mark.move.target) counts; repeat that one first, with the \
                same --to
                """)
        }
        if !mark.isSettled { try await source.beginHandOver().settle(isMoved) }
        return isMoved
    }
}
