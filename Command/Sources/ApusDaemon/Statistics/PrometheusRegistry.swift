import ApusClient
import ApusTimers
import CoreMetrics

/// Stores the metrics that the scheduler reports through swift-metrics, for `GET /metrics`.
///
/// The text format is that of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). Counters begin
/// at 0 when the daemon starts. Durations are histograms in seconds.
final class PrometheusRegistry: MetricsFactory {
    /// The name and the description of a metric in Prometheus.
    struct Name {
        var name: String
        var help: String
    }

    /// One series of a metric.
    private struct Key: Hashable {
        var label: String
        /// The labels in Prometheus' syntax, such as `kind="action",queue="default"`.
        var labels: String
    }

    /// The upper bounds of a histogram's buckets, in seconds.
    static let buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]

    private struct Histogram {
        /// The number of values in each bucket alone, without the lower buckets; the last bucket has no upper bound.
        var counts = [Int64](repeating: 0, count: buckets.count + 1)
        var sum = 0.0

        mutating func add(_ seconds: Double) {
            counts[PrometheusRegistry.buckets.firstIndex { seconds <= $0 } ?? PrometheusRegistry.buckets.count] += 1
            sum += seconds
        }
    }

    private struct State {
        var counters: [Key: Int64] = [:]
        var gauges: [Key: Double] = [:]
        var histograms: [Key: Histogram] = [:]
    }

    private let state = Locked(State())
    private let names: [String: Name]

    /// Creates a registry; `names` contains the metrics that are written, keyed by their labels in swift-metrics.
    init(names: [String: Name]) { self.names = names }

    // MARK: Text

    /// Returns all metrics, grouped and sorted by name.
    func text() -> String {
        let state = state.withLock { $0 }
        var families: [String: [String]] = [:]
        func add(_ label: String, _ type: String, _ lines: (String) -> [String]) {
            guard let name = names[label] else { return }
            var family = families[name.name] ?? ["# HELP \(name.name) \(name.help)", "# TYPE \(name.name) \(type)"]
            family += lines(name.name)
            families[name.name] = family
        }
        func sorted<Value>(_ series: [Key: Value]) -> [(key: Key, value: Value)] {
            series.sorted { ($0.key.label, $0.key.labels) < ($1.key.label, $1.key.labels) }
        }
        for (key, count) in sorted(state.counters) {
            add(key.label, "counter") { ["\($0){\(key.labels)} \(count)"] }
        }
        for (key, value) in sorted(state.gauges) {
            add(key.label, "gauge") { ["\($0){\(key.labels)} \(Self.number(value))"] }
        }
        for (key, histogram) in sorted(state.histograms) {
            add(key.label, "histogram") { name in
                var (lines, sum): ([String], Int64) = ([], 0)
                for (index, count) in histogram.counts.enumerated() {
                    sum += count
                    let bound = index < Self.buckets.count ? Self.number(Self.buckets[index]) : "+Inf"
                    lines.append("\(name)_bucket{\(key.labels),le=\"\(bound)\"} \(sum)")
                }
                return lines + [
                    "\(name)_sum{\(key.labels)} \(Self.number(histogram.sum))", "\(name)_count{\(key.labels)} \(sum)",
                ]
            }
        }
        return families.sorted { $0.key < $1.key }.flatMap(\.value).map { $0 + "\n" }.joined()
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    /// Returns the value of a label, escaped so that it can be placed between quotes.
    static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\", "\"": text += "\\\(scalar)"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    // MARK: Metrics

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { series(label, dimensions) }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { series(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any CoreMetrics.TimerHandler {
        series(label, dimensions)
    }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions)
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any CoreMetrics.TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}

    private func series(_ label: String, _ dimensions: [(String, String)]) -> Series {
        let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return Series(registry: self, key: Key(label: label, labels: labels))
    }

    private final class Series: CounterHandler, MeterHandler, CoreMetrics.TimerHandler, RecorderHandler {
        private let registry: PrometheusRegistry
        private let key: Key

        init(registry: PrometheusRegistry, key: Key) {
            self.registry = registry
            self.key = key
        }

        func increment(by amount: Int64) { registry.state.withLock { $0.counters[key, default: 0] += amount } }
        func reset() { registry.state.withLock { $0.counters[key] = 0 } }
        func set(_ value: Int64) { set(Double(value)) }
        func set(_ value: Double) { registry.state.withLock { $0.gauges[key] = value } }
        func increment(by amount: Double) { registry.state.withLock { $0.gauges[key, default: 0] += amount } }
        func decrement(by amount: Double) { increment(by: -amount) }
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) {
            registry.state.withLock { $0.histograms[key, default: Histogram()].add(value) }
        }
        func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    }
}

extension PrometheusRegistry {
    /// Creates the registry for a scheduler that reports under the label `apus`.
    static func ofJobs() -> PrometheusRegistry {
        PrometheusRegistry(names: [
            "apus.runs": Name(name: "apus_runs_total", help: "Attempts that ended and occurrences that were skipped."),
            "apus.duration": Name(name: "apus_run_duration_seconds", help: "How long attempts took."),
            "apus.lateness": Name(
                name: "apus_run_lateness_seconds", help: "How late the first attempts at occurrences began."),
            "apus.running": Name(name: "apus_runs_in_progress", help: "Runs in progress."),
            "apus.stuck": Name(name: "apus_handlers_stuck", help: "Commands that were cancelled and do not end."),
            "apus.waiting": Name(name: "apus_jobs_waiting", help: "Jobs that wait for a place in their queue."),
            "apus.unreadable": Name(
                name: "apus_jobs_unreadable", help: "Jobs that the daemon cannot read and has set aside."),
        ])
    }

    /// Returns the answer to a scrape: the metrics, and data about the process.
    func page(version: String, started: WallInstant) -> String {
        text() + """
            # HELP apus_build_info The version of Apus, which is the label.
            # TYPE apus_build_info gauge
            apus_build_info{version="\(Self.escaped(version))"} 1
            # HELP process_start_time_seconds When the daemon started, in seconds since 1970.
            # TYPE process_start_time_seconds gauge
            process_start_time_seconds \(Double(started.nanoseconds / 1_000_000) / 1_000)

            """
    }
}
