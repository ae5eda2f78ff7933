#if Postgres
    import ApusJobs
    import ApusTimers

    extension StoreSchema {
        /// Lets `apus.submit` refuse invalid requests in the caller's transaction, notifies nodes of new submissions,
        /// and adds an index of the jobs that depend on the wall clock.
        ///
        /// Programs of version 2 do not receive these notifications; each finds new submissions at its next beat.
        static let version3: [String] = [
            """
            CREATE INDEX request_anchored ON apus.request (job)
            WHERE trigger_anchor IS NOT NULL OR trigger_calendar IS NOT NULL
            """,
            // Returns the problem of a value; null if there is none. A form is an object whose values are the forms of
            // the fields, with `!` after the names of required fields, or a list that begins with a kind of value. A
            // null field counts as missing.
            """
            CREATE FUNCTION apus.problem(value jsonb, form jsonb, path text) RETURNS text
            LANGUAGE plpgsql IMMUTABLE AS $body$
            DECLARE
                field text;
                name text;
                found text;
                size numeric;
            BEGIN
                IF value IS NULL OR value = 'null' THEN RETURN NULL; END IF;
                IF jsonb_typeof(form) = 'object' THEN
                    IF jsonb_typeof(value) <> 'object' THEN RETURN path || ': must be an object'; END IF;
                    path := CASE WHEN path = '' THEN '' ELSE path || '.' END;
                    FOR field IN SELECT jsonb_object_keys(value) LOOP
                        IF NOT form ? field AND NOT form ? (field || '!') THEN
                            RETURN format('%s%s: is no field here; the fields are %s', path, field,
                                (SELECT string_agg(rtrim(k, '!'), ', ') FROM jsonb_object_keys(form) AS k));
                        END IF;
                    END LOOP;
                    FOR field IN SELECT jsonb_object_keys(form) LOOP
                        name := rtrim(field, '!');
                        IF name <> field AND coalesce(value -> name, 'null') = 'null' THEN
                            RETURN path || name || ': is missing';
                        END IF;
                        found := apus.problem(value -> name, form -> field, path || name);
                        IF found IS NOT NULL THEN RETURN found; END IF;
                    END LOOP;
                    RETURN NULL;
                END IF;
                CASE form ->> 0
                WHEN 'text' THEN
                    IF jsonb_typeof(value) <> 'string' THEN RETURN path || ': must be a string'; END IF;
                    size := octet_length(value #>> '{}');
                    IF size NOT BETWEEN (form ->> 1)::int AND (form ->> 2)::int THEN
                        RETURN format('%s: must be %s to %s bytes, not %s', path, form ->> 1, form ->> 2, size);
                    END IF;
                WHEN 'queue' THEN
                    IF jsonb_typeof(value) <> 'string' OR value #>> '{}' !~ '^[A-Za-z0-9._-]+$'
                        OR octet_length(value #>> '{}') > (form ->> 1)::int
                    THEN
                        RETURN format('%s: must be 1 to %s ASCII letters, digits, ''.'', ''-'' or ''_'', not %s',
                            path, form ->> 1, value);
                    END IF;
                WHEN 'integer' THEN
                    IF jsonb_typeof(value) <> 'number' OR value::numeric % 1 <> 0 THEN
                        RETURN path || ': must be a whole number';
                    END IF;
                    IF value::numeric NOT BETWEEN (form ->> 1)::numeric AND (form ->> 2)::numeric THEN
                        RETURN format('%s: must be %s to %s, not %s', path, form ->> 1, form ->> 2, value);
                    END IF;
                WHEN 'share' THEN
                    IF jsonb_typeof(value) <> 'number' OR value::numeric NOT BETWEEN 0 AND 1 THEN
                        RETURN format('%s: must be 0 to 1, not %s', path, value);
                    END IF;
                WHEN 'name' THEN
                    IF NOT form - 0 @> value THEN
                        RETURN format('%s: %s is not one of %s', path, value,
                            (SELECT string_agg(n, ', ') FROM jsonb_array_elements_text(form - 0) AS n));
                    END IF;
                WHEN 'names' THEN
                    IF jsonb_typeof(value) <> 'array' OR NOT form - 0 @> value THEN
                        RETURN format('%s: must be a list of %s', path,
                            (SELECT string_agg(n, ', ') FROM jsonb_array_elements_text(form - 0) AS n));
                    END IF;
                WHEN 'texts' THEN
                    IF jsonb_typeof(value) <> 'object'
                        OR EXISTS (SELECT 1 FROM jsonb_each(value) AS f WHERE jsonb_typeof(f.value) <> 'string')
                    THEN
                        RETURN path || ': must be an object of strings';
                    END IF;
                    SELECT coalesce(sum(octet_length(f.key) + octet_length(f.value)), 0) INTO size
                    FROM jsonb_each_text(value) AS f;
                    IF size > (form ->> 1)::int THEN
                        RETURN format('%s: must be at most %s bytes of keys and values, not %s', path, form ->> 1, size);
                    END IF;
                WHEN 'bytes' THEN
                    BEGIN
                        size := octet_length(decode(value #>> '{}', 'base64'));
                    EXCEPTION WHEN invalid_parameter_value THEN
                        size := NULL;
                    END;
                    IF jsonb_typeof(value) <> 'string' OR size IS NULL THEN RETURN path || ': must be base64'; END IF;
                    IF size > (form ->> 1)::int THEN
                        RETURN format('%s: must be at most %s bytes, not %s', path, form ->> 1, size);
                    END IF;
                WHEN 'object' THEN
                    IF jsonb_typeof(value) <> 'object' THEN RETURN path || ': must be an object'; END IF;
                    IF octet_length(value::text) > (form ->> 1)::int THEN
                        RETURN format('%s: must be at most %s bytes, not %s', path, form ->> 1, octet_length(value::text));
                    END IF;
                -- The form depends on the field that has the name.
                WHEN 'by' THEN
                    IF jsonb_typeof(value) <> 'object' THEN RETURN path || ': must be an object'; END IF;
                    name := value ->> (form ->> 1);
                    IF name IS NULL THEN RETURN format('%s.%s: is missing', path, form ->> 1); END IF;
                    IF NOT form -> 2 ? name THEN
                        RETURN format('%s.%s: "%s" is not one of %s', path, form ->> 1, name,
                            (SELECT string_agg(k, ', ') FROM jsonb_object_keys(form -> 2) AS k));
                    END IF;
                    RETURN apus.problem(value - (form ->> 1), form -> 2 -> name, path);
                END CASE;
                RETURN NULL;
            END
            $body$
            """,
            "CREATE FUNCTION apus.request_form() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $body$ SELECT '\(requestForm())'::jsonb $body$",
            """
            CREATE OR REPLACE FUNCTION apus.submit(request jsonb) RETURNS bigint
            LANGUAGE plpgsql AS $body$
            DECLARE
                problem text := apus.problem(request, apus.request_form(), '');
                number bigint;
            BEGIN
                IF jsonb_typeof(request) IS DISTINCT FROM 'object' THEN
                    problem := 'a request is an object with at least id and trigger';
                END IF;
                IF problem IS NOT NULL THEN
                    RAISE EXCEPTION '%', problem USING ERRCODE = 'invalid_parameter_value',
                        HINT = 'As in {"id": "tea", "trigger": {"name": "after", "delayNanoseconds": 180000000000}}.';
                END IF;
                INSERT INTO apus.submission (shard, submitted, command)
                VALUES (
                    (hashtextextended(request ->> 'id', 0) & \(shards - 1))::integer, apus.now() + 1000,
                    jsonb_build_object('command', 'submit', 'requests', jsonb_build_array(request))::text)
                RETURNING sequence INTO number;
                RETURN number;
            END
            $body$
            """,
            // This sequence has the last instant at which owners were notified of submissions, in milliseconds since
            // 1970. It is not a table, because a rollback does not reset a sequence.
            "CREATE SEQUENCE apus.submissions_notified",
            // This trigger notifies at the commit of the transaction. PostgreSQL commits transactions that notify one
            // after another. To keep a burst of submissions fast, only about one transaction in 20 ms notifies, and a
            // notified node reads the submissions once more after that time.
            """
            CREATE FUNCTION apus.notify_submission() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $body$
            DECLARE
                now bigint := apus.now() / 1000000;
            BEGIN
                IF now NOT BETWEEN (SELECT n.last_value FROM apus.submissions_notified AS n)
                    AND (SELECT n.last_value + 20 FROM apus.submissions_notified AS n)
                THEN
                    PERFORM setval('apus.submissions_notified', now), pg_notify('apus_submissions', '');
                END IF;
                RETURN NULL;
            END
            $body$
            """,
            """
            CREATE CONSTRAINT TRIGGER submission_is_notified AFTER INSERT ON apus.submission
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.sender IS NULL)
            EXECUTE FUNCTION apus.notify_submission()
            """,
        ]

        /// Returns the form of a request for `apus.problem`: the JSON of ``JobRequest`` with the limits of
        /// ``JobLimits``.
        ///
        /// `policies`, `fields` and `uniqueness` are additions of later versions, each followed by a comma.
        static func requestForm(
            adding policies: String = "", _ fields: String = "", uniqueness: String = ""
        ) -> String {
            let text = #"["text", 1, \#(JobLimits.textBytes)]"#
            let instant = #"["integer", 0, \#(Int64(WallInstant.lastDue.nanoseconds))]"#
            let count = #"["integer", 1, \#(JobLimits.count)]"#
            let limit = #"["integer", 1, \#(JobLimits.occurrences)]"#
            let attempts = #"["integer", 1, \#(Int64.max)]"#
            return """
                {\(fields)"id!": \(text), "name": ["text", 1, \(JobLimits.nameBytes)], "kind": \(text), "idempotencyKey": \(text),
                "queue": ["queue", \(JobLimits.queueBytes)], "priority": ["name", \(names(JobPriority.allCases.map(\.name)))],
                "labels": ["texts", \(JobLimits.dictionaryBytes)], "metadata": ["texts", \(JobLimits.dictionaryBytes)],
                "payload": ["bytes", \(JobLimits.payloadBytes)],
                "conflict": ["name", \(names(ConflictPolicy.allCases.map(\.rawValue)))],
                "uniqueness": ["by", "by", {\(uniqueness)"identifier": {}, "payload": {\(duration("within", from: 1))}}],
                "trigger!": ["by", "name", {
                    "at": {"instant!": \(instant)}, "after": {\(duration("delay", mark: "!"))},
                    "every": {\(duration("interval", from: 1_000_000, mark: "!")), "anchor": \(instant), "count": \(count)},
                    "calendar": {
                        "schedule!": ["object", \(JobLimits.scheduleBytes)], "timeZone!": \(text), "count": \(count),
                        "gap": ["name", "after", "skip"], "repeated": ["name", "first", "both"]}}],
                "policies": {
                    \(policies)\(duration("tolerance")), \(duration("grace")), \(duration("timeLimit", from: 1)),
                    "missedRuns": ["by", "name", {"runOnce": {}, "skip": {}, "runAll": {"limit": \(limit)}}],
                    "overlap": ["by", "name", {
                        "skip": {}, "replace": {}, "queue": {"limit": \(limit)}, "allow": {"limit": \(limit)}}],
                    "retry": {
                        "maximumAttempts": \(attempts), "maximumLost": \(attempts), "jitter": ["share"],
                        \(duration("initialBackoff")), \(duration("maximumBackoff"))},
                    "conditions": ["names", "network", "externalPower", "idle"]}}
                """
        }

        /// Returns the forms of the two fields of a duration.
        static func duration(_ name: String, from least: Int64 = 0, mark: String = "") -> String {
            #""\#(name)Nanoseconds\#(mark)": ["integer", \#(least), \#(JobLimits.nanoseconds)], "#
                + #""\#(name)Attoseconds": ["integer", 0, 999999999]"#
        }

        private static func names(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
    }
#endif
