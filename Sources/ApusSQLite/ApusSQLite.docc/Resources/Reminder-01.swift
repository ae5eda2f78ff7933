import ApusJobs
import ApusSQLite

// The file is created if it is missing. One process owns it.
let scheduler = JobScheduler(store: SQLiteStore(path: "reminders.sqlite"))
