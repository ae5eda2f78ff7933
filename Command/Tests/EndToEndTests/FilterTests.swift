import ApusClient
import ApusJobs
import ApusTestSupport
import Foundation
import Testing

@Suite("Filters at the terminal", .timeLimit(.minutes(10)))
struct FilterTests {
    @Test(
        "jobs are listed by state, by label, and by whether their last attempt failed",
        arguments: StoreUnderTest.allCases)
    func list(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            _ = try await apus("every", "1h", "--name", "well", "--label", "team=blue", "--", "true")
            _ = try await apus("every", "1h", "--name", "ill", "--label", "team=blue", "--", "false")
            _ = try await apus(
                "after", "10ms", "--name", "once", "--label", "team=red", "--queue", "mail",
                "--fairness-key", "acme", "--", "false")
            for name in ["well", "ill"] { _ = try await apus("run", name) }
            try await until("three ends") { try await apus.allRuns().count { $0.finished != nil } == 3 }
            _ = try await apus("suspend", "well")
            func names(_ options: String...) async throws -> [String?] {
                let page: WireJobPage = try await apus.json(["list", "--json"] + options)
                return page.jobs.map(\.name)
            }
            #expect(try await names() == ["well", "ill"])
            #expect(try await names("--failed") == ["ill", "once"])
            #expect(try await names("--failed", "--state", "scheduled") == ["ill"])
            #expect(try await names("--state", "suspended", "--state", "finished") == ["well", "once"])
            #expect(try await names("--all", "--label", "team=red") == ["once"])
            #expect(try await names("--label", "team=blue", "--failed") == ["ill"])
            #expect(try await names("--all", "--queue", "mail") == ["once"])
            #expect(try await names("--all", "--queue", "mail", "--queue", "default").count == 3)
            #expect(try await names("--all", "--fairness-key", "acme", "--fairness-key", "b") == ["once"])
            #expect(try await names("--all", "--fairness-key", "b").isEmpty)
            let other = try await apus("list", "--queue", "letters")
            #expect(other.code == 0 && other.err == "no job matches\n", "\(other)")
            let odd = try await apus("list", "--queue", "a b")
            #expect(odd.code == 64 && odd.err.contains("queue: must be 1 to 64 ASCII letters"), "\(odd)")
            let none = try await apus("list", "--state", "cancelled")
            #expect(none.code == 0 && none.out.isEmpty && none.err == "no job matches\n", "\(none)")
            let page = try await apus("list", "--failed", "--limit", "1")
            #expect(page.err.hasPrefix("more: apus list --failed --limit 1 --after j"), "\(page.err)")
        }
    }

    @Test("failed jobs are retried at once, all of them or those with a label", arguments: StoreUnderTest.allCases)
    func retryFailed(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            for (name, team, command) in [
                ("well", "blue", "true"), ("ill", "blue", "false"), ("worse", "blue", "false"),
                ("other", "red", "false"),
            ] {
                _ = try await apus(
                    "after", "10ms", "--name", name, "--label", "team=\(team)", "--queue", team, "--", command)
            }
            _ = try await apus("every", "1h", "--name", "gone", "--label", "team=blue", "--", "false")
            _ = try await apus("run", "gone")
            try await until("five ends") { try await apus.allRuns().count { $0.finished != nil } == 5 }
            #expect(try await apus("cancel", "gone").code == 0)
            let asked = try await apus("retry", "--failed", "--label", "team=blue")
            #expect(asked.code == 64 && asked.err.contains("retry 2 jobs?") && asked.err.contains("--yes"), "\(asked)")
            let blue = try await apus("retry", "--failed", "--label", "team=blue", "--yes")
            #expect(blue.code == 0 && blue.out == "2 jobs retried\n", "\(blue)")
            try await until("seven ends") { try await apus.allRuns().count { $0.finished != nil } == 7 }
            struct Retried: Decodable { var runs: [WireRun] }
            let all: Retried = try await apus.json("retry", "--failed", "--yes", "--json")
            #expect(all.runs.map(\.attempt).sorted() == [2, 3, 3])
            try await until("ten ends") { try await apus.allRuns().count { $0.finished != nil } == 10 }
            let red: Retried = try await apus.json("retry", "--failed", "--queue", "red", "--yes", "--json")
            #expect(red.runs.map(\.attempt) == [3])
            let refused = try await apus("list", "--refused", "--fairness-key", "acme")
            #expect(
                refused.code == 64 && refused.err.contains("--fairness-key: cannot be used with --refused"),
                "\(refused)")
            let alone = try await apus("retry", "other", "--queue", "red")
            #expect(alone.code == 64 && alone.err.contains("--queue: can only be used with --failed"), "\(alone)")
            let none = try await apus("retry", "--failed", "--label", "team=green")
            #expect(none.code == 0 && none.out == "0 jobs retried\n", "\(none)")
        }
    }

    @Test(
        "runs are filtered by job, outcome and time, and a table shows names instead of identifiers",
        arguments: StoreUnderTest.allCases)
    func history(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let ill: WireJob = try await apus.json(
                "after", "10ms", "--name", "ill", "--queue", "mail", "--fairness-key", "acme", "--label", "team=red",
                "--json", "--", "false")
            let nameless: WireJob = try await apus.json("after", "20ms", "--json", "--", "true")
            try await until("both ends") { try await apus.allRuns().count { $0.finished != nil } == 2 }
            func jobs(_ options: String...) async throws -> [String] {
                let page: WireRunPage = try await apus.json(["history", "--json"] + options)
                return page.runs.map(\.job)
            }
            #expect(try await jobs("--outcome", "failed") == [ill.id])
            #expect(try await jobs("--outcome", "failed", "--outcome", "succeeded").count == 2)
            #expect(try await jobs("--job", "ill", "--since", "1h") == [ill.id])
            #expect(try await jobs("--queue", "default") == [nameless.id])
            #expect(try await jobs("--queue", "mail", "--queue", "default").count == 2)
            #expect(try await jobs("--fairness-key", "acme", "--label", "team=red") == [ill.id])
            #expect(try await jobs("--fairness-key", "acme", "--label", "team=blue").isEmpty)
            let odd = try await apus("history", "--label", "team")
            #expect(odd.code == 64 && odd.err.contains("--label: \"team\""), "\(odd)")
            let page = try await apus("history", "--queue", "mail", "--queue", "default", "--limit", "1")
            #expect(
                page.err.hasPrefix("more: apus history --queue 'mail' --queue 'default' --limit 1 --after r"), "\(page)"
            )
            let ends = try await apus.allRuns().map { ($0.job, $0.finished ?? "") }
            let last = try #require(ends.map(\.1).max())
            // Instants are exact to the millisecond, so all runs that ended in the same millisecond are shown.
            #expect(try await jobs("--since", last).count == ends.count { $0.1 == last })
            let table = try await apus("history").out
            #expect(table.contains("ill ") && table.contains(nameless.id) && !table.contains(ill.id), "\(table)")
            let none = try await apus("history", "--outcome", "lost")
            #expect(none.code == 0 && none.err == "no run matches\n")
        }
    }

    @Test("cancelling by label needs --yes in a script, and cancels the jobs that have all of the labels only")
    func cancelInScript() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus("after", "1h", "--name", "a", "--label", "x=1", "--label", "y=2", "--", "true")
            _ = try await apus("after", "1h", "--name", "b", "--label", "x=1", "--", "true")
            let refused = try await apus("cancel", "--label", "x=1")
            #expect(
                refused.code == 64 && refused.err.contains("cancel 2 jobs? There is no terminal to ask at; use --yes"),
                "\(refused)")
            #expect(try await apus.client.jobs(states: ["scheduled"]).jobs.count == 2)
            #expect(try await apus("cancel", "--label", "x=1", "--label", "y=2", "-y").out == "1 job cancelled\n")
            #expect(try await apus.client.jobs(states: ["scheduled"]).jobs.map(\.name) == ["b"])
            _ = try await apus(
                "after", "1h", "--name", "c", "--queue", "mail", "--fairness-key", "acme", "--", "true")
            #expect(
                try await apus("cancel", "--queue", "mail", "--fairness-key", "b", "-y").out == "0 jobs cancelled\n")
            #expect(try await apus("cancel", "--queue", "mail", "-y").out == "1 job cancelled\n")
            #expect(try await apus.client.jobs(states: ["scheduled"]).jobs.map(\.name) == ["b"])
            let two = try await apus("cancel", "b", "--queue", "mail")
            #expect(two.code == 64 && two.err.contains("use only one of: names of jobs, --all, filters"), "\(two)")
            let none = try await apus("cancel", "--label", "x=9")
            #expect(none.code == 0 && none.out == "0 jobs cancelled\n", "nothing to ask about: \(none)")
            let cancelled: WireCancelled = try await apus.json("cancel", "--all", "--yes", "--json")
            #expect(cancelled.cancelled.count == 1)
        }
    }

    @Test("ended jobs are deleted by name, by label and by failure; in a script, many only with --yes")
    func delete() async throws {
        try await ApusUnderTest.with { apus in
            for (name, status, label) in [("a", 0, "x=1"), ("b", 1, "x=1"), ("c", 1, "x=2"), ("d", 0, "x=2")] {
                _ = try await apus("after", "50ms", "--name", name, "--label", label, "--shell", "--", "exit \(status)")
                _ = try await apus("wait", name)
            }
            _ = try await apus("after", "1h", "--name", "later", "--label", "x=1", "--", "true")
            func names() async throws -> [String?] { try await apus.client.jobs().jobs.map(\.name) }

            let later = try await apus("delete", "later")
            #expect(later.code == 1 && later.err.contains("the job is scheduled and cannot be deleted; cancel it"))
            #expect(try await apus("delete", "a").out == "a deleted\n")
            #expect(try await apus("delete", "a").code == 1)
            let refused = try await apus("delete", "--failed")
            #expect(
                refused.code == 64 && refused.err.contains("delete 2 jobs? There is no terminal to ask at; use --yes"))
            #expect(try await names() == ["b", "c", "d", "later"])
            #expect(try await apus("delete", "--failed", "--label", "x=1", "-y").out == "1 job deleted\n")
            #expect(try await names() == ["c", "d", "later"])
            let deleted: WireDeleted = try await apus.json("delete", "--ended", "--yes", "--json")
            #expect(deleted == WireDeleted(deleted: 2))
            #expect(try await names() == ["later"])
            #expect(try await apus("delete", "--ended").out == "0 jobs deleted\n", "nothing to ask about")
        }
    }

    @Test(
        "at a terminal, cancelling many jobs asks for confirmation with their number",
        arguments: [("n\n", 1, 2), ("\n", 1, 2), ("y\n", 0, 0), ("YES\n", 0, 0)])
    func cancelAtTerminal(keys: String, code: Int, left: Int) async throws {
        try await ApusUnderTest.with { apus in
            for _ in 1...2 { _ = try await apus("after", "1h", "--label", "x=1", "--", "true") }
            let answer = try await apus.atTerminal(["cancel", "--label", "x=1"]) { terminal in
                await terminal.wait(for: "cancel 2 jobs? [y/N] ")
                terminal.type(keys)
            }
            #expect(answer.code == code, "\(answer)")
            #expect(answer.shown.contains(left == 0 ? "2 jobs cancelled" : "nothing was changed"), "\(answer)")
            #expect(try await apus.client.jobs(states: ["scheduled"]).jobs.count == left)
        }
    }

    @Test("commands that change jobs print them as JSON")
    func json() async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json("every", "1h", "--name", "a", "--json", "--", "true")
            let suspended: ChangedJobs = try await apus.json("suspend", "a", "--json")
            #expect(suspended.jobs.map(\.state) == ["suspended"])
            let resumed: ChangedJobs = try await apus.json("resume", "a", "--json")
            #expect(resumed.jobs.map(\.state) == ["scheduled"])
            let run: WireRun = try await apus.json("run", "a", "--json")
            #expect(run.job == job.id && run.occurrence < 1)
            // The jobs that were cancelled are printed, although the command has failed for another one.
            let some = try await apus("cancel", "missing", "a", "--json")
            let cancelled = try JSONDecoder().decode(WireCancelled.self, from: Data(some.out.utf8))
            #expect(some.code == 1 && cancelled.cancelled == [job.id], "\(some)")
            let stopped = try await apus("stop", "--json")
            #expect(stopped.out.contains("\"pid\" : "), "\(stopped)")
            #expect(try await apus("stop", "--json").out.contains("\"pid\" : null"))
        }
    }

    @Test(
        "an invalid filter is refused with exit code 64, its name and the accepted forms",
        arguments: [
            (["list", "--state", "odd"], "finished"), (["list", "--all", "--state", "finished"], "--all"),
            (["list", "--label", "x"], "KEY=VALUE"), (["history", "--outcome", "odd"], "succeeded"),
            (["history", "--since", "tomorrow"], "--since"), (["history", "--since", "lately"], "yesterday"),
            (["history", "a", "--job", "b"], "--job"), (["cancel"], "--label"), (["cancel", "a", "--all"], "--all"),
            (["cancel", "a", "--label", "x=1"], "--label"), (["cancel", "--all", "--label", "x=1"], "--label"),
        ])
    func refused(words: [String], expected: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(words)
            #expect(answer.code == 64 && answer.err.contains(expected), "\(words): \(answer)")
        }
    }

    /// The output of `suspend --json` and `resume --json`.
    private struct ChangedJobs: Decodable {
        var jobs: [WireJob]
    }
}
