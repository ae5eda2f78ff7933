import ApusJobs
import ApusSQLite
import ApusTesting
import Testing

@Suite("The SQLite store does what every store does")
struct ConformanceTests {
    @Test("every check of the conformance suite passes", arguments: StoreConformance.checks)
    func conforms(_ check: StoreCheck) async throws {
        let directory = try Directory()
        let files = Counter()
        try await check.run(
            makeStore: { SQLiteStore(path: directory.file("\(files.next()).db")) },
            reopen: { SQLiteStore(path: ($0 as! SQLiteStore).path) })
    }

    @Test("relaxed durability is also a store")
    func relaxed() async throws {
        let directory = try Directory()
        for check in StoreConformance.checks.prefix(5) {
            let files = Counter()
            try await check.run(
                makeStore: {
                    SQLiteStore(path: directory.file("\(files.next()).db"), configuration: .init(durability: .relaxed))
                },
                reopen: { $0 })
            _ = files
            try removeAll(in: directory)
        }
    }
}
