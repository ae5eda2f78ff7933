import ApusClient
import ApusJobs
import ApusTestSupport
import Foundation
import GRDB
import Testing

@Suite("The doctor", .timeLimit(.minutes(10)))
struct DoctorTests {
    private struct Report: Decodable {
        struct Check: Decodable {
            var check: String
            var status: String
            var text: String
        }
        var ok: Bool
        var checks: [Check]

        func texts(_ check: String, _ status: String) -> [String] {
            checks.filter { $0.check == check && $0.status == status }.map(\.text)
        }
    }

    private func report(_ apus: ApusUnderTest, _ extra: [String: String] = [:]) async throws -> (code: Int, Report) {
        let answer = try await apus("doctor", "--json", environment: extra)
        return (answer.code, try JSONDecoder().decode(Report.self, from: Data(answer.out.utf8)))
    }

    @Test("before the first job the doctor finds no problem, creates nothing and starts no daemon")
    func untouched() async throws {
        try await ApusUnderTest.with { apus in
            let (code, report) = try await report(apus)
            #expect(code == 0 && report.ok, "\(report)")
            #expect(report.texts("home", "note").count == 1 && report.texts("store", "note").count == 1)
            #expect(report.texts("daemon", "note").first?.hasPrefix("none is running") == true)
            #expect(report.texts("zones", "ok") == ["the zone is Europe/Berlin"])
            let misspelt = try await self.report(apus, ["TZ": "Europe/Berln"])
            #expect(misspelt.code == 0)
            #expect(misspelt.1.texts("zones", "note").first?.hasPrefix("TZ is \"Europe/Berln\"") == true)
            #expect(!FileManager.default.fileExists(atPath: apus.home.path))
        }
    }

    @Test("the doctor names what commands inherit from the daemon's shell, and commands inherit it")
    func inherited() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon(after: "renice -n 7 $$ >&2; ulimit -t 86400")
            let (code, report) = try await report(apus)
            let text = try #require(report.texts("commands", "note").first)
            #expect(code == 0 && text.contains("niceness 7") && text.contains("the limit 86400 of cpu time"), "\(text)")
            _ = try await apus("after", "10ms", "--name", "nice", "--shell", "--", "nice; ulimit -t")
            try await until("its end") { try await apus.client.job("nice").lastRun?.outcome == "succeeded" }
            #expect(try await apus("logs", "nice").out == "7\n86400\n")
        }
    }

    @Test("with a daemon, the doctor reports the store and the obstacles of jobs", arguments: StoreUnderTest.allCases)
    func running(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            #expect(try await report(apus).1.texts("jobs", "ok") == ["none is scheduled"])
            _ = try await apus("every", "1h", "--name", "well", "--", "true")
            let (code, well) = try await report(apus)
            #expect(code == 0 && well.ok)
            #expect(well.texts("daemon", "ok").count == 1 && well.texts("store", "ok").first?.contains("1 job") == true)
            #expect(well.texts("jobs", "ok") == ["nothing keeps 1 job from running"], "\(well)")
            _ = try await apus("every", "1h", "--name", "ill", "--", "false")
            _ = try await apus("run", "ill")
            try await until("its failure") { try await apus.allRuns().contains { $0.outcome == "failed" } }
            _ = try await apus("suspend", "well")
            _ = try await apus("queue", "pause", "mail")
            let (after, notes) = try await report(apus)
            #expect(after == 0, "what was asked for is not wrong: \(notes)")
            #expect(
                notes.texts("jobs", "note") == ["1 suspended: well", "1 failed the last time: ill"], "\(notes)")
            #expect(notes.texts("queues", "note").first?.contains("apus queue resume mail") == true)
            let text = try await apus("doctor").out
            #expect(text.contains("✓ home") && text.contains("- queues"), "\(text)")
        }
    }

    @Test("a daemon reports everywhere that it cannot write to its store, and when it can again")
    func storeFails() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            _ = try await apus("every", "1h", "--name", "well", "--", "true")
            #expect(try await apus.client.health().status == "ok")
            var configuration = GRDB.Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: apus.home.databasePath, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            #expect(try await apus.call(["suspend", "well"]).code == 1)
            let health = try await apus.client.health()
            #expect(health.status == "storeFails" && health.problemSince != nil)
            #expect(health.problem?.contains("another program holds a lock") == true, "\(health)")
            let (code, report) = try await report(apus)
            #expect(code == 1 && report.texts("daemon", "problem").count == 1, "\(report)")
            #expect(try await apus("status").out.contains("the store cannot be used since"))
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try await until("a commit") { try await apus.client.health().status == "ok" }
            #expect(try await apus.client.health().problem == nil)
        }
    }

    @Test("jobs with a missing zone are a problem, and an unknown variable is named with the nearest known one")
    func missingZone() async throws {
        try await ApusUnderTest.with { apus in
            for name in ["far", "farther", "away", "gone"] {
                let job = ["every", "day", "at", "9:00", "--tz", "Asia/Tokyo", "--name", name, "--", "true"]
                #expect(try await apus.call(job).code == 0)
            }
            let zones = apus.home.path + "/zones/Europe"
            try FileManager.default.createDirectory(atPath: zones, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: "/usr/share/zoneinfo/Europe/Berlin", toPath: zones + "/Berlin")
            let environment = ["TZDIR": apus.home.path + "/zones", "APUS_LOGLEVEL": "debug"]
            #expect(try await apus("stop").code == 0)
            #expect(try await apus("list", environment: environment).code == 0)
            let (code, report) = try await report(apus, environment)
            #expect(code == 1 && report.texts("jobs", "ok").isEmpty, "\(report)")
            let problem = try #require(report.texts("jobs", "problem").first)
            #expect(problem.hasPrefix("4 unable to run, because the time zone Asia/Tokyo is missing"), "\(problem)")
            #expect(problem.hasSuffix(": far, farther, away, …"), "\(problem)")
            var (names, after): ([String?], String?) = ([], nil)
            repeat {
                let page = try await apus.client.obstructedJobs(limit: 1, after: after)
                names += page.jobs.map(\.name)
                after = page.next
            } while after != nil
            #expect(names == ["far", "farther", "away", "gone"])
            #expect(report.texts("settings", "note").first?.contains("APUS_LOG_LEVEL") == true, "\(report)")
            let config = try await apus("config", environment: ["APUS_HOMR": "/"])
            #expect(config.code == 0 && config.err.contains("APUS_HOMR") && config.err.hasSuffix("APUS_HOME?\n"))
            let far = try await apus("config", environment: ["APUS_COLOURS": "0"])
            #expect(far.err == "apus: APUS_COLOURS is not a variable of apus and has no effect\n")
            _ = try await apus("stop")
            let started = try await apus("list", environment: ["APUS_LOGLEVEL": "debug"])
            #expect(started.code == 0 && started.err.contains("did you mean APUS_LOG_LEVEL?\n"), "\(started)")
        }
    }

    @Test("a home that others can write, a broken database and missing zones are problems, with exit code 1")
    func problems() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus("after", "1h", "--", "true")
            _ = try await apus("stop")
            let attributes: (Int) -> [FileAttributeKey: Any] = { [.posixPermissions: $0] }
            try FileManager.default.setAttributes(attributes(0o777), ofItemAtPath: apus.home.path)
            let (open, unsafe) = try await report(apus)
            #expect(open == 1 && !unsafe.ok && unsafe.texts("home", "problem").count == 1, "\(unsafe)")
            try FileManager.default.setAttributes(attributes(0o700), ofItemAtPath: apus.home.path)
            #expect(try await report(apus).0 == 0)
            try Data("no database".utf8).write(to: URL(filePath: apus.home.databasePath))
            let (broken, damaged) = try await report(apus)
            #expect(broken == 1 && damaged.texts("store", "problem").count == 1, "\(damaged)")
        }
    }
}
