import ApusJobs
import ApusSQLite
import ApusTimers
import Foundation
import GRDB
import Testing

@Suite("Files of every version that was shipped")
struct MigrationTests {
    @Test(
        "a file of an earlier schema is migrated with all that is in it",
        arguments: [
            ("v1", [[], [], []], nil),
            ("v2", [[.network, .externalPower], .idle, []], nil),
            ("v3", [[.network, .externalPower], .idle, []], "a key"),
        ] as [(String, [JobConditions], String?)])
    func migrates(_ version: String, _ conditions: [JobConditions], _ key: String?) async throws {
        let directory = try Directory()
        let fixture = try #require(
            Bundle.module.url(forResource: version, withExtension: "sql", subdirectory: "Fixtures"))
        let dump = try String(contentsOf: fixture, encoding: .utf8)
        try foreignConnection(directory.file()).inDatabase { try $0.execute(sql: dump) }
        let store = SQLiteStore(path: directory.file())
        let epoch = try await store.open()
        #expect(epoch.rawValue == 4)

        let page = try await store.jobs(JobQuery())
        #expect(page.jobs.map(\.id.rawValue) == ["swift", "tea~2", "tea"])
        #expect(page.jobs.map(\.state) == [.scheduled, .cancelled, .finished])
        #expect(page.jobs.map(\.request.policies.conditions) == conditions)
        let swift = page.jobs[0]
        #expect(swift.request.idempotencyKey == key)
        #expect(swift.request.trigger == .every(.seconds(60), count: 3))
        #expect(swift.request.labels == ["a": "1", "é": "\"x\""])
        #expect(swift.request.policies.overlap == .queue(limit: 4))
        #expect(page.lastRuns.map { $0?.state } == [.claimed, .cancelled, .succeeded])
        #expect(try await store.interruptedJobs().map(\.job.id.rawValue) == ["swift"])
        #expect(try await store.metadata("clock") == "42")
        #expect(try await store.add(sampleJob("new"), epoch).key == 4)
        // The migrated table takes what the newest one has.
        var waiting = sampleJob("waiting")
        waiting.request.policies.conditions = .externalPower
        waiting.request.idempotencyKey = "another key"
        _ = try await store.add(waiting, epoch)
        let request = try await store.job(waiting.id)?.job.request
        #expect(request?.policies.conditions == .externalPower && request?.idempotencyKey == "another key")
        try await store.close()
    }

    @Test("a person with a SQL prompt cannot give a job a condition that there is not")
    func unknownCondition() async throws {
        let directory = try Directory()
        let store = SQLiteStore(path: directory.file())
        let epoch = try await store.open()
        _ = try await store.add(sampleJob("job"), epoch)
        try await store.close()
        let error = #expect(throws: DatabaseError.self) {
            try foreignConnection(store.path).inDatabase { try $0.execute(sql: "UPDATE job SET conditions = 8") }
        }
        #expect(error?.message?.contains("job_conditions_known") == true)
    }

    @Test("the schema of a new file is the one of the newest fixture")
    func sameSchema() async throws {
        let directory = try Directory()
        let store = SQLiteStore(path: directory.file())
        _ = try await store.open()
        try await store.close()
        let fixture = try #require(Bundle.module.url(forResource: "v3", withExtension: "sql", subdirectory: "Fixtures"))
        let dump = try String(contentsOf: fixture, encoding: .utf8)
        let old = directory.file("old.db")
        try foreignConnection(old).inDatabase { try $0.execute(sql: dump) }
        // Versions before 0.1.0 counted migrations in a table.
        let query = """
            SELECT name || ': ' || ifnull(sql, '') FROM sqlite_master WHERE tbl_name <> 'grdb_migrations' ORDER BY name
            """
        let made = try foreignConnection(store.path).inDatabase { try String.fetchAll($0, sql: query) }
        let kept = try foreignConnection(old).inDatabase { try String.fetchAll($0, sql: query) }
        #expect(made == kept)
    }
}
