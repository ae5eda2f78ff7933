import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import AsyncAlgorithms
import Testing

private final class Reference<Value: Sendable>: Sendable {
    let value: Locked<Value>
    init(_ value: Value) { self.value = Locked(value) }
}

@Suite("swift-async-algorithms over TimerClock", .timeLimit(.minutes(5)))
struct AsyncAlgorithmsTests {
    /// Counts the requests for an element.
    ///
    /// A request shows that the previous element has been processed.
    private struct Probed<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element: Sendable {
        let base: Base
        let requests: Reference<Int>

        struct Iterator: AsyncIteratorProtocol {
            var base: Base.AsyncIterator
            let requests: Reference<Int>

            mutating func next() async throws -> Base.Element? {
                requests.value.withLock { $0 += 1 }
                return try await base.next()
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), requests: requests) }
    }

    @Test("debounce waits for a second of silence in virtual time")
    func debounce() async throws {
        let time = VirtualTime()
        let values = Reference<[String]>([])
        let requests = Reference(0)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let clock = TimerClock.continuous(engine: time.engine)
        // The algorithm's tasks run on the global executor, so the test awaits their steps before it advances the time.
        let task = Task {
            for try await value in Probed(base: stream, requests: requests).debounce(for: .seconds(1), clock: clock) {
                values.value.withLock { $0.append(value) }
            }
        }
        continuation.yield("a")
        try await until("two requests and a timer") {
            requests.value.withLock { $0 } == 2 && time.pendingTimerCount == 1
        }
        time.advance(by: .milliseconds(900))
        continuation.yield("b")
        try await until("the third request") { requests.value.withLock { $0 } == 3 }
        // The sleep for "a" ends and is followed by one for the rest of b's second.
        time.advance(by: .milliseconds(100))
        try await until("the sleep for the rest") { time.pendingTimerCount == 1 }
        time.advance(by: .milliseconds(899))
        #expect(values.value.withLock { $0 } == [])
        #expect(time.pendingTimerCount == 1)
        time.advance(by: .milliseconds(1))
        try await until("the value") { values.value.withLock { $0 } == ["b"] }
        task.cancel()
        _ = try? await task.value
        #expect(time.pendingTimerCount == 0)
    }
}
