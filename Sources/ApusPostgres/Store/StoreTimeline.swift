#if Postgres
    /// Continues with a promoted database, which may lack the last transactions that were committed and acknowledged.
    ///
    /// A promotion begins another timeline of the server. Each turn states the timeline of its decisions, and is
    /// refused on another timeline (`apus.fence`), so no decision that is based on lost data is written. The first node
    /// that notices the promotion, or joins, adopts the timeline once. The adoption skips numbers, so that those of
    /// lost nodes, jobs, submissions and runs, and lost epochs of shards, are not used again. Then each node reads its
    /// jobs again (``ClusterMember``).
    enum StoreTimeline {
        static let schema: [String] = [
            "CREATE TABLE apus.timeline (id integer PRIMARY KEY CHECK (id = 1), number integer NOT NULL)",
            """
            CREATE FUNCTION apus.current_timeline() RETURNS integer LANGUAGE sql VOLATILE AS $body$
                SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer
            $body$
            """,
            // The function adopts any timeline that differs from the recorded one, even an earlier one: a store that
            // was copied with the server's own tools may return to an earlier timeline.
            """
            CREATE FUNCTION apus.adopt_timeline() RETURNS integer LANGUAGE plpgsql AS $body$
            DECLARE
                current integer := apus.current_timeline();
            BEGIN
                IF EXISTS (SELECT 1 FROM apus.timeline AS t WHERE t.number = current) THEN
                    RETURN current;
                END IF;
                UPDATE apus.timeline AS t SET number = current WHERE t.number <> current;
                -- What is skipped depends on the timeline: an adoption may be lost by the next promotion.
                IF FOUND THEN
                    PERFORM setval('apus.job_key', nextval('apus.job_key') + current * 1000000000::bigint),
                        setval('apus.run_sequence', nextval('apus.run_sequence') + current * 1000000000::bigint),
                        setval(s::regclass, nextval(s::regclass) + current * 1000000000::bigint),
                        setval(n::regclass, nextval(n::regclass) + current * 1000)
                    FROM pg_get_serial_sequence('apus.submission', 'sequence') AS s,
                        pg_get_serial_sequence('apus.node', 'id') AS n;
                    UPDATE apus.shard SET epoch = epoch + current * 1000000::bigint;
                END IF;
                RETURN current;
            END
            $body$
            """,
            "INSERT INTO apus.timeline (id, number) VALUES (1, apus.current_timeline())",
        ]

        static let current = PostgresStatement("SELECT apus.current_timeline()")
        static let adopt = PostgresStatement("SELECT apus.adopt_timeline()")
    }
#endif
