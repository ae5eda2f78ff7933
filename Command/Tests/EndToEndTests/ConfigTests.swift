import ApusClient
import Foundation
import Testing

@Suite("apus config", .timeLimit(.minutes(10)))
struct ConfigTests {
    private struct Report: Decodable {
        struct Setting: Decodable {
            var name: String
            var value: String?
            var origin: String
            var variable: String
            var option: String
        }
        var file: String?
        var exists: Bool
        var settings: [Setting]

        subscript(name: String) -> Setting? { settings.first { $0.name == name } }
    }

    @Test("docs/configuration.md has each setting with its variable, option and default, in the order of apus config")
    func documented() async throws {
        let page = try Repository.text("docs/configuration.md")
        let rows = page.split(separator: "\n").map { line in
            line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            }
        }.filter { row in SettingKey.allCases.contains { $0.rawValue == row.first } }
        try await ApusUnderTest.with { apus in
            let report: Report = try await apus.json("config", "--json")
            #expect(rows.map { Array($0.prefix(3)) } == report.settings.map { [$0.name, $0.variable, $0.option] })
            let ofMachine = ["store", "node", "log.file"]
            for (row, setting) in zip(rows, report.settings) where !ofMachine.contains(setting.name) {
                #expect(row[4] == setting.value ?? "none", "\(setting)")
            }
        }
    }

    private func configure(_ apus: ApusUnderTest, _ text: String) throws {
        try apus.home.prepare()
        let path = apus.home.path + "/config.json"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    @Test("apus config lists each setting with its value and origin, and neither starts a daemon nor creates a file")
    func list() async throws {
        try await ApusUnderTest.with { apus in
            let plain: Report = try await apus.json("config", "--json")
            #expect(plain.settings.map(\.name) == SettingKey.allCases.map(\.rawValue))
            #expect(plain.settings.allSatisfy { $0.origin == "default" } && !plain.exists)
            #expect(plain["grace"]?.value == "10s" && plain["http.address"]?.value == nil)
            #expect(!FileManager.default.fileExists(atPath: apus.home.path))

            try configure(apus, #"{"grace": "1m", "log": {"level": "debug"}, "store": "/elsewhere.db"}"#)
            let answer = try await apus("config", "--json", environment: ["APUS_GRACE": "5s"])
            let report = try JSONDecoder().decode(Report.self, from: Data(answer.out.utf8))
            #expect(report["grace"]?.value == "5s" && report["grace"]?.origin == "environment")
            #expect(report["log.level"]?.value == "debug" && report["log.level"]?.origin == "file")
            #expect(report.exists && report.file == apus.home.path + "/config.json")
            let table = try await apus("config", environment: ["APUS_GRACE": "5s"]).out
            let lines = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.contains(["grace", "5s", "APUS_GRACE"]) && lines.contains(["log.level", "debug", "file"]))
            #expect(
                lines.contains(["store", "/elsewhere.db", "file"]) && lines.contains(["parallel", "256", "default"]))
            #expect(table.hasSuffix("file: \(apus.home.path)/config.json\n"))
        }
    }

    @Test("a daemon started by a command has the file's settings, and the doctor notices a later change of the file")
    func daemon() async throws {
        try await ApusUnderTest.with { apus in
            let log = apus.home.path + "/own.log"
            try configure(
                apus,
                #"{"node": "london", "store": "\#(apus.home.path)/own.db", "log": {"level": "debug", "file": "\#(log)"}}"#
            )
            let answer = try await apus("after", "1h", "--", "true")
            #expect(answer.code == 0, "\(answer)")
            let health = try await apus.client.health()
            #expect(health.node == "london" && health.store == apus.home.path + "/own.db")
            let text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(text.contains(" debug apus.sqlite:"), "\(text)")
            // Commands without a daemon also use the file's store.
            #expect(try await apus("store", "status").out.contains("own.db"))
            #expect(try await !apus("doctor").out.contains("was changed after the daemon started"))
            let later = Date(timeIntervalSinceNow: 60)
            try FileManager.default.setAttributes(
                [.modificationDate: later], ofItemAtPath: apus.home.path + "/config.json")
            let doctor = try await apus("doctor")
            #expect(doctor.code == 0 && doctor.out.contains("was changed after the daemon started"), "\(doctor)")
        }
    }

    @Test(
        "each command that reads an invalid setting names it",
        arguments: [["config"], ["after", "1h", "--", "true"], ["serve"], ["doctor"], ["install", "--print"]])
    func refused(arguments: [String]) async throws {
        try await ApusUnderTest.with { apus in
            try configure(apus, #"{"grace": "soon"}"#)
            let answer = try await apus.call(arguments)
            #expect((answer.out + answer.err).contains("grace in \(apus.home.path)/config.json “soon”"), "\(answer)")
            #expect(answer.code == (["after", "doctor"].contains(arguments[0]) ? 1 : 64), "\(answer)")
        }
    }

    @Test("the unit of apus install has the settings of the environment and the file that it names")
    func unit() async throws {
        try await ApusUnderTest.with { apus in
            try configure(apus, "{}")
            let own = try await apus("install", "--print", environment: ["APUS_LOG_LEVEL": "debug"])
            #expect(own.out.contains("APUS_LOG_LEVEL=debug") && !own.out.contains("APUS_CONFIG"), "\(own)")
            let path = apus.home.path + "/other.json"
            try "{}".write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let named = try await apus("install", "--print", environment: ["APUS_CONFIG": path])
            #expect(named.out.contains("APUS_CONFIG=\(path)"), "\(named)")
        }
    }
}
