import ApusTimers
import ApusVirtualTime
import HTTPTypes
import Hummingbird
import Logging
import LoopbackWeb
import NIOCore
import NIOPosix

/// A small server with all parts of the module, on its own port, with timeouts in virtual time.
///
/// It accepts requests whose header `Host` names port 7878, regardless of the port that the kernel gave it.
struct WebUnderTest: Sendable {
    static let host = "127.0.0.1:7878"
    static let secrets = GuardRules.Secrets(token: "t0ken", cookie: "c00kie")
    static let cookie = "Cookie: test_7878=c00kie"
    static let bearer = "Authorization: Bearer t0ken"
    /// The limits of connections, without the limit for idle ones.
    ///
    /// The limit for idle connections counts real time, and a busy machine may stall a connection for half a minute.
    static let limits = {
        var limits = ConnectionLimits()
        limits.idle = nil
        return limits
    }()

    let port: Int
    let feed: EventFeed
    let time: VirtualTime
    /// The callers whose requests have reached a handler.
    let reached: Callers

    actor Callers {
        private(set) var list: [Caller?] = []
        func add(_ caller: Caller?) { list.append(caller) }
    }

    static func with(
        secrets: GuardRules.Secrets? = Self.secrets, limits: ConnectionLimits = Self.limits,
        feedLimits: EventFeed.Limits = .init(), _ body: @Sendable @escaping (WebUnderTest) async throws -> Void
    ) async throws {
        let time = VirtualTime()
        let feed = EventFeed(limits: feedLimits, engine: time.engine)
        let reached = Callers()
        let rules = GuardRules(
            hosts: GuardRules.ownHosts("127.0.0.1", port: 7878),
            secureHosts: GuardRules.secureHosts("apus.example", port: 443), secrets: secrets, cookieName: "test_7878")
        let router = Router(context: WebRequestContext.self)
        router.add(middleware: ErrorAnswers())
        router.add(middleware: RequestGuard(rules: rules, entryHint: "Open the address that was printed."))
        router.add(middleware: BodyBound())
        router.addPage([
            Asset(name: "index.html", bytes: Array("<!doctype html>".utf8)),
            Asset(name: "a.js", bytes: Array("let a = 1".utf8)),
        ])
        router.on("/thing", method: .get) { _, context in
            await reached.add(context.caller)
            return try Response.json(["caller": context.caller == .browser ? "browser" : "script"])
        }
        router.post("/thing") { request, context in
            await reached.add(context.caller)
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            return try Response.json(["bytes": body.readableBytes])
        }
        router.get("/things/:id") { request, context in
            let query = try Query(of: request, known: ["limit"], repeatable: ["label"])
            return try Response.json([try context.pathParameter("id"), query["limit"] ?? "-"] + query.all("label"))
        }
        router.get("/large") { _, context in
            await reached.add(context.caller)
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: 120, count: 32 << 20)))
        }
        router.get("/loop") { _, context in
            let loop = context.channel.eventLoop
            let before = loop.inEventLoop
            // The handler resumes on another library's thread, as after a store's answer.
            await withCheckedContinuation { continuation in
                NIOSingletons.posixBlockingThreadPool.submit { _ in continuation.resume() }
            }
            return try Response.json([before, loop.inEventLoop])
        }
        router.get("/broken") { _, _ -> Response in throw Broken() }
        router.get("/events") { request, _ in
            try feed.answer(request, first: { [ServerEvent("first", ["n": 0])] })
        }
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        router.refuseOtherMethods()
        let server = WebServer(
            router: router, address: .hostname("127.0.0.1", port: 0), limits: limits,
            adding: SecurityHeaders.fields(), engine: time.engine, logger: logger
        ) { found.yield($0.localAddress?.port ?? 0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serveUntilCancelled() }
            var iterator = ports.makeAsyncIterator()
            guard let port = await iterator.next() else { return }
            do {
                try await body(WebUnderTest(port: port, feed: feed, time: time, reached: reached))
            } catch {
                feed.close()
                group.cancelAll()
                throw error
            }
            feed.close()
            group.cancelAll()
        }
    }

    struct Broken: Error {}

    /// Sends a request with these header lines and returns the answer.
    func ask(
        _ method: String, _ path: String, _ headers: [String] = [], host: String = Self.host, body: String = ""
    ) async throws -> Answer {
        var lines = ["\(method) \(path) HTTP/1.1", "Connection: close"] + headers
        lines.append("Host: \(host)")
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        return try await RawClient.answer(port: port, lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }
}
