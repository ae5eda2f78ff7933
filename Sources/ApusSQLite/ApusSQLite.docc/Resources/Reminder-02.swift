import ApusJobs
import ApusSQLite

// The file is created if it is missing. One process owns it.
let scheduler = JobScheduler(store: SQLiteStore(path: "reminders.sqlite"))

// A handler is code, so each start of the program registers it again.
scheduler.register("tea") { run in
    print("Tea is ready, \(run.lateness) late, attempt \(run.attempt).")
}
try await scheduler.start()
