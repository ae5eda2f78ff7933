import ApusTestTraits
import ApusTesting
import Dispatch
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// Shown: retries
/// Tries again with pauses that double, up to an hour.
func retrying<Value: Sendable>(attempts: Int, _ work: @Sendable () async throws -> Value) async throws -> Value {
    var pause = 1.0
    for _ in 1..<attempts {
        if let value = try? await work() { return value }
        try await Task.sleep(for: .seconds(pause))
        pause = min(pause * 2, 3600)
    }
    return try await work()
}

@Test("a server that is away for ten hours is reached again", .virtualClock)
func retries() async throws {
    let start = Date()
    let answer = try await retrying(attempts: 30) {
        guard Date().timeIntervalSince(start) > 10 * 3600 else { throw URLError(.cannotConnectToHost) }
        return "hello"
    }
    #expect(answer == "hello")
    #expect(Date().timeIntervalSince(start) > 10 * 3600)
}
// Shown: end

/// The code under test: a cache with one entry, which a timer removes.
private final class Cache: @unchecked Sendable {
    private let queue = DispatchQueue(label: "cache")
    private var entry: String?  // on the queue

    var isStored: Bool { queue.sync { entry != nil } }

    func store(_ text: String, for seconds: TimeInterval) {
        queue.sync { entry = text }
        queue.asyncAfter(deadline: .now() + seconds) { self.entry = nil }
    }
}

// Shown: cache
@Test("the cache forgets an entry after a minute, and not before", .virtualClock(.stepped))
func cacheForgets() async throws {
    let cache = Cache()
    cache.store("answer", for: 60)
    try await ProcessClock.advance(by: .seconds(59))
    #expect(cache.isStored)
    try await ProcessClock.advance(by: .seconds(1))
    #expect(!cache.isStored)
}
// Shown: end

/// Begins virtual time in a program without the trait.
///
/// It is not a test, because time would be virtual for the other tests in the process.
private func withoutTrait() throws {
    // Shown: begin
    try ProcessClock.begin(.stepped)
    DispatchQueue.global().asyncAfter(deadline: .now() + 3600) { print("an hour") }
    try ProcessClock.advance(by: .seconds(3600))
    // Shown: end
}
