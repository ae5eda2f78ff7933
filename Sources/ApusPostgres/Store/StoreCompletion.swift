#if Postgres
    /// The tables and functions that complete a run in the transaction of its effects, so that the effects are applied
    /// exactly once.
    ///
    /// `apus.complete` only records the run to complete; the run is marked at the commit of the transaction, so no lock
    /// is held before that. The mark and every other end of a claimed run change the run's row, so one of them comes
    /// first:
    ///
    /// - If the mark is first, no later turn ends the run in another way or makes it wait again
    ///   (``TurnStatements/writeRuns``). A turn that tries is refused, reads the job again, and finds the run
    ///   completed.
    /// - If another end is first, the transaction is refused at its commit, with all its effects.
    enum StoreCompletion {
        static let schema: [String] = [
            // This table is empty except during transactions.
            """
            CREATE UNLOGGED TABLE apus.completion (
                job bigint NOT NULL,
                occurrence bigint NOT NULL,
                attempt bigint NOT NULL,
                result bytea)
            """,
            """
            CREATE FUNCTION apus.complete(job bigint, occurrence bigint, attempt bigint, result bytea DEFAULT NULL)
            RETURNS void LANGUAGE plpgsql AS $body$
            BEGIN
                IF octet_length(result) > 65536 THEN
                    RAISE EXCEPTION 'result: it must have at most 65536 bytes, and has %', octet_length(result)
                        USING ERRCODE = 'invalid_parameter_value';
                END IF;
                -- Again when the transaction commits. Here, for an error where it can be understood.
                IF NOT EXISTS (
                    SELECT 1 FROM apus.open_run AS o WHERE o.job = complete.job AND o.occurrence = complete.occurrence
                        AND o.attempt = complete.attempt AND o.state = 'claimed' AND NOT o.completed)
                THEN
                    PERFORM apus.refuse_completion(job, occurrence, attempt);
                END IF;
                INSERT INTO apus.completion VALUES (job, occurrence, attempt, result);
            END
            $body$
            """,
            """
            CREATE FUNCTION apus.refuse_completion(job bigint, occurrence bigint, attempt bigint) RETURNS void
            LANGUAGE plpgsql AS $body$
            BEGIN
                RAISE EXCEPTION 'job %, occurrence %, attempt %: this run is not going on, so its effects are not kept',
                    job, occurrence, attempt
                    USING ERRCODE = 'AP410', HINT = 'It was completed before, or has ended in another way.';
            END
            $body$
            """,
            """
            CREATE FUNCTION apus.mark_completed() RETURNS trigger LANGUAGE plpgsql AS $body$
            BEGIN
                DELETE FROM apus.completion AS c
                WHERE c.job = NEW.job AND c.occurrence = NEW.occurrence AND c.attempt = NEW.attempt;
                UPDATE apus.open_run AS o SET completed = true, completed_result = NEW.result
                WHERE o.job = NEW.job AND o.occurrence = NEW.occurrence AND o.attempt = NEW.attempt
                    AND o.state = 'claimed' AND NOT o.completed;
                IF NOT FOUND THEN
                    PERFORM apus.refuse_completion(NEW.job, NEW.occurrence, NEW.attempt);
                END IF;
                RETURN NULL;
            END
            $body$
            """,
            """
            CREATE CONSTRAINT TRIGGER completion_is_marked AFTER INSERT ON apus.completion
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION apus.mark_completed()
            """,
        ]
    }
#endif
