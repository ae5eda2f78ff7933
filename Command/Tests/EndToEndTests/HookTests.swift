import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Hummingbird
import NIOCore
import Testing

@Suite("Notifications and hooks", .timeLimit(.minutes(10)))
struct HookTests {
    private static func log(_ apus: ApusUnderTest) throws -> String {
        try String(contentsOfFile: apus.home.logPath, encoding: .utf8)
    }

    private static func finished(_ apus: ApusUnderTest, _ job: WireJob) async throws -> WireRun {
        try await until("the end of \(job.id)") { try await apus.client.job(job.id).state == "finished" }
        return try #require(try await apus.client.job(job.id).lastRun)
    }

    @Test("a notification comes once per occurrence, with its text after a success and the reason after a failure")
    func notification() async throws {
        try await ApusUnderTest.with { apus in
            let flaky: WireJob = try await apus.json(
                "after", "10ms", "--name", "flaky", "--retry", "1", "--notify", "Backup done", "--shell", "--json",
                "--",
                "test $APUS_ATTEMPT = 2")
            #expect(try await Self.finished(apus, flaky).outcome == "succeeded")
            #expect(try Self.log(apus).components(separatedBy: "Backup done").count == 2, "once")
            #expect(try !Self.log(apus).contains("failed: exit code"))
            let broken: WireJob = try await apus.json(
                "after", "10ms", "--name", "backup", "--retry", "1", "--notify", "All is well", "--shell", "--json",
                "--",
                "exit 3")
            #expect(try await Self.finished(apus, broken).outcome == "failed")
            #expect(try Self.log(apus).components(separatedBy: "backup failed: exit code 3").count == 2, "once")
            #expect(try !Self.log(apus).contains("All is well"))
        }
    }

    @Test(
        "hooks run once, for the final outcome, with the outcome in their environment; the run keeps its own exit code")
    func commands() async throws {
        try await ApusUnderTest.with { apus in
            let file = apus.home.path + "/hooks"
            let job: WireJob = try await apus.json(
                "after", "10ms", "--retry", "1", "--shell", "--json",
                "--on-success", "command:echo success >> \(file)",
                "--on-failure", "command:echo $APUS_OUTCOME $APUS_REASON $APUS_EXIT_CODE $APUS_ATTEMPT >> \(file)",
                "--on-failure", "command:echo printed by a hook", "--on-failure", "command:exit 5",
                "--on-failure", "the text of a hook", "--", "printf no-newline; exit 3")
            let run = try await Self.finished(apus, job)
            #expect(run.outcome == "failed" && run.exitCode == 3 && run.reason == "exit code 3" && run.attempt == 2)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "failed exit code 3 3 2\n")
            #expect(
                try await apus("logs", job.id).out == "no-newline\n--- on failure ---\nprinted by a hook\n")
            let log = try Self.log(apus)
            #expect(log.contains("a hook failed") && log.contains("exit code 5"))
            #expect(log.contains("the text of a hook"))
            let shown = try await apus("show", job.id).out
            #expect(shown.contains("on success   echo success") && shown.contains("on failure   exit 5"), "\(shown)")
            #expect(try await apus.client.job(job.id).action.onFailure?.count == 4)
        }
    }

    @Test("a timed-out job runs its failure hooks, and a cancelled or cut-off one runs none")
    func ends() async throws {
        try await ApusUnderTest.with { apus in
            let file = apus.home.path + "/hooks"
            let slow: WireJob = try await apus.json(
                "after", "10ms", "--timeout", "200ms", "--json", "--on-failure",
                "command:echo $APUS_REASON:$APUS_EXIT_CODE >> \(file)", "--", "sleep", "600")
            #expect(try await Self.finished(apus, slow).reason == "timedOut")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "timedOut:\n")

            func long() async throws -> WireJob {
                let job: WireJob = try await apus.json(
                    "after", "10ms", "--json", "--on-failure", "command:echo cut >> \(file)", "--on-success",
                    "command:echo cut >> \(file)", "--", "sleep", "600")
                try await until("its start") { try await apus.client.job(job.id).lastRun?.outcome == "running" }
                return job
            }
            let cancelled = try await long()
            #expect(try await apus("cancel", cancelled.id).code == 0)
            try await until("its end") { try await apus.client.job(cancelled.id).lastRun?.outcome == "cancelled" }
            let cut = try await long()
            #expect(try await apus("stop").code == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "timedOut:\n")
            try await apus.startDaemon()
            _ = try await apus.client.cancel(cut.id)
        }
    }

    @Test("a webhook's answer follows the command's output, and a hook's webhook is sent the outcome")
    func webhooks() async throws {
        struct Posted: Decodable, Sendable {
            var outcome: String?
            var reason: String?
            var exitCode: Int?
        }
        let posted = Locked<[(path: String, body: Posted, header: String?, key: String?)]>([])
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.on("/**", method: .post) { request, _ in
            let body = try await request.body.collect(upTo: 65_536)
            let decoded = try JSONDecoder().decode(Posted.self, from: Data(body.readableBytesView))
            posted.withLock {
                $0.append(
                    (
                        request.uri.path, decoded, request.headers[.authorization],
                        request.headers[.init("idempotency-key")!]
                    ))
            }
            return request.uri.path == "/fails"
                ? Response(status: .badGateway, body: .init(byteBuffer: ByteBuffer(string: "try later")))
                : Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "thanks")))
        }
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            try await ApusUnderTest.with { apus in
                let job: WireJob = try await apus.json(
                    "after", "10ms", "--json", "--webhook", "http://127.0.0.1:\(port)/fails", "--webhook-header",
                    "Authorization: Bearer x", "--on-failure", "http://127.0.0.1:\(port)/failed", "--on-success",
                    "webhook:http://127.0.0.1:\(port)/succeeded", "--", "echo", "hello")
                let run = try await Self.finished(apus, job)
                #expect(run.outcome == "failed" && run.reason == "webhook: HTTP 502" && run.exitCode == 0)
                #expect(
                    try await apus("logs", job.id).out
                        == "hello\n--- webhook ---\ntry later\n--- on failure ---\nthanks")
                let calls = posted.withLock { $0 }
                #expect(calls.map(\.path) == ["/fails", "/failed"] && calls.map(\.header) == ["Bearer x", nil])
                #expect(calls[0].body.outcome == nil && calls[1].body.outcome == "failed")
                #expect(calls[1].body.reason == "webhook: HTTP 502")
                #expect(calls[0].key != calls[1].key)
            }
            group.cancelAll()
        }
    }

    @Test(
        "meaningless options of webhooks and hooks are refused",
        arguments: [
            (["--webhook-header", "A: b", "--", "true"], "--webhook"),
            (["--webhook", "http://x/", "--webhook-header", "Host: b"], "Host"),
            (["--webhook", "http://x/", "--webhook-header", "A: b", "--webhook-header", "A: c"], "twice"),
            (["--webhook", "http://x/", "--webhook-secret-file", "/no/such/file"], "/no/such/file"),
            (["--on-failure", "command:", "--", "true"], "--on-failure"),
            (["--on-failure", "webhook:gopher://x", "--", "true"], "--on-failure: "),
            (["--on-success", "only a hook"], "nothing to do"),
        ])
    func refused(arguments: [String], expected: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(["after", "1h"] + arguments)
            #expect(answer.code == 64 && answer.err.contains(expected), "\(arguments): \(answer)")
        }
    }
}
