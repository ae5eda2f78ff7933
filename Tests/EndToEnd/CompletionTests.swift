import ApusDaemon
import Foundation
import Testing

@Suite("Completion of jobs in a shell")
struct CompletionTests {
    /// Asks as the scripts of `apus completions` do: for the word after `apus show`, of which `prefix` was typed.
    private func complete(_ apus: ApusUnderTest, _ prefix: String) async throws -> [String] {
        let answer = try await apus.call(
            ["---completion", "show", "--", "positional@0", "2", String(prefix.count), "apus", "show", prefix],
            environment: ["SAP_SHELL": "bash", "SAP_SHELL_VERSION": "5.2"])
        #expect(answer.code == 0 && answer.err.isEmpty, "\(answer)")
        return answer.out.split(separator: "\n").map(String.init)
    }

    @Test("names and identifiers that begin with what was typed are offered, of ended jobs if no other has them")
    func jobs() async throws {
        try await ApusUnderTest.with { apus in
            let tea: WireJob = try await apus.json("after", "1h", "--name", "Tea", "--json", "--", "true")
            let other: WireJob = try await apus.json("after", "1h", "--name", "Other", "--json", "--", "true")
            #expect(try await complete(apus, "T") == ["Tea"])
            #expect(try await complete(apus, tea.id) == [tea.id])
            #expect(Set(try await complete(apus, "")) == ["Tea", "Other", tea.id, other.id])
            _ = try await apus("cancel", "Tea")
            #expect(try await complete(apus, "T") == ["Tea"], "nothing else begins so")
            #expect(Set(try await complete(apus, "")) == ["Other", other.id])
        }
    }

    @Test("without a daemon nothing is offered, and none is started")
    func noDaemon() async throws {
        try await ApusUnderTest.with { apus in
            let offered = try await complete(apus, "")
            #expect(offered.isEmpty)
            #expect(try await apus("status").code == 3)
        }
    }
}
