import ApusClient
import ApusJobs
import ApusTimers
import ApusTracing
import Logging
import Tracing

/// The traces of one daemon, if its environment asks for them.
struct DaemonTracing: Sendable {
    /// How long the daemon's end waits for spans that have not been sent.
    static let patience: Duration = .seconds(3)

    let tracer: SpanTracer
    private let exporter: SpanExporter

    /// The tracing of a daemon; `nil` without traces.
    /// - Throws: `DaemonError` with `invalid` if a variable has an invalid value.
    init?(
        environment: [String: String], node: NodeID, engine: TimerEngine, random: any RandomSource, logger: Logger
    )
        throws
    {
        let settings = try TracingSettings(environment: environment)
        for warning in settings.warnings { logger.warning("\(warning)") }
        guard let endpoint = settings.endpoint else { return nil }
        var resource = settings.resource
        if !resource.contains(where: { $0.name == "service.instance.id" }) {
            resource.append(.init(name: "service.instance.id", value: node.rawValue))
        }
        let collector = SpanCollector(
            url: endpoint, headers: settings.headers, timeout: settings.timeout, resource: resource, time: engine.time)
        let exporter = SpanExporter(
            settings.batching, engine: engine, random: random, logger: logger, send: collector.send)
        self.exporter = exporter
        tracer = SpanTracer(
            sampler: settings.sampler, time: engine.time, random: random, finish: { exporter.add($0) })
    }

    /// For the scheduler.
    var middleware: any JobMiddleware { TracingMiddleware(tracer: tracer) }

    /// Sends what has not been sent.
    func stop() async { await exporter.stop(within: Self.patience) }
}
