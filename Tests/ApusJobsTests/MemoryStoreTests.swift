import ApusJobs
import ApusJobsTesting
import Testing

@Suite("A memory store is a store")
struct MemoryStoreTests {
    @Test("a memory store passes the conformance checks of every store", arguments: StoreConformance.checks)
    func conforms(_ check: StoreCheck) async throws {
        try await check.run(makeStore: { MemoryStore() }, reopen: { $0 })
    }

    @Test("a memory store passes the conformance checks for submissions", arguments: StoreConformance.submissionChecks)
    func submissions(_ check: StoreCheck) async throws {
        try await check.run(
            makeStore: { MemoryStore() }, reopen: { $0 },
            submit: { try ($0 as! MemoryStore).submit($1, at: $2) })
    }

    @Test(
        "a faulty store without faults passes the conformance checks for submissions",
        arguments: StoreConformance.submissionChecks)
    func submissionsOfFaultyStore(_ check: StoreCheck) async throws {
        let base = MemoryStore()
        try await check.run(
            makeStore: { FaultyStore(base) }, reopen: { $0 }, submit: { try base.submit($1, at: $2) })
    }

    @Test(
        "a check of submissions fails for a store without a way to submit", arguments: StoreConformance.submissionChecks
    )
    func withoutSubmit(_ check: StoreCheck) async throws {
        await #expect(throws: ConformanceFailure.self) {
            try await check.run(makeStore: { MemoryStore() }, reopen: { $0 })
        }
    }

    @Test(
        "a faulty store without faults passes the conformance checks of every store", arguments: StoreConformance.checks
    )
    func faultlessFaultyStore(_ check: StoreCheck) async throws {
        try await check.run(makeStore: { FaultyStore(MemoryStore()) }, reopen: { $0 })
    }
}
