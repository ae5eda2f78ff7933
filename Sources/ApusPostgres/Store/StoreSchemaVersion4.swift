#if Postgres
    extension StoreSchema {
        /// Each part is beside what it is for.
        static let version4: [String] = version4Remembered
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
