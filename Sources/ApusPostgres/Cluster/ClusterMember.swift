#if Postgres
    import ApusJobs
    import ApusTimers
    import Logging

    /// Keeps a node in the cluster: beats, takes and gives shards, and tells the scheduler of it.
    ///
    /// Its connection holds the lock by which the others see the end of the process.
    final class ClusterMember: Sendable {
        let node: Int64
        private let writer: ServerLink
        private let session: ServerLink
        private let engine: TimerEngine
        private let logger: Logger
        private let machine: Locked<MembershipMachine>
        private let owned = Locked<[ShardID: StoreEpoch]>([:])
        /// The epochs of shards that were given back: a view that is older does not bring them again.
        private let given = Locked<[ShardID: StoreEpoch]>([:])
        private let task = Locked<Task<Void, Never>?>(nil)
        private let signal: @Sendable (StoreSignal) -> Void

        /// - Parameter signal: is called with what the scheduler has to know.
        init(
            node: Int64, writer: ServerLink, session: ServerLink, engine: TimerEngine, logger: Logger,
            timing: MembershipMachine.Timing = .init(), signal: @escaping @Sendable (StoreSignal) -> Void
        ) {
            self.node = node
            self.writer = writer
            self.session = session
            self.engine = engine
            self.logger = logger
            self.signal = signal
            machine = Locked(MembershipMachine(id: node, timing: timing, at: engine.time.uptime()))
        }

        /// The shards that are this node's.
        var shards: [ShardID: StoreEpoch] { owned.withLock { $0 } }

        /// Beats from now on.
        func start() {
            let task = Task { [weak self, engine] in
                while !Task.isCancelled {
                    guard let wait = self?.machine.withLock({ $0.nextBeat }) else { return }
                    try? await engine.sleep(until: wait)
                    guard !Task.isCancelled, let self else { return }
                    await self.beat()
                }
            }
            self.task.withLock { $0 = task }
        }

        func stop() { task.withLock { $0.take() }?.cancel() }

        // MARK: Beats

        func beat() async {
            let began = engine.time.uptime()
            do {
                let view = try await view()
                await perform(machine.withLock { $0.beat(view, began: began, at: engine.time.uptime()) })
            } catch {
                logger.debug("a beat failed", metadata: ["error": "\(error)"])
                await perform(machine.withLock { $0.beatFailed(began: began, at: engine.time.uptime()) })
            }
        }

        /// Names session locks of Apus.
        static let lockClass: Int32 = 0x6170_7573

        private func view() async throws -> MembershipMachine.View {
            let results = try await session.execute(
                PostgresBatch([
                    PostgresStatement(
                        """
                        INSERT INTO apus.beat AS b (node, number) VALUES ($1, 1)
                        ON CONFLICT (node) DO UPDATE SET number = b.number + 1
                        """, [.int64(node)]),
                    // Nothing of it if the connection was made anew and the lock is held already.
                    PostgresStatement(
                        "SELECT pg_try_advisory_lock($1, $2) WHERE NOT \(Self.isLocked("$2::int8"))",
                        [.int32(Self.lockClass), .int32(Int32(truncatingIfNeeded: node))]),
                    PostgresStatement(
                        """
                        SELECT n.id, coalesce(b.number, 0), n.leaving, \(Self.isLocked("n.id"))
                        FROM apus.node AS n LEFT JOIN apus.beat AS b ON b.node = n.id WHERE n.ended IS NULL
                        """),
                    PostgresStatement("SELECT id, node, epoch FROM apus.shard"),
                ]))
            var view = MembershipMachine.View(nodes: [], owners: [:])
            for row in results[2] {
                view.nodes.append(
                    .init(
                        id: try row.decode(at: 0), beat: try row.decode(at: 1), hasSession: try row.decode(at: 3),
                        isLeaving: try row.decode(at: 2)))
            }
            var mine: [ShardID: StoreEpoch] = [:]
            for row in results[3] {
                let shard = ShardID(rawValue: Int(try row.decode(Int64.self, at: 0)))
                let owner = try row.decodeIfPresent(Int64.self, at: 1)
                view.owners[shard] = .some(owner)
                if owner == node { mine[shard] = StoreEpoch(rawValue: try row.decode(at: 2)) }
            }
            adopt(mine)
            return view
        }

        /// Whether a node's session is there.
        private static func isLocked(_ node: String) -> String {
            """
            EXISTS (
                SELECT 1 FROM pg_locks AS l
                WHERE l.locktype = 'advisory' AND l.granted AND l.classid::int8 = \(lockClass)
                    AND l.objid::int8 = \(node) AND l.objsubid = 2
                    AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
            """
        }

        /// What the database says is this node's.
        private func adopt(_ found: [ShardID: StoreEpoch]) {
            let mine = given.withLock { given in found.filter { shard, epoch in given[shard].map { $0 < epoch } ?? true } }
            let old = owned.withLock { owned in
                defer { owned = mine }
                return owned
            }
            for (shard, epoch) in mine.sorted(by: { $0.key < $1.key }) where old[shard] != epoch {
                signal(.granted(shard, epoch))
            }
        }

        // MARK: Actions

        private func perform(_ actions: [MembershipMachine.Action]) async {
            for action in actions {
                do { try await perform(action) } catch {
                    logger.warning("a change of the cluster failed", metadata: ["error": "\(error)"])
                }
            }
        }

        private func perform(_ action: MembershipMachine.Action) async throws {
            switch action {
            case .act: signal(.connected)
            case .ceaseToAct: signal(.cutOff)
            case .take(let shards): try await take(shards)
            case .giveBack(let count): signal(.share(max(0, owned.withLock(\.count) - count)))
            case .declareDead(let id):
                logger.notice("a node is dead", metadata: ["node": "\(id)"])
                try await Self.end(id, on: writer)
            case .end: try await Self.end(node, on: writer)
            case .forgetShards:
                let lost = owned.withLock { owned in
                    defer { owned = [:] }
                    return owned.keys.sorted()
                }
                for shard in lost { signal(.revoked(shard)) }
            }
        }

        private func take(_ wanted: [ShardID]) async throws {
            let rows = try await writer.execute(
                PostgresBatch([
                    TurnStatements.fence(node, []),
                    PostgresStatement(
                        """
                        UPDATE apus.shard SET node = $1, epoch = epoch + 1
                        WHERE id = ANY ($2::int8[]) AND node IS NULL RETURNING id, epoch
                        """, [.int64(node), .array(wanted.map { Int64($0.rawValue) })]),
                ]))[1]
            for row in rows {
                let (id, epoch): (Int64, Int64) = (try row.decode(at: 0), try row.decode(at: 1))
                let (shard, new) = (ShardID(rawValue: Int(id)), StoreEpoch(rawValue: epoch))
                owned.withLock { $0[shard] = new }
                signal(.granted(shard, new))
            }
        }

        /// It is not known whether shards were given back: if the database says that they were not, they are new ones.
        func forget(_ shards: [ShardID]) {
            owned.withLock { owned in for shard in shards { owned[shard] = nil } }
        }

        /// Shards were given back in a turn.
        func released(_ shards: [ShardID]) {
            for shard in shards {
                guard let epoch = owned.withLock({ $0.removeValue(forKey: shard) }) else { continue }
                given.withLock { $0[shard] = epoch }
            }
        }

        /// The node can write nothing any more, and its shards are free. Its transactions that are under way are waited
        /// for.
        static func end(_ node: Int64, on link: ServerLink) async throws {
            _ = try await link.execute(
                PostgresBatch([
                    PostgresStatement(
                        "UPDATE apus.node SET ended = clock_timestamp() WHERE id = $1 AND ended IS NULL",
                        [.int64(node)]),
                    PostgresStatement("UPDATE apus.shard SET node = NULL WHERE node = $1", [.int64(node)]),
                    PostgresStatement("DELETE FROM apus.beat WHERE node = $1", [.int64(node)]),
                ]))
        }
    }
#endif
