import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("Several daemons of one database", .timeLimit(.minutes(10)))
struct ClusterTests {
    @Test("each daemon lists all of them with names, shares and states, as a table and as JSON")
    func nodes() async throws {
        try await TwoDaemons.with { first, second in
            // A heartbeat may be late on a busy machine.
            try await until("both alive") {
                try await first("nodes").out.split(separator: "\n").count { $0.hasSuffix(" alive") } == 2
            }
            let nodes: WireNodes = try await second.json("nodes", "--json")
            #expect(nodes.shared && nodes.nodes.map(\.name) == ["first", "second"])
            #expect(nodes.nodes.map(\.shards) == [128, 128])
            #expect(nodes.nodes.allSatisfy { $0.kinds == ["action", "countdown"] && $0.queues == nil })
            let table = try await first("nodes")
            let lines = table.out.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.first == ["NODE", "NAME", "SHARDS", "BEAT", "LAG", "VERSION", "STATE"], "\(table)")
            #expect(lines.dropFirst().map { $0[1] } == ["first", "second"], "\(table)")
            #expect(
                lines.dropFirst().allSatisfy { $0[2] == "128" && ["alive", "silent"].contains($0.last) }, "\(table)"
            )
            #expect(try await second("status").out.contains("as the node second"))
            let problems = try OpenAPIDocument(path: "docs/openapi.yaml").problems(
                in: try await first("nodes", "--json").out, schema: "Nodes")
            #expect(problems == [])
        }
    }

    @Test("a job submitted to one daemon is visible on the other, and each occurrence runs once")
    func oneList() async throws {
        try await TwoDaemons.with { first, second in
            let marks = first.home.path + "/marks"
            for (number, apus) in [first, second, first, second].enumerated() {
                let name = "job\(number)"
                let answer = try await apus(
                    "after", "10ms", "--name", name, "--shell", "--", "echo \(name) >> \(marks)")
                #expect(answer.code == 0, "\(answer)")
            }
            for apus in [first, second] {
                try await until("all ends") { try await apus.allRuns().count { $0.final } == 4 }
                let page: WireJobPage = try await apus.json("list", "--all", "--json")
                #expect(page.jobs.compactMap(\.name) == ["job0", "job1", "job2", "job3"])
                #expect(try await apus("logs", "job1").code == 0)
            }
            let ran = try String(contentsOfFile: marks, encoding: .utf8).split(separator: "\n")
            #expect(ran.sorted() == ["job0", "job1", "job2", "job3"])
        }
    }

    @Test("each daemon counts a queue's running and waiting jobs on both")
    func queues() async throws {
        try await TwoDaemons.with { first, second in
            // The limit is set through both nodes, because a node that was not notified learns of it only at its next
            // heartbeat, and may have started a run by then.
            for apus in [first, second] {
                #expect(try await apus("queue", "limit", "builds", "2").code == 0)
            }
            let end = first.home.path + "/end"
            let loop = "while ! [ -e \(end) ]; do sleep 0.05; done"
            for number in 0..<6 {
                let apus = number.isMultiple(of: 2) ? first : second
                #expect(try await apus("after", "1ms", "--queue", "builds", "--shell", "--", loop).code == 0)
            }
            for apus in [first, second] {
                try await until("two that run and four that wait") {
                    let queue = try await apus.client.queues().queues.first { $0.name == "builds" }
                    return queue?.running == 2 && queue?.waiting == 4 && queue?.concurrency == 2
                }
            }
            // Both nodes are asked for a change at the same time, and neither may revert the change of the other.
            async let limit = first("queue", "limit", "builds", "3")
            async let pause = second("queue", "pause", "builds")
            #expect(try await (limit.code, pause.code) == (0, 0))
            for apus in [first, second] {
                let queue = try await apus.client.queues().queues.first { $0.name == "builds" }
                #expect(queue?.concurrency == 3 && queue?.paused == true, "\(queue as Any)")
            }
            #expect(FileManager.default.createFile(atPath: end, contents: nil))
            #expect(try await second("queue", "resume", "builds").code == 0)
            try await until("all ends") { try await first.allRuns().count { $0.final } == 6 }
        }
    }

    @Test("a command on a job works through either daemon, whichever owns the job")
    func commands() async throws {
        try await TwoDaemons.with { first, second in
            for (owner, other) in [(first, second), (second, first)] {
                let job: WireJob = try await owner.json("every", "1h", "--name", "hourly", "--json", "--", "true")
                #expect(try await other("suspend", "hourly").code == 0)
                #expect(try await owner.client.job(job.id).state == "suspended")
                #expect(try await other("resume", "hourly").code == 0)
                #expect(try await other("run", "hourly").code == 0)
                try await until("its run") {
                    try await other.client.job(job.id).lastRun?.outcome == "succeeded"
                }
                #expect(try await other("show", "hourly").out.contains("succeeded"))
                #expect(try await other("cancel", "hourly").out == "\(job.id) cancelled\n")
                #expect(try await owner.client.job(job.id).state == "cancelled")
                #expect(try await other("retry", job.id).code == 1, "nothing of it has failed")
            }
        }
    }

    @Test("the other daemon takes a killed daemon's shards and repeats its interrupted run")
    func killed() async throws {
        try await TwoDaemons.with(patience: "6s") { first, second in
            let marks = first.home.path + "/marks"
            let job = try await second.client.submit(
                WireSubmission(
                    trigger: WireTrigger(after: "PT0.01S"),
                    action: Action(
                        command: .init(
                            argv: ["echo $APUS_ATTEMPT >> \(marks); [ $APUS_ATTEMPT = 2 ] || sleep 600"],
                            shell: true, cwd: "/")),
                    policies: WirePolicies(retry: 1)))
            try await until("its first attempt") { FileManager.default.fileExists(atPath: marks) }
            kill(try await second.client.health().pid, SIGKILL)
            try await until("its end") { try await first.client.job(job.id).state == "finished" }
            #expect(try await first.client.runs(job: job.id).runs.map(\.outcome) == ["succeeded", "lost"])
            let nodes = try await first.client.nodes().nodes
            #expect(nodes.map(\.name) == ["first"] && nodes.map(\.shards) == [256])
            for process in processes(ofJob: job.id) { kill(process, SIGKILL) }
        }
    }

    @Test("a node that is asked to stop hands its shards to the other, which keeps running")
    func stopped() async throws {
        try await TwoDaemons.with { first, second in
            let answer = try await first("every", "1h", "--name", "hourly", "--", "true")
            #expect(answer.code == 0)
            #expect(try await first("stop").code == 0)
            try await until("all shards") { try await second.client.nodes().nodes.map(\.shards) == [256] }
            #expect(try await second("run", "hourly").code == 0)
            try await until("its run") {
                try await second.client.job("hourly").lastRun?.outcome == "succeeded"
            }
            #expect(try await second("cancel", "hourly").code == 0)
        }
    }
}
