import Synchronization
import TimerWheel

extension TimerEngine {
    /// Suspends the task until an instant of the clock that the instant's type names.
    ///
    /// It creates no task and allocates nothing, stays on the caller's actor, and cancellation removes the timer at once.
    /// Returns immediately when the instant has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the engine shut down.
    public nonisolated(nonsending) func sleep<Instant: NanosecondInstant>(
        until deadline: Instant, tolerance: Duration = .zero
    ) async throws {
        try await sleep(untilNanoseconds: deadline.nanoseconds, tolerance: tolerance, clock: Instant.clock)
    }

    /// Suspends the task for a duration on one of the clocks; otherwise like ``sleep(until:tolerance:)``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the engine shut down.
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

/// A sleep, in the memory of the task that sleeps. (Each function that awaits costs the runtime a look at the executor,
/// so there is none around it.)
private struct Sleep: ~Copyable, Sendable {
    /// The state shared by the sleep and its cancellation, on any thread: the second of them takes the
    /// timer out.
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

    /// Puts the timer in, which resumes the task.
    func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
        guard word.load(ordering: .relaxed) != Self.cancelled,
            let handle = core.insert(
                .continuation(continuation), in: shard, clock: clock, deadline: deadline, tolerance: tolerance)
        else { return continuation.resume(throwing: CancellationError()) }
        let word = UInt64(handle.index) << 32 | UInt64(handle.generation)
        let isFirst = self.word.compareExchange(
            expected: Self.before, desired: word, ordering: .acquiringAndReleasing
        ).exchanged
        // The cancellation was first, and did not know the timer.
        if !isFirst { core.endSleep(handle, in: shard, clock) }
    }

    /// Once.
    func cancel() {
        let word = word.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
        guard word != Self.before else { return }
        let handle = TimerHandle(
            index: UInt32(truncatingIfNeeded: word >> 32), generation: UInt32(truncatingIfNeeded: word))
        core.endSleep(handle, in: shard, clock)
    }
}

extension EngineCore {
    /// Resumes a task that was cancelled. Fire, cancellation and shutdown race for the timer's record, and the side
    /// that takes it out resumes the task; so this may find nothing.
    fileprivate func endSleep(_ handle: TimerHandle, in shard: EngineShard.Reference, _ clock: ClockKind) {
        // The shard is still this engine's: a sleep retains the engine.
        let epoch = shard.withShard { $0.epoch }
        let timer = ScheduledTimer(shard: shard, handle: handle, epoch: epoch, clock: clock, object: 0)
        timer.remove()?.payload.intoAction().abandon()
    }
}
