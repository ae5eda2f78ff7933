import Foundation
import Testing
import Tracing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The JSON of spans")
struct SpanMessageTests {
    private static func context(_ span: UInt64, isSampled: Bool = true) throws -> TraceContext {
        TraceContext(
            trace: try #require(TraceID(high: 0x5B8E_FFF7_9803_8103, low: 0xD269_B633_813F_C60C)),
            span: try #require(SpanID(bits: span)), isSampled: isSampled)
    }

    private func text(_ record: SpanRecord) throws -> String {
        let resource = [TracingSettings.Pair(name: "service.name", value: "apus")]
        return String(decoding: try SpanMessage([record], resource: resource, version: "1.0").bytes, as: UTF8.self)
    }

    @Test(
        "a span is written as OTLP's JSON: hexadecimal identifiers, numbers of 64 bits as strings, enumerations as numbers"
    )
    func golden() throws {
        var parent = try Self.context(0xEEE1_9B7E_C3C1_B173)
        parent.isRemote = true
        var context = try Self.context(0xEEE1_9B7E_C3C1_B174)
        context.state = "a=b"
        var record = SpanRecord(
            name: "backup \"1\"", kind: .consumer, context: context, parent: parent, start: 1_544_712_660_000_000_000,
            end: 1_544_712_661_000_000_001)
        record.attributes["job.id"] = "k3f"
        record.attributes["job.attempt"] = 2
        record.attributes["job.lateness"] = 0.25
        record.attributes["flag"] = true
        record.attributes["list"] = ["x", "y"]
        record.attributes["numbers"] = [Int64(1), 2]
        record.events = [
            SpanEvent(
                name: "exception", at: SpanInstant(nanosecondsSinceEpoch: 1_544_712_660_500_000_000),
                attributes: ["exception.message": "exit code 3"])
        ]
        record.links = [.init(context: try Self.context(1, isSampled: false), attributes: [:])]
        record.status = SpanStatus(code: .error, message: "exit code 3")
        let expected = """
            {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"apus"}}]},\
            "scopeSpans":[{"scope":{"name":"apus","version":"1.0"},"spans":[{\
            "attributes":[{"key":"flag","value":{"boolValue":true}},{"key":"job.attempt","value":{"intValue":"2"}},\
            {"key":"job.id","value":{"stringValue":"k3f"}},{"key":"job.lateness","value":{"doubleValue":0.25}},\
            {"key":"list","value":{"arrayValue":{"values":[{"stringValue":"x"},{"stringValue":"y"}]}}},\
            {"key":"numbers","value":{"arrayValue":{"values":[{"intValue":"1"},{"intValue":"2"}]}}}],\
            "endTimeUnixNano":"1544712661000000001",\
            "events":[{"attributes":[{"key":"exception.message","value":{"stringValue":"exit code 3"}}],\
            "name":"exception","timeUnixNano":"1544712660500000000"}],"flags":769,"kind":5,\
            "links":[{"flags":256,"spanId":"0000000000000001","traceId":"5b8efff798038103d269b633813fc60c"}],\
            "name":"backup \\"1\\"","parentSpanId":"eee19b7ec3c1b173","spanId":"eee19b7ec3c1b174",\
            "startTimeUnixNano":"1544712660000000000","status":{"code":2,"message":"exit code 3"},\
            "traceId":"5b8efff798038103d269b633813fc60c","traceState":"a=b"}]}]}]}
            """
        #expect(try text(record) == expected)
    }

    @Test("what has its default is left out, and each kind has its number")
    func kinds() throws {
        let kinds: [(SpanKind, Int)] = [(.internal, 1), (.server, 2), (.client, 3), (.producer, 4), (.consumer, 5)]
        for (kind, number) in kinds {
            let record = SpanRecord(name: "x", kind: kind, context: try Self.context(1), start: 1, end: 2)
            #expect(
                try text(record).contains(
                    """
                    "spans":[{"endTimeUnixNano":"2","flags":257,"kind":\(number),"name":"x","spanId":"0000000000000001",\
                    "startTimeUnixNano":"1","traceId":"5b8efff798038103d269b633813fc60c"}]
                    """))
        }
    }

    @Test(
        "a number that JSON does not have is a string, as in JSON of protocol buffers",
        arguments: [(Double.nan, "NaN"), (.infinity, "Infinity"), (-.infinity, "-Infinity")])
    func numbers(number: Double, expected: String) throws {
        var record = SpanRecord(name: "x", kind: .internal, context: try Self.context(1), start: 1, end: 2)
        record.attributes["n"] = number
        #expect(try text(record).contains("{\"doubleValue\":\"\(expected)\"}"))
        let data = Data(try text(record).utf8)
        #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
    }
}
