import ApusClient
import ApusTimers
import Foundation
import Testing

@Suite("Traces for OpenTelemetry")
struct TracingTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private static func finished(_ apus: ApusUnderTest, _ job: WireJob) async throws -> WireRun {
        try await apus.until("the end of \(job.id)") { try await apus.client.job(job.id).state == "finished" }
        return try #require(try await apus.client.job(job.id).lastRun)
    }

    private static func log(_ apus: ApusUnderTest) throws -> String {
        try String(contentsOfFile: apus.home.logPath, encoding: .utf8)
    }

    @Test("the span of a run is in the trace that its command has in its environment, with what became of the run")
    func command() async throws {
        try await FakeCollector.serve { collector in
            try await ApusUnderTest.with { apus in
                try await apus.startDaemon(collector.variables)
                let job: WireJob = try await apus.json(
                    "after", "10ms", "--name", "report", "--shell", "--json", "--",
                    "printf %s \"$TRACEPARENT$TRACESTATE\"; exit 3")
                #expect(try await Self.finished(apus, job).outcome == "failed")
                try await apus.until("the span") { collector.spans.count == 1 }
                let span = try #require(collector.spans.first)
                #expect(try await apus("logs", job.id).out == "00-\(span.trace)-\(span.id)-01")
                #expect(span.name == "report" && span.kind == 5 && span.parent == nil)
                #expect(span.status == "2 exit code 3" && span.attributes["process.exit.code"] == "3")
                #expect(span.attributes["job.id"] == job.id && span.attributes["job.name"] == "report")
                #expect(span.attributes["job.occurrence"] == "1" && span.attributes["job.attempt"] == "1")
                #expect(span.attributes["process.executable.name"] == "sh")
                #expect(try #require(Double(span.attributes["job.lateness"] ?? "")) >= 0)
                let good: WireJob = try await apus.json("after", "10ms", "--json", "--", "/bin/true")
                #expect(try await Self.finished(apus, good).outcome == "succeeded")
                try await apus.until("its span") { collector.spans.count == 2 }
                let second = collector.spans[1]
                #expect(second.name == "action" && second.status == nil && second.trace != span.trace)
                #expect(second.attributes["process.exit.code"] == "0")
                #expect(second.attributes["process.executable.name"] == "true")
            }
        }
    }

    @Test("a job is in its submitter's trace, by the variables of the command and by the headers of a request")
    func submitters() async throws {
        try await FakeCollector.serve { collector in
            try await ApusUnderTest.with { apus in
                try await apus.startDaemon(collector.variables)
                let variables = ["TRACEPARENT": Self.parent, "TRACESTATE": "a=b"]
                let answer = try await apus.call(
                    ["after", "10ms", "--json", "--shell", "--", "echo $TRACEPARENT $TRACESTATE"],
                    environment: variables)
                let job = try JSONDecoder().decode(WireJob.self, from: Data(answer.out.utf8))
                _ = try await Self.finished(apus, job)
                try await apus.until("the span") { collector.spans.count == 1 }
                let span = collector.spans[0]
                #expect(span.trace == "0af7651916cd43dd8448eb211c80319c" && span.parent == "b7ad6b7169203331")
                #expect(
                    try await apus("logs", job.id).out == "00-0af7651916cd43dd8448eb211c80319c-\(span.id)-01 a=b\n")
                // What is not valid, and what repeats, begins traces of its own.
                let invalid = try await apus.call(
                    ["after", "10ms", "--json", "--", "true"], environment: ["TRACEPARENT": "00-0-0-01"])
                #expect(invalid.code == 0)
                let repeating = try await apus.call(
                    ["every", "10ms", "--count", "1", "--json", "--", "true"], environment: variables)
                #expect(repeating.code == 0, "\(repeating.err)")
                try await apus.until("the spans") { collector.spans.count == 3 }
                let others = collector.spans[1...]
                #expect(others.allSatisfy { $0.parent == nil && $0.trace != span.trace })
                #expect(others.map(\.links).filter { !$0.isEmpty } == [[span.trace]])
            }
        }
    }

    @Test("a webhook is a span below the run's, which the receiver gets as the parent, with the answer's status")
    func webhook() async throws {
        try await FakeCollector.serve { collector in
            try await ApusUnderTest.with { apus in
                try await apus.startDaemon(collector.variables)
                let job: WireJob = try await apus.json(
                    "after", "10ms", "--json", "--webhook", "\(collector.url)/hook/secret?token=hidden",
                    "--webhook-header", "x-token: hidden", "--", "true")
                #expect(try await Self.finished(apus, job).reason == "webhook: HTTP 502")
                try await apus.until("the spans") { collector.spans.count == 2 }
                let run = try #require(collector.spans.first { $0.kind == 5 })
                let post = try #require(collector.spans.first { $0.kind == 3 })
                #expect(post.trace == run.trace && post.parent == run.id && post.name == "POST")
                #expect(try await apus("logs", job.id).out == "00-\(post.trace)-\(post.id)-01")
                #expect(post.attributes["http.response.status_code"] == "502")
                #expect(post.attributes["error.type"] == "502" && post.status == "2 HTTP 502")
                #expect(post.attributes["server.address"] == "127.0.0.1")
                #expect(collector.url.hasSuffix(":\(post.attributes["server.port"] ?? "")"))
                #expect(run.status == "2 webhook: HTTP 502" && run.attributes["process.exit.code"] == "0")
                let texts = "\(collector.spans)"
                #expect(!texts.contains("secret") && !texts.contains("hidden"))
            }
        }
    }

    @Test("a batch that the collector does not take is sent again, and the log has the problem and its end once")
    func again() async throws {
        try await FakeCollector.serve { collector in
            try await ApusUnderTest.with { apus in
                collector.answer(503, 503)
                try await apus.startDaemon(collector.variables)
                let job: WireJob = try await apus.json("after", "10ms", "--json", "--", "true")
                try await apus.until("the span") { collector.spans.count == 1 }
                #expect(collector.requests == 3 && collector.spans[0].attributes["job.id"] == job.id)
                try await apus.until("the note") { try Self.log(apus).contains("accepts spans again") }
                let log = try Self.log(apus)
                #expect(log.components(separatedBy: "spans cannot be sent now").count == 2 && log.contains("HTTP 503"))
            }
        }
    }

    @Test("a daemon that stops sends the spans that wait")
    func stop() async throws {
        try await FakeCollector.serve { collector in
            try await ApusUnderTest.with { apus in
                let slow = collector.variables.merging(["OTEL_BSP_SCHEDULE_DELAY": "3600000"]) { _, new in new }
                try await apus.startDaemon(slow)
                let job: WireJob = try await apus.json("after", "10ms", "--json", "--", "true")
                _ = try await Self.finished(apus, job)
                #expect(collector.spans.isEmpty)
                #expect(try await apus("stop").code == 0)
                try await apus.until("the span") { collector.spans.count == 1 }
            }
        }
    }

    @Test("a collector that is down, or never answers, delays neither jobs nor the daemon's end")
    func down() async throws {
        // Accepts connections, and never answers.
        let silent = try SilentServer()
        defer { silent.close() }
        for endpoint in ["http://127.0.0.1:1", "http://127.0.0.1:\(silent.port)"] {
            try await ApusUnderTest.with { apus in
                let process = try await apus.startDaemon([
                    "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_BSP_SCHEDULE_DELAY": "0",
                ])
                for _ in 1...3 {
                    let job: WireJob = try await apus.json("after", "10ms", "--json", "--", "true")
                    #expect(try await Self.finished(apus, job).outcome == "succeeded")
                }
                let clock = TimerClock.continuous()
                let begin = clock.now
                #expect(try await apus("stop").code == 0)
                try await apus.until("the process's end") { !isAlive(process) }
                #expect(begin.duration(to: clock.now) < .seconds(10), "the limit is 3 s, on a busy machine")
                #expect(try Self.log(apus).contains("spans were dropped"))
            }
        }
    }

    @Test("an invalid variable keeps the daemon from starting, and one of other programs does not")
    func settings() async throws {
        try await ApusUnderTest.with { apus in
            let error = await #expect(throws: DaemonError.self) {
                try await apus.startDaemon(["OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"])
            }
            #expect(error?.message.contains("OTEL_EXPORTER_OTLP_ENDPOINT: ") == true)
            try await apus.startDaemon([
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
            ])
            #expect(try Self.log(apus).contains("OTEL_EXPORTER_OTLP_PROTOCOL is grpc"))
            let job: WireJob = try await apus.json("after", "10ms", "--json", "--shell", "--", "echo [$TRACEPARENT]")
            _ = try await Self.finished(apus, job)
            #expect(try await apus("logs", job.id).out == "[]\n")
        }
    }
}

/// A port of 127.0.0.1 whose connections get no answer.
private struct SilentServer {
    let port: Int
    private let socket: Int32

    init() throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, size) = (socket, length)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(bound == 0 && listen(socket, 16) == 0)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    func close() { _ = Foundation.close(socket) }
}
