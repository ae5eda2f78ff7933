import ApusClient
import ApusJobs
import ApusSQLite
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Foundation

extension ApusUnderTest {
    /// Stores jobs in the home that are all due when the next daemon starts.
    ///
    /// They are stored in one commit and without a daemon. They are submitted at the beginning of virtual time, which
    /// is in the past.
    func keepOverdueJobs(_ count: Int, _ policies: JobPolicies = .init(), _ action: (Int) -> Action) async throws {
        try home.prepare()
        let time = VirtualTime()
        let scheduler = JobScheduler(store: SQLiteStore(path: home.databasePath), engine: time.engine)
        try await scheduler.start()
        let requests = try (1...count).map { number in
            JobRequest(
                id: JobID("job\(number)"), kind: "action", trigger: .at(time.wall().advanced(by: .seconds(1))),
                policies: policies, payload: Array(try JSONEncoder().encode(action(number))))
        }
        _ = try await scheduler.submit(requests)
        await scheduler.stop(grace: nil)
    }

    /// Waits until no job is scheduled.
    func untilAllHaveEnded() async throws {
        try await until("every job's end") { try await client.jobs(states: ["scheduled"], limit: 1).jobs.isEmpty }
    }
}

/// Returns the running processes that a job's commands started, in any session.
func processes(ofJob job: String) -> [Int32] {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return folders.compactMap(Int32.init).filter { process in
        let variables = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
        return variables.split(separator: 0).contains { $0.elementsEqual("APUS_JOB=\(job)".utf8) }
    }
}

/// Returns the ended children of a process that were not reaped.
func zombies(of parent: Int32) -> [Int32] {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return folders.compactMap(Int32.init).filter { process in
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 && fields[0] == "Z" && fields[1] == "\(parent)"
    }
}
