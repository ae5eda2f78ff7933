#if Postgres
    /// The tables, in the schema `apus`.
    ///
    /// Instants are nanoseconds since 1970; an instant in elapsed time (see ``JobStore``) is the wall clock's reading
    /// minus `clock.elapsed_offset`. The columns that each run changes are in the short rows of `job`, and of
    /// `open_run` for runs that have not ended. No index contains these columns, so their updates are heap-only. The
    /// request is in `request`, which is rarely changed; ended runs are in `run`, to which rows are usually only added.
    enum StoreSchema {
        /// The number of shards of the jobs, which never changes.
        static let shards = 256

        static let version1: [String] =
            [
                // `compatible_with` is the lowest version that a program must know to work with this version.
                """
                CREATE TABLE apus.schema_version (
                    version integer PRIMARY KEY,
                    compatible_with integer NOT NULL,
                    applied timestamptz NOT NULL DEFAULT clock_timestamp())
                """,
                // There is one row for each opening of the store by a node. A node that has `ended` can write nothing
                // any more.
                """
                CREATE TABLE apus.node (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    name text NOT NULL,
                    version text NOT NULL DEFAULT '',
                    patience_ms bigint NOT NULL DEFAULT 3000,
                    started timestamptz NOT NULL DEFAULT clock_timestamp(),
                    leaving boolean NOT NULL DEFAULT false,
                    ended timestamptz)
                """,
                // Beats are not in the rows of nodes, because the transactions of turns lock those rows.
                """
                CREATE TABLE apus.beat (
                    node bigint PRIMARY KEY,
                    number bigint NOT NULL,
                    at timestamptz NOT NULL DEFAULT clock_timestamp()
                ) WITH (fillfactor = 10)
                """,
                // `epoch` grows with each change of owner.
                """
                CREATE TABLE apus.shard (
                    id integer PRIMARY KEY,
                    epoch bigint NOT NULL DEFAULT 0,
                    node bigint REFERENCES apus.node (id))
                """,
                "INSERT INTO apus.shard (id) SELECT generate_series(0, \(shards - 1))",
                "CREATE SEQUENCE apus.job_key",
                // Constant columns come before changing ones, because the log of an update omits the beginning and the
                // end that the old and the new row have in common.
                """
                CREATE TABLE apus.job (
                    key bigint PRIMARY KEY,
                    shard integer NOT NULL,
                    id text NOT NULL,
                    created bigint NOT NULL,
                    first bigint NOT NULL,
                    origin bigint NOT NULL,
                    missed bigint NOT NULL,
                    remainder bigint,
                    elapsed_wake bigint,
                    wake bigint,
                    next_due bigint,
                    next_occurrence bigint NOT NULL,
                    occurrences bigint NOT NULL,
                    version bigint NOT NULL,
                    open_runs bigint NOT NULL,
                    state text NOT NULL,
                    updated bigint NOT NULL,
                    runs_since_retired bigint NOT NULL,
                    CONSTRAINT job_id_1_to_300_bytes CHECK (octet_length(id) BETWEEN 1 AND 300),
                    CONSTRAINT job_state_known CHECK (state IN ('scheduled', 'suspended', 'cancelled', 'finished')),
                    CONSTRAINT job_final_has_nothing_to_come CHECK (
                        state IN ('scheduled', 'suspended')
                        OR (next_due IS NULL AND wake IS NULL AND elapsed_wake IS NULL))
                ) WITH (fillfactor = 50)
                """,
                // The columns of the index's condition change only when a job ends, so other updates are heap-only.
                """
                CREATE UNIQUE INDEX job_id_unique ON apus.job (id) WHERE state IN ('scheduled', 'suspended')
                """,
                "CREATE INDEX job_id ON apus.job (id, key)",
                """
                CREATE TABLE apus.request (
                    job bigint PRIMARY KEY,
                    name text,
                    kind text NOT NULL,
                    trigger text NOT NULL,
                    trigger_ns bigint NOT NULL,
                    trigger_anchor bigint,
                    trigger_count bigint,
                    tolerance bigint NOT NULL,
                    missed_runs text NOT NULL,
                    missed_limit bigint,
                    grace bigint,
                    overlap text NOT NULL,
                    overlap_limit bigint,
                    maximum_attempts bigint NOT NULL,
                    maximum_lost bigint NOT NULL,
                    initial_backoff bigint NOT NULL,
                    maximum_backoff bigint NOT NULL,
                    jitter double precision NOT NULL,
                    time_limit bigint,
                    conditions bigint NOT NULL,
                    labels text NOT NULL,
                    payload bytea NOT NULL,
                    queue text NOT NULL,
                    priority bigint NOT NULL,
                    idempotency_key text,
                    metadata text NOT NULL,
                    unique_payload bigint NOT NULL,
                    unique_within bigint,
                    CONSTRAINT request_trigger_known CHECK (trigger IN ('at', 'after', 'every')),
                    CONSTRAINT request_payload_64_kib CHECK (octet_length(payload) <= 65536),
                    CONSTRAINT request_queue_1_to_64_bytes CHECK (octet_length(queue) BETWEEN 1 AND 64),
                    CONSTRAINT request_priority_1_to_4 CHECK (priority BETWEEN 1 AND 4),
                    CONSTRAINT request_unique_payload_is_0_to_2 CHECK (unique_payload BETWEEN 0 AND 2))
                """,
                "CREATE INDEX request_name ON apus.request (name) WHERE name IS NOT NULL",
                """
                CREATE UNIQUE INDEX request_idempotency_key ON apus.request (idempotency_key)
                WHERE idempotency_key IS NOT NULL
                """,
                // A payload may be longer than an index entry, so the indexes contain its hash.
                """
                CREATE UNIQUE INDEX request_payload_unique ON apus.request (kind, sha256(payload)) WHERE unique_payload = 1
                """,
                """
                CREATE INDEX request_payload ON apus.request (kind, sha256(payload), job) WHERE unique_payload > 0
                """,
                // This table has the instants at which jobs must be examined, on each of the two clocks.
                """
                CREATE TABLE apus.wake (
                    elapsed boolean NOT NULL,
                    instant bigint NOT NULL,
                    key bigint NOT NULL,
                    shard integer NOT NULL,
                    queue text NOT NULL,
                    priority bigint NOT NULL,
                    PRIMARY KEY (elapsed, instant, key))
                """,
                // This table has the jobs that may be old enough to be removed, with one row for all jobs that ended in
                // one turn. Whether a job is removed depends on its row in `apus.job`.
                """
                CREATE TABLE apus.ended (
                    updated bigint NOT NULL,
                    sequence bigint GENERATED ALWAYS AS IDENTITY,
                    keys bigint[] NOT NULL,
                    PRIMARY KEY (updated, sequence))
                """,
                "CREATE SEQUENCE apus.run_sequence",
                """
                CREATE TABLE apus.open_run (
                    \(runColumns),
                    completed boolean NOT NULL DEFAULT false,
                    completed_result bytea,
                    PRIMARY KEY (job, occurrence, attempt),
                    CONSTRAINT open_run_state_known CHECK (state IN ('waiting', 'claimed') AND NOT final))
                """,
                """
                CREATE TABLE apus.run (
                    \(runColumns),
                    PRIMARY KEY (sequence),
                    CONSTRAINT run_state_known CHECK (state IN ('succeeded', 'failed', 'skipped', 'lost', 'cancelled')),
                    CONSTRAINT run_output_64_kib CHECK (octet_length(output) <= 65536),
                    CONSTRAINT run_result_64_kib CHECK (octet_length(result) <= 65536))
                """,
                // An occurrence has one outcome, whichever attempt it is from. This index also serves to find the runs
                // of a job, because another index would be written with each run.
                """
                CREATE UNIQUE INDEX run_one_outcome ON apus.run
                (job, occurrence, (CASE WHEN final THEN -1 ELSE attempt END))
                """,
                """
                CREATE TABLE apus.clock (
                    id integer PRIMARY KEY CHECK (id = 1),
                    boot_id text,
                    wall_offset bigint NOT NULL,
                    elapsed_offset bigint NOT NULL)
                """,
                """
                CREATE TABLE apus.queue (
                    id text PRIMARY KEY,
                    concurrency bigint,
                    rate_runs bigint,
                    rate_period bigint,
                    paused boolean NOT NULL,
                    recent_starts bigint NOT NULL,
                    last_start bigint)
                """,
                // This table has the number of runs of a limited queue that each node may have, and the number that the
                // node wants.
                """
                CREATE TABLE apus.place (
                    queue text NOT NULL,
                    node bigint NOT NULL,
                    places bigint NOT NULL,
                    wanted bigint NOT NULL,
                    PRIMARY KEY (queue, node))
                """,
                // This table has the commands for the owner of a shard: from applications, or from another node, which
                // gets a reply.
                """
                CREATE TABLE apus.submission (
                    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    shard integer NOT NULL,
                    submitted bigint NOT NULL,
                    command text NOT NULL,
                    sender bigint,
                    call bigint)
                """,
                """
                CREATE TABLE apus.reply (
                    node bigint NOT NULL,
                    call bigint NOT NULL,
                    reply text NOT NULL,
                    PRIMARY KEY (node, call))
                """,
                // Returns the present in nanoseconds since 1970, rounded down to the microsecond.
                """
                CREATE FUNCTION apus.now() RETURNS bigint LANGUAGE sql VOLATILE AS
                $body$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000 $body$
                """,
                // Each transaction that depends on the ownership of shards begins with this function. The lock of the
                // node's row keeps the node from being ended before the transaction ends. Each statement of the
                // function sees all earlier commits, so the shards are read after the lock was acquired.
                """
                CREATE FUNCTION apus.fence(
                    node bigint, shards bigint[], epochs bigint[], timeline integer DEFAULT NULL) RETURNS void
                LANGUAGE plpgsql AS $body$
                BEGIN
                    PERFORM 1 FROM apus.node AS n WHERE n.id = fence.node AND n.ended IS NULL FOR SHARE;
                    IF NOT FOUND THEN
                        RAISE EXCEPTION 'node % can write nothing any more', node USING ERRCODE = 'AP001';
                    END IF;
                    IF timeline <> apus.current_timeline() THEN
                        RAISE EXCEPTION 'the database was promoted, and node % does not know that yet', node
                            USING ERRCODE = 'AP002';
                    END IF;
                    IF EXISTS (
                        SELECT 1 FROM unnest(shards, epochs) AS claimed (id, epoch)
                        LEFT JOIN apus.shard AS s
                            ON s.id = claimed.id AND s.epoch = claimed.epoch AND s.node = fence.node
                        WHERE s.id IS NULL)
                    THEN
                        RAISE EXCEPTION 'node % has lost shards', node USING ERRCODE = 'AP002';
                    END IF;
                END
                $body$
                """,
                // No run is claimed before it is due by the database's clock: the function waits for the due instant,
                // or refuses the claim if that is more than 0.1 s away.
                """
                CREATE FUNCTION apus.await(due bigint) RETURNS void
                LANGUAGE plpgsql AS $body$
                DECLARE
                    early double precision := due / 1e9 - extract(epoch FROM clock_timestamp())::double precision;
                BEGIN
                    IF early > 0.1 THEN
                        RAISE EXCEPTION 'the node is % s ahead of the clock of the database', round(early::numeric, 3)
                            USING ERRCODE = 'AP425';
                    END IF;
                    WHILE due > apus.now() LOOP
                        PERFORM pg_sleep(greatest(0.0001, due / 1e9 - extract(epoch FROM clock_timestamp())::double precision));
                    END LOOP;
                END
                $body$
                """,
                // All nodes together get at most as many places as the queue has. Nodes that want places have equal
                // shares. Each second, the places that remain after the division pass to other nodes, and so does the
                // only place of a queue with a rate. Active runs keep their places.
                """
                CREATE FUNCTION apus.take_places(own bigint, name text, going_on bigint, asked bigint) RETURNS bigint
                LANGUAGE plpgsql AS $body$
                DECLARE
                    settings apus.queue;
                    capacity bigint;
                    taken bigint;
                    nodes bigint;
                    number bigint;
                    share bigint;
                    spare bigint;
                    given bigint;
                BEGIN
                    PERFORM apus.fence(own, '{}', '{}');
                    SELECT * INTO settings FROM apus.queue AS q WHERE q.id = name FOR UPDATE;
                    IF NOT FOUND OR (settings.concurrency IS NULL AND settings.rate_runs IS NULL) THEN
                        DELETE FROM apus.place AS p WHERE p.queue = name AND p.node = own;
                        RETURN NULL;
                    END IF;
                    capacity := settings.concurrency;
                    IF settings.rate_runs IS NOT NULL THEN
                        capacity := 1;
                        going_on := least(going_on, 1);
                        asked := least(asked, 1);
                    END IF;
                    asked := least(asked, capacity);
                    SELECT coalesce(sum(p.places), 0), count(*) FILTER (WHERE p.wanted > 0) + 1,
                        count(*) FILTER (WHERE p.wanted > 0 AND p.node < own)
                    INTO taken, nodes, number
                    FROM apus.place AS p WHERE p.queue = name AND p.node <> own;
                    share := capacity / nodes;
                    IF (number + extract(epoch FROM clock_timestamp())::bigint) % nodes < capacity % nodes THEN
                        share := share + 1;
                    END IF;
                    SELECT capacity - coalesce(sum(least(p.wanted, capacity / nodes + 1)), 0) INTO spare
                    FROM apus.place AS p WHERE p.queue = name AND p.node <> own AND p.wanted > 0;
                    given := greatest(going_on, least(asked, greatest(share, spare), capacity - taken), 0);
                    INSERT INTO apus.place AS p (queue, node, places, wanted) VALUES (name, own, given, asked)
                    ON CONFLICT (queue, node) DO UPDATE SET places = excluded.places, wanted = excluded.wanted;
                    IF settings.rate_runs IS NOT NULL AND given > 0 THEN
                        RETURN coalesce(settings.concurrency, 1000000000);
                    END IF;
                    RETURN given;
                END
                $body$
                """,
                // Refuses the transaction unless all rows of a statement were written; the detail contains the numbers
                // of the rows that were not written.
                """
                CREATE FUNCTION apus.require_all(wanted bigint[], written bigint[]) RETURNS void
                LANGUAGE plpgsql AS $body$
                BEGIN
                    IF cardinality(wanted) > coalesce(cardinality(written), 0) THEN
                        RAISE EXCEPTION 'another transaction has changed what was expected' USING
                            ERRCODE = 'AP409',
                            DETAIL = (SELECT string_agg(w::text, ',') FROM unnest(wanted) AS w
                                WHERE NOT w = ANY (coalesce(written, '{}')));
                    END IF;
                END
                $body$
                """,
                """
                CREATE FUNCTION apus.notify_owners(shards bigint[]) RETURNS void LANGUAGE sql AS $body$
                    SELECT pg_notify('apus_node_' || o.node, 'submissions')
                    FROM (SELECT DISTINCT s.node FROM apus.shard AS s WHERE s.id = ANY (shards) AND s.node IS NOT NULL) AS o
                $body$
                """,
                // Applications call this function in their own transactions. The owner of the shard creates the job.
                // The identifier determines the shard, so submissions are distributed, and those with the same
                // identifier keep their order.
                """
                CREATE FUNCTION apus.submit(request jsonb) RETURNS bigint
                LANGUAGE plpgsql AS $body$
                DECLARE
                    identifier text := request ->> 'id';
                    number bigint;
                BEGIN
                    IF jsonb_typeof(request) IS DISTINCT FROM 'object' OR identifier IS NULL OR NOT request ? 'trigger' THEN
                        RAISE EXCEPTION 'a request is an object with at least id and trigger, as in {"id": "tea", "trigger": {"name": "after", "delayNanoseconds": 180000000000}}'
                            USING ERRCODE = 'invalid_parameter_value';
                    END IF;
                    IF octet_length(identifier) NOT BETWEEN 1 AND 300 THEN
                        RAISE EXCEPTION 'id: it must have 1 to 300 bytes, and has %', octet_length(identifier)
                            USING ERRCODE = 'invalid_parameter_value';
                    END IF;
                    INSERT INTO apus.submission (shard, submitted, command)
                    VALUES (
                        (hashtextextended(identifier, 0) & \(shards - 1))::integer, apus.now() + 1000,
                        jsonb_build_object('command', 'submit', 'requests', jsonb_build_array(request))::text)
                    RETURNING sequence INTO number;
                    -- The owner looks every second. A transaction that notifies is committed alone, so only the first one of a
                    -- burst does.
                    IF NOT EXISTS (SELECT 1 FROM apus.submission AS s WHERE s.sequence < number AND s.sender IS NULL) THEN
                        PERFORM apus.notify_owners(array_agg(s.shard::bigint)) FROM apus.submission AS s WHERE s.sequence = number;
                    END IF;
                    RETURN number;
                END
                $body$
                """,
            ] + StoreTimeline.schema + StoreCompletion.schema

        private static let runColumns = """
            job bigint NOT NULL,
                occurrence bigint NOT NULL,
                attempt bigint NOT NULL,
                through bigint NOT NULL,
                lost_before bigint NOT NULL,
                due bigint NOT NULL,
                stands_for bigint NOT NULL,
                state text NOT NULL,
                final boolean NOT NULL,
                reason text,
                not_before bigint,
                claimed bigint,
                started bigint,
                finished bigint,
                exit_code bigint,
                output bytea NOT NULL,
                result bytea,
                progress double precision,
                progress_message text,
                sequence bigint NOT NULL
            """
    }

    extension StoreSchema {
        /// Adds calendar triggers: `trigger_calendar` is the JSON of the schedule, its zone and its policies.
        ///
        /// A program of version 1 cannot read a job with such a trigger.
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
