import ApusJobs
import ApusTesting
import Testing

@Suite("A memory store is a store")
struct MemoryStoreTests {
    @Test("it does what every store must do", arguments: StoreConformance.checks)
    func conforms(_ check: StoreCheck) async throws {
        try await check.run(makeStore: { MemoryStore() }, reopen: { $0 })
    }

    @Test("a faulty store without faults does what every store must do", arguments: StoreConformance.checks)
    func faultlessFaultyStore(_ check: StoreCheck) async throws {
        try await check.run(makeStore: { FaultyStore(MemoryStore()) }, reopen: { $0 })
    }
}
