#if Postgres
    import ApusJobs
    import ApusTimers

    extension StoreSchema {
        /// Adds `JobPolicies.expiry` and `retention`; in `apus.ended`, the instant until which a job is kept replaces
        /// the instant of its end.
        static let version5 = [
            "ALTER TABLE apus.request ADD COLUMN expiry bigint, ADD COLUMN retention bigint",
            """
            CREATE OR REPLACE FUNCTION apus.request_form() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $body$
                SELECT '\(requestForm(adding: addedPolicies))'::jsonb
            $body$
            """,
            "ALTER TABLE apus.job ADD COLUMN kept_until bigint",
            // The retention of already ended jobs is not known here, so they are kept for 180 days from now, or longer
            // if they stay unique for longer.
            """
            UPDATE apus.job AS j
            SET kept_until = greatest(apus.now() + 15552000000000000, \(uniqueUntil))
            WHERE state IN ('cancelled', 'finished')
            """,
            "TRUNCATE apus.ended",
            "ALTER TABLE apus.ended RENAME COLUMN updated TO kept_until",
            """
            INSERT INTO apus.ended (kept_until, keys) SELECT kept_until, array_agg(key) FROM apus.job
            WHERE state IN ('cancelled', 'finished') AND open_runs = 0 GROUP BY kept_until
            """,
        ]

        static let addedPolicies =
            "\(duration("expiry", from: 1)), \(duration("retention")), "

        /// The expression for `Job.uniqueUntil` of a row `j` of `apus.job`.
        ///
        /// The innermost subquery makes PostgreSQL find the request by its key, whatever the planner estimates.
        private static let uniqueUntil = """
            (SELECT least(j.created, \(Int64.max) - p.period) + p.period FROM (SELECT coalesce((
                SELECT greatest(r.unique_within, CASE WHEN r.idempotency_key IS NULL THEN 0::bigint
                    ELSE \(JobRequest.idempotencyPeriod.wholeNanoseconds) END)
                FROM apus.request AS r WHERE r.job = j.key), 0::bigint) AS period) AS p)
            """
    }
#endif
