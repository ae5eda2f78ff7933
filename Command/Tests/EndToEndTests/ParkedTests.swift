import ApusClient
import ApusJobs
import ApusSQLite
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Foundation
import Testing

@Suite("Jobs of an unknown kind", .timeLimit(.minutes(10)))
struct ParkedTests {
    @Test("a job kept by another program is shown as parked, and runs in a program that knows its kind")
    func parked() async throws {
        let document = try OpenAPIDocument(path: "docs/openapi.yaml")
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            // Virtual time begins in the past, so both jobs are due when the daemon starts.
            let time = VirtualTime()
            let app = JobScheduler(store: SQLiteStore(path: apus.home.databasePath), engine: time.engine)
            try await app.start()
            let due = Trigger.at(time.wall().advanced(by: .seconds(1)))
            try await app.submit([
                JobRequest(id: "report", kind: "app.report", trigger: due, payload: [7]),
                JobRequest(id: "known", kind: "action", trigger: due, payload: Array(#"{"notify":"seen"}"#.utf8)),
            ])
            #expect(!app.isParked("report"), "it is not due")
            await app.stop(grace: nil)

            try await apus.startDaemon()
            try await until("the known one") { try await apus.client.job("known").state == "finished" }
            try await until("the parked one") { try await apus.client.job("report").parked }
            let jobs = try await apus.client.jobs(states: [], limit: 10).jobs
            #expect(jobs.map(\.parked) == [true, false] && jobs.map(\.kind) == ["app.report", "action"])
            #expect(jobs.map(\.lastRun?.outcome) == [nil, "succeeded"])
            for text in [try await apus("list", "--json").out, try await apus("list", "--all", "--json").out] {
                let page = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
                for job in try #require(page["jobs"] as? [Any]) {
                    let json = try JSONSerialization.data(withJSONObject: job)
                    let problems = try document.problems(in: String(decoding: json, as: UTF8.self), schema: "Job")
                    #expect(problems.isEmpty, "\(problems)")
                }
            }
            let listed = try await apus("list").out
            #expect(listed.contains(" parked ") && listed.contains("kind app.report"), "\(listed)")
            let shown = try await apus("show", "report").out
            #expect(
                shown.contains(#"waits        parked: this daemon has no handler for the kind "app.report""#),
                "\(shown)"
            )
            #expect(try await apus("why", "report").out.contains(#"no handler for the kind "app.report""#))
            #expect(try await apus("suspend", "report").code == 0)
            #expect(try await apus.client.job("report").parked == false, "a suspended job waits for no handler")
            #expect(try await apus("resume", "report").code == 0)
            try await until("the parking again") { try await apus.client.job("report").parked }
            #expect(try await apus("stop").code == 0)

            let later = JobScheduler(store: SQLiteStore(path: apus.home.databasePath))
            later.register("app.report") { run in try run.setResult(run.job.request.payload) }
            try await later.start()
            let outcome = try await later.outcome(of: "report")
            #expect(outcome?.state == .succeeded && outcome?.attempt == 1 && outcome?.result == [7])
            await later.stop(grace: nil)
        }
    }
}
