import ApusBackground
import ApusTestSupport
import Testing

@testable import ApusTimers

@Suite("Background tasks")
struct BackgroundTaskTests {
    private let host = Self.realHost()

    /// Returns a host on real threads with the main actor as its main loop.
    private static func realHost(waitsForExpiredTasks: Bool = true) -> TestHost {
        TestHost(
            phase: .background, waitsForExpiredTasks: waitsForExpiredTasks, engine: .shared, mainLoop: SystemMainLoop())
    }

    @Test("a background task is open until its first end, whichever thread ends it")
    func endsOnce() async throws {
        let task = try host.beginBackgroundTask(named: "upload")
        #expect(host.openTasks == ["upload"])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { task.end() } }
        }
        #expect(host.openTasks.isEmpty)
        #expect(host.idleCount == 1)
    }

    @Test("a background task is ended with its last reference")
    func endsWithItsLastReference() throws {
        var task: BackgroundTask? = try host.beginBackgroundTask(named: "forgotten")
        #expect(task?.name == "forgotten")
        task = nil
        #expect(host.openTasks.isEmpty)
        #expect(host.idleCount == 1)
    }

    @Test("expiry runs the handler on the main actor and then ends the background task by itself")
    func expires() async throws {
        let order = Locked<[String]>([])
        let (handled, continuation) = AsyncStream.makeStream(of: [String].self)
        let task = try host.beginBackgroundTask(named: "upload") { [registry = host.tasks] in
            MainActor.assertIsolated()
            order.withLock { $0.append("handler") }
            continuation.yield(registry.openNames)
        }
        host.tasks.expireAll()
        host.tasks.expireAll()
        var iterator = handled.makeAsyncIterator()
        #expect(await iterator.next() == ["upload"])
        // The task ends on the main actor, and each pass of this loop waits for a turn there.
        while !host.openTasks.isEmpty { await MainActor.run {} }
        task.end()
        #expect(order.withLock { $0 } == ["handler"])
        #expect(host.idleCount == 1)
    }

    @Test("a late request for a background task calls the handler and throws")
    func tooLate() async throws {
        host.tasks.expireAll()
        let (handled, continuation) = AsyncStream.makeStream(of: Void.self)
        let error = #expect(throws: BackgroundError.self) {
            try host.beginBackgroundTask(named: "late") { continuation.finish() }
        }
        #expect(error?.code == .tooLate)
        #expect(error?.description.contains("“late”") == true)
        for await _ in handled {}
    }

    @Test("withBackgroundTask covers its body and ends the task when the body returns or throws")
    func structured() async throws {
        struct Failure: Error {}
        let names = try await host.withBackgroundTask(named: "sync") { [registry = host.tasks] in registry.openNames
        }
        #expect(names == ["sync"])
        #expect(host.openTasks.isEmpty)
        await #expect(throws: Failure.self) {
            try await host.withBackgroundTask(named: "sync") { throw Failure() }
        }
        #expect(host.openTasks.isEmpty)
    }

    @Test("a host that does not wait ends the background task on expiry while the body still winds up")
    func structuredExpiryWithoutWaiting() async throws {
        let host = Self.realHost(waitsForExpiredTasks: false)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        defer { hold.finish() }
        async let result = host.withBackgroundTask(named: "sync") { [registry = host.tasks] in
            start.finish()
            for await _ in never {}
            // The background task ends on the main actor, right after the handler that cancelled this task.
            await MainActor.run {}
            return registry.openNames
        }
        for await _ in started {}
        host.tasks.expireAll()
        #expect(try await result == [])
        #expect(host.idleCount == 1)
    }

    @Test("on a host that waits, expiry cancels the body and the background task lasts until the body has wound up")
    func structuredExpiry() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        defer { hold.finish() }
        async let result = host.withBackgroundTask(named: "sync") { [registry = host.tasks] in
            start.finish()
            for await _ in never {}
            return (Task.isCancelled, registry.openNames)
        }
        for await _ in started {}
        host.tasks.expireAll()
        let (wasCancelled, openAtTheEnd) = try await result
        #expect(wasCancelled)
        #expect(openAtTheEnd == ["sync"])
        #expect(host.openTasks.isEmpty)
    }

    @Test("a body that was refused does not run")
    func structuredTooLate() async throws {
        host.tasks.expireAll()
        await #expect(throws: BackgroundError.self) {
            try await host.withBackgroundTask(named: "sync") { Issue.record("the body ran") }
        }
    }

    @Test("cancelling the caller cancels the body")
    func structuredCancellation() async throws {
        let host = host
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        defer { hold.finish() }
        let task = Task {
            try await host.withBackgroundTask(named: "sync") {
                start.finish()
                for await _ in never {}
                return Task.isCancelled
            }
        }
        for await _ in started {}
        task.cancel()
        #expect(try await task.value)
        #expect(host.openTasks.isEmpty)
    }
}

@Suite("Broadcasts")
struct BroadcastTests {
    @Test("every listener sees every change in order, and the end")
    func changes() async {
        let phase = Broadcast(Phase.active)
        let (first, second) = (phase.changes(), phase.changes())
        for next in [Phase.inactive, .inactive, .background] { phase.set(next) }
        phase.finish(.terminated)
        phase.set(.active)
        for changes in [first, second] {
            var seen: [Phase] = []
            for await phase in changes { seen.append(phase) }
            #expect(seen == [.inactive, .background, .terminated])
        }
        #expect(phase.value == .terminated)
    }

    @Test("a listener that is added after the end receives nothing")
    func afterTheEnd() async {
        let phase = Broadcast(Phase.active)
        phase.finish(.terminated)
        for await phase in phase.changes() { Issue.record("heard \(phase)") }
    }
}
