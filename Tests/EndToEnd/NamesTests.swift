import ApusDaemon
import Testing

@Suite("Names of jobs")
struct NamesTests {
    @Test(
        "every command takes every name, whatever an address would make of it",
        arguments: ["my backup", "größe ☕", "100%", "a/b/../c", "a+b?c=d&e#f", "%2F", "-x", "n'\"\\"])
    func everyCommand(name: String) async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json("every", "1h", "--name=\(name)", "--json", "--", "echo", "printed")
            // Another that a careless search would find.
            _ = try await apus("every", "1h", "--name", "other", "--", "true")
            func ask(_ words: String...) async throws -> ApusUnderTest.Answer {
                let answer = try await apus.call(words + ["--", name])
                #expect(answer.code == 0 && answer.err.isEmpty, "\(words): \(answer)")
                return answer
            }
            #expect(try await ask("show").out.contains(job.id))
            #expect(try await ask("suspend").out.contains(job.id))
            #expect(try await apus.client.job(job.id).state == "suspended")
            #expect(try await ask("resume").out.contains(job.id))
            #expect(try await apus.client.job(job.id).state == "scheduled")
            #expect(try await ask("run").out.contains(job.id))
            try await apus.until("the run") { try await apus.client.job(job.id).lastRun?.outcome == "succeeded" }
            #expect(try await ask("logs").out == "printed\n")
            #expect(try await ask("history").out.contains("succeeded"))
            #expect(try await ask("cancel").out == "\(job.id) cancelled\n")
            #expect(try await apus.client.job(job.id).state == "cancelled")
            let countdown: WireJob = try await apus.json("countdown", "1h", "--name=\(name)", "--json")
            let attached: WireJob = try await apus.json("countdown", "--name=\(name)", "--json")
            #expect(attached.id == countdown.id)
        }
    }
}
