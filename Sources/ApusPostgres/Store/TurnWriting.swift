#if Postgres
    import ApusJobs
    import ApusTimers

    /// Writes one turn to the database.
    ///
    /// All parts are written in one round trip and one transaction, which the database refuses as a whole if a part
    /// cannot be applied. Usually the error names the refused parts, and the other parts are written again. If it does
    /// not name them, the parts are written in pieces. Refusals are rare: they require another program that changes
    /// jobs, or a submission with a name that is taken.
    struct TurnWriting {
        private let turn: StoreTurn
        private let node: Int64
        private let timeline: Int32
        private let session: StoreSession
        private let isClockNew: Bool
        private let submissionFloor: Int64

        struct Results {
            var parts: [Result<[Job], JobError>]
            var hasSubmissions: Bool
        }

        init(
            _ turn: StoreTurn, node: Int64, timeline: Int32, session: StoreSession, isClockNew: Bool,
            submissionFloor: Int64
        ) {
            self.turn = turn
            self.node = node
            self.timeline = timeline
            self.session = session
            self.isClockNew = isClockNew
            self.submissionFloor = submissionFloor
        }

        func results(on link: ServerLink) async throws -> Results {
            var refused = refusedBeforehand
            // A statement names all rows that it refuses, so the second attempt is nearly always the last one.
            for _ in 1...2 {
                let parts = turn.parts.indices.filter { refused[$0] == nil }
                let statements = statements(of: parts)
                do {
                    let rows = try await link.execute(PostgresBatch(statements.statements))
                    return Results(
                        parts: answers(try keys(in: rows, statements), refused),
                        hasSubmissions: try rows[rows.count - 1][0].decode(at: 0))
                } catch let error as PostgresError {
                    guard isAboutParts(error) else { throw error }
                    guard let found = unmet(error, statements) else { break }
                    refused.merge(found) { first, _ in first }
                }
            }
            let transaction = try await ServerTransaction(
                statements(of: turn.parts.indices.filter { refused[$0] == nil }, .common).statements, on: link)
            do { return try await results(in: transaction, refused) } catch {
                await transaction.abandon()
                throw error
            }
        }

        /// Writes the parts in order, in pieces; a refused piece is divided, and each half is written by itself.
        ///
        /// There is only one transaction, however many parts are refused. The pieces that contain a part are halved
        /// from one attempt to the next, so each of n parts is written at most about log2(n) + 1 times.
        private func results(in transaction: ServerTransaction, _ before: [Int: JobError]) async throws -> Results {
            var refused = before
            var known: [TurnStatements.Position: Int64] = [:]
            // The pieces that are left to write; the last one is written next.
            var pieces = [turn.parts.indices.filter { refused[$0] == nil }]
            while let piece = pieces.popLast() {
                if piece.isEmpty { continue }
                let statements = statements(of: piece, .parts)
                do {
                    let rows = try await transaction.attempt(statements.statements)
                    known.merge(try keys(in: rows, statements)) { first, _ in first }
                } catch let error as PostgresError {
                    guard isAboutParts(error) else { throw error }
                    let alone = piece.count == 1 ? [piece[0]: Self.refusal(error)] : [:]
                    refused.merge(unmet(error, statements) ?? alone) { first, _ in first }
                    let rest = piece.filter { refused[$0] == nil }
                    pieces += [Array(rest[(rest.count / 2)...]), Array(rest[..<(rest.count / 2)])]
                }
            }
            let last = try await transaction.commit(
                after: TurnStatements.hasSubmissions(node, above: submissionFloor))
            return Results(parts: answers(known, refused), hasSubmissions: try last[0].decode(at: 0))
        }

        private func statements(of parts: [Int], _ scope: TurnStatements.Scope = .whole) -> TurnStatements {
            TurnStatements(
                turn, parts: parts, scope, node: node, timeline: timeline, session: session, isClockNew: isClockNew,
                submissionFloor: submissionFloor)
        }

        /// The parts that can be refused without the database.
        ///
        /// A part is refused if it has stored jobs or submissions of other nodes' shards, names an unknown shard, or
        /// takes a submission that an earlier part takes. A new job may be in any shard, and a job may move to any.
        private var refusedBeforehand: [Int: JobError] {
            var refused: [Int: JobError] = [:]
            for (part, changes) in turn.parts.enumerated() {
                guard let change = changes.first(where: { !isAllowed($0) }) else { continue }
                refused[part] = JobError(
                    code: .notOwner,
                    message:
                        "\(change.job.id): this scheduler does not own the shard \(change.shard.rawValue), so the job was not written"
                )
            }
            var sequences: Set<Int64> = []
            for (part, taken) in turn.takenByPart.sorted(by: { $0.key < $1.key })
            where refused[part] == nil
                && (session.shards[taken.shard] == nil || !sequences.insert(taken.sequence).inserted)
            {
                refused[part] = Self.conflict(nil)
            }
            for command in turn.forwarded where refused[command.part] == nil {
                if case .submission(_, let home) = command.origin, session.shards[home] == nil {
                    refused[command.part] = Self.conflict(nil)
                }
            }
            return refused
        }

        private func isAllowed(_ change: JobChange) -> Bool {
            func isShard(_ shard: ShardID) -> Bool { (0..<StoreSchema.shards).contains(shard.rawValue) }
            return (session.shards[change.shard] != nil || change.expected == .absent && isShard(change.shard))
                && change.destination.map(isShard) ?? true
        }

        private static func conflict(_ cause: PostgresError?) -> JobError {
            JobError(
                code: .conflict,
                message: "another program has changed the job, or another job has its name; read it again",
                cause: cause)
        }

        private func keys(
            in rows: [PostgresRows], _ statements: TurnStatements
        ) throws -> [TurnStatements.Position: Int64] {
            var keys: [TurnStatements.Position: Int64] = [:]
            for (statement, changes) in statements.inserts {
                let new = try rows[statement][0].decodeArray(of: Int64.self, at: 1)
                for (change, key) in zip(changes, new) { keys[change] = key }
            }
            return keys
        }

        private func answers(
            _ keys: [TurnStatements.Position: Int64], _ refused: [Int: JobError]
        ) -> [Result<[Job], JobError>] {
            turn.parts.enumerated().map { part, changes in
                if let error = refused[part] { return .failure(error) }
                return .success(
                    changes.indices.map { index in
                        var job = changes[index].job
                        switch changes[index].expected {
                        case .version(let version): job.version = version + 1
                        case .absent:
                            job.key = keys[TurnStatements.Position(part: part, change: index)] ?? 0
                            job.version = 1
                        }
                        return job
                    })
            }
        }

        // MARK: Refusals

        /// Returns whether the error may concern the contents of a part.
        private func isAboutParts(_ error: PostgresError) -> Bool {
            guard error.fate == .notApplied, let server = error.server else { return false }
            return server.sqlState == "AP409" || error.code == .constraint || error.code == .invalid
        }

        /// Returns the error of a part that was written alone and was refused.
        private static func refusal(_ error: PostgresError) -> JobError {
            ["23505", "AP409"].contains(error.server?.sqlState)
                ? conflict(error)
                : JobError(code: .invalid, message: "the job cannot be stored: \(error.message)", cause: error)
        }

        /// Returns the parts that a statement refused because it did not find or write all their rows; `nil` for any
        /// other error.
        private func unmet(_ error: PostgresError, _ statements: TurnStatements) -> [Int: JobError]? {
            guard let server = error.server, server.sqlState == "AP409" else { return nil }
            let required = statements.required.first { $0.statement == error.statement }
            let numbers = (server.detail ?? "").unicodeScalars.split(separator: ",").compactMap { Int(String($0)) }
            guard let required, !numbers.isEmpty else { return nil }
            let refused = numbers.map { number in
                var refusal = required.refusals?[number - 1] ?? Self.conflict(nil)
                refusal.cause = error
                return (required.parts[number - 1], refusal)
            }
            return Dictionary(refused) { first, _ in first }
        }
    }
#endif
