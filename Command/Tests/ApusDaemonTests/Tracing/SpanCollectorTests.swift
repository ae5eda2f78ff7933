import ApusTimers
import ApusVirtualTime
import Hummingbird
import NIOCore
import Testing
import Tracing

@testable import ApusClient
@testable import ApusDaemon

@Suite("Sending spans to a collector")
struct SpanCollectorTests {
    private func collector(_ url: String, timeout: Duration = .seconds(60)) -> SpanCollector {
        SpanCollector(
            url: url, headers: [.init(name: "Authorization", value: "Bearer x")], timeout: timeout,
            resource: [.init(name: "service.name", value: "jobs")], time: VirtualTime())
    }

    private static func span() throws -> SpanRecord {
        let context = TraceContext(
            trace: try #require(TraceID(high: 1, low: 2)), span: try #require(SpanID(bits: 3)), isSampled: true)
        return SpanRecord(name: "a span", kind: .internal, context: context, start: 1, end: 2)
    }

    /// What the collector's answer counts as.
    private func answer(
        _ status: HTTPResponse.Status, _ body: String = "{}", headers: HTTPFields = [:]
    ) async throws -> SpanAnswer {
        var result: SpanAnswer?
        try await Receiver(answering: { _, _ in
            Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
        }).serve { receiver in
            result = await collector(receiver.url("/v1/traces")).send([try Self.span()])
        }
        return try #require(result)
    }

    @Test("a batch is posted as JSON, with the headers of the settings")
    func request() async throws {
        try await Receiver(answering: { _, _ in Response(status: .ok) }).serve { receiver in
            #expect(await collector(receiver.url("/v1/traces")).send([try Self.span()]) == .accepted)
            let request = try #require(receiver.requests.first)
            #expect(request.method == "POST" && request.path == "/v1/traces" && receiver.requests.count == 1)
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.headers["authorization"] == "Bearer x")
            #expect(request.body.contains(#""name":"a span""#) && request.body.contains(#""stringValue":"jobs""#))
        }
    }

    @Test(
        "the answers that OTLP names may be followed by another attempt, and no others",
        arguments: [301, 308, 400, 401, 404, 408, 413, 429, 500, 501, 502, 503, 504])
    func statuses(status: Int) async throws {
        let expected: SpanAnswer =
            [429, 502, 503, 504].contains(status)
            ? .unavailable("HTTP \(status)", retryAfter: nil) : .refused("HTTP \(status)")
        #expect(try await answer(.init(code: status), headers: [.location: "/elsewhere"]) == expected)
    }

    @Test("a part that was rejected is not accepted, whether its number is a string or not")
    func partial() async throws {
        let expected = SpanAnswer.accepted(butFor: 2, reason: "too old")
        for number in ["\"2\"", "2"] {
            let body = #"{"partialSuccess":{"rejectedSpans":\#(number),"errorMessage":"too old"}}"#
            #expect(try await answer(.ok, body) == expected)
        }
        for body in ["", "no JSON", #"{"partialSuccess":{}}"#, #"{"partialSuccess":{"errorMessage":"a hint"}}"#] {
            #expect(try await answer(.ok, body) == .accepted)
        }
    }

    @Test("what the collector asks to wait is read as seconds or as a date")
    func retryAfter() async throws {
        // The time of the tests stands at 2026-01-01.
        for (text, expected) in [
            ("7", Duration.seconds(7)), ("Thu, 01 Jan 2026 00:01:30 GMT", .seconds(90)),
            ("Wed, 31 Dec 2025 23:00:00 GMT", .zero), ("soon", nil), ("-1", nil),
            ("Thu, 01 Foo 2026 00:01:30 GMT", nil), ("Thu, 01 Jan 2026 25:01:30 GMT", nil),
        ] as [(String, Duration?)] {
            #expect(RetryAfter.parse(text, now: VirtualTime().wall()) == expected, "\(text)")
        }
        let answer = try await answer(.serviceUnavailable, headers: [.retryAfter: "7"])
        #expect(answer == .unavailable("HTTP 503", retryAfter: .seconds(7)))
    }

    @Test("a collector that cannot be reached, or that does not answer in time, may be tried again")
    func unreachable() async throws {
        guard case .unavailable(_, nil) = await collector("http://127.0.0.1:1/").send([try Self.span()]) else {
            Issue.record("port 1 has answered")
            return
        }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await Receiver(answering: { _, _ in
            for await _ in ends { break }
            return Response(status: .ok)
        }).serve { receiver in
            let answer = await collector(receiver.url("/v1/traces"), timeout: .milliseconds(200)).send([try Self.span()]
            )
            #expect(answer == .unavailable("no complete answer within 200ms", retryAfter: nil))
            end.finish()
        }
    }
}
