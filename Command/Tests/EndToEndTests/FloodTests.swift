import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import LoopbackWebTestSupport
import Testing

@Suite("Jobs that flood their output", .timeLimit(.minutes(10)))
struct FloodTests {
    /// A command that prints 8 MiB of lines as fast as the daemon reads.
    private static let flood = "yes 0123456789012345678901234567890123456789012345678901234567890 | head -c 8388608"

    @Test(
        "during a flood of output no follower waits for ever, lost ends are marked, and unread output is not kept in memory"
    )
    func flood() async throws {
        try await ApusUnderTest.with { apus in
            let process = try await apus.startDaemon()
            let before = try peakMemory(of: process)
            // These clients are connected and never read.
            var unread: [TestAnswer] = []
            for _ in 0..<5 {
                unread.append(try await TestRequest("/v1/events", to: .socket(apus.home.socketPath)).open())
            }
            let ended = Locked((runs: Set<String>(), lost: 0, isListening: false))
            let listening = Task {
                try await apus.client.listen { event in
                    switch event?.name {
                    case nil: ended.withLock { $0.isListening = true }
                    case "run":
                        let run = try event!.decoded(as: WireRun.self)
                        if run.finished != nil { ended.withLock { _ = $0.runs.insert("\(run.job) \(run.occurrence)") } }
                    case "lost":
                        let lost = try event!.decoded(as: WireLost.self)
                        ended.withLock { $0.lost += lost.events }
                    default: break
                    }
                    return true
                }
            }
            defer { listening.cancel() }
            try await until("the listener") { ended.withLock { $0.isListening } }
            let chatty: WireJob = try await apus.json(
                "every", "200ms", "--count", "4", "--overlap", "queue", "--missed", "run-all", "--shell", "--json",
                "--", Self.flood)
            async let following = apus("logs", chatty.id, "--follow")
            async let counting = apus("countdown", "1500ms", "--name", "egg")
            for number in 0..<40 {
                _ = try await apus.client.submit(
                    WireSubmission(
                        trigger: WireTrigger(after: "PT\(0.2 + Double(number % 10) / 10)S"),
                        action: Action(
                            command: .init(argv: [number % 4 == 0 ? Self.flood : "true"], shell: true, cwd: "/"))))
            }
            #expect(try await following.code == 0)
            #expect(try await counting.code == 0)
            try await until("the end of all jobs") {
                try await apus.client.jobs(states: ["scheduled"], limit: 1).jobs.isEmpty
            }
            let all = Set(try await apus.allRuns().filter { $0.finished != nil }.map { "\($0.job) \($0.occurrence)" })
            try await until("the last events") {
                ended.withLock { all.subtracting($0.runs).count <= $0.lost }
            }
            #expect(all.count == 45)
            let peak = try peakMemory(of: process)
            // The six readers were sent 112 MiB of output. The readers' buffers share 16 MiB, another 16 MiB may wait
            // to be passed on to the readers, and each reader may keep 1 MiB of other events.
            #expect(peak < before + (100 << 20), "\(before) → \(peak)")
            withExtendedLifetime(unread) {}
        }
    }
}

/// Returns the peak resident memory of a process in bytes (`VmHWM` of proc(5)).
func peakMemory(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }.first)
        * 1_024
}
