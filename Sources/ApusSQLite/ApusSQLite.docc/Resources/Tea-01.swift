import Apus
import ApusSQLite

let scheduler = JobScheduler(store: SQLiteStore(path: "tea.sqlite"))
