import ApusClient
import ApusTimers
import Tracing

/// Makes the daemon's spans, and carries their contexts as the W3C's Trace Context.
///
/// Not the process's tracer (`InstrumentationSystem`): libraries that the daemon uses make no spans.
struct SpanTracer: Tracer {
    var sampler: TraceSampler
    var time: any TimeSource
    var random: any RandomSource
    /// Takes the spans that have ended.
    var finish: @Sendable (SpanRecord) -> Void

    /// Begins a span below that of the context, or a trace.
    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordingSpan {
        let context = context()
        let parent = context.traceContext
        let trace = parent?.trace ?? newTrace()
        let own = TraceContext(
            trace: trace, span: newSpan(), isSampled: sampler.samples(trace, below: parent),
            isRandom: parent?.isRandom ?? false, state: parent?.state ?? "")
        let clock = SpanClock(time)
        let start = clock.start.nanosecondsSinceEpoch
        let record = SpanRecord(
            name: operationName, kind: kind, context: own, parent: parent, start: start, end: start)
        return RecordingSpan(record, in: context, clock: clock, finish: finish)
    }

    func activeSpan(identifiedBy context: ServiceContext) -> RecordingSpan? { context.recordingSpan }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.traceContext else { return }
        injector.inject(trace.traceparent, forKey: TraceContext.fields[0], into: &carrier)
        if !trace.state.isEmpty { injector.inject(trace.state, forKey: TraceContext.fields[1], into: &carrier) }
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let trace = TraceContext(
            traceparent: extractor.extract(key: TraceContext.fields[0], from: carrier),
            tracestate: extractor.extract(key: TraceContext.fields[1], from: carrier))
        if let trace { context.traceContext = trace }
    }

    private func newTrace() -> TraceID {
        while true {
            if let trace = TraceID(high: random.next(), low: random.next()) { return trace }
        }
    }

    private func newSpan() -> SpanID {
        while true {
            if let span = SpanID(bits: random.next()) { return span }
        }
    }
}
