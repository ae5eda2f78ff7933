import Apus
import ApusSQLite

let scheduler = JobScheduler(store: SQLiteStore(path: "tea.sqlite"))
scheduler.register("tea") { run in
    print("Tea is ready, attempt \(run.attempt).")
}
try await scheduler.start()
let job = try await scheduler.submit(
    JobRequest(id: JobID("tea"), trigger: .after(.seconds(20)), conflict: .keep))
print("The job \(job.id) is in the file.")
