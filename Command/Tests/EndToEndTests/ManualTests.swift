import ApusClient
import Foundation
import Subprocess
import Testing

@Suite("Manual pages", .timeLimit(.minutes(10)))
struct ManualTests {
    private static func output(_ program: String, _ arguments: [String]) async throws -> (out: String, err: String) {
        let result = try await Subprocess.run(
            .name(program), arguments: Arguments(arguments),
            environment: .inherit.updating(["LC_ALL": "C.UTF-8", "MANWIDTH": "100"]),
            output: .string(limit: 1 << 22), error: .string(limit: 1 << 20))
        return (result.standardOutput, result.standardError)
    }

    @Test("lexgrog and groff read each manual page without a warning, and it has the documented exit codes")
    func pages() async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            let folder = apus.home.path
            let answer = try await apus("---manual", folder, "2026-01-02")
            #expect(answer.code == 0 && answer.err.isEmpty, "\(answer)")
            let pages = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".1") }
            let documented = try ExitCodeTests.documented()
            let names = Set(pages.map { String($0.dropLast(2)) })
            for subcommand in documented.keys {
                #expect(names.contains("apus-" + subcommand.replacing(" ", with: "-")))
            }
            let summaries = try await Self.output("lexgrog", pages.map { "\(folder)/\($0)" })
            let lines = summaries.out.split(separator: "\n")
            #expect(lines.count == pages.count && summaries.err == "", "\(summaries.err)")
            #expect(lines.allSatisfy { !$0.hasSuffix(": parse failed") })
            for page in pages {
                #expect(try await Self.output("man", ["--warnings", "-l", "\(folder)/\(page)"]).err == "", "\(page)")
            }
            for (subcommand, codes) in documented {
                let name = "apus-" + subcommand.replacing(" ", with: "-")
                let text = try String(contentsOfFile: "\(folder)/\(name).1", encoding: .utf8)
                let status = text.components(separatedBy: ".SH EXIT STATUS\n").last!
                    .components(separatedBy: ".SH ")[0]
                let listed = status.split(separator: "\n").filter { $0.hasPrefix(#"\fB"#) }
                    .compactMap { Int($0.filter(\.isNumber)) }
                #expect(Set(listed) == codes && listed == listed.sorted(), "\(subcommand)")
                #expect(text.contains(".SH FILES") && text.contains(".SH ENVIRONMENT"))
            }
            let after = try await Self.output("man", ["-l", "\(folder)/apus-after.1"]).out
            #expect(after.contains("apus after [options] duration [-- command ...]"), "\(after.prefix(400))")
            let apusPage = try await Self.output("man", ["-l", "\(folder)/apus.1"]).out
            #expect(apusPage.contains("List jobs, oldest first.") && apusPage.contains("APUS_LOG_LEVEL"))
        }
    }
}
