#if Postgres
    /// Removes ended nodes and queues without settings after a day, in portions.
    ///
    /// No row refers to an ended node, because its shards, places and replies are removed at its end, and its number is
    /// not used again. A queue without a row counts as a queue without settings. When the day is over, every node has
    /// read in one of its beats that the settings are gone.
    enum StoreRemembered {
        private static let period = "interval '1 day'"

        /// Returns statements that remove at most `budget` nodes and queues; each returns the number of rows that it
        /// has removed.
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

        /// Removes queues, except those that another transaction has given settings in the meantime.
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
