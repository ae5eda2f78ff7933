import ApusTimers
import ApusVirtualTime
import Testing
import Tracing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The daemon's spans")
struct SpanTracerTests {
    private let time = VirtualTime()
    private let ended: Ended

    /// The spans that have ended.
    private final class Ended: Sendable {
        private let records = Locked<[SpanRecord]>([])
        var all: [SpanRecord] { records.withLock { $0 } }
        func add(_ record: SpanRecord) { records.withLock { $0.append(record) } }
    }

    init() { ended = Ended() }

    private func tracer(_ sampler: TraceSampler = .standard) -> SpanTracer {
        SpanTracer(
            sampler: sampler, time: time, random: SeededRandom(seed: 1), finish: { [ended] in ended.add($0) })
    }

    private struct Fields: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }

    @Test("a span is a child of the context's, and is sent once, with what was set before its end")
    func children() throws {
        let tracer = tracer()
        let parent = tracer.startSpan("parent", context: .topLevel)
        let child = tracer.startSpan("child", context: parent.context, ofKind: .client)
        child.operationName = "renamed"
        child.attributes["a"] = 1
        child.setStatus(SpanStatus(code: .error, message: "no"))
        child.addLink(SpanLink(context: parent.context, attributes: [:]))
        child.end()
        child.end()
        child.attributes["a"] = 2
        parent.end()
        let records = ended.all
        #expect(records.map(\.name) == ["renamed", "parent"] && !child.isRecording)
        #expect(records[0].context.trace == records[1].context.trace && records[0].parent == records[1].context)
        #expect(records[0].context.span != records[1].context.span && records[1].parent == nil)
        #expect(records[0].attributes.get("a") == 1 && records[0].status?.message == "no" && records[0].kind == .client)
        #expect(records[0].links.map(\.context) == [records[1].context])
        #expect(tracer.activeSpan(identifiedBy: child.context) === child)
    }

    @Test("a span begins at the wall clock, and lasts as long as it did, although the clock is set meanwhile")
    func instants() throws {
        let span = tracer().startSpan("span", context: .topLevel)
        time.advance(by: .seconds(2))
        span.recordError(JobProblem())
        time.setWall(WallInstant(secondsSince1970: 0))
        time.advance(by: .seconds(1))
        span.end()
        let record = try #require(ended.all.first)
        #expect(record.start == 1_767_225_600_000_000_000 && record.end == record.start + 3_000_000_000)
        #expect(record.events.map(\.nanosecondsSinceEpoch) == [record.start + 2_000_000_000])
        #expect(record.events[0].attributes.get("exception.message") == "no luck")
        #expect(record.events[0].attributes.get("exception.type") == "ApusDaemonTests.JobProblem")
    }

    @Test("a context is carried as traceparent and tracestate, and a carrier without a valid one changes nothing")
    func propagation() throws {
        let tracer = tracer()
        let fields = ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "a=b"]
        var context = ServiceContext.topLevel
        tracer.extract(fields, into: &context, using: Fields())
        let span = tracer.startSpan("span", context: context)
        var carried: [String: String] = [:]
        tracer.inject(span.context, into: &carried, using: Fields())
        #expect(carried["traceparent"] == "00-0af7651916cd43dd8448eb211c80319c-\(span.trace.span)-01")
        #expect(carried["tracestate"] == "a=b" && carried.count == 2)
        span.end()
        #expect(ended.all.first?.parent?.isRemote == true && ended.all.first?.context.isRemote == false)
        tracer.extract(["traceparent": "no"], into: &context, using: Fields())
        #expect(context.traceContext?.state == "a=b")
        carried = [:]
        tracer.inject(.topLevel, into: &carried, using: Fields())
        #expect(carried.isEmpty)
    }

    @Test("a span that is not sampled is not sent, and passes that decision on")
    func unsampled() throws {
        let tracer = tracer(TraceSampler(root: .never, followsParent: true))
        let span = tracer.startSpan("span", context: .topLevel)
        #expect(!span.isRecording && span.context.traceContext?.isSampled == false)
        let child = tracer.startSpan("child", context: span.context)
        #expect(child.trace.trace == span.trace.trace && child.trace.traceparent.hasSuffix("-00"))
        child.attributes["a"] = 1
        child.recordError(JobProblem())
        child.end()
        span.end()
        #expect(ended.all.isEmpty)
    }

    @Test("a span that nothing holds is released, although its context names it")
    func released() {
        weak var span: RecordingSpan?
        do {
            let held = tracer().startSpan("span", context: .topLevel)
            _ = held.context
            span = held
        }
        #expect(span == nil)
    }
}

struct JobProblem: Error, CustomStringConvertible { var description: String { "no luck" } }
