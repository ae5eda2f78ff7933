#if SQLite
    extension Schema {
        /// Each part is beside what it is for.
        static let version6 = [version6Lanes].joined(separator: "\n")

        // A lane is the form of `QueueLane` in the stores. The first jobs of a lane are a range of an index for each of
        // the two clocks.
        private static let version6Lanes = """
            ALTER TABLE job ADD COLUMN lane TEXT NOT NULL DEFAULT '';
            UPDATE job SET lane = (
                SELECT job.priority || ' ' || request.conditions || ' ' || job.queue || ' ' || request.kind
                FROM request WHERE request.job = job.key);
            DROP INDEX job_wake;
            DROP INDEX job_elapsed_wake;
            CREATE INDEX job_wake ON job (lane, wake, key) WHERE wake IS NOT NULL;
            CREATE INDEX job_elapsed_wake ON job (lane, elapsed_wake, key) WHERE elapsed_wake IS NOT NULL;
            CREATE INDEX request_anchored ON request (job)
                WHERE trigger_anchor IS NOT NULL OR trigger_calendar IS NOT NULL;
            """
    }
#endif
