#if Tracing
    import ApusJobs
    import ApusTestSupport
    import ApusTimers
    import ApusTracing
    import ApusVirtualTime
    import InMemoryTracing
    import Testing
    import Tracing

    @Suite("Traces of jobs")
    struct TracingTests {
        private let tracer = InMemoryTracer()
        private let harness: SchedulerHarness

        init() throws {
            harness = try SchedulerHarness(
                configuration: .init(bootID: "boot", middleware: [TracingMiddleware(tracer: tracer)]), start: false)
        }

        /// Submits the request in a span named `request`.
        private func submitTraced(_ request: JobRequest) throws -> (job: Job, span: InMemorySpanContext) {
            let result = try harness.perform { [tracer] scheduler in
                try await tracer.withSpan("request") { span in
                    (try await scheduler.submit(request).job, span.spanContext)
                }
            }
            tracer.clearFinishedSpans()
            return result
        }

        private func request(_ kind: String, _ policies: JobPolicies = .init()) -> JobRequest {
            JobRequest(
                id: JobID("job"), name: "newsletter", kind: kind, trigger: .after(.seconds(1)), policies: policies,
                queue: "mail")
        }

        @Test("each attempt has a span below that of the submission, with the job's attributes and the handler's error")
        func spans() throws {
            try harness.start()
            harness.calls.failNext(1)
            let (job, parent) = try submitTraced(request("failing", .init(retry: .exponential(attempts: 2))))
            #expect(job.request.metadata[InMemoryTracer.traceIDKey] == parent.traceID)
            // A new scheduler runs the job, as after a restart of the process.
            try harness.crash()
            harness.advance(10)
            let spans = tracer.popFinishedSpans()
            #expect(spans.map(\.operationName) == ["failing", "failing"])
            #expect(spans.map(\.kind) == [.consumer, .consumer])
            #expect(spans.allSatisfy { $0.traceID == parent.traceID && $0.parentSpanID == parent.spanID })
            #expect(Set(spans.map(\.spanID)).count == 2)
            for (index, span) in spans.enumerated() {
                #expect(span.attributes.get("job.id") == "job")
                #expect(span.attributes.get("job.queue") == "mail")
                #expect(span.attributes.get("job.occurrence") == 1)
                #expect(span.attributes.get("job.attempt") == .int64(Int64(index + 1)))
                #expect(span.attributes.get("job.name") == "newsletter")
            }
            #expect(spans.map { $0.errors.map { "\($0.error)" } } == [["no luck"], []])
            #expect(spans.map(\.status?.code) == [.error, nil])
        }

        @Test("typed and untyped handlers run with the span's context")
        func taskLocal() throws {
            let seen = Log<InMemorySpanContext?>()
            harness.scheduler.register("plain") { _ in seen.add(ServiceContext.current?.inMemorySpanContext) }
            try harness.start()
            _ = try submitTraced(request("plain"))
            harness.advance(2)
            let span = try #require(tracer.popFinishedSpans().first)
            #expect(seen.all == [span.spanContext])
        }

        @Test("a job submitted outside of any trace begins its own trace")
        func untraced() throws {
            try harness.start()
            let request = request("work")
            let job = try harness.perform { try await $0.submit(request) }
            #expect(job.request.metadata.isEmpty)
            harness.advance(2)
            let span = try #require(tracer.popFinishedSpans().first)
            #expect(span.parentSpanID == nil)
        }

        @Test("the attempts at a repeating job begin traces of their own, with links to the submission")
        func repeating() throws {
            try harness.start()
            var repeating = request("work")
            repeating.trigger = .every(.seconds(1))
            let (_, submission) = try submitTraced(repeating)
            harness.advance(2.5)
            let spans = tracer.popFinishedSpans()
            #expect(spans.count == 2 && spans.allSatisfy { $0.parentSpanID == nil && $0.traceID != submission.traceID })
            #expect(Set(spans.map(\.traceID)).count == 2)
            #expect(
                spans.map { $0.links.map { $0.context.inMemorySpanContext?.spanID } } == [
                    [submission.spanID], [submission.spanID],
                ])
            var untraced = request("work")
            (untraced.id, untraced.trigger) = (JobID("untraced"), .every(.seconds(1)))
            _ = try harness.perform { [untraced] in try await $0.submit(untraced) }
            harness.advance(1)
            let plain = tracer.popFinishedSpans().filter { $0.attributes.get("job.id") == "untraced" }
            #expect(plain.map(\.links.count) == [0])
        }

        @Test("the span says how late the attempt began")
        func lateness() throws {
            try harness.start()
            _ = try submitTraced(request("work"))
            try harness.crash { [time = harness.time] _ in time.sleepMachine(for: .seconds(61)) }
            harness.advance(1)
            let span = try #require(tracer.popFinishedSpans().first)
            guard case .double(let seconds)? = span.attributes.get("job.lateness") else {
                Issue.record("no lateness")
                return
            }
            #expect((59...62).contains(seconds))
        }

        @Test("the caller's metadata stay, and a trace context that does not fit is omitted")
        func metadata() throws {
            try harness.start()
            var own = request("work")
            own.metadata = [InMemoryTracer.traceIDKey: "mine", "a": "b"]
            let (job, span) = try submitTraced(own)
            #expect(job.request.metadata[InMemoryTracer.traceIDKey] == "mine" && job.request.metadata["a"] == "b")
            #expect(job.request.metadata[InMemoryTracer.spanIDKey] == span.spanID)
            var full = request("work")
            full.id = JobID("full")
            full.metadata = ["a": String(repeating: "b", count: 8_191)]
            #expect(try submitTraced(full).job.request.metadata == full.metadata)
        }

        @Test("a postponement is no error, and a cancelled run's span has the reason")
        func notErrors() throws {
            try harness.start()
            harness.calls.postponeNext(1)
            _ = try submitTraced(request("scarce"))
            harness.advance(5)
            var spans = tracer.popFinishedSpans()
            #expect(spans.map { $0.attributes.get("job.postponement") } == ["no descriptors", nil])
            #expect(spans.allSatisfy { $0.errors.isEmpty && $0.status == nil })

            _ = try submitTraced(request("stubborn", .init(timeLimit: .seconds(2))))
            harness.advance(20)
            spans = tracer.popFinishedSpans()
            #expect(spans.map { $0.attributes.get("job.cancellation") } == ["timedOut"])
            #expect(spans.map(\.status?.code) == [.error])

            harness.scheduler.register("throwing") { [engine = harness.time.engine] _ in
                try await engine.sleep(for: .seconds(60))
            }
            _ = try submitTraced(request("throwing", .init(timeLimit: .seconds(2))))
            harness.advance(20)
            spans = tracer.popFinishedSpans()
            #expect(spans.map { $0.attributes.get("job.cancellation") } == ["timedOut"])
            #expect(spans.map { $0.errors.count } == [1])
        }
    }
#endif
