#if SQLite
    extension Schema {
        /// The part for jobs that are set aside and submissions that were refused is in `SetAsideRow.swift`.
        static let version6 = [version6Lanes, version6Uniqueness, version6SetAside].joined(separator: "\n")

        // A lane is the form of `QueueLane` in the stores. The first jobs of a lane are a range of an index for each of
        // the two clocks.
        private static let version6Lanes = """
            ALTER TABLE job ADD COLUMN lane TEXT NOT NULL DEFAULT '';
            UPDATE job SET lane = ifnull((
                SELECT job.priority || ' ' || request.conditions || ' ' || job.queue || ' ' || request.kind
                FROM request WHERE request.job = job.key), '2 0 default ');
            DROP INDEX job_wake;
            DROP INDEX job_elapsed_wake;
            CREATE INDEX job_wake ON job (lane, wake, key) WHERE wake IS NOT NULL;
            CREATE INDEX job_elapsed_wake ON job (lane, elapsed_wake, key) WHERE elapsed_wake IS NOT NULL;
            CREATE INDEX request_anchored ON request (job)
                WHERE trigger_anchor IS NOT NULL OR trigger_calendar IS NOT NULL;
            """

        /// `unique_until` is `Job.uniqueUntil`: the index has ended jobs in the order in which both that and their end
        /// have passed, so those that must stay are not read each time that others are removed.
        private static let version6Uniqueness = """
            ALTER TABLE job ADD COLUMN unique_until INTEGER NOT NULL DEFAULT 0;
            UPDATE job SET unique_until = ifnull((
                SELECT min(job.created, 9223372036854775807 - period) + period FROM (
                    SELECT max(ifnull(unique_within, 0), iif(idempotency_key IS NULL, 0, 86400000000000)) AS period
                    FROM request WHERE request.job = job.key)), 0);
            DROP INDEX job_ended;
            CREATE INDEX job_ended ON job (max(updated, unique_until))
                WHERE (job.state = 'cancelled' OR job.state = 'finished') AND open_runs = 0;
            """
    }
#endif
