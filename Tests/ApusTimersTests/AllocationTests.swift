import ApusTimers
import CAllocationCount
import Synchronization
import Testing

/// Runs the engine on the test's thread, so that the engine's allocations during a wake-up can be counted.
private final class HandWakeup: Wakeup, Sendable {
    /// A struct that contains the closure, because generic code would allocate another closure to wrap a bare one.
    private struct Handler {
        let body: @Sendable (WakeReason) -> Void
    }

    private let handler = Locked<Handler?>(nil)
    private let armings = Atomic(0)

    var count: Int { armings.load(ordering: .relaxed) }

    func start(_ handler: @escaping @Sendable (WakeReason) -> Void) {
        self.handler.withLock { $0 = Handler(body: handler) }
    }
    func arm(at deadline: ClockInstant) { armings.wrappingAdd(1, ordering: .relaxed) }
    func disarm(_ clock: ClockKind) { armings.wrappingAdd(1, ordering: .relaxed) }
    func stop() { handler.withLock { $0 = nil } }
    func wake() { handler.withLock { $0 }?.body(.deadline) }
}

private final class HandTime: TimeSource, Sendable {
    let now = Atomic<UInt64>(1_000_000_000)

    func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: now.load(ordering: .relaxed)) }
    func continuous() -> ContinuousInstant { ContinuousInstant(nanoseconds: now.load(ordering: .relaxed)) }
    func wall() -> WallInstant { WallInstant(nanoseconds: now.load(ordering: .relaxed)) }
}

@Suite("Costs of the engine, as counts")
struct AllocationTests {
    private let time = HandTime()
    private let wakeup = HandWakeup()
    private let engine: TimerEngine
    private let fired = Fired()

    private final class Fired: Sendable {
        let count = Atomic(0)
    }

    /// Creates an object on the heap.
    ///
    /// The function is not inlined, because the optimizer puts an object on the stack if no other function receives it.
    @inline(never)
    private static func makeFired() -> Fired { Fired() }

    init() {
        engine = TimerEngine(time: time, wakeup: wakeup)
        // This creates the records beforehand, because creating them is a cost of the slab's growth, not of a timer.
        for timer in (0..<2_000).map({ _ in engine.schedule(after: .seconds(1)) {} }) { timer.cancel() }
        time.now.wrappingAdd(5_000_000_000, ordering: .relaxed)
        wakeup.wake()
    }

    private func allocations(_ body: () -> Void) -> Int {
        callocation_count_begin()
        body()
        return callocation_count_end()
    }

    @Test("an object, and the context of a closure that is kept, are counted as allocations")
    func counter() {
        #expect(allocations {} == 0)
        #expect(allocations { withExtendedLifetime(Self.makeFired()) {} } == 1)
    }

    @Test("a timer with a handler and a token allocates nothing when it is scheduled, reset, cancelled or fired")
    func handler() {
        let fired = fired
        let handler = TimerHandler { _ in fired.count.wrappingAdd(1, ordering: .relaxed) }
        #expect(
            allocations {
                for number in 0..<1_000 {
                    let timer = engine.schedule(after: .seconds(2), handler: handler, token: UInt64(number))
                    timer.reset(after: .seconds(1))
                    if number % 2 == 0 { timer.cancel() }
                }
            } == 0)
        time.now.wrappingAdd(5_000_000_000, ordering: .relaxed)
        #expect(allocations { wakeup.wake() } == 0)
        #expect(fired.count.load(ordering: .relaxed) == 500)
    }

    @Test("a timer with a closure allocates the closure's context, which the caller makes, and no more")
    func closure() {
        let fired = fired
        let count = allocations {
            for number in 0..<1_000 {
                engine.schedule(after: .seconds(1)) { fired.count.wrappingAdd(number, ordering: .relaxed) }
            }
        }
        #expect(count == 1_000)
        time.now.wrappingAdd(5_000_000_000, ordering: .relaxed)
        #expect(allocations { wakeup.wake() } == 0)
        #expect(fired.count.load(ordering: .relaxed) == 999 * 500)
    }

    @Test("a tick of a repeating timer allocates nothing")
    func repeating() throws {
        let fired = fired
        let timer = try RepeatingTimer(every: .seconds(1), engine: engine) { _ in
            fired.count.wrappingAdd(1, ordering: .relaxed)
        }
        timer.resume()
        let count = allocations {
            for _ in 0..<100 {
                time.now.wrappingAdd(1_000_000_000, ordering: .relaxed)
                wakeup.wake()
            }
        }
        #expect(count == 0)
        #expect(fired.count.load(ordering: .relaxed) == 100)
    }

    @Test("timers that are later than the earliest one do not arm the kernel's timer")
    func armings() {
        let first = engine.schedule(after: .seconds(1)) {}
        let before = wakeup.count
        let later = (0..<1_000).map { engine.schedule(after: .seconds(2) + .nanoseconds($0)) {} }
        for timer in later { timer.cancel() }
        #expect(wakeup.count == before)
        first.cancel()
        #expect(wakeup.count == before + 1)
    }

    @Test(
        "scheduling and cancelling timeouts one after another costs a bounded number of system calls, and at most one unneeded wake-up"
    )
    func timeouts() {
        let before = (wakeup.count, engine.statistics.wakeUps)
        for _ in 0..<10_000 {
            time.now.wrappingAdd(1_000, ordering: .relaxed)
            engine.schedule(after: .seconds(30)) {}.cancel()
        }
        // There are two calls for each of the 64 timers that are armed and disarmed, and one for the timer that stays
        // armed.
        #expect(wakeup.count - before.0 <= 2 * 64 + 1)
        time.now.wrappingAdd(60_000_000_000, ordering: .relaxed)
        wakeup.wake()
        let armed = wakeup.count
        wakeup.wake()
        #expect(wakeup.count == armed, "nothing is left to wake for")
    }
}
