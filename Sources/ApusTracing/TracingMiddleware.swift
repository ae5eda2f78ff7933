#if Tracing
    public import ApusJobs
    public import Tracing

    /// Traces jobs with swift-distributed-tracing.
    ///
    /// Each attempt is a span. The attempts of a job that runs once belong to the trace of the task that submitted the
    /// job. Each attempt of a repeating job, which may run for years, begins a trace of its own, with a link to the
    /// span of that task.
    ///
    /// At the submission of a job, the middleware adds the caller's `ServiceContext` to `JobRequest.metadata`, in the
    /// form that the instrument uses for requests (for most, the W3C's `traceparent`). When an attempt begins, in this
    /// process or another one, the middleware reads the context from the metadata, and starts a span that is a child of
    /// the context's span or has a link to it:
    ///
    /// | | |
    /// |---|---|
    /// | name, kind | `JobRequest.kind`, `consumer` |
    /// | `job.id`, `job.queue` | the job's identifier, and its queue |
    /// | `job.name` | the job's name, if it has one |
    /// | `job.lateness` | the lateness of the attempt, in seconds |
    /// | `job.occurrence`, `job.attempt` | the number of the occurrence, 0 or less for manual runs; the number of the attempt, from 1 |
    /// | `job.cancellation` | why the handler was cancelled (`CancellationReason`), if it was |
    /// | `job.postponement` | the reason, if the handler threw `RunDecision.snooze(for:reason:)` |
    ///
    /// The handler runs with the span's context as its `ServiceContext.current`. An error that the handler throws is
    /// recorded as the error of the span, except a snooze. An attempt that exceeded its time limit has the status
    /// `error` too.
    ///
    /// ```swift
    /// let scheduler = JobScheduler(store: store, configuration: .init(middleware: [TracingMiddleware()]))
    /// ```
    public struct TracingMiddleware: JobMiddleware {
        private let ownTracer: (any Tracer)?
        private var tracer: any Tracer { ownTracer ?? InstrumentationSystem.tracer }
        private var instrument: any Instrument { ownTracer ?? InstrumentationSystem.instrument }

        /// Creates a middleware that traces.
        ///
        /// - Parameter tracer: The tracer; by default the bootstrapped one, which is read at each run.
        public init(tracer: (any Tracer)? = nil) { ownTracer = tracer }

        /// Adds the caller's context to the metadata.
        ///
        /// Metadata that the caller has set are not replaced. A context that does not fit into the 8 KiB of metadata is
        /// omitted, because tracing must not cause the refusal of a submission.
        public func onSubmit(_ request: inout JobRequest) {
            guard let context = ServiceContext.current else { return }
            var carried: [String: String] = [:]
            instrument.inject(context, into: &carried, using: Metadata())
            var traced = request
            traced.metadata.merge(carried) { own, _ in own }
            if JobLimits.bytes(of: traced.metadata) <= JobLimits.dictionaryBytes { request = traced }
        }

        /// Runs the handler in a span.
        ///
        /// - Throws: The error of the handler.
        public func handle(_ run: RunContext, next: () async throws -> Void) async throws {
            var submission = ServiceContext.topLevel
            instrument.extract(run.job.request.metadata, into: &submission, using: Metadata())
            let repeats = run.job.request.trigger.repeats
            let span: any Span = tracer.startSpan(
                run.job.request.kind, context: repeats ? .topLevel : submission, ofKind: .consumer)
            defer { span.end() }
            if repeats, !submission.isEmpty { span.addLink(SpanLink(context: submission, attributes: [:])) }
            span.updateAttributes { attributes in
                attributes["job.id"] = run.job.id.rawValue
                attributes["job.queue"] = run.job.request.queue.rawValue
                attributes["job.occurrence"] = run.occurrence
                attributes["job.attempt"] = run.attempt
                attributes["job.name"] = run.job.request.name
                attributes["job.lateness"] = run.lateness / .seconds(1)
            }
            do {
                try await ServiceContext.withValue(span.context) { try await next() }
                noteCancellation(of: run, in: span)
            } catch let decision as RunDecision where decision.kind == .snooze {
                span.attributes["job.postponement"] = decision.reason
                throw decision
            } catch {
                span.recordError(error)
                span.setStatus(SpanStatus(code: .error, message: "\(error)"))
                noteCancellation(of: run, in: span)
                throw error
            }
        }

        private func noteCancellation(of run: RunContext, in span: any Span) {
            guard let reason = run.cancellationReason else { return }
            span.attributes["job.cancellation"] = reason.rawValue
            if reason == .timedOut { span.setStatus(SpanStatus(code: .error, message: reason.rawValue)) }
        }
    }

    /// Injects a context into the metadata of a job, and extracts a context from the metadata.
    private struct Metadata: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }

        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }

    extension Trigger {
        fileprivate var repeats: Bool {
            switch kind {
            case .at, .after: false
            case .every, .calendar: true
            }
        }
    }
#endif
