import ApusClient
import ApusDaemon
import ApusTestSupport
import Foundation
import GRDB
import Testing

@Suite("apus store", .timeLimit(.minutes(10)))
struct StoreCommandTests {
    private struct Status: Decodable {
        struct Node: Decodable { var name: String }
        var schema: Int
        var jobs: [String: Int]
        var endedRuns: Int
        var nextDue: String?
        var nodes: [Node]
    }

    private struct Check: Decodable {
        struct Finding: Decodable {
            var rule: String
            var count: Int
            var examples: [String]
        }
        var findings: [Finding]
    }

    private struct Copied: Decodable {
        struct Table: Decodable {
            var name: String
            var rows: Int
            var sourceChecksum: String
            var targetChecksum: String
        }
        var tables: [Table]
    }

    @Test("a stopped home's jobs are copied with their history, and a daemon continues over the copy")
    func copy() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus.startDaemon()
            let repeating: WireJob = try await apus.json("every", "1h", "--name", "backup", "--json", "--", "true")
            _ = try await apus("after", "10ms", "--name", "once", "--", "echo", "done")
            try await until("the run's end") { try await apus.allRuns().contains { $0.outcome == "succeeded" } }
            let target = apus.home.path + "/copy.db"
            let used = try await apus("store", "copy", "--from", apus.home.databasePath, "--to", target)
            #expect(used.code == 1 && used.err.contains("belongs to process"), "\(used)")
            #expect(!FileManager.default.fileExists(atPath: target))
            let running: Status = try await apus.json("store", "status", "--json")
            #expect(running.nodes.count == 1 && running.jobs["scheduled"] == 1 && running.endedRuns == 1)
            let before = try await apus("history", "--json").out
            #expect(try await apus("stop").code == 0)

            let copied: Copied = try await apus.json(
                "store", "copy", "--from", apus.home.databasePath, "--to", target, "--json")
            #expect(
                copied.tables.map(\.name) == [
                    "clock and queues", "jobs", "open runs", "ended runs", "submissions", "refused submissions",
                ])
            #expect(copied.tables.allSatisfy { $0.sourceChecksum == $0.targetChecksum })
            #expect(copied.tables[1].rows == 2 && copied.tables[3].rows == 1)
            let again = try await apus("store", "copy", "--from", apus.home.databasePath, "--to", target)
            #expect(again.code == 1 && again.err.contains("has jobs already"), "\(again)")

            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: apus.home.databasePath + suffix)
            }
            try FileManager.default.moveItem(atPath: target, toPath: apus.home.databasePath)
            #expect(try await apus("history", "--json").out == before)
            let job: WireJob = try await apus.json("show", "backup", "--json")
            #expect(job.id == repeating.id && job.nextDue == repeating.nextDue)
        }
    }

    @Test("a home's jobs are moved to PostgreSQL and back, and a daemon on each continues them")
    func toPostgres() async throws {
        let database = try await PostgresDatabase.make()
        try await ApusUnderTest.with { apus in
            _ = try await apus.startDaemon()
            let job: WireJob = try await apus.json("every", "1h", "--name", "backup", "--json", "--", "true")
            _ = try await apus("run", "backup")
            try await until("a run") { try await apus.allRuns().map(\.outcome) == ["succeeded"] }
            #expect(try await apus("stop").code == 0)
            let copied = try await apus(
                "store", "copy", "--from", apus.home.databasePath, "--to", database.location)
            #expect(copied.code == 0 && copied.out.contains("copied and compared in"), "\(copied)")

            let variables = [StoreLocation.variable: database.location]
            _ = try await apus.startDaemon(variables)
            _ = try await apus("run", "backup")
            try await until("another run") {
                try await apus.allRuns().map(\.outcome) == ["succeeded", "succeeded"]
            }
            let runs = try await apus.allRuns().map(\.occurrence)
            #expect(Set(runs).count == 2 && runs.allSatisfy { $0 <= 0 }, "\(runs)")
            let used = try await apus(
                "store", "copy", "--from", database.location, "--to", apus.home.path + "/back.db")
            #expect(used.code == 1 && used.err.contains("the database is in use by"), "\(used)")
            let running = try await apus("store", "status", environment: variables)
            #expect(running.out.contains("jobs         1 scheduled, 0 suspended"), "\(running)")
            #expect(running.out.contains(" connected\n"), "\(running)")
            #expect(try await apus("stop", environment: variables).code == 0)
            let check = try await apus("store", "check", environment: variables)
            #expect(check.code == 0, "\(check)")

            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: apus.home.databasePath + suffix)
            }
            let back = try await apus("store", "copy", "--from", database.location, "--to", apus.home.databasePath)
            #expect(back.code == 0, "\(back)")
            // The home remembers its store until another is named.
            _ = try await apus.startDaemon([StoreLocation.variable: apus.home.databasePath])
            let shown: WireJob = try await apus.json("show", "backup", "--json")
            #expect(shown.id == job.id && shown.nextDue == job.nextDue)
            #expect(try await apus.allRuns().count == 2)
        }
        try await database.drop()
    }

    @Test("apus store migrate creates the schema, and a dry run creates nothing")
    func migratePostgres() async throws {
        let database = try await PostgresDatabase.make()
        try await ApusUnderTest.with { apus in
            let store = ["--store", database.location]
            let dry = try await apus.call(["store", "migrate", "--dry-run"] + store)
            #expect(dry.code == 0 && dry.out.contains("CREATE TABLE apus.job ("), "\(dry)")
            #expect(dry.err == "would migrate from no schema to version 7\n")
            #expect(try await apus.call(["store", "status"] + store).err.contains("there is no schema apus in it"))
            let done = try await apus.call(["store", "migrate"] + store)
            #expect(done.out == "the schema has version 7 now\n", "\(done)")
            let again = try await apus.call(["store", "migrate"] + store)
            #expect(again.out == "the schema has version 7; there is nothing to do\n", "\(again)")
            #expect(try await database.number("SELECT max(version)::int8 FROM apus.schema_version") == 7)
        }
        try await database.drop()
    }

    @Test("a check of a damaged store exits with 1 and names the damage, also as JSON")
    func check() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus.startDaemon()
            _ = try await apus("every", "1h", "--name", "backup", "--", "true")
            let good = try await apus("store", "check")
            #expect(good.code == 0 && good.out == "\(apus.home.databasePath): no problems found\n", "\(good)")
            #expect(try await apus("stop").code == 0)
            let queue = try DatabaseQueue(path: apus.home.databasePath)
            try await queue.write { try $0.execute(sql: "UPDATE apus_job SET open_runs = 3") }
            try queue.close()
            let text = try await apus("store", "check", "--store", "sqlite:\(apus.home.databasePath)")
            #expect(text.code == 1 && text.out.hasPrefix("violated 1 time: a job counts its open runs\n"), "\(text)")
            let json = try await apus("store", "check", "--json")
            #expect(json.code == 1)
            let found = try JSONDecoder().decode(Check.self, from: Data(json.out.utf8)).findings
            #expect(found.map(\.rule) == ["a job counts its open runs"] && found[0].count == 1)
            #expect(found[0].examples[0].hasSuffix(": 3, not 0"))
        }
    }

    @Test("check, doctor, status and lists name an unreadable row and a refused submission")
    func leftOut() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus.startDaemon()
            let bad: WireJob = try await apus.json("every", "1h", "--name", "bad", "--json", "--", "true")
            _ = try await apus("every", "1h", "--name", "good", "--", "true")
            #expect(try await apus("list", "--refused").err == "no submission was refused\n")
            #expect(try await apus("stop").code == 0)
            let queue = try DatabaseQueue(path: apus.home.databasePath)
            try await queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA ignore_check_constraints = ON;
                        UPDATE apus_request SET overlap = 'dance' WHERE name = 'bad';
                        UPDATE apus_job SET elapsed_wake = 0 WHERE key = 1;
                        INSERT INTO apus_submission (submitted, request)
                        VALUES (1, '{"id": "mail", "kind": "mail", "trigger": {"name": "tides"}}');
                        """)
            }
            try queue.close()
            let check = try await apus("store", "check")
            #expect(check.code == 1 && check.out.contains("every job and every run can be read"), "\(check)")
            #expect(check.out.contains("\(bad.id) (key 1): its overlap is unknown or damaged"), "\(check)")
            _ = try await apus.startDaemon()
            try await until("the refusal") { try await apus.client.refusals(limit: 9).refusals.map(\.job) == ["mail"] }
            try await until("what is set aside") {
                try await apus.client.unreadableJobs(limit: 9).jobs.map(\.id) == [bad.id]
            }
            #expect(try await apus.client.unreadableJobs(limit: 1).next == nil)
            // A page counts unreadable jobs too.
            let page = try await apus.client.jobs(limit: 1)
            #expect(page.jobs.isEmpty && page.unreadable.map(\.id) == [bad.id] && page.next != nil)
            let first = try await apus("list", "--limit", "1")
            #expect(first.out.isEmpty && first.err.hasPrefix("not listed, "), "\(first)")
            #expect(first.err.contains("more: apus list --limit 1 --after"), "\(first)")
            let doctor = try await apus("doctor")
            #expect(doctor.code == 1, "\(doctor)")
            #expect(
                doctor.out.contains(
                    "1 job that cannot be read: \(bad.id) (its overlap is unknown or damaged)"), "\(doctor)")
            #expect(doctor.out.contains("1 refused submission of applications: apus list --refused"))
            let status = try await apus("store", "status").out
            #expect(status.contains("set aside    1 job that cannot be read\n  \(bad.id): its overlap"), "\(status)")
            #expect(status.contains("refused      1 submission ("), "\(status)")
            let list = try await apus("list")
            #expect(list.out.contains("good") && !list.out.contains(bad.id))
            #expect(list.err == "not listed, because this daemon cannot read it: \(bad.id); apus doctor shows why\n")
            let refused = try await apus("list", "--refused")
            #expect(
                refused.out.contains("mail") && refused.out.contains("the stored submission cannot be read"),
                "\(refused)")
            #expect(try await apus("list", "--refused", "--all").code == 64)
            let show = try await apus("show", bad.id)
            #expect(show.code == 1 && show.err.contains("this program cannot read the job"), "\(show)")
        }
    }

    @Test("a missing store and an invalid location are errors and create nothing")
    func badPlaces() async throws {
        try await ApusUnderTest.with { apus in
            let path = apus.home.path + "/none.db"
            for command in ["status", "check", "migrate"] {
                let answer = try await apus("store", command, "--store", path)
                #expect(answer.code == 1 && answer.err.contains("there is no database \(path)"), "\(answer)")
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            let unknown = try await apus("store", "copy", "--from", "mysql://host/jobs", "--to", path)
            #expect(
                unknown.code == 64 && unknown.err.contains("--from: mysql:// is not a known kind of store"),
                "\(unknown)")
        }
    }

    @Test("a new file needs no migration, and a newer one is refused")
    func migrate() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus.startDaemon()
            for option in [["--dry-run"], []] {
                let answer = try await apus.call(["store", "migrate"] + option)
                #expect(answer.out == "the schema has version 11; there is nothing to do\n", "\(answer)")
            }
            #expect(try await apus("stop").code == 0)
            let queue = try DatabaseQueue(path: apus.home.databasePath)
            try await queue.write { try $0.execute(sql: "UPDATE apus_owner SET schema = 12") }
            try queue.close()
            let newer = try await apus("store", "migrate")
            #expect(newer.code == 1 && newer.err.contains("written by a newer version of Apus"), "\(newer)")
        }
    }
}
