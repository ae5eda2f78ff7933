import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("Jobs that wait for conditions", .timeLimit(.minutes(10)))
struct ConditionsTests {
    /// The files from which the daemon reads the machine's state, which describe a notebook without a charger.
    private struct Notebook {
        let path: String

        init(_ path: String) throws {
            self.path = path
            try write("Battery", to: "BAT0/type")
            try write("Discharging", to: "BAT0/status")
            try write("Mains", to: "AC/type")
            try plug(false)
        }

        func plug(_ isIn: Bool) throws { try write(isIn ? "1" : "0", to: "AC/online") }

        private func write(_ text: String, to file: String) throws {
            let url = URL(filePath: "\(path)/sys/class/power_supply/\(file)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }

    @Test("a job is shown as waiting for power, waits again after a daemon's crash, and runs when power returns")
    func power() async throws {
        try await ApusUnderTest.with { apus in
            let notebook = try Notebook(apus.home.path + "-root")
            defer { try? FileManager.default.removeItem(atPath: notebook.path) }
            let root = ["APUS_SYSTEM_ROOT": notebook.path]
            let daemon = try await apus.startDaemon(root)
            let job: WireJob = try await apus.json(
                "after", "10ms", "--when", "power,network", "--name", "backup", "--json", "--", "echo", "saved")
            #expect(job.policies.when == ["network", "power"])
            try await until("the waiting") { try await apus.client.job(job.id).waitingFor == ["power"] }
            #expect(try await apus("list").out.contains("waits: no external power"))
            let shown = try await apus("show", "backup").out
            #expect(shown.contains("waits        no external power"), "\(shown)")
            #expect(shown.contains("when         network,power"), "\(shown)")
            let page: WireJobPage = try await apus.json("list", "--json")
            #expect(page.jobs.map(\.waitingFor) == [["power"]] && page.jobs.map(\.lastRun) == [nil])

            kill(daemon, SIGKILL)
            try await until("the daemon's end") { !isAlive(daemon) }
            try await apus.startDaemon(root)
            try await until("the waiting again") { try await apus.client.job(job.id).waitingFor == ["power"] }
            #expect(try await apus("run", "backup").code == 0)
            try await until("the run by hand") { try await apus.allRuns().last?.outcome == "succeeded" }
            #expect(try await apus.client.job(job.id).waitingFor == ["power"])

            try notebook.plug(true)
            // While a job waits, the daemon examines the power every 30 s. It also examines it at once when a job
            // becomes due, and the result applies to all jobs.
            _ = try await apus("after", "300ms", "--when", "power", "--", "true")
            try await until("the run") { try await apus.client.job(job.id).state == "finished" }
            #expect(try await apus.client.job(job.id).waitingFor == nil)
            let runs = try await apus.allRuns().filter { $0.job == job.id && $0.occurrence == 1 }
            #expect(runs.map(\.outcome) == ["succeeded"] && runs.map(\.attempt) == [1])
        }
    }

    @Test(
        "an unknown condition is refused with the known ones, and no daemon is started",
        arguments: ["wifi", "", "power,", "power,power", "network, power"])
    func refused(text: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus("after", "1h", "--when", text, "--", "true")
            #expect(answer.code != 0)
            #expect(answer.err.contains("when: ") && answer.err.contains("network, power, idle"), "\(answer.err)")
            #expect(try await apus("status").code != 0, "no daemon was started for it")
        }
    }
}
