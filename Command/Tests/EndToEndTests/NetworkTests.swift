import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1
import Subprocess
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

@Suite("The network", .timeLimit(.minutes(10)))
struct NetworkTests {
    @Test(
        "a webhook is posted with the job, occurrence, due instant and lateness, and a refusal is a failure")
    func webhook() async throws {
        struct Posted: Codable, Sendable {
            var job: String
            var name: String?
            var occurrence: Int
            var due: String
            var latenessMs: Int
            var attempt: Int
            var standsFor: Int
        }
        let posted = Locked<[(body: Posted, key: String?)]>([])
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.post("/hook") { request, _ in
            let body = try await request.body.collect(upTo: 65_536)
            let decoded = try JSONDecoder().decode(Posted.self, from: Data(body.readableBytesView))
            let key = request.headers[.init("idempotency-key")!]
            posted.withLock { $0.append((decoded, key)) }
            return Response(status: decoded.attempt == 1 ? .internalServerError : .ok)
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
                    "after", "10ms", "--name", "hook", "--retry", "1", "--json", "--webhook",
                    "http://127.0.0.1:\(port)/hook")
                try await until("the second attempt") { try await apus.client.job(job.id).state == "finished" }
                let runs = try await apus.allRuns()
                #expect(runs.map(\.outcome) == ["failed", "succeeded"] && runs[0].reason == "webhook: HTTP 500")
                let calls = posted.withLock { $0 }
                #expect(calls.map(\.body.attempt) == [1, 2] && calls.map(\.body.occurrence) == [1, 1])
                #expect(calls[0].body.job == job.id && calls[0].body.name == "hook" && calls[0].body.due == job.nextDue)
                #expect(
                    calls[0].key != nil && calls[0].key == calls[1].key, "attempts at one occurrence share their key")
            }
            group.cancelAll()
        }
    }

    @Test("the socket and the home are for their owner only")
    func modes() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(apus.home.socketPath) == 0o600)
            #expect(try mode(apus.home.path) == 0o700)
            #expect(try mode(apus.home.databasePath) == 0o600)
        }
    }
}
