import ApusTimers
import ApusVirtualTime
import Logging
import Testing
import Tracing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The export of spans, in virtual time")
struct SpanExporterTests {
    private let time = VirtualTime()
    private let collector = Collector()

    /// Answers as it is asked to, and keeps what it was sent.
    private final class Collector: Sendable {
        struct State: Sendable {
            var batches: [[String]] = []
            var answers: [SpanAnswer] = []
            /// Whether no answer ever comes.
            var isSilent = false
        }
        let state = Locked(State())
        var batches: [[String]] { state.withLock { $0.batches } }
        func answer(_ answers: SpanAnswer...) { state.withLock { $0.answers += answers } }

        func take(_ spans: [SpanRecord]) async -> SpanAnswer {
            let (answer, isSilent) = state.withLock { state in
                state.batches.append(spans.map(\.name))
                return (state.answers.isEmpty ? SpanAnswer.accepted : state.answers.removeFirst(), state.isSilent)
            }
            if isSilent { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
            return answer
        }
    }

    private func exporter(_ batching: SpanBatching = .init()) -> SpanExporter {
        SpanExporter(
            batching, engine: time.engine, random: SeededRandom(seed: 1), logger: Logger(label: "test"),
            executor: time.executor, send: collector.take)
    }

    private static func span(_ name: String) throws -> SpanRecord {
        let context = TraceContext(
            trace: try #require(TraceID(high: 1, low: 2)), span: try #require(SpanID(bits: 3)), isSampled: true)
        return SpanRecord(name: name, kind: .internal, context: context, start: 1, end: 2)
    }

    @Test("there is a timer only while spans wait: none before the first, none while a batch is out, none after it")
    func timers() throws {
        let exporter = exporter(SpanBatching(queue: 4, batch: 2, delay: .seconds(5)))
        #expect(time.pendingTimers == 0)
        exporter.add(try Self.span("a"))
        #expect(time.pendingTimers == 1)
        time.advance(by: .seconds(6))
        #expect(collector.batches == [["a"]] && time.pendingTimers == 0)
        exporter.add(try Self.span("b"))
        exporter.add(try Self.span("c"))
        // A batch that is full before the delay has passed takes its timer away.
        #expect(time.pendingTimers == 0)
        time.drain()
        #expect(collector.batches == [["a"], ["b", "c"]] && time.leaks.isEmpty)
    }

    @Test("a batch is sent again after a pause until it is accepted, and others after it")
    func again() throws {
        let exporter = exporter()
        collector.answer(.unavailable("HTTP 503", retryAfter: .seconds(20)))
        exporter.add(try Self.span("a"))
        time.advance(by: .seconds(10))
        exporter.add(try Self.span("b"))
        #expect(collector.batches == [["a"]])
        time.advance(by: .seconds(20))
        #expect(collector.batches == [["a"], ["a"]])
        time.advance(by: .seconds(10))
        #expect(collector.batches == [["a"], ["a"], ["b"]] && time.leaks.isEmpty)
    }

    @Test("a stop sends what waits, and returns at once if nothing does")
    func stop() throws {
        let exporter = exporter()
        exporter.add(try Self.span("a"))
        try time.perform { await exporter.stop(within: .seconds(3)) }
        #expect(collector.batches == [["a"]] && time.leaks.isEmpty)
        exporter.add(try Self.span("b"))
        #expect(time.leaks.isEmpty && collector.batches.count == 1)
        let idle = self.exporter()
        try time.perform { await idle.stop(within: .seconds(3)) }
        #expect(time.leaks.isEmpty)
    }

    @Test("a stop does not wait for a collector that fails, and only for its limit for a silent one")
    func bounded() throws {
        let failing = exporter()
        collector.answer(.unavailable("refused", retryAfter: .seconds(60)))
        failing.add(try Self.span("a"))
        try time.perform { await failing.stop(within: .seconds(3)) }
        #expect(collector.batches == [["a"]] && time.leaks.isEmpty)
        let silent = exporter()
        collector.state.withLock { $0.isSilent = true }
        silent.add(try Self.span("b"))
        let start = time.uptime()
        try time.perform(advancingTime: true) { await silent.stop(within: .seconds(3)) }
        #expect(start.duration(to: time.uptime()) == .seconds(3) && time.engine.liveTimers == 0)
    }
}
