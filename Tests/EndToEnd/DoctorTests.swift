import ApusDaemon
import ApusJobs
import Foundation
import Testing

@Suite("The doctor")
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

    @Test("before the first job nothing is wrong, and it makes nothing and starts no daemon")
    func untouched() async throws {
        try await ApusUnderTest.with { apus in
            let (code, report) = try await report(apus)
            #expect(code == 0 && report.ok, "\(report)")
            #expect(report.texts("home", "note").count == 1 && report.texts("store", "note").count == 1)
            #expect(report.texts("daemon", "note").first?.hasPrefix("none runs") == true)
            #expect(report.texts("zones", "ok") == ["the zone is Europe/Berlin"])
            #expect(!FileManager.default.fileExists(atPath: apus.home.path))
        }
    }

    @Test("with a daemon it reports the store, and what keeps jobs from running", arguments: StoreUnderTest.allCases)
    func running(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            _ = try await apus("every", "1h", "--name", "well", "--", "true")
            let (code, well) = try await report(apus)
            #expect(code == 0 && well.ok)
            #expect(well.texts("daemon", "ok").count == 1 && well.texts("store", "ok").first?.contains("1 job") == true)
            #expect(well.texts("jobs", "ok") == ["nothing keeps 1 job from running"], "\(well)")
            _ = try await apus("every", "1h", "--name", "ill", "--", "false")
            _ = try await apus("run", "ill")
            try await apus.until("its failure") { try await apus.allRuns().contains { $0.outcome == "failed" } }
            _ = try await apus("suspend", "well")
            _ = try await apus("queue", "pause", "mail")
            let (after, notes) = try await report(apus)
            #expect(after == 0, "what was asked for is not wrong: \(notes)")
            #expect(
                notes.texts("jobs", "note") == ["1 are suspended: well", "1 failed the last time: ill"], "\(notes)")
            #expect(notes.texts("queues", "note").first?.contains("apus queue resume mail") == true)
            let text = try await apus("doctor").out
            #expect(text.contains("✓ home") && text.contains("- queues"), "\(text)")
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
