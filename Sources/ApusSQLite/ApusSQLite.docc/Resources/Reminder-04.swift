import ApusJobs
import ApusSQLite

// How long the tea takes, in seconds.
let delay = CommandLine.arguments.dropFirst().compactMap { Int($0) }.first ?? 20

// The file is created if it is missing. One process owns it.
let scheduler = JobScheduler(store: SQLiteStore(path: "reminders.sqlite"))

// A handler is code, so each start of the program registers it again.
scheduler.register("tea") { run in
    print("Tea is ready, \(run.lateness) late, attempt \(run.attempt).")
}
try await scheduler.start()

// At the second start the job exists: with `keep`, it keeps its due instant.
let job = try await scheduler.submit(
    JobRequest(id: JobID("tea"), trigger: .after(.seconds(delay)), conflict: .keep))
print("The job \(job.id) is in the file.")

// Waits until the job has run, and ends the program.
_ = try await scheduler.outcome(of: job.id)
await scheduler.stop(grace: .seconds(10))
