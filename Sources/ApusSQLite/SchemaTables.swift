#if SQLite
    extension Schema {
        // A job is in two tables: `apus_job` has a short row with everything that a run changes; `apus_request` has the
        // request, which is written once and may be long.
        //
        // Among the jobs that have not ended, each identifier is unique. If a job is unique by its content, its pair of
        // kind and payload is unique too; later versions allow a key in place of the payload. An instant in elapsed
        // time (see ``JobStore``) is stored as the wall clock's reading minus `apus_clock.elapsed_offset`, which is
        // initially zero.
        //
        // The CHECK constraints are the rules of the state machine for every writer, including a person with a SQL
        // shell. They compare with one literal after another, because for IN with three or more literals SQLite builds
        // a table for each row that is written, which took half the time of an insertion.

        /// The tables of schema 8.
        static let tables = """
            CREATE TABLE apus_owner (
                id INTEGER PRIMARY KEY CONSTRAINT one_owner CHECK (id = 1),
                schema INTEGER NOT NULL,
                epoch INTEGER NOT NULL,
                last_key INTEGER NOT NULL
            ) STRICT;
            INSERT INTO apus_owner (id, schema, epoch, last_key) VALUES (1, 8, 0, 0);

            CREATE TABLE apus_clock (
                id INTEGER PRIMARY KEY CONSTRAINT one_clock CHECK (id = 1),
                boot_id TEXT,
                wall_offset INTEGER NOT NULL,
                elapsed_offset INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE apus_queue (
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

            CREATE TABLE apus_job (
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
                due_note TEXT,
                lane TEXT NOT NULL,
                unique_until INTEGER NOT NULL,
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

            CREATE TABLE apus_request (
                job INTEGER PRIMARY KEY REFERENCES apus_job (key) ON DELETE CASCADE,
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
                conditions INTEGER NOT NULL, -- bits: 1 network, 2 external power, 4 idle
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

            CREATE TABLE apus_run (
                sequence INTEGER PRIMARY KEY,
                job INTEGER NOT NULL REFERENCES apus_job (key) ON DELETE CASCADE,
                occurrence INTEGER NOT NULL,
                attempt INTEGER NOT NULL,
                through INTEGER NOT NULL,
                lost_before INTEGER NOT NULL,
                due INTEGER NOT NULL,
                stands_for INTEGER NOT NULL,
                state TEXT NOT NULL,
                final INTEGER NOT NULL,
                reason TEXT,
                not_before INTEGER,
                claimed INTEGER,
                started INTEGER,
                finished INTEGER,
                exit_code INTEGER,
                output BLOB NOT NULL,
                result BLOB,
                progress REAL,
                progress_message TEXT,
                due_note TEXT,
                CONSTRAINT run_identity UNIQUE (job, occurrence, attempt),
                CONSTRAINT run_state_known CHECK (
                    state = 'waiting' OR state = 'claimed' OR state = 'succeeded' OR state = 'failed'
                    OR state = 'skipped' OR state = 'lost' OR state = 'cancelled'),
                CONSTRAINT run_final_is_0_or_1 CHECK (final = 0 OR final = 1),
                CONSTRAINT run_open_is_not_final CHECK ((state <> 'waiting' AND state <> 'claimed') OR final = 0),
                CONSTRAINT run_success_and_skip_are_final CHECK ((state <> 'succeeded' AND state <> 'skipped') OR final = 1),
                CONSTRAINT run_open_has_not_finished CHECK ((state <> 'waiting' AND state <> 'claimed') OR finished IS NULL),
                CONSTRAINT run_waiting_has_not_started CHECK (state <> 'waiting' OR (claimed IS NULL AND started IS NULL)),
                CONSTRAINT run_never_early CHECK (started IS NULL OR started >= due),
                CONSTRAINT run_reason_present
                    CHECK ((state <> 'skipped' AND state <> 'lost' AND state <> 'cancelled') OR reason IS NOT NULL),
                CONSTRAINT run_skipped_was_never_started CHECK (state <> 'skipped' OR (claimed IS NULL AND started IS NULL)),
                CONSTRAINT run_attempt_in_range CHECK (attempt >= 1 OR (attempt = 0 AND (state = 'skipped' OR state = 'cancelled'))),
                CONSTRAINT run_lost_before_in_range CHECK (lost_before BETWEEN 0 AND attempt),
                CONSTRAINT run_range CHECK (through = occurrence OR (through > occurrence AND state = 'skipped')),
                CONSTRAINT run_stands_for_positive CHECK (stands_for >= 1),
                CONSTRAINT run_instants_not_negative CHECK (
                    due >= 0 AND (not_before IS NULL OR not_before >= 0) AND (claimed IS NULL OR claimed >= 0)
                    AND (started IS NULL OR started >= 0) AND (finished IS NULL OR finished >= 0)),
                CONSTRAINT run_output_64_KiB CHECK (length(output) <= 65536),
                CONSTRAINT run_result_64_KiB CHECK (result IS NULL OR (state = 'succeeded' AND length(result) <= 65536)),
                CONSTRAINT run_progress_0_to_1 CHECK (progress IS NULL OR progress BETWEEN 0 AND 1),
                CONSTRAINT run_progress_message_1000_bytes CHECK (
                    progress_message IS NULL OR (progress IS NOT NULL AND length(CAST(progress_message AS BLOB)) <= 1000))
            ) STRICT;

            -- A job that the owner of the file could not read is noted with its wakes. The next owner makes it due
            -- again, and tries to read it. A note counts only while the job has the noted version: otherwise it was
            -- read and changed since.
            CREATE TABLE apus_set_aside (
                job INTEGER PRIMARY KEY REFERENCES apus_job (key) ON DELETE CASCADE,
                version INTEGER NOT NULL,
                problem TEXT NOT NULL,
                wake INTEGER,
                elapsed_wake INTEGER
            ) STRICT;

            CREATE TABLE apus_submission (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                submitted INTEGER NOT NULL,
                request TEXT NOT NULL,
                CONSTRAINT submission_submitted_not_negative CHECK (submitted >= 0),
                CONSTRAINT submission_request_object CHECK (json_valid(request) AND json_type(request) = 'object')
            ) STRICT;

            -- Submissions that were refused, with their commands in the coded form.
            CREATE TABLE apus_refusal (
                sequence INTEGER PRIMARY KEY,
                submitted INTEGER NOT NULL,
                refused INTEGER NOT NULL,
                code TEXT NOT NULL,
                message TEXT NOT NULL,
                command TEXT NOT NULL
            ) STRICT;
            """

        /// The indexes of ``tables``; a submission writes a page of each index in which the job has an entry.
        static let indexes = """
            -- The open job of an identifier is found by the first; the second has the others, also those of an unknown
            -- state. An index ends with the row's key without naming it.
            CREATE UNIQUE INDEX apus_job_id_unique ON apus_job (id) WHERE (state = 'scheduled' OR state = 'suspended');
            CREATE INDEX apus_job_id_others ON apus_job (id) WHERE NOT (state = 'scheduled' OR state = 'suspended');
            -- A lane is the form of `QueueLane` in the stores. The first jobs of a lane are a range of an index for
            -- each of the two clocks.
            CREATE INDEX apus_job_wake ON apus_job (lane, wake) WHERE wake IS NOT NULL;
            CREATE INDEX apus_job_elapsed_wake ON apus_job (lane, elapsed_wake) WHERE elapsed_wake IS NOT NULL;
            -- A page of the unfinished ones among any number of ended ones.
            CREATE INDEX apus_job_unfinished ON apus_job (key) WHERE (state = 'scheduled' OR state = 'suspended');
            -- `unique_until` is `Job.uniqueUntil`: ended jobs in the order in which both that and their end have
            -- passed, so that those that must stay are not read each time that others are removed.
            CREATE INDEX apus_job_ended ON apus_job (max(updated, unique_until))
                WHERE (state = 'cancelled' OR state = 'finished') AND open_runs = 0;
            CREATE INDEX apus_request_name ON apus_request (name) WHERE name IS NOT NULL;
            CREATE UNIQUE INDEX apus_request_idempotency_key ON apus_request (idempotency_key) WHERE idempotency_key IS NOT NULL;
            CREATE UNIQUE INDEX apus_request_payload_unique ON apus_request (kind, payload) WHERE unique_payload = 1;
            CREATE INDEX apus_request_payload ON apus_request (kind, payload, job) WHERE unique_payload > 0;
            CREATE INDEX apus_request_calendar ON apus_request (job) WHERE trigger_calendar IS NOT NULL;
            CREATE INDEX apus_request_anchored ON apus_request (job)
                WHERE trigger_anchor IS NOT NULL OR trigger_calendar IS NOT NULL;
            -- Exactly one outcome for each occurrence.
            CREATE UNIQUE INDEX apus_run_one_outcome ON apus_run (job, occurrence) WHERE final = 1;
            CREATE INDEX apus_run_open ON apus_run (job, occurrence, attempt, state) WHERE state IN ('waiting', 'claimed');
            CREATE INDEX apus_run_by_job ON apus_run (job, sequence);
            CREATE INDEX apus_refusal_refused ON apus_refusal (refused);
            """
    }
#endif
