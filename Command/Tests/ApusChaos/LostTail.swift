import ApusTestSupport
import Foundation

/// The commits that a primary answered and its standby had not received when it was promoted.
struct LostTail: Sendable {
    /// An instant before the standby was cut off, in nanoseconds since 1970.
    var began: UInt64
    /// The instant of the standby's promotion.
    var ended: UInt64
    /// The jobs that were submitted in between.
    var names: Set<String>
}

extension Server {
    /// Returns the timeline on which a primary writes, from the name of its current log file.
    func timeline() throws -> Int {
        let text = try query("SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)").first?.first ?? ""
        guard let number = Int(text, radix: 16) else { throw Failure("no timeline: \(text)") }
        return number
    }

    /// Stops the standby from receiving the log.
    ///
    /// - Returns: The position up to which the standby has the primary's log, which is the end of a whole record.
    func cutOff() async throws -> String {
        try query("ALTER SYSTEM SET primary_conninfo = ''")
        try query("SELECT pg_reload_conf()")
        try await until("the standby receives nothing", atMost: .seconds(20)) {
            try self.query("SELECT count(*) FROM pg_stat_wal_receiver") == [["0"]]
        }
        var last = ""
        try await until("the standby has replayed everything", atMost: .seconds(20)) {
            let position = try self.query("SELECT pg_last_wal_replay_lsn()").first?.first ?? ""
            defer { last = position }
            try await wait(.milliseconds(200))
            return position == last
        }
        return last
    }

    /// Returns the jobs whose submission this crashed primary committed after the position.
    ///
    /// To read the jobs, it starts the server with a socket in a folder in which no node looks for it.
    func namesOfJobs(submittedAfter position: String, timeline: Int, in database: String) throws -> Set<String> {
        let commits = try files.asUser([
            "sh", "-c",
            """
            '\(programs)/pg_waldump' -p '\(data)/pg_wal' -t \(timeline) -s \(position) -r Transaction 2>/dev/null \
            | sed -n 's/.* tx: *\\([0-9]*\\),.* desc: COMMIT .*/\\1/p'
            """,
        ])
        let transactions = commits.split(separator: "\n").joined(separator: ",")
        guard !transactions.isEmpty else { return [] }
        try control("-o", "-c unix_socket_directories=\(data) -c synchronous_standby_names=", "start")
        defer { try? crash() }
        let rows = try query(
            "SELECT name FROM apus.request WHERE xmin::text = ANY ('{\(transactions)}')", in: database,
            folder: data)
        return Set(rows.compactMap(\.first))
    }
}
