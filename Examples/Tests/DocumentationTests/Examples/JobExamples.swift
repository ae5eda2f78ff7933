import Apus
import ApusSQLite

/// The documents' examples of durable jobs.
enum JobExamples {
    static func refresh() async throws {}

    static func durable(path: String) async throws {
        // Shown: durable
        let scheduler = JobScheduler(store: SQLiteStore(path: path))

        // Handlers are code, so every start of the program registers them again. The jobs are in the file.
        scheduler.register("com.example.refresh") { run in
            print("occurrence \(run.occurrence), attempt \(run.attempt), \(run.lateness) late, for \(run.standsFor)")
            try await refresh()
        }
        try await scheduler.start()

        let job = try await scheduler.submit(
            JobRequest(
                id: JobID("com.example.refresh"),
                trigger: .every(.seconds(3_600)),
                policies: JobPolicies(
                    missedRuns: .runOnce, overlap: .skip, retry: .exponential(attempts: 3),
                    timeLimit: .seconds(60)),
                conflict: .keep))  // an existing job keeps its phase
        print("\(job.id) is \(job.state)")
        // Shown: end
        await scheduler.stop(grace: .zero)
    }

    static func look(_ scheduler: JobScheduler) async throws {
        // Shown: look
        let page = try await scheduler.runs(RunQuery(jobID: JobID("com.example.refresh"), limit: 10))
        for run in page.runs where run.isFinal { print(run.occurrence, run.state, run.reason ?? "") }

        try await scheduler.suspend(JobID("com.example.refresh"))
        try await scheduler.resume(JobID("com.example.refresh"))
        try await scheduler.cancel(JobID("com.example.refresh"))
        await scheduler.stop(grace: .seconds(10))
        // Shown: end
    }
}
