import ApusClient
import ApusJobs
import ApusTestSupport
import Foundation
import NIOHTTP1
import Testing

@Suite("Statistics and metrics", .timeLimit(.minutes(10)))
struct StatsTests {
    private func submit(_ apus: ApusUnderTest) async throws {
        _ = try await apus("after", "10ms", "--name", "well", "--", "true")
        _ = try await apus("after", "10ms", "--name", "ill", "--", "false")
        try await until("both ends") { try await apus.allRuns().count { $0.finished != nil } == 2 }
    }

    @Test("runs are counted and measured by job and by day, in a table and as JSON", arguments: StoreUnderTest.allCases)
    func stats(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let nothing = try await apus("stats")
            #expect(nothing.code == 0 && nothing.err.hasSuffix("nothing has run yet\n"), "\(nothing)")
            try await submit(apus)
            let all: WireStatistics = try await apus.json("stats", "--json")
            #expect(all.zone == "Europe/Berlin" && all.total.succeeded == 1 && all.total.failed == 1)
            #expect(all.total.successRate == 0.5 && all.total.latenessMs?.count == 2)
            #expect(Set(all.jobs.map(\.name)) == ["well", "ill"])
            #expect(all.days.map(\.runs.attempts).reduce(0, +) == 2)
            let one: WireStatistics = try await apus.json("stats", "ill", "--since", "1h", "--json")
            #expect(one.jobs.map(\.name) == ["ill"] && one.total.successRate == 0)
            let table = try await apus("stats").out.split(separator: "\n")
            #expect(table.map { $0.prefix { $0 != " " } } == ["JOB", "ill", "well", "all"], "\(table)")
            let days = try await apus("stats", "--by", "day").out
            #expect(days.hasPrefix("DAY") && days.contains(all.days[0].day), "\(days)")
            for (words, expected) in [
                (["stats", "--since", "tomorrow"], "--since"), (["stats", "--by", "month"], "day"),
            ] {
                let answer = try await apus.call(words)
                #expect(answer.code == 64 && answer.err.contains(expected), "\(answer)")
            }
            #expect(try await apus("stats", "missing").code == 1)
        }
    }

    @Test("metrics are read in Prometheus' format, each line a comment or a value")
    func metrics() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            try await submit(apus)
            let text = try await apus.client.metrics()
            for line in [
                "# TYPE apus_runs_total counter",
                #"apus_runs_total{outcome="succeeded",kind="action",queue="default"} 1"#,
                #"apus_runs_total{outcome="failed",kind="action",queue="default"} 1"#,
                "# TYPE apus_run_lateness_seconds histogram",
                #"apus_run_lateness_seconds_count{kind="action",queue="default"} 2"#,
                #"apus_run_duration_seconds_bucket{kind="action",queue="default",le="+Inf"} 2"#,
                "apus_build_info{version=\"\(ApusVersion.current)\"} 1",
            ] { #expect(text.split(separator: "\n").contains(Substring(line)), "\(line) is not in\n\(text)") }
            let lines = text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("# ") || $0.contains(" ") && $0.split(separator: " ").count == 2 })
        }
    }

    @Test("on the HTTP listener, metrics need the token")
    func token() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                #expect(try await dashboard.ask(.GET, "/metrics").status == 401)
                let answer = try await dashboard.ask(.GET, "/metrics", [dashboard.bearer])
                #expect(answer.status == 200 && answer.body.contains("apus_build_info"))
                #expect(answer.headers.first(name: "content-type") == "text/plain; version=0.0.4; charset=utf-8")
                #expect(try await dashboard.ask(.GET, "/metrics?x=1", [dashboard.bearer]).status == 400)
            }
        }
    }
}
