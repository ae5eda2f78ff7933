import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Testing

@Suite("An idle daemon", .timeLimit(.minutes(10)))
struct IdleTests {
    @Test("an idle daemon does not wake, with and without the HTTP listener")
    func wakeUps() async throws {
        try await ApusUnderTest.with { apus in
            let process = try await apus.startDaemon()
            try await Self.schedule(apus)
            try await ApusUnderTest.with { other in
                _ = try await DashboardUnderTest.with(other, port: FreePort.any()) { dashboard in
                    try await Self.schedule(other)
                    let served = try await other.client.health().pid
                    async let quiet = Self.wakes(process)
                    let (with, without) = try await (Self.wakes(served), quiet)
                    #expect(with.isEmpty, "with --http: \(with)")
                    #expect(without.isEmpty, "without --http: \(without)")
                }
            }
        }
    }

    /// Schedules a job in the far future and runs a command.
    ///
    /// The far job is a row without a timer, and the ended command leaves nothing that wakes.
    private static func schedule(_ apus: ApusUnderTest) async throws {
        _ = try await apus.json("every", "1h", "--json", "--notify", "it is late", as: WireJob.self)
        let job = try await apus.json("after", "10ms", "--json", "--", "echo", "done", as: WireJob.self)
        try await until("the command's end") { try await apus.client.job(job.id).state == "finished" }
    }

    /// Counts how often each thread of a process runs in 60 s.
    ///
    /// No request may reach the daemon meanwhile, so this reads procfs only.
    ///
    /// - Returns: The counts of the threads that ran in the last of three spans of 60 s; empty if the process slept
    ///   through one of the spans. The first spans may contain wake-ups that do not recur: Dispatch's threads
    ///   end some seconds after their last work, and the tests' own connections end after a minute.
    private static func wakes(_ process: Int32) async throws -> [String: Int] {
        var woken: [String: Int] = [:]
        for _ in 1...3 {
            let before = try switches(process)
            // The test counts wake-ups in real time. A thread that wakes less often than once in 60 s does not poll.
            try await TimerEngine.shared.sleep(for: .seconds(60))
            woken = try switches(process).merging(before.mapValues { -$0 }, uniquingKeysWith: +).filter { $0.value > 0 }
            if woken.isEmpty { break }
        }
        return woken
    }

    /// Returns the number of context switches of each thread so far, by the thread's number and name.
    ///
    /// Each run of a thread counts as one.
    private static func switches(_ process: Int32) throws -> [String: Int] {
        let folder = "/proc/\(process)/task"
        var counts: [String: Int] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            // A thread can end between the two reads.
            guard let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8) else {
                continue
            }
            let name = status.prefix { $0 != "\n" }.split(separator: "\t").last ?? ""
            counts["\(thread) \(name)"] = status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
                .compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }.reduce(0, +)
        }
        return counts
    }
}
