#if Postgres
    import ApusJobs
    import ApusTimers

    extension StoreSchema {
        /// The statements of version 4.
        ///
        /// The last two groups are in the files that use their columns and tables, `NodeJobs.swift` and
        /// `SetAside.swift`.
        static let version4: [String] =
            version4Lanes + version4Prefixes + version4Submit + version4Remembered + version4NodeJobs + version4SetAside

        /// An index in which the identifiers with a prefix are a range of bytes, whatever the collation of the database
        /// is.
        private static let version4Prefixes = [
            "DROP INDEX apus.job_id", "CREATE INDEX job_id ON apus.job (id text_pattern_ops, key)",
        ]

        /// Lets `apus.submit` refuse, in the caller's transaction, every request that no scheduler accepts, including
        /// one whose first occurrence is too late.
        ///
        /// A past instant is not refused here, because it is valid if the submission concerns an existing job, which
        /// only the owner knows.
        private static let version4Submit = [
            // Checks the trigger of a request that `apus.problem` has accepted, by the rules of `Trigger.first`.
            """
            CREATE FUNCTION apus.problem_of_time(trigger jsonb, submitted bigint) RETURNS text
            LANGUAGE plpgsql IMMUTABLE AS $body$
            DECLARE
                step numeric := coalesce(trigger ->> 'delayNanoseconds', trigger ->> 'intervalNanoseconds')::numeric;
                fraction numeric := coalesce(trigger ->> 'delayAttoseconds', trigger ->> 'intervalAttoseconds', '0')::numeric;
                anchor numeric := (trigger ->> 'anchor')::numeric;
                first numeric := (trigger ->> 'instant')::numeric;
            BEGIN
                first := coalesce(first, CASE
                    WHEN anchor > submitted THEN anchor
                    WHEN anchor IS NULL THEN submitted + step + sign(fraction)
                    ELSE anchor + (div(submitted - anchor, step) + 1) * step END);
                IF first > \(Int64(WallInstant.lastDue.nanoseconds)) THEN
                    RETURN 'trigger: the first occurrence lies after the end of the year 2200; give an earlier one';
                END IF;
                RETURN NULL;
            END
            $body$
            """,
            """
            CREATE OR REPLACE FUNCTION apus.submit(request jsonb) RETURNS bigint
            LANGUAGE plpgsql AS $body$
            DECLARE
                now bigint := apus.now() + 1000;
                problem text := CASE WHEN jsonb_typeof(request) IS DISTINCT FROM 'object'
                    THEN 'a request is an object with at least id and trigger'
                    ELSE coalesce(
                        apus.problem(request, apus.request_form(), ''), apus.problem_of_time(request -> 'trigger', now))
                    END;
                number bigint;
            BEGIN
                IF problem IS NOT NULL THEN
                    RAISE EXCEPTION '%', problem USING ERRCODE = 'invalid_parameter_value',
                        HINT = 'As in {"id": "tea", "trigger": {"name": "after", "delayNanoseconds": 180000000000}}.';
                END IF;
                INSERT INTO apus.submission (shard, submitted, command)
                VALUES (
                    (hashtextextended(request ->> 'id', 0) & \(shards - 1))::integer, now,
                    jsonb_build_object('command', 'submit', 'requests', jsonb_build_array(request))::text)
                RETURNING sequence INTO number;
                RETURN number;
            END
            $body$
            """,
        ]

        /// Replaces the columns `queue` and `priority` by `lane`, the stored form of `QueueLane`, which is compared by
        /// bytes.
        ///
        /// The first jobs of a lane are a range of the primary key.
        private static let version4Lanes = [
            #"ALTER TABLE apus.wake ADD COLUMN lane text COLLATE "C""#,
            """
            UPDATE apus.wake AS w SET lane = r.priority || ' ' || r.conditions || ' ' || r.queue || ' ' || r.kind
            FROM apus.request AS r WHERE r.job = w.key
            """,
            // A job whose request is missing gets a lane, so that a node examines it and sets it aside. A wake whose
            // job is missing is removed.
            """
            UPDATE apus.wake AS w SET lane = '2 0 default '
            WHERE w.lane IS NULL AND EXISTS (SELECT 1 FROM apus.job AS j WHERE j.key = w.key)
            """,
            "DELETE FROM apus.wake WHERE lane IS NULL",
            """
            ALTER TABLE apus.wake DROP CONSTRAINT wake_pkey, DROP COLUMN queue, DROP COLUMN priority,
                ADD PRIMARY KEY (elapsed, lane, instant, key)
            """,
            // A node uses this index if none of a lane's jobs, or only the last ones, are in its shards.
            "CREATE INDEX wake_of_shard ON apus.wake (elapsed, lane, shard, instant, key)",
        ]
    }

    extension StoreSchema {
        /// The indexes by which ended nodes and queues without settings are found, so that not all rows are read.
        ///
        /// See ``StoreRemembered``.
        private static let version4Remembered: [String] = [
            "CREATE INDEX node_has_not_ended ON apus.node (id) WHERE ended IS NULL",
            "CREATE INDEX node_ended ON apus.node (ended) WHERE ended IS NOT NULL",
            "ALTER TABLE apus.queue ADD COLUMN cleared timestamptz",
            "CREATE INDEX queue_cleared ON apus.queue (cleared) WHERE cleared IS NOT NULL",
            // This trigger records the instant since which a queue has no settings.
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
            // The update makes the trigger record the instant for existing queues.
            "UPDATE apus.queue SET paused = paused",
        ]
    }
#endif
