import ApusBackground
import ApusTimers
import Testing

/// A host that only keeps claims.
final class ClaimsOnlyHost: BackgroundHost {
    let registry: BackgroundTaskRegistry
    let counter: Counter

    init() {
        let counter = Counter()
        registry = BackgroundTaskRegistry(whenIdle: { counter.add() })
        self.counter = counter
    }

    final class Counter: Sendable {
        private let value = Locked(0)
        func add() { value.withLock { $0 += 1 } }
        var count: Int { value.withLock { $0 } }
    }

    var phase: Phase { .background }
    var phaseChanges: PhaseChanges { PhaseState(.background).changes() }
    var backgroundTimeRemaining: Duration? { .seconds(1) }

    func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        try registry.begin(request)
    }
}

@Suite("Background tasks")
struct BackgroundTaskTests {
    private let host = ClaimsOnlyHost()

    @Test("a claim is open until its first end, whichever thread ends it")
    func endsOnce() async throws {
        let task = try host.beginBackgroundTask(named: "upload")
        #expect(host.registry.openNames == ["upload"])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { task.end() } }
        }
        #expect(host.registry.openNames.isEmpty)
        #expect(host.counter.count == 1)
    }

    @Test("a claim that nobody holds any more is ended")
    func endsWithItsLastReference() throws {
        var task: BackgroundTask? = try host.beginBackgroundTask(named: "forgotten")
        #expect(task?.name == "forgotten")
        task = nil
        #expect(host.registry.openNames.isEmpty)
        #expect(host.counter.count == 1)
    }

    @Test("expiry runs the handler on the main actor and then ends the claim by itself")
    func expires() async throws {
        let order = Locked<[String]>([])
        let (handled, continuation) = AsyncStream.makeStream(of: [String].self)
        let task = try host.beginBackgroundTask(named: "upload") { [registry = host.registry] in
            MainActor.assertIsolated()
            order.withLock { $0.append("handler") }
            continuation.yield(registry.openNames)
        }
        host.registry.expireAll()
        host.registry.expireAll()
        var iterator = handled.makeAsyncIterator()
        #expect(await iterator.next() == ["upload"])
        // The end follows on the main actor; a hop to it comes after.
        while !host.registry.openNames.isEmpty { await MainActor.run {} }
        task.end()
        #expect(order.withLock { $0 } == ["handler"])
        #expect(host.counter.count == 1)
    }

    @Test("who asks too late gets the handler and an error")
    func tooLate() async throws {
        host.registry.expireAll()
        let (handled, continuation) = AsyncStream.makeStream(of: Void.self)
        let error = #expect(throws: BackgroundError.self) {
            try host.beginBackgroundTask(named: "late") { continuation.finish() }
        }
        #expect(error?.code == .tooLate)
        #expect(error?.description.contains("“late”") == true)
        for await _ in handled {}
    }

    @Test("the structured form covers its body, and ends when the body returns or throws")
    func structured() async throws {
        struct Failure: Error {}
        let names = try await withBackgroundTask("sync", on: host) { [registry = host.registry] in registry.openNames }
        #expect(names == ["sync"])
        #expect(host.registry.openNames.isEmpty)
        await #expect(throws: Failure.self) {
            try await withBackgroundTask("sync", on: host) { throw Failure() }
        }
        #expect(host.registry.openNames.isEmpty)
    }

    @Test("expiry cancels the body, and the claim is held until the body has wound up")
    func structuredExpiry() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        defer { hold.finish() }
        async let result = withBackgroundTask("sync", on: host) { [registry = host.registry] in
            start.finish()
            for await _ in never {}
            return (Task.isCancelled, registry.openNames)
        }
        for await _ in started {}
        host.registry.expireAll()
        let (wasCancelled, openAtTheEnd) = try await result
        #expect(wasCancelled)
        #expect(openAtTheEnd == ["sync"])
        #expect(host.registry.openNames.isEmpty)
    }

    @Test("a body that was refused does not run")
    func structuredTooLate() async throws {
        host.registry.expireAll()
        await #expect(throws: BackgroundError.self) {
            try await withBackgroundTask("sync", on: host) { Issue.record("the body ran") }
        }
    }

    @Test("cancelling the caller cancels the body")
    func structuredCancellation() async throws {
        let host = host
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        defer { hold.finish() }
        let task = Task {
            try await withBackgroundTask("sync", on: host) {
                start.finish()
                for await _ in never {}
                return Task.isCancelled
            }
        }
        for await _ in started {}
        task.cancel()
        #expect(try await task.value)
        #expect(host.registry.openNames.isEmpty)
    }
}

@Suite("Phases")
struct PhaseStateTests {
    @Test("every listener sees every change in order, and the end")
    func changes() async {
        let state = PhaseState(.active)
        let (first, second) = (state.changes(), state.changes())
        for phase in [Phase.inactive, .inactive, .background, .terminated, .active] { state.enter(phase) }
        for changes in [first, second] {
            var seen: [Phase] = []
            for await phase in changes { seen.append(phase) }
            #expect(seen == [.inactive, .background, .terminated])
        }
        #expect(state.phase == .terminated)
    }

    @Test("who listens after the end hears nothing")
    func afterTheEnd() async {
        let state = PhaseState(.active)
        state.enter(.terminated)
        for await phase in state.changes() { Issue.record("heard \(phase)") }
    }
}
