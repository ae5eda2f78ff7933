import ApusTimers
import BenchSupport
import Foundation
import Synchronization

/// The costs and the duration of a task's sleep.
struct Sleeping: MeasuredInTurns {
    static let subject = Subject.sleep

    let quick: Bool
    let rounds: Int
    let contestants = [Name.ours, Name.taskSleep, Name.continuation]
    private let tasks: Int
    private let times = 100
    private let sequential: Int
    private let cancelled: Int

    init(quick: Bool) {
        self.quick = quick
        tasks = quick ? 200 : 1_000
        sequential = quick ? 100 : 300
        cancelled = quick ? 2_000 : 10_000
        rounds = quick ? 2 : 5
    }

    private typealias Sleep = @Sendable (Duration) async throws -> Void

    private static let cpu = "process CPU of a sleep of 1 ms"
    private static let wall = "wall time of the whole"
    private static let overshoot = "mean time over 1 ms of a task alone"
    private static let cancel = "cancel a sleeping task and wait for it"

    func table() throws -> ComparisonTable {
        let samples = try samplesOfAll()
        return ComparisonTable(
            "Sleep and wake: \(short(tasks)) tasks, \(times) sleeps of 1 ms each in sequence",
            [
                samples.row(Self.cpu, "ns", target: .ratioAtMost(0.33, of: Name.taskSleep)),
                samples.row(Self.wall, "ms"), samples.row(Self.overshoot, "us"), samples.row(Self.cancel, "ns"),
            ],
            footnotes: [
                "continuation: a task is suspended, and resumed by a thread that looks every 200 us; no timer. What is "
                    + "beyond it is the timer's part."
            ])
    }

    func turn(of contestant: String, round: Int, _ samples: inout Samples) throws {
        switch contestant {
        case Name.ours:
            let engine = TimerEngine()
            try measure(contestant, { try await engine.sleep(for: $0) }, &samples)
            try check(engine.liveTimerCount == 0, "sleeping tasks have left timers in the engine")
            engine.stop()
        case Name.taskSleep: try measure(contestant, { try await Task.sleep(for: $0) }, &samples)
        default:
            let bare = BareResumption()
            try crowds(contestant, bare.suspend, &samples)
            bare.end()
        }
    }

    private func measure(_ name: String, _ sleep: @escaping Sleep, _ samples: inout Samples) throws {
        try crowds(name, sleep, &samples)
        try alone(name, sleep, &samples)
        try cancel(name, sleep, &samples)
    }

    private func crowds(_ name: String, _ sleep: @escaping Sleep, _ samples: inout Samples) throws {
        // The first crowd starts the threads and allocates memory.
        var first = Samples()
        try crowd(name, sleep, &first)
        try crowd(name, sleep, &samples)
    }

    private func crowd(_ name: String, _ sleep: @escaping Sleep, _ samples: inout Samples) throws {
        waitUntilQuiet()
        let (tasks, times) = (tasks, times)
        let start = monotonicNanoseconds()
        let before = processCPUNanoseconds()
        let slept = try waitForTask {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<tasks {
                    group.addTask {
                        var slept = 0
                        for _ in 0..<times {
                            try await sleep(.milliseconds(1))
                            slept += 1
                        }
                        return slept
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        let used = processCPUNanoseconds() - before
        let took = Double(monotonicNanoseconds() - start)
        try check(slept == tasks * times, "\(name): \(slept) sleeps instead of \(tasks * times)")
        let isSleep = name != Name.continuation
        try check(!isSleep || took >= 1e6 * Double(times), "\(name): \(times) sleeps of 1 ms took \(took) ns")
        samples.add(Double(used) / Double(slept), Self.cpu, name)
        samples.add(took / 1e6, Self.wall, name)
    }

    private func alone(_ name: String, _ sleep: @escaping Sleep, _ samples: inout Samples) throws {
        waitUntilQuiet()
        let sequential = sequential
        let took = try waitForTask {
            let start = monotonicNanoseconds()
            for _ in 0..<sequential { try await sleep(.milliseconds(1)) }
            return monotonicNanoseconds() - start
        }
        samples.add(Double(took) / Double(sequential) / 1e3 - 1_000, Self.overshoot, name)
    }

    private final class Begun: Sendable { let count = Atomic<Int>(0) }

    private func cancel(_ name: String, _ sleep: @escaping Sleep, _ samples: inout Samples) throws {
        waitUntilQuiet()
        let begun = Begun()
        let sleepers = (0..<cancelled).map { _ in
            Task {
                begun.count.wrappingAdd(1, ordering: .relaxed)
                do {
                    try await sleep(.seconds(3_600))
                    return false
                } catch { return error is CancellationError }
            }
        }
        while begun.count.load(ordering: .relaxed) < cancelled { usleep(100) }
        waitUntilQuiet()
        let start = monotonicNanoseconds()
        for sleeper in sleepers { sleeper.cancel() }
        let threw = try waitForTask {
            var threw = 0
            for sleeper in sleepers where await sleeper.value { threw += 1 }
            return threw
        }
        let took = monotonicNanoseconds() - start
        try check(threw == cancelled, "\(name): \(threw) of \(cancelled) sleeps ended by cancellation")
        samples.add(Double(took) / Double(cancelled), Self.cancel, name)
    }
}

/// The minimum that the runtime needs to suspend and resume a task with a cancellation handler.
private final class BareResumption: Sendable {
    private let suspended = Mutex<[UnsafeContinuation<Void, any Error>]>([])
    private let isOver = Atomic(false)

    init() {
        _ = onThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                let all = suspended.withLock { suspended in
                    defer { suspended = [] }
                    return suspended
                }
                if all.isEmpty { usleep(200) }
                for continuation in all { continuation.resume() }
            }
        }
    }

    @Sendable func suspend(_: Duration) async throws {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                suspended.withLock { $0.append(continuation) }
            }
        } onCancel: {
        }
    }

    func end() { isOver.store(true, ordering: .relaxed) }
}
