#if Postgres
    extension StoreSchema {
        /// Each part is beside what it is for.
        static let version4: [String] = version4Lanes + version4Prefixes

        /// The beginning of an identifier is a range of bytes, whatever the database's collation is.
        private static let version4Prefixes = [
            "DROP INDEX apus.job_id", "CREATE INDEX job_id ON apus.job (id text_pattern_ops, key)",
        ]

        /// A lane is the form of `QueueLane` in the stores, compared by bytes. The first jobs of a lane are a range of the
        /// primary key.
        private static let version4Lanes = [
            #"ALTER TABLE apus.wake ADD COLUMN lane text COLLATE "C""#,
            "UPDATE apus.wake AS w SET lane = \(JobColumns.lane) FROM apus.request AS r WHERE r.job = w.key",
            // Of a job that is not there, which `apus store check` finds.
            "DELETE FROM apus.wake WHERE lane IS NULL",
            """
            ALTER TABLE apus.wake DROP CONSTRAINT wake_pkey, DROP COLUMN queue, DROP COLUMN priority,
                ADD PRIMARY KEY (elapsed, lane, instant, key)
            """,
        ]
    }
#endif
