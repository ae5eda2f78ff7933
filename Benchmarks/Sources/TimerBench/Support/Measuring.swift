import BenchSupport
import Foundation
import Synchronization

/// The failure of a benchmark that did not do what it should measure.
struct Failure: Error, CustomStringConvertible {
    var description: String
}

func check(_ holds: Bool, _ message: @autoclosure () -> String) throws {
    if !holds { throw Failure(description: message()) }
}

/// The action of all measured timers, which counts the calls and adds up the numbers of the timers.
///
/// A closure that calls ``note(_:)`` captures at most one integer, the number of its timer.
enum Fired {
    static let count = Atomic<Int>(0)
    /// The sum of the numbers, which keeps them from being optimized away.
    static let sum = Atomic<Int>(0)

    @inline(never)
    static func note(_ number: Int) {
        count.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(number, ordering: .relaxed)
    }
}

/// A generator of random numbers that are the same in each run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: UInt64) -> UInt64 { next().multipliedFullWidth(by: limit).high }

    /// Returns one to two hours in nanoseconds, so that nothing fires while a benchmark runs.
    mutating func farAway() -> Int64 { Int64(Self.hour + below(Self.hour)) }

    private static let hour: UInt64 = 3_600_000_000_000
}

/// Runs `body` in a task and waits for its end on this thread, which the runtime does not use.
func waitForTask<Value: Sendable>(
    seconds: Int = 120, _ body: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let outcome = Outcome<Value>()
    let task = Task {
        do { outcome.end(.success(try await body())) } catch { outcome.end(.failure(error)) }
    }
    guard let result = outcome.wait(seconds: seconds) else {
        task.cancel()
        throw Failure(description: "a task did not end within \(seconds) s")
    }
    return try result.get()
}

private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    func end(_ result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
        ended.signal()
    }

    func wait(seconds: Int) -> Result<Value, any Error>? {
        _ = ended.wait(timeout: .now() + .seconds(seconds))
        return result.withLock { $0 }
    }
}

/// Runs `body` on a new thread.
///
/// - Returns: A semaphore that is signalled at its end.
func onThread(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        ended.signal()
    }
    thread.start()
    return ended
}

/// Waits until this process is idle.
///
/// Some contestants release cancelled timers on other threads, which should not affect the next turn.
func waitUntilQuiet() {
    for _ in 0..<250 {
        let before = processCPUNanoseconds()
        usleep(10_000)
        if processCPUNanoseconds() - before < 500_000 { return }
    }
}

/// Keeps a value alive and opaque to the optimizer.
@inline(never)
func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }
