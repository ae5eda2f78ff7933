#if Postgres
    extension StoreSchema {
        /// Each part is beside what it is for.
        static let version4: [String] =
            version4Lanes + version4Prefixes + version4Remembered + version4NodeJobs + version4SetAside

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

    extension StoreSchema {
        /// What has ended is found without reading what is there, and the other way round: ``StoreRemembered``.
        private static let version4Remembered: [String] = [
            "CREATE INDEX node_has_not_ended ON apus.node (id) WHERE ended IS NULL",
            "CREATE INDEX node_ended ON apus.node (ended) WHERE ended IS NOT NULL",
            "ALTER TABLE apus.queue ADD COLUMN cleared timestamptz",
            "CREATE INDEX queue_cleared ON apus.queue (cleared) WHERE cleared IS NOT NULL",
            // Since when a queue has no settings.
            """
            CREATE FUNCTION apus.note_cleared() RETURNS trigger LANGUAGE plpgsql AS $body$
            BEGIN
                NEW.cleared := CASE WHEN NEW.concurrency IS NULL AND NEW.rate_runs IS NULL AND NOT NEW.paused
                    THEN coalesce(NEW.cleared, clock_timestamp()) END;
                RETURN NEW;
            END
            $body$
            """,
            """
            CREATE TRIGGER queue_is_cleared BEFORE INSERT OR UPDATE ON apus.queue
            FOR EACH ROW EXECUTE FUNCTION apus.note_cleared()
            """,
            // The trigger notes it of those that are there.
            "UPDATE apus.queue SET paused = paused",
        ]
    }
#endif
