#if Postgres
    /// Nodes that have ended, and queues without settings, are remembered for a day, and then removed a piece at a
    /// time.
    ///
    /// Nothing refers to such a node: its shards, places and replies are gone when it ends, and a number is never
    /// given again. A queue without a row is one without settings; by then each node has read with its beats that it
    /// has none.
    enum StoreRemembered {
        private static let period = "interval '1 day'"

        /// At most so many of each are removed. Each statement's row has how many that were.
        static func remove(atMost budget: Int) -> [PostgresStatement] {
            [removeNodes, removeQueues].map { PostgresStatement($0, [.int64(Int64(max(0, budget)))]) }
        }

        private static let removeNodes = """
            WITH gone AS (
                DELETE FROM apus.node AS n USING (
                    SELECT id FROM apus.node WHERE ended < now() - \(period) ORDER BY ended LIMIT $1
                    FOR UPDATE SKIP LOCKED) AS old
                WHERE n.id = old.id AND NOT EXISTS (SELECT 1 FROM apus.shard AS s WHERE s.node = n.id) RETURNING n.id
            )
            SELECT count(*) FROM gone
            """

        /// A queue that another transaction has given settings in the meantime stays.
        private static let removeQueues = """
            WITH gone AS (
                DELETE FROM apus.queue AS q USING (
                    SELECT id FROM apus.queue WHERE cleared < now() - \(period) ORDER BY cleared LIMIT $1
                    FOR UPDATE SKIP LOCKED) AS old
                WHERE q.id = old.id AND q.cleared < now() - \(period) RETURNING q.id
            ), no_place AS (
                DELETE FROM apus.place AS p USING gone AS g WHERE p.queue = g.id
            )
            SELECT count(*) FROM gone
            """
    }
#endif
