import ApusClient
import ApusTestSupport
import Foundation
import LoopbackWebTestSupport
import NIOHTTP1
import Testing
import Yams

/// Compares `docs/openapi.yaml` with the daemon's real answers.
@Suite("The API's description", .timeLimit(.minutes(10)))
struct ContractTests {
    @Test(
        "every documented operation answers with a documented status and a body of the documented shape",
        arguments: StoreUnderTest.allCases)
    func everyOperation(_ store: StoreUnderTest) async throws {
        let document = try OpenAPIDocument(path: "docs/openapi.yaml")
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            var caller = Caller(document: document, home: apus.home)
            try await caller.call("GET", "/v1/health")
            try await caller.call("GET", "/v1/nodes")
            let submission =
                #"{"name":"nightly","trigger":{"every":"PT1H","count":3},"action":{"command":{"argv":["echo","x"],"shell":false,"env":{"A":"b"}}},"#
                + #""policies":{"missed":"run-all:5","expiry":"PT1H","overlap":"queue","retention":"PT48H","retry":2,"timeout":"PT5M","tolerance":"1s","when":["network","power","idle"]},"labels":{"k":"v"},"fairnessKey":"acme"}"#
            try await caller.call("POST", "/v1/jobs", body: submission, expecting: 201)
            try await caller.call(
                "POST", "/v1/jobs", body: #"{"trigger":{"after":"PT0.01S"},"action":{"notify":"hello"}}"#,
                expecting: 201)
            try await caller.call(
                "POST", "/v1/jobs", body: #"{"trigger":{},"action":{"notify":"hello"}}"#, expecting: 400)
            try await caller.call(
                "POST", "/v1/jobs", body: #"{"trigger":{"after":"1h"},"action":5}"#, expecting: 400,
                saying: "action: must be a JSON object, not 5")
            try await caller.call("POST", "/v1/jobs", body: "not JSON", expecting: 400, saying: "it is not JSON")
            try await caller.call(
                "POST", "/v1/jobs", body: #"{"trigger":{"after":"1h"},"action":{"notify":"x"},"policies":{"retyr":1}}"#,
                expecting: 400, saying: "unknown field policies.retyr; the known fields are tolerance, missed")
            try await caller.calendar()
            try await caller.call("GET", "/v1/jobs?limit=0", expecting: 400)
            try await caller.call("GET", "/v1/jobs?stat=scheduled", expecting: 400, saying: "unknown parameter stat")
            try await caller.call("GET", "/v1/jobs?kind=odd", expecting: 400)
            try await caller.call("GET", "/v1/jobs?label=a%3D1&label=a%3D2", expecting: 400)
            try await caller.call("GET", "/v1/events?terminal=yes", expecting: 400)
            try await caller.call("GET", "/v1/jobs?state=odd", expecting: 400)
            try await caller.call("POST", "/v1/jobs/nightly/run", path: "/v1/jobs/{id}/run", expecting: 202)
            try await until("both runs") { try await apus.allRuns().count { $0.outcome == "succeeded" } == 2 }
            try await caller.call("GET", "/v1/jobs/nightly", path: "/v1/jobs/{id}")
            try await caller.call("GET", "/v1/jobs?label=k=v&kind=action&match=nightly")
            try await caller.call("GET", "/v1/jobs?state=scheduled&state=finished&limit=1")
            try await caller.call("POST", "/v1/jobs/nightly/suspend", path: "/v1/jobs/{id}/suspend")
            try await caller.call("GET", "/v1/jobs/nightly", path: "/v1/jobs/{id}")
            try await caller.call("POST", "/v1/jobs/nightly/resume", path: "/v1/jobs/{id}/resume")
            try await caller.call("GET", "/v1/jobs/nightly/logs", path: "/v1/jobs/{id}/logs")
            try await caller.runs()
            try await caller.queues()
            try await caller.statistics()
            try await caller.leftOut()
            try await caller.call("GET", "/v1/runs?job=nightly&limit=10")
            try await caller.call("GET", "/v1/runs?limit=nine", expecting: 400)
            try await caller.call("GET", "/v1/runs?outcome=succeeded&outcome=running&since=2026-01-01T00:00:00Z")
            try await caller.call("GET", "/v1/runs?outcome=odd", expecting: 400, saying: "succeeded")
            try await caller.call("GET", "/v1/runs?since=lately", expecting: 400, saying: "since")
            try await caller.call("GET", "/v1/jobs?failed=true&state=finished&newest=true")
            try await caller.call("GET", "/v1/jobs?failed=odd", expecting: 400)
            try await caller.call("GET", "/v1/jobs/missing", path: "/v1/jobs/{id}", expecting: 404)
            try await caller.changes()
            try await caller.imports()
            try await caller.call("DELETE", "/v1/jobs/nightly", path: "/v1/jobs/{id}")
            try await caller.call(
                "PATCH", "/v1/jobs/nightly", path: "/v1/jobs/{id}", body: #"{"name":"x"}"#, expecting: 400)
            for verb in ["suspend", "resume", "run"] {
                try await caller.call("POST", "/v1/jobs/nightly/\(verb)", path: "/v1/jobs/{id}/\(verb)", expecting: 400)
                try await caller.call(
                    "POST", "/v1/jobs/missing/\(verb)", path: "/v1/jobs/{id}/\(verb)", expecting: 404)
                try await caller.call("PUT", "/v1/jobs/nightly/\(verb)", path: "/v1/jobs/{id}/\(verb)", expecting: 405)
            }
            for _ in 1...2 {
                try await caller.call(
                    "POST", "/v1/jobs", body: #"{"name":"twice","trigger":{"after":"1h"},"action":{"notify":"x"}}"#,
                    expecting: 201)
            }
            for verb in ["suspend", "resume", "run"] {
                try await caller.call(
                    "POST", "/v1/jobs/twice/\(verb)", path: "/v1/jobs/{id}/\(verb)", expecting: 409)
            }
            try await caller.call("GET", "/v1/jobs/twice/logs", path: "/v1/jobs/{id}/logs", expecting: 409)
            try await caller.call("GET", "/v1/runs?job=twice", expecting: 409)
            try await caller.call("DELETE", "/v1/jobs", expecting: 400)
            try await caller.call("DELETE", "/v1/jobs?all=true&label=k=v", expecting: 400)
            try await caller.call("DELETE", "/v1/jobs?label=k=v")
            try await caller.call("DELETE", "/v1/jobs?all=true")
            try await caller.events()
            try await caller.call("DELETE", "/v1/ended?all=true")
            try await caller.call("POST", "/v1/stop", expecting: 202)
            #expect(caller.called == document.operations, "documented but not tried, or tried but not documented")
        }
    }

    @Test("the checker rejects a missing field, a wrong type, an unknown field and an undocumented value")
    func checkerRejects() throws {
        let document = try OpenAPIDocument(path: "docs/openapi.yaml")
        let health =
            #"{"status":"ok","problem":null,"problemSince":null,"stuck":0,"version":"1","pid":1,"home":"/","store":"/apus.db","node":"n","started":"2026-01-01T00:00:00.000Z","running":0}"#
        #expect(try document.problems(in: health, schema: "Health").isEmpty)
        for broken in [
            health.replacingOccurrences(of: #""pid":1,"#, with: ""),
            health.replacingOccurrences(of: #""pid":1"#, with: #""pid":"1""#),
            health.replacingOccurrences(of: "{", with: #"{"odd":1,"#),
            health.replacingOccurrences(of: #""ok""#, with: #""bad""#),
            health.replacingOccurrences(of: ".000Z", with: "Z"),
        ] {
            #expect(try !document.problems(in: broken, schema: "Health").isEmpty, "\(broken)")
        }
    }
}

extension Caller {
    fileprivate mutating func changes() async throws {
        for body in [
            #"{"policies":{"timeout":"10m","retry":3,"tolerance":null,"when":["power"]},"labels":{"k":null,"new":"1"}}"#,
            #"{"trigger":{"every":"PT2H"},"queue":"mail","priority":"high","fairnessKey":"other","unique":{}}"#,
            #"{"action":{"command":{"argv":["true"]}},"queue":null,"priority":null,"fairnessKey":null,"unique":null}"#,
        ] { try await call("PATCH", "/v1/jobs/nightly", path: "/v1/jobs/{id}", body: body) }
        for (body, word) in [
            ("{}", "nothing to change"), (#"{"kind":"countdown"}"#, "kind"), (#"{"trigger":{}}"#, "trigger"),
            (#"{"policies":{"retyr":1}}"#, "policies.retyr"), (#"{"policies":{"retry":-1}}"#, "retry"),
            (#"{"labels":{"a=b":"c"}}"#, "labels"), (#"{"name":""}"#, "name"), (#"{"action":{}}"#, "action"),
            (#"{"priority":"odd"}"#, "priority"), (#"{"queue":"two words"}"#, "queue"),
            (#"{"trigger":null}"#, "trigger"), (#"{"fairnessKey":""}"#, "fairnessKey"),
        ] {
            try await call(
                "PATCH", "/v1/jobs/nightly", path: "/v1/jobs/{id}", body: body, expecting: 400, saying: word)
        }
        try await call("PATCH", "/v1/jobs/missing", path: "/v1/jobs/{id}", body: #"{"name":"x"}"#, expecting: 404)
        try await call("GET", "/v1/jobs/nightly/logs?running=true", path: "/v1/jobs/{id}/logs")
        try await call("GET", "/v1/jobs/nightly/logs?running=odd", path: "/v1/jobs/{id}/logs", expecting: 400)
    }

    fileprivate mutating func imports() async throws {
        let submission = #"{"trigger":{"every":"PT1H","count":4},"action":{"notify":"x"},"name":"imported"}"#
        let record =
            #"{"id":"qqqqqq","created":"2026-01-01T00:00:00.000Z","nextDue":"2026-01-01T04:00:00.000Z","occurrences":1,"missed":0,"occurrencesLeft":3}"#
        let jobs = #"[{"submission":\#(submission),"suspended":false,"record":\#(record)}]"#
        for _ in 1...2 { try await call("POST", "/v1/import", body: #"{"jobs":\#(jobs)}"#) }
        try await call("GET", "/v1/jobs/qqqqqq", path: "/v1/jobs/{id}")
        let line = #"{"submission":\#(submission),"suspended":false}"#
        for body in [
            #"{"jobs":[\#(line)],"crontab":"/etc/x","dryRun":true}"#, #"{"jobs":[\#(line)],"crontab":"/etc/x"}"#,
            #"{"jobs":[],"crontab":"/etc/x"}"#, #"{"jobs":[],"crontab":"/etc/x","prune":true}"#,
        ] { try await call("POST", "/v1/import", body: body) }
        for (body, word) in [
            (#"{"jobs":[],"prune":true}"#, "crontab"), (#"{"jobs":[{}]}"#, "jobs"),
            (
                #"{"jobs":[{"submission":{"trigger":{"after":"soon"},"action":{"notify":"x"}},"suspended":false}]}"#,
                "jobs[0]"
            ),
        ] { try await call("POST", "/v1/import", body: body, expecting: 400, saying: word) }
    }

    fileprivate mutating func statistics() async throws {
        try await call("GET", "/v1/stats")
        try await call("GET", "/v1/stats?job=nightly&since=2026-01-01T00:00:00Z&zone=Asia/Tokyo")
        try await call("GET", "/v1/stats?limit=1")
        try await call("GET", "/v1/stats?limit=0", expecting: 400, saying: "limit")
        try await call("GET", "/v1/stats?zone=Atlantis", expecting: 400, saying: "zone")
        try await call("GET", "/v1/stats?job=missing", expecting: 404)
        try await call("GET", "/metrics")
        try await call("GET", "/metrics?all=1", expecting: 400)
    }

    /// Calls the operations that list unreadable jobs and refused submissions, neither of which is in a list of jobs.
    fileprivate mutating func leftOut() async throws {
        for (path, after) in [("/v1/unreadable", "12"), ("/v1/refusals", "s12")] {
            try await call("GET", path)
            try await call("GET", "\(path)?limit=2&after=\(after)")
            try await call("GET", "\(path)?limit=0", expecting: 400, saying: "limit")
            for wrong in ["x", "-1", ""] {
                try await call("GET", "\(path)?after=\(wrong)", expecting: 400, saying: "after")
            }
            try await call("GET", "\(path)?job=nightly", expecting: 400, saying: "job")
        }
    }

    fileprivate mutating func calendar() async throws {
        try await call(
            "POST", "/v1/jobs",
            body:
                #"{"trigger":{"calendar":{"schedule":"every weekday at 9:00","zone":"Europe/Berlin","count":3,"except":["2500-12-24"]}},"action":{"notify":"x"},"name":"nine"}"#,
            expecting: 201)
        try await call("GET", "/v1/jobs/nine", path: "/v1/jobs/{id}")
        try await call(
            "POST", "/v1/jobs", body: #"{"trigger":{"calendar":{"schedule":"every foo"}},"action":{"notify":"x"}}"#,
            expecting: 400, saying: "trigger.calendar.schedule")
        try await call(
            "POST", "/v1/preview",
            body:
                #"{"calendar":{"schedule":"30 2 * * 0","zone":"Europe/Berlin"},"after":"2027-03-20T00:00:00Z","number":3}"#
        )
        try await call(
            "POST", "/v1/preview", body: #"{"calendar":{"schedule":"@daily"},"number":0}"#, expecting: 400,
            saying: "number: 0 is not a whole number from 1 to 1000")
        try await call("GET", "/v1/upcoming?until=2200-12-31T00:00:00Z&limit=2")
        try await call("GET", "/v1/upcoming", expecting: 400, saying: "until")
        try await call("GET", "/v1/next?limit=2")
        try await call("GET", "/v1/next?limit=0", expecting: 400, saying: "limit")
        try await call("GET", "/v1/obstructed")
        for after in ["x", "-1", ""] {
            try await call("GET", "/v1/obstructed?after=\(after)", expecting: 400, saying: "after")
        }
        try await call("GET", "/v1/obstructed?after=z")
        try await call("GET", "/v1/obstructed?after=z1", expecting: 400, saying: "after")
        try await call("GET", "/v1/export")
        try await call("GET", "/v1/export?label=a=b")
        try await call("GET", "/v1/export?label=a", expecting: 400, saying: "label")
        try await call("GET", "/v1/job-count?state=scheduled&label=a=b")
        try await call("GET", "/v1/job-count?limit=2", expecting: 400, saying: "limit")
        try await call("GET", "/v1/jobs?lastRun=false")
        try await call("DELETE", "/v1/jobs?label=a=b&limit=2")
        try await call("DELETE", "/v1/jobs?label=a=b&limit=0", expecting: 400, saying: "limit")
        try await call("POST", "/v1/jobs/nine/delete", path: "/v1/jobs/{id}/delete", expecting: 400, saying: "cancel")
        try await call("DELETE", "/v1/jobs/nine", path: "/v1/jobs/{id}")
        try await call("POST", "/v1/jobs/nine/delete", path: "/v1/jobs/{id}/delete")
        try await call("POST", "/v1/jobs/nine/delete", path: "/v1/jobs/{id}/delete", expecting: 404)
        for query in ["", "?all=true&failed=true", "?all=odd", "?state=scheduled", "?label=a", "?limit=0&all=true"] {
            try await call("DELETE", "/v1/ended\(query)", expecting: 400)
        }
        try await call("DELETE", "/v1/ended?all=true&after=x", expecting: 400, saying: "after")
        for (method, path) in [("DELETE", "/v1/jobs"), ("POST", "/v1/failed/retry"), ("DELETE", "/v1/ended")] {
            try await call(method, "\(path)?match=", path: path, expecting: 400, saying: "match")
        }
        for query in ["", "?all=true&kind=action", "?state=cancelled", "?queue=a%20b", "?all=true&limit=1001"] {
            try await call("POST", "/v1/failed/retry\(query)", expecting: 400)
        }
        try await call("POST", "/v1/failed/retry?label=a=b&queue=mail&kind=action&state=finished&limit=2")
        try await call("POST", "/v1/failed/retry?all=true")
        try await call("DELETE", "/v1/ended?label=a=b&queue=mail&kind=action&failed=true&state=finished&limit=2")
    }
}

/// Calls the daemon and checks each answer.
private struct Caller {
    let document: OpenAPIDocument
    let home: Home
    var called: Set<String> = []

    mutating func call(
        _ method: String, _ uri: String, path: String? = nil, body: String? = nil, expecting status: Int = 200,
        saying message: String? = nil
    ) async throws {
        let path = path ?? String(uri.prefix { $0 != "?" })
        if status != 405 { called.insert("\(method) \(path)") }
        let request = TestRequest(
            uri, to: .socket(home.socketPath), method: HTTPMethod(rawValue: method), body: body)
        let (answered, headers, answer) = try await request.answer()
        #expect(answered == status, "\(method) \(uri): \(answer)")
        if let message { #expect(answer.contains(message), "\(method) \(uri): \(answer)") }
        if status == 405 { return #expect(headers.first(name: "allow") == "POST") }
        let problems = try document.problems(
            inAnswer: answer, to: "\(method) \(path)", status: answered)
        #expect(problems.isEmpty, "\(method) \(uri): \(problems) in \(answer)")
    }

    /// Calls the operations on single runs of the job `nightly`, which has run manually.
    mutating func runs() async throws {
        let (retry, cancel) = ("/v1/jobs/{id}/retry", "/v1/jobs/{id}/runs/{occurrence}/cancel")
        try await call("GET", "/v1/jobs/nightly/why", path: "/v1/jobs/{id}/why")
        try await call("GET", "/v1/jobs/nightly/why?occurrence=0", path: "/v1/jobs/{id}/why")
        try await call("GET", "/v1/jobs/nightly/why?occurrence=77", path: "/v1/jobs/{id}/why", expecting: 404)
        try await call("GET", "/v1/jobs/nightly/why?occurence=1", path: "/v1/jobs/{id}/why", expecting: 400)
        try await call("POST", "/v1/jobs/nightly/retry", path: retry, expecting: 404, saying: "no attempt")
        try await call("POST", "/v1/jobs/nightly/retry?occurrence=0", path: retry, expecting: 400, saying: "succeeded")
        try await call(
            "POST", "/v1/jobs/nightly/runs/1/cancel", path: cancel, expecting: 404, saying: "neither waits nor runs")
        try await call(
            "POST", "/v1/jobs/nightly/runs/0/cancel", path: cancel, expecting: 409, saying: "neither waits nor runs")
        try await call("POST", "/v1/jobs/nightly/runs/one/cancel", path: cancel, expecting: 400, saying: "occurrence: ")
        let failing = #"{"name":"failing","trigger":{"after":"PT0.01S"},"action":{"command":{"argv":["false"]}}}"#
        try await call("POST", "/v1/jobs", body: failing, expecting: 201)
        let client = DaemonClient(home: home)
        try await until("its end") { try await client.job("failing").state == "finished" }
        try await call("POST", "/v1/jobs/failing/retry", path: retry, expecting: 202)
        try await until("its end") { try await client.job("failing").state == "finished" }
        let long = #"{"name":"long","trigger":{"after":"PT0.01S"},"action":{"command":{"argv":["sleep","600"]}}}"#
        try await call("POST", "/v1/jobs", body: long, expecting: 201)
        try await until("it runs") {
            try await client.job("long").lastRun?.outcome == "running"
        }
        try await call("POST", "/v1/jobs/long/runs/1/cancel", path: cancel)
    }

    /// Calls the operations on queues, and submits a unique job to one.
    mutating func queues() async throws {
        let path = "/v1/queues/{name}"
        for (body, status) in [
            (#"{"concurrency":4,"rate":{"runs":100,"per":"PT1M"},"paused":true}"#, 200),
            (#"{"concurrency":null}"#, 200), (#"{"concurrencyPerKey":2}"#, 200), (#"{"concurrencyPerKey":0}"#, 400),
            (#"{"rate":null,"paused":false}"#, 200), (#"{}"#, 400), (#"{"paused":null}"#, 400), (#"{"limit":4}"#, 400),
            (#"{"concurrency":0}"#, 400), (#"{"rate":{"runs":1}}"#, 400),
        ] {
            try await call("PATCH", "/v1/queues/builds", path: path, body: body, expecting: status)
        }
        try await call("PATCH", "/v1/queues/no%20name", path: path, body: #"{"paused":true}"#, expecting: 400)
        try await call("GET", "/v1/queues")
        let same =
            #"{"name":"same","trigger":{"after":"1h"},"action":{"notify":"x"},"queue":"builds","priority":"urgent","#
            + #""unique":{"within":"PT1H"},"conflict":"update"}"#
        try await call("POST", "/v1/jobs", body: same, expecting: 201)
        try await call("POST", "/v1/jobs", body: same, expecting: 200)
        for part in [
            #""priority":"highest""#, #""queue":"no name""#, #""unique":{"within":"soon"}"#, #""conflict":"keep""#,
            #""fairnessKey":"a\u0007""#,
        ] {
            let body = #"{"trigger":{"after":"1h"},"action":{"notify":"x"},\#(part)}"#
            try await call("POST", "/v1/jobs", body: body, expecting: 400)
        }
    }

    /// Reads the events of a job and its run, from its submission to its deletion.
    mutating func events() async throws {
        called.insert("GET /v1/events")
        let client = DaemonClient(home: home)
        var seen: Set<String> = []
        var job: String?
        var isDeleted = false
        try await client.listen { event in
            guard let event else {
                job = try await client.submit(
                    WireSubmission(
                        trigger: WireTrigger(after: "PT0.01S"),
                        action: Action(command: .init(argv: ["echo event"], shell: true, cwd: "/"), notify: "seen"))
                ).id
                return true
            }
            if event.name == "deleted" {
                #expect(String(decoding: event.data, as: UTF8.self) == "{\"job\":\"\(job ?? "")\"}")
                return false
            }
            let schema = ["job": "Job", "run": "Run", "output": "Output", "notification": "Notification"][event.name]
            guard let schema else { return true }
            let problems = try document.problems(in: String(decoding: event.data, as: UTF8.self), schema: schema)
            #expect(problems.isEmpty, "\(event.name): \(problems)")
            seen.insert(event.name)
            if seen.count == 4, !isDeleted, let id = job {
                // The deletion is repeated until it succeeds. It is refused while the run has not ended, and the run
                // ends only after its notification.
                try await until("the job is deleted") {
                    try await client.delete(id)
                    return true
                }
                isDeleted = true
            }
            return true
        }
        #expect(seen == ["job", "run", "output", "notification"])
    }
}
