#if Postgres
    import ApusJobs

    extension StoreSchema {
        /// Adds `JobRequest.fairnessKey`, with its group as a part of the lane, and `JobQueue.concurrencyPerKey`.
        ///
        /// Programs of version 5 would search for the wakes of such jobs in other lanes.
        static let version6 = [
            "ALTER TABLE apus.request ADD COLUMN fairness_key text, ADD COLUMN key_group bigint",
            "ALTER TABLE apus.queue ADD COLUMN concurrency_per_key bigint",
            """
            CREATE OR REPLACE FUNCTION apus.request_form() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $body$
                SELECT '\(requestForm(adding: addedPolicies, addedFields))'::jsonb
            $body$
            """,
            """
            CREATE OR REPLACE FUNCTION apus.note_cleared() RETURNS trigger LANGUAGE plpgsql AS $body$
            BEGIN
                NEW.cleared := CASE WHEN NEW.concurrency IS NULL AND NEW.concurrency_per_key IS NULL
                        AND NEW.rate_runs IS NULL AND NOT NEW.paused
                    THEN coalesce(NEW.cleared, clock_timestamp()) END;
                RETURN NEW;
            END
            $body$
            """,
        ]

        static let addedFields = #""fairnessKey": ["text", 1, \#(JobLimits.nameBytes)], "#
    }
#endif
