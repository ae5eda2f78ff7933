import Synchronization
import TimerWheel

extension TimerEngine {
    /// Suspends the task until an instant on the clock that the instant's type names.
    ///
    /// The function creates no task, allocates nothing and stays on the caller's actor. It returns immediately if the
    /// instant has passed. Cancellation removes the timer immediately.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the engine is stopped.
    public nonisolated(nonsending) func sleep<Instant: NanosecondInstant>(
        until deadline: Instant, tolerance: Duration = .zero
    ) async throws {
        try await sleep(untilNanoseconds: deadline.nanoseconds, tolerance: tolerance, clock: Instant.clock)
    }

    /// Suspends the task for a duration on one of the clocks, like ``sleep(until:tolerance:)``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the engine is stopped.
    public nonisolated(nonsending) func sleep(
        for duration: Duration, tolerance: Duration = .zero, clock: ClockKind = .continuous
    ) async throws {
        if duration <= .zero { return try Task.checkCancellation() }
        let sleep = Sleep(core, until: core.deadline(after: duration, on: clock), tolerance, clock)
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { sleep.begin($0) }
        } onCancel: {
            sleep.cancel()
        }
    }

    nonisolated(nonsending) func sleep(
        untilNanoseconds deadline: UInt64, tolerance: Duration, clock: ClockKind
    ) async throws {
        if deadline <= core.nanoseconds(on: clock) { return try Task.checkCancellation() }
        let sleep = Sleep(core, until: deadline, tolerance, clock)
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { sleep.begin($0) }
        } onCancel: {
            sleep.cancel()
        }
    }
}

/// Holds the state of one sleep in the memory of the task.
///
/// The `await`s are in the sleeping functions themselves, because each asynchronous function costs the runtime a check
/// of the executor.
private struct Sleep: ~Copyable, Sendable {
    /// The state of the sleep: `before`, `cancelled`, or the timer's handle.
    ///
    /// Both the insertion of the timer and the cancellation write this value. Whichever comes later removes the timer.
    private let word = Atomic(Self.before)
    private let core: EngineCore
    private let shard: EngineShard.Reference
    private let deadline: UInt64
    private let tolerance: Duration
    private let clock: ClockKind

    private static var before: UInt64 { .max }
    private static var cancelled: UInt64 { .max - 1 }

    init(_ core: EngineCore, until deadline: UInt64, _ tolerance: Duration, _ clock: ClockKind) {
        self.core = core
        shard = core.shards.own(clock)
        self.deadline = deadline
        self.tolerance = tolerance
        self.clock = clock
    }

    /// Inserts the timer that resumes the task.
    func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
        guard word.load(ordering: .relaxed) != Self.cancelled,
            let handle = core.insert(
                .continuation(continuation), in: shard, clock: clock, deadline: deadline, tolerance: tolerance)
        else { return continuation.resume(throwing: CancellationError()) }
        let word = UInt64(handle.index) << 32 | UInt64(handle.generation)
        let isFirst = self.word.compareExchange(
            expected: Self.before, desired: word, ordering: .acquiringAndReleasing
        ).exchanged
        // If the cancellation came first, it did not have the handle, so the timer is removed here.
        if !isFirst { core.endSleep(handle, in: shard, clock) }
    }

    /// Cancels the sleep; called at most once.
    func cancel() {
        let word = word.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
        guard word != Self.before else { return }
        let handle = TimerHandle(
            index: UInt32(truncatingIfNeeded: word >> 32), generation: UInt32(truncatingIfNeeded: word))
        core.endSleep(handle, in: shard, clock)
    }
}

extension EngineCore {
    /// Removes the timer of a sleep whose task was cancelled, and resumes the task.
    ///
    /// The firing, the cancellation and the engine's end race for the timer's record. The side that removes the record
    /// resumes the task, so this function may find no timer.
    fileprivate func endSleep(_ handle: TimerHandle, in shard: EngineShard.Reference, _ clock: ClockKind) {
        // The shard still belongs to this engine, because a sleep retains the engine.
        let epoch = shard.withShard { $0.epoch }
        let timer = ScheduledTimer(shard: shard, handle: handle, epoch: epoch, clock: clock, object: 0)
        timer.remove()?.payload.intoAction().abandon()
    }
}
