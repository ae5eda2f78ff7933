#if SQLite
    extension FormerSchema {
        // A job is in two tables: `job` has a short row with everything that a run changes; `request` has the request,
        // which is written once and may be long.
        //
        // Among the jobs that have not ended, each identifier is unique, and so is the pair of kind and payload of a
        // job that requires it. An instant in elapsed time (see ``JobStore``) is stored as the wall clock's reading
        // minus `clock.elapsed_offset`, which is initially zero.
        static let version4 = """
            CREATE TABLE new_job (
                key INTEGER PRIMARY KEY,
                version INTEGER NOT NULL,
                id TEXT NOT NULL,
                state TEXT NOT NULL,
                queue TEXT NOT NULL,
                priority INTEGER NOT NULL,
                created INTEGER NOT NULL,
                updated INTEGER NOT NULL,
                first INTEGER NOT NULL,
                origin INTEGER NOT NULL,
                next_occurrence INTEGER NOT NULL,
                next_due INTEGER,
                remainder INTEGER,
                occurrences INTEGER NOT NULL,
                missed INTEGER NOT NULL,
                wake INTEGER,
                elapsed_wake INTEGER,
                open_runs INTEGER NOT NULL,
                runs_since_retired INTEGER NOT NULL,
                CONSTRAINT job_key_positive CHECK (key > 0),
                CONSTRAINT job_version_positive CHECK (version > 0),
                CONSTRAINT job_id_1_to_300_bytes CHECK (length(CAST(id AS BLOB)) BETWEEN 1 AND 300),
                CONSTRAINT job_state_known CHECK (state = 'scheduled' OR state = 'suspended' OR state = 'cancelled' OR state = 'finished'),
                CONSTRAINT job_queue_1_to_64_bytes CHECK (length(CAST(queue AS BLOB)) BETWEEN 1 AND 64),
                CONSTRAINT job_priority_1_to_4 CHECK (priority BETWEEN 1 AND 4),
                CONSTRAINT job_final_has_nothing_to_come
                    CHECK ((state = 'scheduled' OR state = 'suspended') OR (next_due IS NULL AND wake IS NULL AND elapsed_wake IS NULL)),
                CONSTRAINT job_remainder_only_suspended CHECK (remainder IS NULL OR state = 'suspended'),
                CONSTRAINT job_instants_not_negative CHECK (
                    created >= 0 AND updated >= 0 AND first >= 0
                    AND (next_due IS NULL OR next_due >= 0) AND (wake IS NULL OR wake >= 0)
                    AND (elapsed_wake IS NULL OR elapsed_wake >= 0)),
                CONSTRAINT job_counts_not_negative CHECK (
                    next_occurrence >= 1 AND occurrences >= 0 AND missed >= 0 AND origin >= 0 AND open_runs >= 0
                    AND runs_since_retired >= 0)
            ) STRICT;

            -- `unique_payload`: 0 for a job that is not unique by its payload; else 1, and 2 while the job has ended.
            CREATE TABLE request (
                job INTEGER PRIMARY KEY REFERENCES job (key) ON DELETE CASCADE,
                name TEXT,
                kind TEXT NOT NULL,
                trigger TEXT NOT NULL,
                trigger_ns INTEGER NOT NULL,
                trigger_anchor INTEGER,
                trigger_count INTEGER,
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
                CONSTRAINT request_trigger_known CHECK (trigger = 'at' OR trigger = 'after' OR trigger = 'every'),
                CONSTRAINT request_only_every_repeats
                    CHECK (trigger = 'every' OR (trigger_anchor IS NULL AND trigger_count IS NULL)),
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

            INSERT INTO new_job (
                key, version, id, state, queue, priority, created, updated, first, origin, next_occurrence, next_due,
                remainder, occurrences, missed, wake, elapsed_wake, open_runs, runs_since_retired)
            SELECT
                key, version, id, state, 'default', 2, created, updated, first, 0, next_occurrence, next_due,
                remainder, occurrences, missed,
                iif((trigger = 'after' OR (trigger = 'every' AND trigger_anchor IS NULL)), NULL, wake),
                iif((trigger = 'after' OR (trigger = 'every' AND trigger_anchor IS NULL)), wake, NULL),
                (SELECT count(*) FROM run WHERE run.job = job.key AND run.state IN ('waiting', 'claimed')), 0
            FROM job;
            INSERT INTO request (
                job, name, kind, trigger, trigger_ns, trigger_anchor, trigger_count, tolerance, missed_runs, missed_limit,
                grace, overlap, overlap_limit, maximum_attempts, maximum_lost, initial_backoff, maximum_backoff, jitter,
                time_limit, conditions, labels, payload, idempotency_key, metadata, unique_payload)
            SELECT
                key, name, kind, trigger, trigger_ns, trigger_anchor, trigger_count, tolerance, missed_runs, missed_limit,
                grace, overlap, overlap_limit, maximum_attempts, maximum_lost, initial_backoff, maximum_backoff, jitter,
                time_limit, conditions, labels, payload, idempotency_key, '{}', 0
            FROM job;
            DROP TABLE job;
            ALTER TABLE new_job RENAME TO job;

            CREATE UNIQUE INDEX job_id_unique ON job (id) WHERE (job.state = 'scheduled' OR job.state = 'suspended');
            CREATE INDEX job_id ON job (id, key);
            CREATE INDEX job_wake ON job (wake, key, queue, priority) WHERE wake IS NOT NULL;
            CREATE INDEX job_elapsed_wake ON job (elapsed_wake, key, queue, priority) WHERE elapsed_wake IS NOT NULL;
            CREATE INDEX job_unfinished ON job (key) WHERE (job.state = 'scheduled' OR job.state = 'suspended');
            CREATE INDEX job_ended ON job (updated)
                WHERE (job.state = 'cancelled' OR job.state = 'finished') AND open_runs = 0;
            CREATE INDEX request_name ON request (name) WHERE name IS NOT NULL;
            CREATE UNIQUE INDEX request_idempotency_key ON request (idempotency_key) WHERE idempotency_key IS NOT NULL;
            CREATE UNIQUE INDEX request_payload_unique ON request (kind, payload) WHERE unique_payload = 1;
            CREATE INDEX request_payload ON request (kind, payload, job) WHERE unique_payload > 0;

            CREATE TABLE clock (
                id INTEGER PRIMARY KEY CONSTRAINT one_clock CHECK (id = 1),
                boot_id TEXT,
                wall_offset INTEGER NOT NULL,
                elapsed_offset INTEGER NOT NULL
            ) STRICT;
            -- "<boot> <offset>", as the scheduler wrote it before, with "-" for an unknown boot.
            INSERT INTO clock (id, boot_id, wall_offset, elapsed_offset)
                SELECT 1, nullif(substr(value, 1, instr(value, ' ') - 1), '-'), CAST(substr(value, instr(value, ' ') + 1) AS INTEGER), 0
                FROM metadata WHERE key = 'clock' AND instr(value, ' ') > 1;
            DROP TABLE metadata;

            ALTER TABLE run ADD COLUMN
                result BLOB CONSTRAINT run_result_64_KiB CHECK (result IS NULL OR (state = 'succeeded' AND length(result) <= 65536));
            ALTER TABLE run ADD COLUMN
                progress REAL CONSTRAINT run_progress_0_to_1 CHECK (progress IS NULL OR progress BETWEEN 0 AND 1);
            ALTER TABLE run ADD COLUMN
                progress_message TEXT CONSTRAINT run_progress_message_1000_bytes CHECK (
                    progress_message IS NULL OR (progress IS NOT NULL AND length(CAST(progress_message AS BLOB)) <= 1000));

            CREATE TABLE queue (
                id TEXT NOT NULL PRIMARY KEY,
                concurrency INTEGER,
                rate_runs INTEGER,
                rate_period INTEGER,
                paused INTEGER NOT NULL,
                recent_starts INTEGER NOT NULL,
                last_start INTEGER,
                CONSTRAINT queue_id_1_to_64_bytes CHECK (length(CAST(id AS BLOB)) BETWEEN 1 AND 64),
                CONSTRAINT queue_concurrency_positive CHECK (concurrency IS NULL OR concurrency >= 1),
                CONSTRAINT queue_rate_positive CHECK (
                    (rate_runs IS NULL AND rate_period IS NULL)
                    OR (rate_runs IS NOT NULL AND rate_period IS NOT NULL AND rate_runs >= 1 AND rate_period >= 1)),
                CONSTRAINT queue_paused_is_0_or_1 CHECK (paused = 0 OR paused = 1),
                CONSTRAINT queue_recent_starts_not_negative CHECK (recent_starts >= 0)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE submission (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                submitted INTEGER NOT NULL,
                request TEXT NOT NULL,
                CONSTRAINT submission_submitted_not_negative CHECK (submitted >= 0),
                CONSTRAINT submission_request_object CHECK (json_valid(request) AND json_type(request) = 'object')
            ) STRICT;
            """
    }

    extension FormerSchema {
        // `trigger_calendar` is the JSON of a calendar trigger: the schedule, its zone and its policies. SQLite cannot
        // change a CHECK constraint, so the table of requests is recreated.
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
