import ApusClient
import ApusJobs
import ApusTimers
import Foundation
import Testing

@testable import ApusCommand

@Suite("The frame of apus top")
struct TopFrameTests {
    static let now = WallInstant(secondsSince1970: 1_798_135_200)

    static func instant(_ seconds: Int64) -> String { now.advanced(by: .seconds(seconds)).iso8601 }

    static func run(_ job: String, _ outcome: String, started: Int64, finished: Int64? = nil) -> String {
        #"{"job":"\#(job)","occurrence":1,"through":1,"attempt":1,"standsFor":1,"due":"\#(instant(started))","#
            + #""started":"\#(instant(started))","finished":\#(finished.map { "\"\(instant($0))\"" } ?? "null"),"#
            + #""outcome":"\#(outcome)","final":true}"#
    }

    static func job(_ id: String, name: String? = nil, due: Int64) -> String {
        #"{"id":"\#(id)","name":\#(name.map { "\"\($0)\"" } ?? "null"),"kind":"action","state":"scheduled","#
            + #""trigger":{"every":"PT1H"},"action":{"notify":"x"},"policies":{},"created":"\#(instant(-60))","#
            + #""nextDue":"\#(instant(due))","occurrences":0,"missed":0,"labels":{},"queue":"default","priority":"normal"}"#
    }

    static let health =
        #"{"status":"ok","version":"1.2.3","pid":42,"home":"/srv/x","started":"\#(instant(-90))","running":1}"#

    /// Returns a snapshot with 3 open runs, 4 ended runs, and `jobs` jobs, the first of which is due in 3 minutes.
    private static func snapshot(jobs: Int = 20, name: String = "job 0") throws -> TopSnapshot {
        func decoded<T: Decodable>(_ text: String, as type: T.Type = T.self) throws -> T {
            try JSONDecoder().decode(T.self, from: Data(text.utf8))
        }
        let jobs: [WireJob] = try (0..<jobs).map {
            try decoded(job("id\($0)", name: $0 == 0 ? nil : "job \($0)", due: 180 + Int64($0)))
        }
        return TopSnapshot(
            at: instant(0), daemon: try decoded(health),
            counts: .init(running: 3, waiting: 0, failing: 1, suspended: 0, jobs: jobs.count, truncated: false),
            running: try (0..<3).map { try decoded(run("id\($0)", "running", started: -Int64($0) - 5)) },
            next: TopSnapshot.starts(of: jobs),
            ended: try (0..<4).map {
                try decoded(run("id\($0)", $0 == 0 ? "failed" : "succeeded", started: -120, finished: -60))
            },
            jobs: jobs, names: ["id0": name])
    }

    private static func text(_ lines: [[TopFrame.Span]]) -> [String] { lines.map { $0.map(\.text).joined() } }

    private static func frame(
        _ snapshot: TopSnapshot, columns: Int? = nil, rows: Int? = nil, after: Int64 = 0, trouble: String? = nil
    ) -> [String] {
        text(
            TopFrame.lines(
                snapshot, size: .init(columns: columns, rows: rows), now: now.advanced(by: .seconds(after)),
                trouble: trouble))
    }

    @Test("a frame is never larger than the terminal, and loses rows before sections")
    func size() throws {
        let snapshot = try Self.snapshot()
        for rows in 0...60 {
            for columns in [0, 1, 2, 10, 40, 80, 200] {
                let lines = Self.frame(snapshot, columns: columns, rows: rows)
                #expect(lines.count <= rows && lines.allSatisfy { $0.count <= columns }, "\(columns)×\(rows)")
            }
        }
        let lines = Self.frame(snapshot, columns: 80, rows: 24)
        #expect(lines.count == 24)
        #expect(
            lines.filter { $0.first?.isUppercase == true }
                == ["RUNNING", "NEXT (4 of 10)", "ENDED", "JOBS (3 of 20)"], "\(lines.joined(separator: "\n"))")
        let all = Self.frame(snapshot)
        #expect(all.contains("JOBS") && all.count == 2 + 4 * 2 + 3 + 10 + 4 + 20)
    }

    @Test("with more jobs than are read, the title has their number and the origin of the rows")
    func manyJobs() throws {
        var snapshot = try Self.snapshot()
        snapshot.counts.jobs = 6_200
        let title = { (rows: Int?) in Self.frame(snapshot, columns: 80, rows: rows).first { $0.hasPrefix("JOBS") } }
        #expect(title(24) == "JOBS (3 of 6200, from the 20 that were submitted first)")
        #expect(title(nil) == "JOBS (20 of 6200, from the 20 that were submitted first)")
        snapshot.counts.jobs = 19
        #expect(title(nil) == "JOBS", "one has ended meanwhile")
    }

    @Test("only durations change with the frame's instant")
    func durations() throws {
        let snapshot = try Self.snapshot(jobs: 1)
        let (before, after) = (Self.frame(snapshot), Self.frame(snapshot, after: 1))
        #expect(before[0] == "apus 1.2.3  process 42, up 1m 30s, home /srv/x")
        #expect(before[1] == "3 running   0 waiting   1 failing   0 suspended   1 job")
        #expect(before[4] == "job 0  #1  5s" && after[4] == "job 0  #1  6s")
        #expect(before[9] == "id0  in 3m" && after[9] == "id0  in 2m 59s")
        #expect(before[12] == "job 0  #1  failed     1m  1m ago" && after[12] == "job 0  #1  failed     1m  1m 1s ago")
        #expect(Self.frame(snapshot, after: 180)[9] == "id0  now")
        #expect(before.map(\.isEmpty) == after.map(\.isEmpty) && before[1] == after[1])
    }

    @Test("names cannot move the cursor, and problems are in the first line")
    func texts() throws {
        let snapshot = try Self.snapshot(name: "a\u{1B}[2Jb")
        let lines = Self.frame(snapshot, trouble: "no daemon is running")
        #expect(lines[0] == "apus 1.2.3  no daemon is running")
        #expect(lines[4].hasPrefix(#"a\u{1B}[2Jb  #1"#))
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
    }
}
