import ApusJobs
import ApusTimers

/// The rare changes of many rows. Called on the writer's queue only, inside a transaction.
enum Maintenance {
    /// `column` moved by a bound offset, saturating: SQLite's own arithmetic would turn an overflow into a
    /// floating-point number. The last instant there is stays where it is, as "never" does.
    private static func moved(_ column: String) -> String {
        """
        \(column) = CASE
            WHEN \(column) IS NULL OR \(column) = 9223372036854775807 THEN \(column)
            WHEN ?1 >= 0 AND \(column) > 9223372036854775807 - ?1 THEN 9223372036854775807
            ELSE max(0, \(column) + ?1) END
        """
    }

    private static let isRelative = """
        job.state = 'scheduled' AND (job.trigger = 'after' OR (job.trigger = 'every' AND job.trigger_anchor IS NULL))
        """

    static func shiftRelativeJobs(by offset: Duration, on connection: Connection) throws {
        let nanoseconds = offset.wholeNanoseconds
        // The runs first: which jobs are relative does not change, and both see the same rows.
        try connection.statement(
            """
            UPDATE run SET \(moved("due")), \(moved("not_before"))
            WHERE state = 'waiting' AND job IN (SELECT job.key FROM job WHERE \(isRelative))
            """
        ).bind(nanoseconds).run()
        try connection.statement(
            """
            UPDATE job SET \(moved("first")), \(moved("next_due")), \(moved("wake")), version = version + 1
            WHERE state IN ('scheduled', 'suspended') AND \(isRelative)
            """
        ).bind(nanoseconds).run()
    }

    static func prune(keepRuns: Int, endedBefore: WallInstant, on connection: Connection) throws {
        // So that the numbers of jobs that go are not given again.
        try connection.statement("UPDATE owner SET last_key = max(last_key, ifnull((SELECT max(key) FROM job), 0))")
            .run()
        try connection.statement(
            """
            DELETE FROM job WHERE state IN ('cancelled', 'finished') AND updated < ?
            AND NOT EXISTS (SELECT 1 FROM run WHERE run.job = job.key AND \(RunRow.isOpen))
            """
        ).bind(endedBefore.stored).run()
        try connection.statement(
            """
            DELETE FROM run WHERE sequence IN (
                SELECT sequence FROM (
                    SELECT sequence, row_number() OVER (PARTITION BY job, attempt = 0 ORDER BY sequence DESC) AS place
                    FROM run
                ) WHERE place > ?
            ) AND state NOT IN ('waiting', 'claimed')
            """
        ).bind(Int64(max(0, keepRuns))).run()
    }
}
