#if Postgres
    public import ApusJobs

    /// A node, as stored in the database.
    public struct ClusterNode: Hashable, Sendable {
        /// Whether and how a node takes part in the cluster.
        public enum State: String, Hashable, Sendable, CaseIterable {
            /// The node beats, and has its session.
            case alive
            /// The node has not beaten for longer than its patience, or has no session, so the other nodes take its
            /// shards soon.
            case silent
            /// The node releases its shards, and ends.
            case leaving
        }

        /// The number of the node, which no other node ever has.
        public var id: Int64
        /// The name of the node (`JobScheduler.Configuration.node`), which several nodes may share.
        public var name: NodeID
        /// The version of Apus that the node runs.
        public var version: String
        /// The number of shards that the node owns.
        public var shards: Int
        /// The time since the node's last beat, by the database's clock.
        public var beatAge: Duration
        /// The time since the earliest overdue job of the node was due, by the database's clock; zero if none is
        /// overdue.
        ///
        /// This includes jobs that wait for a place in a queue, for a handler or for their conditions.
        public var lag: Duration
        /// Whether and how the node takes part in the cluster.
        public var state: State

        /// The time for which the other nodes wait for a beat of this node.
        public var patience: Duration

        /// The jobs that the node can run; `nil` if it has not reported them.
        ///
        /// A node that can run none owns no shards.
        public var jobs: RunnableJobs?
    }

    extension PostgresStore {
        /// Returns the nodes that have not ended, in the order of their numbers.
        ///
        /// For the lag, at most the 10,000 earliest overdue jobs of each queue, priority and kind are examined.
        ///
        /// - Throws: `JobError` with `unavailable`.
        public func nodes() async throws -> [ClusterNode] {
            try await mapErrors {
                let rows = try await self.queries.link.read([PostgresStatement(Self.selectNodes(self.schema))])[0]
                return try rows.map { row in
                    let beatAge = try row.decodeIfPresent(Int64.self, at: 4).map { Duration.nanoseconds(max(0, $0)) }
                    let (isLeaving, hasSession): (Bool, Bool) = (try row.decode(at: 6), try row.decode(at: 7))
                    let patience = Duration.milliseconds(try row.decode(Int64.self, at: 8))
                    let isSilent = !hasSession || (beatAge ?? .zero) > patience
                    return ClusterNode(
                        id: try row.decode(at: 0), name: NodeID(rawValue: try row.decode(at: 1)),
                        version: try row.decode(at: 2), shards: Int(try row.decode(Int64.self, at: 3)),
                        beatAge: beatAge ?? .zero,
                        lag: .nanoseconds(max(0, try row.decode(Int64.self, at: 5))),
                        state: isSilent ? .silent : isLeaving ? .leaving : .alive, patience: patience,
                        jobs: NodeJobs.jobs(of: try row.decodeIfPresent(String.self, at: 9)))
                }
            }
        }

        /// The SQL expression for the present instant on the axis of elapsed time.
        ///
        /// It is a scalar subquery and not a join, so that it can bound the search in the index of wakes.
        static let elapsedNow = "(SELECT now.ns - c.elapsed_offset FROM now, apus.clock AS c)"

        private static let lanes =
            "\(StoreQueries.lanes("wall", isElapsed: false)), \(StoreQueries.lanes("elapsed", isElapsed: true))"

        private static func selectNodes(_ schema: SchemaName) -> String {
            """
            WITH RECURSIVE \(lanes), now AS MATERIALIZED (
                SELECT clock_timestamp() AS instant, (extract(epoch FROM clock_timestamp()) * 1000000000)::int8 AS ns
            ), late AS MATERIALIZED (
                SELECT o.shard, (SELECT ns FROM now) - o.instant AS lag FROM wall AS l, LATERAL (
                    SELECT w.shard, w.instant FROM apus.wake AS w WHERE NOT w.elapsed AND w.lane = l.lane
                        AND w.instant < (SELECT ns FROM now) ORDER BY w.instant LIMIT 10000) AS o
                UNION ALL
                SELECT o.shard, \(elapsedNow) - o.instant FROM elapsed AS l, LATERAL (
                    SELECT w.shard, w.instant FROM apus.wake AS w WHERE w.elapsed AND w.lane = l.lane
                        AND w.instant < \(elapsedNow) ORDER BY w.instant LIMIT 10000) AS o
            ), latest AS (
                SELECT shard, max(lag) AS lag FROM late GROUP BY shard
            ), owned AS (
                SELECT s.node, count(*) AS shards, coalesce(max(l.lag), 0) AS lag
                FROM apus.shard AS s LEFT JOIN latest AS l ON l.shard = s.id
                WHERE s.node IS NOT NULL GROUP BY s.node
            )
            SELECT n.id, n.name, n.version, coalesce(o.shards, 0),
                (extract(epoch FROM now.instant - coalesce(b.at, n.started)) * 1000000000)::int8,
                coalesce(o.lag, 0), n.leaving, \(schema.isLocked("n.id")), n.patience_ms, n.jobs
            FROM now, apus.node AS n LEFT JOIN apus.beat AS b ON b.node = n.id LEFT JOIN owned AS o ON o.node = n.id
            WHERE n.ended IS NULL ORDER BY n.id
            """
        }
    }

    extension PostgresStore {
        /// Returns the state of the queues over all nodes, in the order of their names.
        ///
        /// These are the queues with settings, active runs or due jobs. A due job waits for a place, for a handler or
        /// for its conditions; of each queue, priority and kind, at most 100,000 are counted.
        ///
        /// - Throws: `JobError` with `unavailable`.
        public func queues() async throws -> [QueueStatus] {
            try await mapErrors {
                let results = try await self.queries.link.read(
                    [StoreQueries.selectClock, StoreQueries.selectQueues, PostgresStatement(Self.selectUse)],
                    isSnapshot: true)
                let axis = ElapsedAxis(try StoreQueries.clock(of: results[0]))
                var statuses: [QueueID: QueueStatus] = [:]
                for queue in try StoreQueries.queues(of: results[1], axis) {
                    statuses[queue.id] = QueueStatus(queue: queue, runningCount: 0, waitingCount: 0)
                }
                for row in results[2] {
                    let id = QueueID(try row.decode(String.self, at: 0))
                    var status = statuses[id] ?? QueueStatus(queue: JobQueue(id: id), runningCount: 0, waitingCount: 0)
                    status.runningCount = Int(try row.decode(Int64.self, at: 1))
                    status.waitingCount = Int(try row.decode(Int64.self, at: 2))
                    statuses[id] = status
                }
                return statuses.values.filter { $0.runningCount > 0 || $0.waitingCount > 0 || $0.queue.hasSettings }
                    .sorted { $0.queue.id < $1.queue.id }
            }
        }

        private static let selectUse = """
            WITH RECURSIVE \(lanes), now AS MATERIALIZED (SELECT apus.now() AS ns), due AS MATERIALIZED (
                SELECT l.lane, (SELECT count(*) FROM (
                    SELECT 1 FROM apus.wake AS w WHERE NOT w.elapsed AND w.lane = l.lane
                        AND w.instant <= (SELECT ns FROM now) ORDER BY w.instant LIMIT 100000) AS o) AS count
                FROM wall AS l
                UNION ALL
                SELECT l.lane, (SELECT count(*) FROM (
                    SELECT 1 FROM apus.wake AS w WHERE w.elapsed AND w.lane = l.lane
                        AND w.instant <= \(elapsedNow) ORDER BY w.instant LIMIT 100000) AS o)
                FROM elapsed AS l
            ), use (queue, running, waiting) AS (
                SELECT r.queue, 1, 0 FROM apus.open_run AS o JOIN apus.request AS r ON r.job = o.job
                WHERE o.state = 'claimed'
                UNION ALL
                SELECT split_part(due.lane, ' ', 3), 0, due.count FROM due WHERE due.lane IS NOT NULL
            )
            SELECT queue, sum(running)::int8, sum(waiting)::int8 FROM use GROUP BY queue
            """
    }
#endif
