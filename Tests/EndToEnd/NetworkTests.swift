import ApusDaemon
import ApusTimers
import AsyncHTTPClient
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

@Suite("The network")
struct NetworkTests {
    @Test(
        "a webhook is posted with the job, the occurrence, when it was due and how late it is; a refusal is a failure")
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
                try await apus.until("the second attempt") { try await apus.client.job(job.id).state == "finished" }
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

    @Test("the HTTP listener answers only with its token and its own name; it and its record go with the daemon")
    func listener() async throws {
        try await ApusUnderTest.with { apus in
            let port = Self.freePort()
            async let ended = apus.call(["serve", "--http", "127.0.0.1:\(port)"])
            try await apus.until("the daemon") { try await apus.client.health().status == "ok" }
            struct Record: Codable {
                var url: String
                var token: String
            }
            let record = try JSONDecoder().decode(
                Record.self, from: Data(contentsOf: URL(filePath: apus.home.httpPath)))
            let mode = try FileManager.default.attributesOfItem(atPath: apus.home.httpPath)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            @Sendable func status(token: String?, host: String? = nil) async throws -> Int {
                var request = HTTPClientRequest(url: "\(record.url)/v1/health")
                if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
                if let host { request.headers.replaceOrAdd(name: "host", value: host) }
                return Int(try await HTTPClient.shared.execute(request, timeout: .seconds(10)).status.code)
            }
            try await apus.until("the listener") { try await status(token: record.token) == 200 }
            #expect(try await status(token: nil) == 401)
            #expect(try await status(token: record.token + "x") == 401)
            #expect(try await status(token: record.token, host: "evil.example:\(port)") == 403)
            #expect(try await apus("stop").code == 0)
            let answer = try await ended
            #expect(answer.code == 0 && answer.err.contains("Bearer \(record.token)"), "\(answer)")
            #expect(!FileManager.default.fileExists(atPath: apus.home.httpPath))
            #expect(!FileManager.default.fileExists(atPath: apus.home.socketPath))
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

    /// A port that was free a moment ago.
    private static func freePort() -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        // Below the ports that the kernel gives to outgoing connections, one of which could take it meanwhile.
        address.sin_port = UInt16.random(in: 20_000..<32_000).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = bind(socket, generic, length)
                _ = getsockname(socket, generic, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
