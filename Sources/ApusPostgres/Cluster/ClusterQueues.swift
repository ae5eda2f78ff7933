#if Postgres
    public import ApusJobs

    extension PostgresStore {
        /// The state of the queues over all nodes: those that have settings, or runs in progress, or jobs that are due,
        /// by their names. A job that is due waits for a place, for a handler or for its conditions; of more than
        /// 100,000, the oldest are counted.
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
            WITH now AS MATERIALIZED (SELECT apus.now() AS ns), due AS MATERIALIZED (
                (SELECT w.queue FROM apus.wake AS w, now WHERE NOT w.elapsed AND w.instant <= now.ns
                    ORDER BY w.instant LIMIT 100000)
                UNION ALL
                (SELECT w.queue FROM apus.wake AS w, now, apus.clock AS c
                    WHERE w.elapsed AND w.instant <= now.ns - c.elapsed_offset ORDER BY w.instant LIMIT 100000)
            ), use (queue, running, waiting) AS (
                SELECT r.queue, 1, 0 FROM apus.open_run AS o JOIN apus.request AS r ON r.job = o.job
                WHERE o.state = 'claimed'
                UNION ALL
                SELECT due.queue, 0, 1 FROM due
            )
            SELECT queue, sum(running), sum(waiting) FROM use GROUP BY queue
            """
    }
#endif
