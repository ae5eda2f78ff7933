import ApusTimers
import ApusVirtualTime
import AsyncAlgorithms
import Testing

@Suite("swift-async-algorithms over TimerClock", .timeLimit(.minutes(5)))
struct AsyncAlgorithmsTests {
    /// Counts the requests for an element: at each request the previous element has been processed.
    private struct Probed<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element: Sendable {
        let base: Base
        let asked: Log<Void>

        struct Iterator: AsyncIteratorProtocol {
            var base: Base.AsyncIterator
            let asked: Log<Void>

            mutating func next() async throws -> Base.Element? {
                asked.add(())
                return try await base.next()
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), asked: asked) }
    }

    @Test("debounce waits for a second of silence in virtual time")
    func debounce() async throws {
        let time = VirtualTime()
        let log = Log<String>()
        let asked = Log<Void>()
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let clock = TimerClock.continuous(engine: time.engine)
        // The algorithm's tasks run on the global executor, so the test awaits what they do before it moves the time.
        let task = Task {
            for try await value in Probed(base: stream, asked: asked).debounce(for: .seconds(1), clock: clock) {
                log.add(value)
            }
        }
        continuation.yield("a")
        await until { asked.entries.count == 2 && time.pendingTimers == 1 }
        time.advance(by: .milliseconds(900))
        continuation.yield("b")
        await until { asked.entries.count == 3 }
        // The sleep for "a" ends and is followed by one for the rest of b's second.
        time.advance(by: .milliseconds(100))
        await until { time.pendingTimers == 1 }
        time.advance(by: .milliseconds(899))
        #expect(log.entries == [])
        #expect(time.pendingTimers == 1)
        time.advance(by: .milliseconds(1))
        await until { log.entries == ["b"] }
        task.cancel()
        _ = try? await task.value
        #expect(time.pendingTimers == 0)
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}
