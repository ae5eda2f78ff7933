#if Postgres
    import ApusJobs
    import ApusTimers

    /// One turn on its way into the database.
    ///
    /// All parts are written in one transaction, which the database refuses as a whole if one of them cannot be applied.
    /// Then that one is found and left out, and the others are written again. Refusals are rare: only another program that
    /// changes jobs, and a submission with a name that is taken, lead to them.
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
            while true {
                let parts = turn.parts.indices.filter { refused[$0] == nil }
                let statements = statements(of: parts)
                do {
                    let rows = try await link.execute(PostgresBatch(statements.statements))
                    return Results(
                        parts: try applied(rows, statements, refused),
                        hasSubmissions: try rows[rows.count - 1][0].decode(at: 0))
                } catch let error as PostgresError {
                    guard let found = try await refusals(error, statements, of: parts, on: link) else { throw error }
                    refused.merge(found) { first, _ in first }
                }
            }
        }

        private func statements(of parts: [Int]) -> TurnStatements {
            TurnStatements(
                turn, parts: parts, node: node, timeline: timeline, session: session, isClockNew: isClockNew,
                submissionFloor: submissionFloor)
        }

        /// What can be refused without the database: jobs and submissions of others' shards, and submissions that two
        /// parts take.
        private var refusedBeforehand: [Int: JobError] {
            var refused: [Int: JobError] = [:]
            for (part, changes) in turn.parts.enumerated() {
                guard let change = changes.first(where: { session.shards[$0.shard] == nil }) else { continue }
                refused[part] = JobError(
                    code: .notOwner,
                    message: "shard \(change.shard.rawValue) is not this scheduler's: \(change.job.id) was not written")
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

        private static func conflict(_ cause: PostgresError?) -> JobError {
            JobError(
                code: .conflict, message: "another program has changed the job, or has its name; read it again",
                cause: cause)
        }

        private func applied(
            _ rows: [PostgresRows], _ statements: TurnStatements, _ refused: [Int: JobError]
        ) throws -> [Result<[Job], JobError>] {
            var keys: [TurnStatements.Position: Int64] = [:]
            for (statement, changes) in statements.inserts {
                let new = try rows[statement][0].decodeArray(of: Int64.self, at: 1)
                for (change, key) in zip(changes, new) { keys[change] = key }
            }
            return turn.parts.enumerated().map { part, changes in
                if let error = refused[part] { return .failure(error) }
                return .success(
                    changes.enumerated().map { index, change in
                        var job = change.job
                        switch change.expected {
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

        /// Which of the parts cannot be applied; `nil` if the error is not about any of them.
        private func refusals(
            _ error: PostgresError, _ statements: TurnStatements, of parts: [Int], on link: ServerLink
        ) async throws -> [Int: JobError]? {
            guard error.fate == .notApplied else { return nil }
            if let refused = unmet(error, statements) { return refused }
            guard error.code == .constraint || error.code == .invalid, !parts.isEmpty else { return nil }
            // The first part with which those before it cannot be written.
            var (low, high) = (0, parts.count - 1)
            var found = error
            while low < high {
                let middle = (low + high) / 2
                if let refusal = try await dryRun(Array(parts[...middle]), on: link) {
                    (high, found) = (middle, refusal)
                } else {
                    low = middle + 1
                }
            }
            if let refused = unmet(found, self.statements(of: Array(parts[...low]))) { return refused }
            return [
                parts[low]: found.server?.sqlState == "23505"
                    ? Self.conflict(found)
                    : JobError(code: .invalid, message: "the job cannot be kept: \(found.message)", cause: found)
            ]
        }

        /// The parts of which a statement did not find what it requires; `nil` if the error is another one.
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

        /// Writes the parts and takes that back.
        /// - Returns: why they cannot be written, if they cannot.
        private func dryRun(_ parts: [Int], on link: ServerLink) async throws -> PostgresError? {
            let statements =
                statements(of: parts).statements + [
                    PostgresStatement("SELECT apus.require_all('{1}', '{}')")
                ]
            do {
                _ = try await link.execute(PostgresBatch(statements))
                preconditionFailure("a dry run was committed")
            } catch let error as PostgresError {
                guard error.server != nil, error.fate == .notApplied else { throw error }
                return error.statement == statements.count - 1 ? nil : error
            }
        }
    }
#endif
