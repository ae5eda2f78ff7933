/// The database's own record of each claim and outcome, which it makes in the transaction of the claim or outcome.
///
/// Each entry has the name of the writing session, which contains the number of its node, and the owner of the job's
/// shard.
enum Audit {
    static let schema = """
        CREATE SCHEMA chaos;
        CREATE TABLE chaos.written (
            job bigint, occurrence bigint, attempt bigint, state text, writer text, owner text, has_ended boolean,
            is_released boolean);
        CREATE FUNCTION chaos.note() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO chaos.written
            SELECT NEW.job, NEW.occurrence, NEW.attempt, NEW.state, current_setting('application_name'), 'apus node ' || n.id,
                n.ended IS NOT NULL, s.node IS NULL AND s.xmin::text = pg_current_xact_id()::xid::text
            FROM apus.job AS j JOIN apus.shard AS s ON s.id = j.shard LEFT JOIN apus.node AS n ON n.id = s.node
            WHERE j.key = NEW.job;
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER note AFTER INSERT ON apus.run FOR EACH ROW EXECUTE FUNCTION chaos.note();
        CREATE TRIGGER note AFTER INSERT ON apus.open_run FOR EACH ROW EXECUTE FUNCTION chaos.note();
        """

    /// The query for writes by a node that did not own the shard or had ended.
    ///
    /// A write is accepted without an owner if the same transaction released the shard, because a turn may release a
    /// shard together with its last outcome.
    static let strangers = """
        SELECT writer, coalesce(owner, 'no node'), job, occurrence, attempt, state FROM chaos.written
        WHERE NOT is_released AND (writer IS DISTINCT FROM owner OR has_ended) LIMIT 20
        """
}
