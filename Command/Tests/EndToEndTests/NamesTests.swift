import ApusClient
import ApusTestSupport
import Testing

@Suite("Names of jobs", .timeLimit(.minutes(10)))
struct NamesTests {
    @Test(
        "every command accepts every name, even one that looks like part of an address",
        arguments: ["my backup", "größe ☕", "100%", "a/b/../c", "a+b?c=d&e#f", "%2F", "-x", "n'\"\\"])
    func everyCommand(name: String) async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json("every", "1h", "--name=\(name)", "--json", "--", "echo", "printed")
            // A careless search would find this job.
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
            try await until("the run") { try await apus.client.job(job.id).lastRun?.outcome == "succeeded" }
            #expect(try await ask("logs").out == "printed\n")
            #expect(try await ask("history").out.contains("succeeded"))
            #expect(try await ask("cancel").out == "\(job.id) cancelled\n")
            #expect(try await apus.client.job(job.id).state == "cancelled")
            let countdown: WireJob = try await apus.json("countdown", "1h", "--name=\(name)", "--json")
            let attached: WireJob = try await apus.json("countdown", "--name=\(name)", "--json")
            #expect(attached.id == countdown.id)
        }
    }

    @Test("a name and a whole identifier mean their own job, whichever identifiers begin with them")
    func exactFirst() async throws {
        try await ApusUnderTest.with { apus in
            let first: WireJob = try await apus.json("every", "1h", "--json", "--", "true")
            let beginning = String(first.id.prefix(2))
            let named: WireJob = try await apus.json("every", "1h", "--name", beginning, "--json", "--", "true")
            let other: WireJob = try await apus.json("every", "1h", "--name", first.id, "--json", "--", "true")
            #expect(try await apus.client.job(beginning).id == named.id)
            #expect(try await apus.client.job(first.id).id == first.id)
            #expect(try await apus("cancel", beginning).out == "\(named.id) cancelled\n")
            // A name, even an ended job's, takes precedence over an active job's identifier.
            #expect(try await apus.client.job(beginning).id == named.id)
            #expect(try await apus.client.job(String(first.id.prefix(3))).id == first.id)
            #expect(try await apus.client.job(other.id).name == first.id)
        }
    }

    @Test("no job gets an identifier that begins with a job's name")
    func identifiersBesideNames() async throws {
        try await ApusUnderTest.with { apus in
            let letters = "abcdefghjk"
            for letter in letters {
                #expect(try await apus("every", "1h", "--name", "\(letter)", "--", "true").code == 0)
            }
            for _ in 0..<16 {
                let job: WireJob = try await apus.json("every", "1h", "--name", "m", "--json", "--", "true")
                #expect(!letters.contains(job.id.first ?? "a") && job.id.first != "m", "\(job.id)")
            }
        }
    }
}
