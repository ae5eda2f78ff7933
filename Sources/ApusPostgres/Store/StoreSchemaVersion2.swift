#if Postgres
    extension StoreSchema {
        /// Calendar triggers: `trigger_calendar` has the schedule, its zone and its policies as JSON. A program of version 1
        /// could not read the job of such a trigger.
        static let version2: [String] = [
            "ALTER TABLE apus.job ADD COLUMN due_note text",
            "ALTER TABLE apus.open_run ADD COLUMN due_note text",
            "ALTER TABLE apus.run ADD COLUMN due_note text",
            """
            ALTER TABLE apus.request
                ADD COLUMN trigger_calendar text,
                DROP CONSTRAINT request_trigger_known,
                ADD CONSTRAINT request_trigger_known CHECK (trigger IN ('at', 'after', 'every', 'calendar')),
                ADD CONSTRAINT request_calendar_has_a_schedule CHECK (
                    (trigger = 'calendar') = (trigger_calendar IS NOT NULL))
            """,
            "CREATE INDEX request_calendar ON apus.request (job) WHERE trigger_calendar IS NOT NULL",
        ]
    }
#endif
