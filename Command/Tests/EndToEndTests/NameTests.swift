import ApusClient
import ApusJobs
import ApusSQLite
import ApusTestSupport
import Foundation
import Testing

@Suite("Names", .timeLimit(.minutes(10)))
struct NameTests {
    /// A name that sets a colour, rings, rewrites the line, changes the title with C1 controls, and reorders text.
    static let hostile = "\u{1B}[31mred\u{7}\rx\n\u{9D}0;title\u{9C}\u{202E}kcab"

    @Test(
        "a name or label with terminal controls is refused by the command and over HTTP, with the field",
        arguments: [
            ("name", #""name":"a\u001b[31m","labels":{}"#), ("name", #""name":"a\nb""#),
            ("name", #""name":"a\u009bb""#),
            ("labels", #""labels":{"k\u007f":"v"}"#), ("labels", #""labels":{"k":"v\u202e"}"#),
            ("labels", #""labels":{"":"v"}"#), ("action.notify", #""name":"n""#),
        ])
    func refused(field: String, part: String) async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            let text = field == "action.notify" ? #"a\u001bb"# : #"two\n\tlines"#
            let body = #"{"trigger":{"after":"PT1H"},"action":{"notify":"\#(text)"},\#(part)}"#
            let submission = try JSONDecoder().decode(WireSubmission.self, from: Data(body.utf8))
            let error = await #expect(throws: DaemonError.self) { try await apus.client.submit(submission) }
            #expect(
                error?.code == .invalid && error?.message.hasPrefix(field + ":") == true, "\(String(describing: error))"
            )
            if let name = submission.name, field == "name" {
                let answer = try await apus("after", "1h", "--name", name, "--", "true")
                #expect(answer.code == 64 && answer.err.contains("name: "), "\(answer)")
            }
            #expect(try await apus.client.jobs().jobs.isEmpty)
            let lines = WireSubmission(trigger: WireTrigger(after: "PT1H"), action: Action(notify: "two\n\tlines"))
            #expect(try await apus.client.submit(lines).action.notify == "two\n\tlines")
        }
    }

    @Test(
        "an empty name of a job or queue is refused, and does not address all of them",
        arguments: [
            ["show", ""], ["cancel", ""], ["cancel", "", "--occurrence", "1"], ["suspend", ""], ["resume", ""],
            ["run", ""], ["retry", ""], ["why", ""], ["logs", ""], ["wait", ""], ["edit", "", "--name", "a"],
            ["queue", "limit", "", "3"],
        ])
    func emptyName(arguments: [String]) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(arguments)
            // Subcommands that take several jobs continue with the others, and end with 1.
            let code = arguments.count == 2 && ["cancel", "resume", "suspend"].contains(arguments[0]) ? 1 : 64
            #expect(answer.code == code && answer.err.contains(": must not be empty; give "), "\(answer)")
        }
    }

    @Test("a hostile name that an earlier version accepted is shown escaped everywhere, and its job can be cancelled")
    func earlierNames() async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            let scheduler = JobScheduler(store: SQLiteStore(path: apus.home.databasePath))
            try await scheduler.start()
            let action = Action(command: .init(argv: ["echo", Self.hostile], env: [:]))
            for (id, trigger) in [("soon", Trigger.after(.milliseconds(1))), ("late", .after(.seconds(3_600)))] {
                _ = try await scheduler.submit(
                    JobRequest(
                        id: JobID(id), name: Self.hostile + id, kind: "action", trigger: trigger,
                        labels: ["k\(Self.hostile)": Self.hostile], payload: Array(try JSONEncoder().encode(action)),
                        conflict: .refuse))
            }
            await scheduler.stop(grace: .zero)
            try await apus.startDaemon()
            try await until("the end of the first") { try await apus.client.job("soon").state == "finished" }

            let answers = [
                try await apus("list", "--all"), try await apus("show", "late"), try await apus("history"),
                try await apus("list", "--all", "--json"), try await apus("show", "soon", "--json"),
                try await apus("show", Self.hostile), try await apus("list", "--all", "--limit", "1"),
                try await apus("cancel", "late", "missing" + Self.hostile),
            ]
            for answer in answers {
                for text in [answer.out, answer.err] {
                    #expect(
                        PrintableText.firstUnprintable(in: text, allowing: ["\n"]) == nil, "\(text.debugDescription)")
                }
            }
            #expect(answers[0].out.contains(#"\u{1B}[31mred\u{7}\rx\n\u{9D}0;title\u{9C}\u{202E}kcab"#))
            let page = try JSONDecoder().decode(WireJobPage.self, from: Data(answers[3].out.utf8))
            #expect(page.jobs.compactMap(\.name) == [Self.hostile + "soon", Self.hostile + "late"])
            #expect(answers[7].out == "late cancelled\n" && answers[7].code == 1)
            #expect(try await apus.client.job("late").state == "cancelled")
            let log = try String(contentsOfFile: apus.home.logPath, encoding: .utf8)
            #expect(PrintableText.firstUnprintable(in: log, allowing: ["\n"]) == nil, "\(log.debugDescription)")
        }
    }
}
