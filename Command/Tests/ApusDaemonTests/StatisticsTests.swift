import ApusJobs
import ApusTimers
import CoreMetrics
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("Statistics of runs")
struct StatisticsTests {
    private func run(
        _ occurrence: Int, through: Int? = nil, attempt: Int = 1, _ state: RunState, isFinal: Bool = true,
        late: Int64 = 0, took: Int64 = 0
    ) -> Run {
        let due = WallInstant(secondsSince1970: 1_767_225_600)
        let started = due.advanced(by: .milliseconds(late))
        let begins = state != .skipped
        return Run(
            jobKey: 1, jobID: "job", occurrence: occurrence, through: through, attempt: attempt, due: due, state: state,
            isFinal: isFinal, claimed: begins ? started : nil, started: begins ? started : nil,
            finished: state.isOpen ? nil : started.advanced(by: .milliseconds(took)))
    }

    @Test("outcomes count once per occurrence, attempts each, and a skipped range with all of its occurrences")
    func counts() {
        var statistics = RunStatistics()
        for run in [
            run(1, .failed, isFinal: false), run(1, attempt: 2, .succeeded), run(2, .failed), run(3, .lost),
            run(4, through: 13, attempt: 0, .skipped), run(14, .cancelled), run(15, .running, isFinal: false),
            run(16, .waiting, isFinal: false), run(-1, .succeeded),
        ] { statistics.add(run) }
        let all = statistics.wire
        #expect((all.succeeded, all.failed, all.lost, all.cancelled, all.skipped) == (2, 1, 1, 1, 10))
        #expect(all.attempts == 6 && all.retries == 1)
        #expect(all.successRate == 0.5, "what was skipped or cancelled does not count")
    }

    @Test("lateness is that of first attempts, and durations are those of attempts that succeeded or failed")
    func measures() {
        var statistics = RunStatistics()
        statistics.add(run(1, .failed, isFinal: false, late: 5, took: 30))
        statistics.add(run(1, attempt: 2, .succeeded, late: 9_000, took: 10))
        statistics.add(run(2, .lost, late: 7, took: 500))
        #expect(statistics.wire.latenessMs == .init(count: 2, p50: 5, p90: 7, p99: 7, max: 7))
        #expect(statistics.wire.durationMs == .init(count: 2, p50: 10, p90: 30, p99: 30, max: 30))
    }

    @Test("percentiles are values that were measured, by nearest rank")
    func percentiles() {
        #expect(WireStatistics.Distribution([]) == nil)
        #expect(WireStatistics.Distribution([7]) == .init(count: 1, p50: 7, p90: 7, p99: 7, max: 7))
        let hundred = WireStatistics.Distribution((1...100).reversed().map { Int64($0) })
        #expect(hundred == .init(count: 100, p50: 50, p90: 90, p99: 99, max: 100))
        let few = WireStatistics.Distribution([1, 2, 3])
        #expect(few == .init(count: 3, p50: 2, p90: 3, p99: 3, max: 3))
    }

    @Test("the success rate is absent without decided runs, and zero without a success")
    func empty() {
        #expect(RunStatistics().wire.successRate == nil)
        var statistics = RunStatistics()
        statistics.add(run(1, .failed))
        #expect(statistics.wire.successRate == 0)
    }
}

@Suite("Metrics as Prometheus reads them")
struct PrometheusRegistryTests {
    @Test("counters, gauges and histograms are written with help, type and labels, grouped by name")
    func text() {
        let registry = PrometheusRegistry(names: [
            "runs": .init(name: "x_runs_total", help: "Runs."), "running": .init(name: "x_running", help: "Now."),
            "took": .init(name: "x_seconds", help: "Time."),
        ])
        Counter(label: "runs", dimensions: [("outcome", "b")], factory: registry).increment(by: 2)
        Counter(label: "runs", dimensions: [("outcome", "a")], factory: registry).increment()
        Meter(label: "running", dimensions: [("queue", "q")], factory: registry).set(3)
        let timer = CoreMetrics.Timer(label: "took", dimensions: [("kind", "k")], factory: registry)
        for milliseconds in [1, 40, 7_200_000] { timer.recordMilliseconds(milliseconds) }
        Counter(label: "unknown", dimensions: [], factory: registry).increment()
        let lines = registry.text().split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(9) == [
                "# HELP x_running Now.", "# TYPE x_running gauge", #"x_running{queue="q"} 3"#,
                "# HELP x_runs_total Runs.", "# TYPE x_runs_total counter", #"x_runs_total{outcome="a"} 1"#,
                #"x_runs_total{outcome="b"} 2"#, "# HELP x_seconds Time.", "# TYPE x_seconds histogram",
            ])
        #expect(lines[9] == #"x_seconds_bucket{kind="k",le="0.001"} 1"#)
        #expect(lines.contains(#"x_seconds_bucket{kind="k",le="0.05"} 2"#))
        #expect(lines.contains(#"x_seconds_bucket{kind="k",le="3600"} 2"#))
        #expect(
            lines.suffix(3) == [
                #"x_seconds_bucket{kind="k",le="+Inf"} 3"#, #"x_seconds_sum{kind="k"} 7200.041"#,
                #"x_seconds_count{kind="k"} 3"#,
            ])
    }

    @Test("quotes, backslashes and line breaks in a label's value are escaped")
    func escaping() {
        let registry = PrometheusRegistry(names: ["runs": .init(name: "x_total", help: "Runs.")])
        Counter(label: "runs", dimensions: [("kind", "a\"b\\c\nd")], factory: registry).increment()
        #expect(registry.text().contains(#"x_total{kind="a\"b\\c\nd"} 1"#))
    }
}
