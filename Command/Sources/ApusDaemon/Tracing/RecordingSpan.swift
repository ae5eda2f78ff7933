import ApusClient
import ApusTimers
import Tracing

/// A span that has ended, as it is sent.
struct SpanRecord: Sendable {
    var name: String
    var kind: SpanKind
    var context: TraceContext
    var parent: TraceContext?
    /// Nanoseconds since 1970.
    var start: UInt64
    var end: UInt64
    var attributes = SpanAttributes()
    var events: [SpanEvent] = []
    var links: [Link] = []
    var status: SpanStatus?

    /// A span of another trace that has to do with this one.
    struct Link: Sendable {
        var context: TraceContext
        var attributes: SpanAttributes
    }
}

/// A span of ``SpanTracer``. One that is not sampled only passes on its context.
///
/// Instants are those of its clock, whatever the caller gives: the tracing library would read the machine's clock.
final class RecordingSpan: Span {
    let trace: TraceContext
    /// The context in which the span began.
    private let outer: ServiceContext
    private let clock: SpanClock
    private let finish: @Sendable (SpanRecord) -> Void
    /// `nil` if the span is not sampled, and after its end.
    private let record: Locked<SpanRecord?>

    init(
        _ record: SpanRecord, in outer: ServiceContext, clock: SpanClock,
        finish: @escaping @Sendable (SpanRecord) -> Void
    ) {
        trace = record.context
        self.outer = outer
        self.clock = clock
        self.finish = finish
        self.record = Locked(record.context.isSampled ? record : nil)
    }

    /// That of the caller's task.
    static var current: RecordingSpan? { ServiceContext.current?.recordingSpan }

    // Made anew each time: a span that kept it would keep itself.
    var context: ServiceContext {
        var context = outer
        context.traceContext = trace
        context.recordingSpan = self
        return context
    }

    var isRecording: Bool { record.withLock { $0 != nil } }

    var operationName: String {
        get { record.withLock { $0?.name } ?? "" }
        set { record.withLock { $0?.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { record.withLock { $0?.attributes } ?? [:] }
        set { record.withLock { $0?.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) { record.withLock { $0?.status = status } }

    func addEvent(_ event: SpanEvent) { record.withLock { $0?.events.append(event) } }

    func addLink(_ link: SpanLink) {
        guard let trace = link.context.traceContext else { return }
        record.withLock { $0?.links.append(.init(context: trace, attributes: link.attributes)) }
    }

    /// Adds an event `exception`, as OpenTelemetry's conventions describe it.
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        guard isRecording else { return }
        var attributes = attributes
        attributes["exception.type"] = String(reflecting: type(of: error))
        attributes["exception.message"] = "\(error)"
        addEvent(SpanEvent(name: "exception", at: clock.now(), attributes: attributes))
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = record.withLock { record in
            defer { record = nil }
            return record
        }
        guard var ended else { return }
        ended.end = clock.now().nanosecondsSinceEpoch
        finish(ended)
    }
}

/// The time of a span: the wall clock at its start, continued by a clock that is not set, so that a span has the length
/// that it had.
struct SpanClock: Sendable {
    let start: SpanInstant
    private let time: any TimeSource
    private let anchor: ContinuousInstant

    init(_ time: any TimeSource) {
        self.time = time
        start = SpanInstant(nanosecondsSinceEpoch: time.wall().nanoseconds)
        anchor = time.continuous()
    }

    /// The present.
    func now() -> SpanInstant {
        SpanInstant(
            nanosecondsSinceEpoch: start.nanosecondsSinceEpoch + (time.continuous().nanoseconds - anchor.nanoseconds))
    }
}

/// Nanoseconds since 1970.
struct SpanInstant: TracerInstant {
    var nanosecondsSinceEpoch: UInt64

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanosecondsSinceEpoch < rhs.nanosecondsSinceEpoch }
}

// MARK: Contexts

private enum TraceContextKey: ServiceContextKey { typealias Value = TraceContext }

private enum RecordingSpanKey: ServiceContextKey { typealias Value = RecordingSpan }

extension ServiceContext {
    /// Where spans that begin in this context belong.
    var traceContext: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }

    /// The span of this process in whose context this is; it may have ended.
    fileprivate(set) var recordingSpan: RecordingSpan? {
        get { self[RecordingSpanKey.self] }
        set { self[RecordingSpanKey.self] = newValue }
    }
}
