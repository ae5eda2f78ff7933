import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("Jobs that count as the same", .timeLimit(.minutes(10)))
struct SamenessTests {
    @Test(
        "with --keep, --update or --replace, the open job of that name is kept, updated or replaced",
        arguments: StoreUnderTest.allCases)
    func byName(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let first: WireJob = try await apus.json(
                "every", "1h", "--name", "backup", "--update", "--json", "--", "true")
            #expect(try await apus("run", "backup").code == 0)
            try await until("the run") { try await apus.allRuns().count { $0.outcome == "succeeded" } == 1 }
            let kept: WireJob = try await apus.json(
                "every", "2h", "--name", "backup", "--keep", "--json", "--", "false")
            #expect(kept.id == first.id && kept.trigger.every == "PT1H")
            #expect(kept.action == first.action, "the answer is the job as it is, not as it was asked for")
            let updated: WireJob = try await apus.json(
                "every", "2h", "--name", "backup", "--update", "--priority", "high", "--json", "--", "true")
            #expect(updated.id == first.id && updated.created == first.created)
            #expect(updated.trigger.every == "PT2H" && updated.priority == "high")
            #expect(try await apus.client.runs(job: first.id).runs.count == 1, "it keeps its history")
            let replaced: WireJob = try await apus.json(
                "every", "3h", "--name", "backup", "--replace", "--json", "--", "true")
            #expect(replaced.created != first.created && replaced.trigger.every == "PT3H")
            #expect(try await apus.client.jobs().jobs.map(\.state) == ["cancelled", "scheduled"])
        }
    }

    @Test(
        "without these options a name may occur twice, and later use of them is refused with the jobs' identifiers",
        arguments: StoreUnderTest.allCases)
    func ambiguous(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let jobs: [WireJob] = [
                try await apus.json("after", "1h", "--name", "twice", "--json", "--", "true"),
                try await apus.json("after", "1h", "--name", "twice", "--json", "--", "true"),
            ]
            #expect(jobs[0].id != jobs[1].id)
            for flag in ["--update", "--keep", "--replace"] {
                let answer = try await apus("after", "2h", "--name", "twice", flag, "--", "true")
                #expect(answer.code == 1, "\(answer)")
                for job in jobs { #expect(answer.err.contains(job.id), "\(answer.err)") }
            }
            _ = try await apus.client.cancel(jobs[0].id)
            let kept: WireJob = try await apus.json("after", "2h", "--name", "twice", "--keep", "--json", "--", "true")
            #expect(kept.id == jobs[1].id, "one that has ended does not count")
        }
    }

    @Test(
        "one of several simultaneous submissions with one name and --keep creates the job, and all return it",
        arguments: StoreUnderTest.allCases)
    func atOnce(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            let client = apus.client
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        try await client.submit(
                            WireSubmission(
                                name: "once", trigger: WireTrigger(after: "PT1H"), action: Action(notify: "x"),
                                conflict: "keep")
                        ).id
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await client.jobs().jobs.count == 1)
        }
    }

    @Test(
        "with --unique, an open job with equal work is kept or updated, and another command is another job",
        arguments: StoreUnderTest.allCases)
    func unique(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            func submit(_ options: String..., doing command: String = "true") async throws -> WireJob {
                let answer = try await apus.call(["after"] + options + ["--unique", "--json", "--", command])
                return try JSONDecoder().decode(WireJob.self, from: Data(answer.out.utf8))
            }
            let first = try await submit("1h")
            #expect(first.unique == WireUniqueness() && first.outcome == "inserted")
            let kept = try await submit("2h")
            #expect(kept.id == first.id && kept.outcome == "kept")
            #expect(try await apus.client.job(first.id).trigger.after == "PT1H", "kept as it was")
            let updated = try await submit("2h", "--update")
            #expect(updated.id == first.id && updated.outcome == "updated")
            let shown = try await apus.client.job(first.id)
            #expect(shown.trigger.after == "PT2H" && shown.outcome == nil)
            #expect(try await submit("1h", doing: "false").id != first.id)
            _ = try await apus.client.cancel(first.id)
            let joined = try await submit("1h", "--unique-within", "1h")
            #expect(joined.id == first.id && joined.outcome == "joined", "it has ended, but counts for an hour")
            #expect(try await submit("1h").id != first.id)
            #expect(
                try await apus("show", first.id).out.contains("unique       while a job that does the same is open"))
            let keyed = try await submit("1h", "--unique-key", "17", doing: "true")
            #expect(keyed.unique == WireUniqueness(key: "17") && keyed.outcome == "inserted")
            #expect(try await submit("1h", "--unique-key", "17", doing: "false").id == keyed.id)
            #expect(try await submit("1h", "--unique-key", "18", doing: "true").outcome == "inserted")
            #expect(
                try await apus("show", keyed.id).out.contains("unique       while a job with the key 17 is open"))
        }
    }

    @Test(
        "contradictory options are refused with the option and the accepted forms",
        arguments: [
            (["--update"], "--name, --unique or --unique-key"), (["--unique-key", ""], "unique.key"),
            (["--keep", "--replace", "--name", "n"], "--replace"),
            (["--unique-within", "1h"], "--unique"), (["--unique", "--unique-within", "soon"], "1h30m"),
            (["--priority", "highest"], "low, normal, high, urgent"), (["--queue", "no spaces"], "queue: "),
        ])
    func refused(options: [String], expected: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(["after", "1h"] + options + ["--", "true"])
            #expect(answer.code == 64 && answer.err.contains(expected), "\(options): \(answer)")
        }
    }
}
