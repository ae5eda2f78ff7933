#if Postgres
    import ApusJobs
    import ApusTimers

    /// The statements of a turn for one transaction, each for any number of rows.
    ///
    /// Independent changes are written together. Changes of the same job, or of jobs with the same identifier, are put
    /// into successive *waves*, whose statements follow each other. Only a new job may be in the same wave as a change
    /// of a stored job with its identifier.
    struct TurnStatements {
        /// A statement that refuses the transaction unless all its rows were written, with the part to which each row
        /// belongs.
        struct Required {
            /// The index of the statement in the batch.
            var statement: Int
            /// The part of the turn to which each row belongs, in the order of the rows.
            var parts: [Int]
            /// The error for each row that is refused; `nil` if each refusal is a conflict.
            var refusals: [JobError]?
        }

        private(set) var statements: [PostgresStatement] = []
        private(set) var required: [Required] = []
        /// The statements that return the keys of new jobs, with the changes to which the keys belong.
        private(set) var inserts: [(statement: Int, changes: [Position])] = []

        struct Position: Hashable {
            var part: Int
            var change: Int
        }

        /// Which of a turn's statements are created.
        enum Scope {
            /// All statements, for a whole transaction.
            case whole
            /// The statements that precede those of the parts, and that belong to no part.
            case common
            /// The statements that write parts.
            case parts
        }

        /// Creates the statements for these parts of a turn, with the clock record if it is new.
        init(
            _ turn: StoreTurn, parts: [Int], _ scope: Scope = .whole, node: Int64, timeline: Int32,
            session: StoreSession, isClockNew: Bool, submissionFloor: Int64
        ) {
            let overview = Overview(turn, parts, session)
            switch scope {
            case .whole:
                addCommon(turn, overview, node, timeline: timeline, session, isClockNew: isClockNew)
                addParts(turn, parts, overview, node)
                // The last statement finds out whether there are more submissions for this node.
                add(Self.hasSubmissions(node, above: submissionFloor))
            case .common: addCommon(turn, overview, node, timeline: timeline, session, isClockNew: isClockNew)
            case .parts: addParts(turn, parts, overview, node)
            }
        }

        /// What a turn has besides the rows of its jobs, found in one pass over its changes.
        private struct Overview {
            /// The shards of all rows that are written, taken or set aside.
            var shards: Set<ShardID>
            /// The latest due instant of the claimed runs.
            var due: WallInstant?
            /// The new jobs whose names must be free.
            var named: [(part: Int, job: Job)] = []
            /// The new jobs that require that all other jobs with a label are known.
            var labelled: [(part: Int, id: JobID, known: LabelledJobs)] = []
            /// The stored jobs that move to other shards.
            var moved: [Job] = []
            /// The shards that get jobs; their owners may be other nodes.
            var notified: Set<ShardID> = []

            init(_ turn: StoreTurn, _ parts: [Int], _ session: StoreSession) {
                shards = turn.shardsBeside(parts: parts)
                for part in parts {
                    let changes = turn.parts[part]
                    // The loop uses indexes, so that it does not copy the changes, each of which has several hundred
                    // bytes.
                    for index in changes.indices {
                        let shard = changes[index].shard
                        shards.insert(shard)
                        if session.shards[shard] == nil { notified.insert(shard) }
                        if let destination = changes[index].destination {
                            moved.append(changes[index].job)
                            notified.insert(destination)
                        }
                        for run in changes[index].runs where run.state == .running {
                            let ready = max(run.due, run.notBefore ?? run.due)
                            due = max(due ?? ready, ready)
                        }
                        if changes[index].requiresFreeName { named.append((part, changes[index].job)) }
                        if let known = changes[index].onlyBeside {
                            labelled.append((part, changes[index].job.id, known))
                        }
                    }
                }
            }
        }

        private mutating func addCommon(
            _ turn: StoreTurn, _ overview: Overview, _ node: Int64, timeline: Int32, _ session: StoreSession,
            isClockNew: Bool
        ) {
            let epochs = overview.shards.sorted().compactMap { id in session.shards[id].map { (id, $0) } }
            add(Self.fence(node, epochs, timeline: timeline))
            // The names are locked before any write, so that a transaction that waits for a name holds no locks for
            // which others wait.
            if !(overview.named.isEmpty && overview.labelled.isEmpty) {
                add(
                    Self.lockNames(
                        overview.named.compactMap(\.job.request.name)
                            + overview.labelled.map { "\($0.known.label)=\($0.known.value)" }))
            }
            if let due = overview.due {
                add(PostgresStatement("SELECT apus.await($1)", [.int64(StoreInstant.encode(due))]))
            }
            if turn.isLeaving {
                add(
                    PostgresStatement(
                        "UPDATE apus.node SET leaving = true WHERE id = $1 AND NOT leaving", [.int64(node)]))
            }
            if isClockNew { add(Self.clock(turn.clock)) }
            if !turn.released.isEmpty { add(Self.release(turn.released, node)) }
            if !turn.queues.isEmpty {
                add(Self.queues(turn.queues, known: turn.knownQueues, ElapsedAxis(turn.clock)))
            }
            if let setAside = SetAside.statement(turn.setAside, in: session) { add(setAside) }
        }

        private mutating func addParts(_ turn: StoreTurn, _ parts: [Int], _ overview: Overview, _ node: Int64) {
            let axis = ElapsedAxis(turn.clock)
            for wave in Self.waves(turn, parts) { add(wave, of: turn, axis) }
            if !overview.moved.isEmpty {
                // The jobs' wakes move to the new shards too.
                let lanes = overview.moved.map(\.request.lane.stored)
                add(PostgresStatement(Self.moveWakes, [.array(overview.moved.map(\.key)), .array(lanes)]))
            }
            if !overview.notified.isEmpty { add(Self.notifyOfJobs(overview.notified.sorted())) }
            if !overview.named.isEmpty { requireFreeNames(overview.named) }
            if !overview.labelled.isEmpty { requireNoOthers(overview.labelled) }
            let written = Set(parts)
            addTaken(turn.taken.filter { written.contains($0.part) })
            addForwarded(turn.forwarded.filter { written.contains($0.part) }, node)
        }

        static func hasSubmissions(_ node: Int64, above floor: Int64) -> PostgresStatement {
            PostgresStatement(
                """
                SELECT EXISTS (
                    SELECT 1 FROM apus.submission AS s JOIN apus.shard AS h ON h.id = s.shard
                    WHERE s.sequence > $2 AND h.node = $1)
                """, [.int64(node), .int64(floor)])
        }

        // MARK: Submissions

        private mutating func addTaken(_ taken: [TakenSubmission]) {
            if taken.isEmpty { return }
            var rows = RowArrays()
            for taken in taken {
                rows.add(taken.sequence)
                rows.add(taken.shard.rawValue)
                rows.add(taken.reply.map { JobJSON.text(of: $0) })
                rows.add(taken.refusal.map { StoreInstant.encode($0.refused) })
                rows.add(taken.refusal?.code)
                rows.add(taken.refusal?.message.withoutNull)
                rows.endRow()
            }
            require(Self.removeSubmissions, rows.parameters, taken.map(\.part))
        }

        private mutating func addForwarded(_ forwarded: [ForwardedCommand], _ node: Int64) {
            var (calls, submissions, owners) = (RowArrays(), RowArrays(), [Int]())
            for command in forwarded {
                switch command.origin {
                case .call(let number, let asked, let submitted):
                    calls.add(command.shard.rawValue)
                    calls.add(StoreInstant.encode(submitted))
                    calls.add(JobJSON.text(of: asked))
                    calls.add(number)
                    calls.endRow()
                case .submission(let sequence, let home):
                    submissions.add(sequence)
                    submissions.add(home.rawValue)
                    submissions.add(command.shard.rawValue)
                    submissions.endRow()
                    owners.append(command.part)
                }
            }
            if !calls.isEmpty { add(PostgresStatement(Self.forwardCalls, calls.parameters + [.int64(node)])) }
            if !submissions.isEmpty { require(Self.forwardSubmissions, submissions.parameters, owners) }
        }

        private mutating func add(_ statement: PostgresStatement) { statements.append(statement) }

        /// Adds a statement that refuses the transaction unless it writes all its rows.
        ///
        /// The numbers of the rows are the last parameter of the statement.
        private mutating func require(_ sql: String, _ parameters: [PostgresValue], _ parts: [Int]) {
            required.append(Required(statement: statements.count, parts: parts))
            add(PostgresStatement(sql, parameters + [.array((1...parts.count).map(Int64.init))]))
        }

        private mutating func requireFreeNames(_ named: [(part: Int, job: Job)]) {
            var rows = RowArrays()
            for (_, job) in named {
                rows.add(job.id.rawValue)
                rows.add(job.request.name)
                rows.endRow()
            }
            require(Self.freeNames, rows.parameters, named.map(\.part))
            required[required.count - 1].refusals = named.map { .nameIsTaken($0.job.request.name ?? "") }
        }

        private mutating func requireNoOthers(_ labelled: [(part: Int, id: JobID, known: LabelledJobs)]) {
            var rows = RowArrays()
            for (_, id, known) in labelled {
                rows.add(id.rawValue)
                rows.add(LabelsJSON.encode([known.label: known.value]))
                rows.add("{\(known.keys.sorted().map(String.init).joined(separator: ","))}")
                rows.endRow()
            }
            require(Self.onlyBeside, rows.parameters, labelled.map(\.part))
            required[required.count - 1].refusals = labelled.map { .isLabelled($0.known) }
        }

        /// Returns the first statement of a transaction, which checks that the node still owns these shards.
        ///
        /// If the node does not own one of them any more, the statement refuses the transaction.
        ///
        /// `timeline` is the timeline of the decisions that are written; see ``StoreTimeline``.
        static func fence(
            _ node: Int64, _ shards: [(ShardID, StoreEpoch)], timeline: Int32? = nil
        ) -> PostgresStatement {
            let (ids, epochs) = (shards.map { Int64($0.0.rawValue) }, shards.map(\.1.rawValue))
            return PostgresStatement(
                "SELECT apus.fence($1, $2, $3, $4)",
                [.int64(node), .array(ids), .array(epochs), .int32(timeline)])
        }

        // MARK: Waves

        private static func waves(_ turn: StoreTurn, _ parts: [Int]) -> [[Position]] {
            var waves: [[Position]] = []
            var ids: [JobID: Int] = [:]
            ids.reserveCapacity(parts.count)
            for part in parts {
                let changes = turn.parts[part]
                for index in changes.indices {
                    // In one wave, changes of stored jobs are written before new jobs, so a new job may be in the
                    // wave of the last change of a stored job with its identifier.
                    let (id, isNew) = (changes[index].job.id, changes[index].expected == .absent)
                    let wave = ids[id].map { isNew && waves[$0].isLastUpdate(of: id, turn) ? $0 : $0 + 1 } ?? 0
                    ids[id] = wave
                    if wave == waves.count { waves.append([]) }
                    waves[wave].append(Position(part: part, change: index))
                }
            }
            return waves
        }

        private mutating func add(_ wave: [Position], of turn: StoreTurn, _ axis: ElapsedAxis) {
            var (updates, inserts): ([Position], [Position]) = ([], [])
            for position in wave {
                switch turn.parts[position.part][position.change].expected {
                case .absent: inserts.append(position)
                case .version: updates.append(position)
                }
            }
            if !updates.isEmpty { addUpdates(updates, of: turn, axis) }
            if !inserts.isEmpty { addInserts(inserts, of: turn, axis) }
        }

        // MARK: Stored jobs

        private mutating func addUpdates(_ positions: [Position], of turn: StoreTurn, _ axis: ElapsedAxis) {
            let count = positions.count
            var (jobs, runs) = (RowArrays(expected: count), RowArrays(expected: count))
            var (requests, lanes, uniqueness, kept) = (RowArrays(), RowArrays(), RowArrays(), RowArrays())
            var owners: [Int] = []
            for position in positions {
                let change = turn.parts[position.part][position.change]
                let job = change.job
                guard case .version(let version) = change.expected else { preconditionFailure("the job is new") }
                jobs.add(job.key)
                jobs.add(version)
                jobs.add(job.id.rawValue)
                jobs.add((change.destination ?? change.shard).rawValue)
                jobs.add(job.request.lane.stored)
                JobColumns.addProgress(job, axis, to: &jobs)
                jobs.endRow()
                if change.isRequestChanged {
                    requests.add(job.key)
                    JobColumns.addRequest(of: job, to: &requests)
                    requests.endRow()
                    lanes.add(job.key)
                    lanes.add(job.request.lane.stored)
                    lanes.endRow()
                } else if change.isStateChanged, job.countsContent {
                    uniqueness.add(job.key)
                    uniqueness.add(JobColumns.uniqueness(of: job))
                    uniqueness.endRow()
                }
                add(change.runs, of: job, owner: job.key, axis, to: &runs)
                owners += Array(repeating: position.part, count: change.runs.count)
                if let count = change.keptRuns {
                    kept.add(job.key)
                    kept.add(max(0, count))
                    kept.endRow()
                }
            }
            if !lanes.isEmpty { add(PostgresStatement(Self.updateLanes, lanes.parameters)) }
            require(Self.updateJobs, jobs.parameters, positions.map(\.part))
            if !requests.isEmpty { add(PostgresStatement(Self.updateRequests, requests.parameters)) }
            if !uniqueness.isEmpty { add(PostgresStatement(Self.updateUniqueness, uniqueness.parameters)) }
            if !runs.isEmpty {
                required.append(Required(statement: statements.count, parts: owners))
                add(PostgresStatement(Self.writeRuns, runs.parameters))
            }
            if !kept.isEmpty { add(PostgresStatement(Self.retireRuns, kept.parameters)) }
        }

        private func add(
            _ runs: [Run], of job: Job, owner: Int64, _ axis: ElapsedAxis, to rows: inout RowArrays
        ) {
            let isRelative = job.isTriggerRelative
            for run in runs {
                RunColumns.add(run, owner: owner, isTriggerRelative: isRelative, axis, to: &rows)
                rows.endRow()
            }
        }

        // MARK: New jobs

        private mutating func addInserts(_ positions: [Position], of turn: StoreTurn, _ axis: ElapsedAxis) {
            var (jobs, runs) = (RowArrays(expected: positions.count), RowArrays())
            for (index, position) in positions.enumerated() {
                let change = turn.parts[position.part][position.change]
                let job = change.job
                jobs.add(change.shard.rawValue)
                jobs.add(job.id.rawValue)
                jobs.add(StoreInstant.encode(job.created))
                JobColumns.addProgress(job, axis, to: &jobs)
                JobColumns.addRequest(of: job, to: &jobs)
                jobs.endRow()
                add(change.runs, of: job, owner: Int64(index + 1), axis, to: &runs)
            }
            inserts.append((statements.count, positions))
            let sql = runs.isEmpty ? Self.insertJobs : Self.insertJobsAndRuns
            require(sql, jobs.parameters + runs.parameters, positions.map(\.part))
        }
    }

    extension [TurnStatements.Position] {
        /// Returns whether the last change in this wave for the identifier is a change of a stored job, not a new job.
        ///
        /// Returns `false` if the wave has no change for the identifier.
        fileprivate func isLastUpdate(of id: JobID, _ turn: StoreTurn) -> Bool {
            let last = last { turn.parts[$0.part][$0.change].job.id == id }
            return last.map { turn.parts[$0.part][$0.change].expected != .absent } ?? false
        }
    }
#endif
