import ApusClient
import ApusTestSupport
import Foundation
import Testing

/// Compares the exit codes of every subcommand with the table in `docs/command.md`.
@Suite("Exit codes", .timeLimit(.minutes(10)))
struct ExitCodeTests {
    /// Returns the documented exit codes of each subcommand.
    static func documented() throws -> [String: Set<Int>] {
        let page = try Repository.text("docs/command.md")
        let section = try #require(page.components(separatedBy: "\n## Exit codes\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        var rows: [String: Set<Int>] = [:]
        for line in section.split(separator: "\n") where line.hasPrefix("| `apus ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let names = cells[0].split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "").replacing("apus ", with: "")
            }
            let codes = Set(cells[1].split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) })
            for name in names {
                #expect(rows[name] == nil, "apus \(name) has two rows")
                rows[name] = codes
            }
        }
        return rows
    }

    /// Returns the subcommands in the program's own dump of its help.
    private static func subcommands(_ apus: ApusUnderTest) async throws -> [String] {
        struct Command: Decodable {
            var commandName: String
            var subcommands: [Command]?
            func leaves(_ before: [String]) -> [String] {
                let inner = (subcommands ?? []).filter { $0.commandName != "help" }
                let path = before + [commandName]
                return inner.isEmpty ? [path.joined(separator: " ")] : inner.flatMap { $0.leaves(path) }
            }
        }
        struct Dump: Decodable { var command: Command }
        let answer = try await apus("--experimental-dump-help")
        let dump = try JSONDecoder().decode(Dump.self, from: Data(answer.out.utf8))
        return dump.command.leaves([]).map { String($0.dropFirst("apus ".count)) }
    }

    /// The calls in order, with their exit codes.
    ///
    /// `JOB` is an hourly job, and `FAILED` is a failed one.
    private static let calls: [(words: [String], code: Int)] = [
        (["after", "1h", "--", "true"], 0), (["after", "soon", "--", "true"], 64),
        (["every", "1h", "--name", "JOB", "--label", "a=1", "--", "true"], 0), (["every", "x", "--", "true"], 64),
        (["at", "tomorrow", "--", "true"], 0), (["at", "yesterday", "--", "true"], 64),
        (["cron", "0 9 * * *", "--", "true"], 0), (["cron", "0 9", "--", "true"], 64),
        (["countdown", "1h", "--detach"], 0), (["countdown", "soonish"], 64),
        (["list"], 0), (["list", "--state", "odd"], 64),
        (["show", "JOB"], 0), (["show", "missing"], 1),
        (["top", "--once"], 0), (["top", "x"], 64),
        (["history"], 0), (["history", "missing"], 1),
        (["logs", "FAILED"], 0), (["logs", "missing"], 1), (["logs", "FAILED", "--run", "99"], 1),
        (["stats"], 0), (["stats", "missing"], 1), (["stats", "--since", "tomorrow"], 64),
        (["why", "JOB"], 0), (["why", "JOB", "99"], 1),
        (["after", "10ms", "--name", "DONE", "--", "true"], 0), (["wait", "DONE"], 0), (["delete", "DONE"], 0),
        (["after", "10ms", "--name", "UNSTARTED", "--", "UNUSABLE"], 0), (["wait", "UNSTARTED"], 127),
        (["wait", "FAILED"], 7), (["wait", "JOB", "--timeout", "10ms"], 124), (["wait", "missing"], 1),
        (["preview", "every monday 9:00"], 0), (["preview", "every foo"], 64),
        (["edit", "JOB", "--retry", "1"], 0), (["edit", "JOB"], 64), (["edit", "missing", "--retry", "1"], 1),
        (["suspend", "JOB"], 0), (["suspend", "missing"], 1),
        (["resume", "JOB"], 0), (["resume", "missing"], 1),
        (["run", "JOB"], 0), (["run", "missing"], 1),
        (["retry", "FAILED"], 0), (["retry", "missing"], 1), (["retry", "FAILED", "first"], 64),
        (["delete"], 64), (["delete", "missing"], 1), (["delete", "x", "--ended"], 64),
        (["delete", "x", "--queue", "q"], 64),
        (["delete", "--ended", "--failed"], 64), (["delete", "--ended", "--label", "x", "-y"], 64),
        (["retry"], 64), (["retry", "FAILED", "--failed"], 64), (["retry", "FAILED", "--label", "a=b"], 64),
        (["queue", "list"], 0), (["queue", "list", "x"], 64),
        (["queue", "limit", "q", "2"], 0), (["queue", "limit", "q", "0"], 64),
        (["queue", "rate", "q", "2/1m"], 0), (["queue", "rate", "q", "2"], 64),
        (["queue", "pause", "q"], 0), (["queue", "pause", "two words"], 64),
        (["queue", "resume", "q"], 0), (["queue", "resume", "two words"], 64),
        (["export"], 0), (["export", "--label", "x"], 64),
        (["import", "jobs", "JOBS"], 0), (["import", "jobs", "/none"], 64),
        (["import", "crontab", "CRONTAB", "--dry-run"], 0), (["import", "crontab", "/none"], 64),
        (["cancel", "JOB"], 0), (["cancel", "missing"], 1), (["cancel", "--all"], 64),
        (["after", "1h", "--name", "GONE", "--", "true"], 0), (["cancel", "GONE"], 0), (["wait", "GONE"], 125),
        (["nodes"], 0), (["nodes", "x"], 64),
        (["status"], 0), (["config"], 0), (["config", "x"], 64), (["doctor"], 0), (["doctor", "x"], 64),
        (["store", "status"], 0), (["store", "status", "--store", "/none/apus.db"], 1),
        (["store", "check"], 0), (["store", "check", "--store", "/none/apus.db"], 1),
        (["install", "--print"], 0), (["install"], 64),
        (["install", "--print", "--program", "apus"], 64),
        (["completions", "bash"], 0), (["completions", "csh"], 64),
        (["demo", "x"], 64), (["serve"], 1), (["serve", "--parallel", "0"], 64),
        (["stop"], 0), (["stop", "x"], 64),
        (["status"], 3),
        (["store", "migrate"], 0), (["store", "migrate", "--store", "/none/apus.db"], 1),
        (["store", "copy", "--from", "STORE", "--to", "COPY"], 0),
        (["store", "copy", "--from", "/none/apus.db", "--to", "COPY"], 1),
    ]

    @Test("every subcommand ends with the documented codes, in a success and in a failure")
    func everySubcommand() async throws {
        let documented = try Self.documented()
        try await ApusUnderTest.with { apus in
            let subcommands = Set(try await Self.subcommands(apus))
            #expect(Set(documented.keys) == subcommands, "the page has a row for each subcommand, and no other")
            _ = try await apus("after", "10ms", "--name", "FAILED", "--shell", "--", "exit 7")
            try await until("its failure") { try await apus.allRuns().contains { $0.outcome == "failed" } }
            let home = apus.home.path
            try Data(#"{"version": 1, "jobs": []}"#.utf8).write(to: URL(filePath: home + "/jobs.json"))
            try Data("0 9 * * * true\n".utf8).write(to: URL(filePath: home + "/crontab"))
            let files = [
                "JOBS": home + "/jobs.json", "CRONTAB": home + "/crontab", "STORE": apus.home.databasePath,
                "COPY": home + "/copy.db", "UNUSABLE": home + "/unusable",
            ]
            try await ApusUnderTest.writeProgram("#!/none/interpreter\n", to: home + "/unusable")
            var seen: [String: Set<Int>] = [:]
            async let demo = apus.call(["demo"])
            for (words, code) in Self.calls {
                let answer = try await apus.call(words.map { files[$0] ?? $0 })
                #expect(answer.code == code, "apus \(words.joined(separator: " ")): \(answer)")
                // A failure states its reason, on standard error only.
                if ![0, 7, 3, 127].contains(code) {
                    #expect(!answer.err.isEmpty, "apus \(words.joined(separator: " "))")
                }
                let name = subcommands.contains(words[0]) ? words[0] : words.prefix(2).joined(separator: " ")
                seen[name, default: []].insert(code)
                guard let codes = documented[name] else { continue }
                #expect(codes.contains(code) || name == "wait" && code == 7, "apus \(name) \(code) is not in the page")
            }
            let served = try await apus.serve()
            _ = try await apus("stop")
            let stopped = try await served.value
            #expect(stopped.code == 0, "apus serve, stopped: \(stopped)")
            // The demonstration was started at the beginning, because it takes long. It has its own home.
            let shown = try await demo
            #expect(shown.code == 0, "apus demo: \(shown)")
            for name in ["serve", "demo"] { seen[name, default: []].insert(0) }
            for name in subcommands {
                #expect(seen[name]?.contains(0) == true, "apus \(name) had no success")
                #expect(seen[name]?.contains { $0 != 0 } == true, "apus \(name) had no failure")
            }
        }
    }
}
