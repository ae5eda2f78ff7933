import Apus
import ApusSQLite

let scheduler = JobScheduler(store: SQLiteStore(path: "tea.sqlite"))
scheduler.register("tea") { run in
    print("Tea is ready, attempt \(run.attempt).")
}
try await scheduler.start()
