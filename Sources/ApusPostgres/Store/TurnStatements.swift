#if Postgres
    import ApusJobs
    import ApusTimers

    /// The statements of a turn for one transaction, each for any number of rows.
    ///
    /// Independent changes are written together. A change of a job or an identifier that an earlier change of the turn
    /// also concerns is in a later *wave*, whose statements follow those of the earlier waves.
    struct TurnStatements {
        /// A statement that refuses the transaction unless all its rows were written, with the part of each row.
        struct Required {
            /// The index of the statement in the batch.
            var statement: Int
            /// The part of each row, in the order of the rows.
            var parts: [Int]
            /// The error for each row that is refused; `nil` if rows are refused because their jobs were changed.
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

        /// The part of a turn's statements to create.
        enum Scope {
            /// All statements, for a whole transaction.
            case whole
            /// The statements before all parts, which concern no single part.
            case common
            /// The statements that write parts.
            case parts
        }

        /// Creates the statements for these parts of a turn, with the clock record if it is new.
        init(
            _ turn: StoreTurn, parts: [Int], _ scope: Scope = .whole, node: Int64, timeline: Int32,
            session: StoreSession, isClockNew: Bool, submissionFloor: Int64
        ) {
            switch scope {
            case .whole:
                addCommon(turn, parts, node, timeline: timeline, session, isClockNew: isClockNew)
                addParts(turn, parts, node, session)
                // The last statement finds out whether there are more submissions for this node.
                add(Self.hasSubmissions(node, above: submissionFloor))
            case .common: addCommon(turn, parts, node, timeline: timeline, session, isClockNew: isClockNew)
            case .parts: addParts(turn, parts, node, session)
            }
        }

        private mutating func addCommon(
            _ turn: StoreTurn, _ parts: [Int], _ node: Int64, timeline: Int32, _ session: StoreSession, isClockNew: Bool
        ) {
            // The shards of all rows that are written, taken or set aside.
            var shards = turn.shardsBeside(parts: parts)
            for part in parts { for change in turn.parts[part] { shards.insert(change.shard) } }
            let epochs = shards.sorted().compactMap { id in session.shards[id].map { (id, $0) } }
            add(Self.fence(node, epochs, timeline: timeline))
            // Before any write, so that a transaction that waits for a name holds no locks for which others wait.
            let (named, labelled) = (Self.named(turn, parts), Self.labelled(turn, parts))
            if !(named.isEmpty && labelled.isEmpty) {
                add(
                    Self.lockNames(
                        named.compactMap(\.job.request.name) + labelled.map { "\($0.known.label)=\($0.known.value)" }))
            }
            if let due = Self.claims(turn, parts) {
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

        private mutating func addParts(
            _ turn: StoreTurn, _ parts: [Int], _ node: Int64, _ session: StoreSession
        ) {
            let (named, labelled) = (Self.named(turn, parts), Self.labelled(turn, parts))
            let axis = ElapsedAxis(turn.clock)
            for wave in Self.waves(turn, parts) { add(wave, of: turn, axis) }
            addMoves(parts.flatMap { turn.parts[$0] }, session)
            if !named.isEmpty { requireFreeNames(named) }
            if !labelled.isEmpty { requireNoOthers(labelled) }
            let written = Set(parts)
            addTaken(turn.taken.filter { written.contains($0.part) })
            addForwarded(turn.forwarded.filter { written.contains($0.part) }, node)
        }

        /// Returns the new jobs whose names must be free.
        private static func named(_ turn: StoreTurn, _ parts: [Int]) -> [(part: Int, job: Job)] {
            parts.flatMap { part in turn.parts[part].filter(\.requiresFreeName).map { (part, $0.job) } }
        }

        /// Returns the new jobs that require that all other jobs with a label are known.
        private static func labelled(
            _ turn: StoreTurn, _ parts: [Int]
        ) -> [(part: Int, id: JobID, known: LabelledJobs)] {
            parts.flatMap { part in
                turn.parts[part].compactMap { change in change.onlyBeside.map { (part, change.job.id, $0) } }
            }
        }

        static func hasSubmissions(_ node: Int64, above floor: Int64) -> PostgresStatement {
            PostgresStatement(
                """
                SELECT EXISTS (
                    SELECT 1 FROM apus.submission AS s JOIN apus.shard AS h ON h.id = s.shard
                    WHERE s.sequence > $2 AND h.node = $1)
                """, [.int64(node), .int64(floor)])
        }

        /// Returns the latest due instant of the claimed runs.
        private static func claims(_ turn: StoreTurn, _ parts: [Int]) -> WallInstant? {
            var latest: WallInstant?
            for part in parts {
                for change in turn.parts[part] {
                    for run in change.runs where run.state == .running {
                        let due = max(run.due, run.notBefore ?? run.due)
                        latest = max(latest ?? due, due)
                    }
                }
            }
            return latest
        }

        // MARK: Shards of others

        /// Moves the wakes of moved jobs to their new shards, and notifies the owners of other nodes' shards.
        private mutating func addMoves(_ changes: [JobChange], _ session: StoreSession) {
            let moved = changes.filter { $0.destination != nil }
            if !moved.isEmpty {
                add(
                    PostgresStatement(
                        Self.moveWakes, [.array(moved.map(\.job.key)), .array(moved.map(\.job.request.lane.stored))]))
            }
            let placed = changes.filter { session.shards[$0.shard] == nil }.map(\.shard)
            let shards = Set(placed + moved.compactMap(\.destination))
            if !shards.isEmpty { add(Self.notifyOfJobs(shards.sorted())) }
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

        /// Adds a statement that refuses the transaction unless it writes all its rows, and whose last parameter is
        /// their numbers.
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

        /// Returns the fence of a transaction.
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
            for part in parts {
                for (index, change) in turn.parts[part].enumerated() {
                    // In one wave, changes of stored jobs are written before new jobs.
                    let earlier = ids[change.job.id]
                    let isNew = change.expected == .absent
                    let wave =
                        earlier.map { isNew && waves[$0].isLastUpdate(of: change.job.id, turn) ? $0 : $0 + 1 } ?? 0
                    ids[change.job.id] = wave
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
            var (jobs, requests, lanes, uniqueness) = (RowArrays(), RowArrays(), RowArrays(), RowArrays())
            var (runs, kept) = (RowArrays(), RowArrays())
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
            var (jobs, runs) = (RowArrays(), RowArrays())
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
        /// Returns whether the last change of the wave with the identifier changes a stored job.
        fileprivate func isLastUpdate(of id: JobID, _ turn: StoreTurn) -> Bool {
            let last = last { turn.parts[$0.part][$0.change].job.id == id }
            return last.map { turn.parts[$0.part][$0.change].expected != .absent } ?? false
        }
    }
#endif
