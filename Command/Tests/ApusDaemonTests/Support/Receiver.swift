import ApusTimers
import Hummingbird
import NIOCore
import Testing

/// A receiver of webhooks on 127.0.0.1 that records its requests.
final class Receiver: Sendable {
    struct Received: Sendable {
        var path: String
        var method: String
        var headers: [String: String]
        var body: String
    }

    typealias Answer = @Sendable (Received, _ port: Int) async throws -> Response

    private let received = Locked<[Received]>([])
    private let port = Locked(0)

    var requests: [Received] { received.withLock { $0 } }
    func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port.withLock { $0 })\(path)" }

    private let answer: Answer

    init(answering answer: @escaping Answer) { self.answer = answer }

    /// Serves while `body` runs.
    func serve(_ body: (Receiver) async throws -> Void) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.on("/**", method: .post) { [self] request, _ in try await take(request) }
        router.on("/**", method: .get) { [self] request, _ in try await take(request) }
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var iterator = ports.makeAsyncIterator()
            let number = try #require(await iterator.next())
            self.port.withLock { $0 = number }
            try await body(self)
            group.cancelAll()
        }
    }

    private func take(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        let taken = Received(
            path: request.uri.path, method: request.method.rawValue, headers: headers, body: String(buffer: body))
        received.withLock { $0.append(taken) }
        return try await answer(taken, port.withLock { $0 })
    }
}
