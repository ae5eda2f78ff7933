import ApusTimers
import Foundation
import Hummingbird
import NIOCore
import Testing

/// A collector of OpenTelemetry on 127.0.0.1, and the spans that it accepted.
final class FakeCollector: Sendable {
    /// A span, with the attributes that have one value.
    struct Span: Sendable {
        var trace: String
        var id: String
        var parent: String?
        var name: String
        var kind: Int
        var attributes: [String: String]
        var status: String?
        var links: [String]
    }

    private struct State: Sendable {
        var spans: [Span] = []
        var requests = 0
        /// The answers to the next requests; 200 when there are none.
        var statuses: [Int] = []
    }

    private let state = Locked(State())
    private let port = Locked(0)

    var spans: [Span] { state.withLock { $0.spans } }
    var requests: Int { state.withLock { $0.requests } }
    var url: String { "http://127.0.0.1:\(port.withLock { $0 })" }

    /// What a daemon has to have in its environment to send spans here at once.
    var variables: [String: String] {
        [
            "OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "10",
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b",
        ]
    }

    func answer(_ statuses: Int...) { state.withLock { $0.statuses += statuses } }

    /// Serves while `body` runs.
    static func serve(_ body: (FakeCollector) async throws -> Void) async throws {
        let collector = FakeCollector()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.on("/v1/traces", method: .post) { request, _ in try await collector.take(request) }
        // A receiver of webhooks that fails, and answers with the parent that it was sent.
        router.on("/hook/secret", method: .post) { request, _ in
            let parent = request.headers[.init("traceparent")!] ?? "none"
            return Response(status: .badGateway, body: .init(byteBuffer: ByteBuffer(string: parent)))
        }
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var iterator = ports.makeAsyncIterator()
            let number = try #require(await iterator.next())
            collector.port.withLock { $0 = number }
            try await body(collector)
            group.cancelAll()
        }
    }

    private func take(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 22)
        let isValid =
            request.headers[.contentType] == "application/json" && request.headers[.init("x-key")!] == "a b"
        let spans = try Self.spans(in: Data(body.readableBytesView))
        let status = state.withLock { state in
            state.requests += 1
            guard isValid else { return 400 }
            let status = state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
            if status == 200 { state.spans += spans }
            return status
        }
        return Response(status: .init(code: status), body: .init(byteBuffer: ByteBuffer(string: "{}")))
    }

    // MARK: The message

    private struct Message: Decodable {
        struct Resource: Decodable { var scopeSpans: [Scope] }
        struct Scope: Decodable { var spans: [WireSpan] }
        struct WireSpan: Decodable {
            var traceId: String
            var spanId: String
            var parentSpanId: String?
            var name: String
            var kind: Int
            var attributes: [Attribute]?
            var status: Status?
            var links: [Link]?
        }
        struct Link: Decodable { var traceId: String }
        struct Status: Decodable {
            var code: Int
            var message: String?
        }
        struct Attribute: Decodable {
            var key: String
            var value: Value
        }
        struct Value: Decodable {
            var stringValue: String?
            var intValue: String?
            var doubleValue: Double?
        }
        var resourceSpans: [Resource]
    }

    private static func spans(in data: Data) throws -> [Span] {
        let message = try JSONDecoder().decode(Message.self, from: data)
        return message.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans).map { span in
            let attributes = (span.attributes ?? []).map { attribute in
                let value = attribute.value
                return (attribute.key, value.stringValue ?? value.intValue ?? value.doubleValue.map { "\($0)" } ?? "")
            }
            return Span(
                trace: span.traceId, id: span.spanId, parent: span.parentSpanId, name: span.name, kind: span.kind,
                attributes: Dictionary(uniqueKeysWithValues: attributes),
                status: span.status.map { "\($0.code) \($0.message ?? "")" }, links: (span.links ?? []).map(\.traceId))
        }
    }
}
