#if SQLite
    extension Schema {
        // Calendar triggers: `trigger_calendar` has the schedule, its zone and its policies as JSON. SQLite adds no
        // value to a CHECK, so the table of requests is made anew.
        static let version5 = """
            ALTER TABLE job ADD COLUMN due_note TEXT;
            ALTER TABLE run ADD COLUMN due_note TEXT;

            CREATE TABLE new_request (
                job INTEGER PRIMARY KEY REFERENCES job (key) ON DELETE CASCADE,
                name TEXT,
                kind TEXT NOT NULL,
                trigger TEXT NOT NULL,
                trigger_ns INTEGER NOT NULL,
                trigger_anchor INTEGER,
                trigger_count INTEGER,
                trigger_calendar TEXT,
                tolerance INTEGER NOT NULL,
                missed_runs TEXT NOT NULL,
                missed_limit INTEGER,
                grace INTEGER,
                overlap TEXT NOT NULL,
                overlap_limit INTEGER,
                maximum_attempts INTEGER NOT NULL,
                maximum_lost INTEGER NOT NULL,
                initial_backoff INTEGER NOT NULL,
                maximum_backoff INTEGER NOT NULL,
                jitter REAL NOT NULL,
                time_limit INTEGER,
                conditions INTEGER NOT NULL,
                labels TEXT NOT NULL,
                payload BLOB NOT NULL,
                idempotency_key TEXT,
                metadata TEXT NOT NULL,
                unique_payload INTEGER NOT NULL,
                unique_within INTEGER,
                CONSTRAINT request_trigger_known CHECK (
                    trigger = 'at' OR trigger = 'after' OR trigger = 'every' OR trigger = 'calendar'),
                CONSTRAINT request_only_every_repeats
                    CHECK (trigger = 'every' OR (trigger_anchor IS NULL AND trigger_count IS NULL)),
                CONSTRAINT request_calendar_has_a_schedule CHECK (
                    (trigger = 'calendar') = (trigger_calendar IS NOT NULL)
                    AND (trigger_calendar IS NULL OR json_valid(trigger_calendar))),
                CONSTRAINT request_missed_runs_known CHECK (
                    ((missed_runs = 'runOnce' OR missed_runs = 'skip') AND missed_limit IS NULL)
                    OR (missed_runs = 'runAll' AND missed_limit IS NOT NULL)),
                CONSTRAINT request_overlap_known CHECK (
                    ((overlap = 'skip' OR overlap = 'replace') AND overlap_limit IS NULL)
                    OR ((overlap = 'queue' OR overlap = 'allow') AND overlap_limit IS NOT NULL)),
                CONSTRAINT request_attempts_in_range CHECK (maximum_attempts >= 1 AND maximum_lost >= 0),
                CONSTRAINT request_jitter_0_to_1 CHECK (jitter BETWEEN 0 AND 1),
                CONSTRAINT request_conditions_known CHECK (conditions BETWEEN 0 AND 7),
                CONSTRAINT request_labels_object
                    CHECK (labels = '{}' OR (json_valid(labels) AND json_type(labels) = 'object')),
                CONSTRAINT request_payload_64_KiB CHECK (length(payload) <= 65536),
                CONSTRAINT request_idempotency_key_1_to_255_bytes CHECK (
                    idempotency_key IS NULL OR length(CAST(idempotency_key AS BLOB)) BETWEEN 1 AND 255),
                CONSTRAINT request_metadata_object
                    CHECK (metadata = '{}' OR (json_valid(metadata) AND json_type(metadata) = 'object')),
                CONSTRAINT request_unique_payload_is_0_to_2 CHECK (unique_payload BETWEEN 0 AND 2),
                CONSTRAINT request_only_payloads_have_a_period
                    CHECK (unique_within IS NULL OR (unique_payload > 0 AND unique_within > 0))
            ) STRICT;
            INSERT INTO new_request (
                job, name, kind, trigger, trigger_ns, trigger_anchor, trigger_count, tolerance, missed_runs, missed_limit,
                grace, overlap, overlap_limit, maximum_attempts, maximum_lost, initial_backoff, maximum_backoff, jitter,
                time_limit, conditions, labels, payload, idempotency_key, metadata, unique_payload, unique_within)
            SELECT
                job, name, kind, trigger, trigger_ns, trigger_anchor, trigger_count, tolerance, missed_runs, missed_limit,
                grace, overlap, overlap_limit, maximum_attempts, maximum_lost, initial_backoff, maximum_backoff, jitter,
                time_limit, conditions, labels, payload, idempotency_key, metadata, unique_payload, unique_within
            FROM request;
            DROP TABLE request;
            ALTER TABLE new_request RENAME TO request;

            CREATE INDEX request_name ON request (name) WHERE name IS NOT NULL;
            CREATE UNIQUE INDEX request_idempotency_key ON request (idempotency_key) WHERE idempotency_key IS NOT NULL;
            CREATE UNIQUE INDEX request_payload_unique ON request (kind, payload) WHERE unique_payload = 1;
            CREATE INDEX request_payload ON request (kind, payload, job) WHERE unique_payload > 0;
            CREATE INDEX request_calendar ON request (job) WHERE trigger_calendar IS NOT NULL;
            """
    }
#endif
