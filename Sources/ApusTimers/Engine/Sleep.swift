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
        try Task.checkCancellation()
        if duration <= .zero { return }
        try await suspend(
            untilNanoseconds: core.deadline(after: duration, on: clock), tolerance: tolerance, clock: clock
        )
    }

    nonisolated(nonsending) func sleep(
        untilNanoseconds deadline: UInt64, tolerance: Duration, clock: ClockKind
    ) async throws {
        try Task.checkCancellation()
        if deadline <= core.nanoseconds(on: clock) { return }
        try await suspend(untilNanoseconds: deadline, tolerance: tolerance, clock: clock)
    }

    private nonisolated(nonsending) func suspend(
        untilNanoseconds deadline: UInt64, tolerance: Duration, clock: ClockKind
    ) async throws {
        let shard = core.shards.own
        // In the task's own memory, which outlives both closures.
        let state = SleepState()
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                guard !state.isCancelled,
                    let handle = core.insert(
                        .continuation(continuation), in: shard, clock: clock, deadline: deadline, tolerance: tolerance)
                else { return continuation.resume(throwing: CancellationError()) }
                if !state.began(handle) { core.endSleep(handle, in: shard, clock) }
            }
        } onCancel: {
            if let handle = state.cancel() { core.endSleep(handle, in: shard, clock) }
        }
    }
}

/// What a sleep and its cancellation, on any thread, know of each other: the one that comes second takes the timer out.
private struct SleepState: ~Copyable {
    private let word = Atomic(Self.before)

    private static var before: UInt64 { .max }
    private static var cancelled: UInt64 { .max - 1 }

    var isCancelled: Bool { word.load(ordering: .relaxed) == Self.cancelled }

    /// After the timer was put in. False if the cancellation was first: it did not know the timer.
    func began(_ handle: TimerHandle) -> Bool {
        let word = UInt64(handle.index) << 32 | UInt64(handle.generation)
        return self.word.compareExchange(expected: Self.before, desired: word, ordering: .acquiringAndReleasing)
            .exchanged
    }

    /// The timer, unless it is not there yet.
    func cancel() -> TimerHandle? {
        let word = word.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
        guard word != Self.before else { return nil }
        return TimerHandle(
            index: UInt32(truncatingIfNeeded: word >> 32), generation: UInt32(truncatingIfNeeded: word))
    }
}

extension EngineCore {
    /// Resumes a task that was cancelled. Fire, cancellation and shutdown race for the timer's record, and the one that
    /// takes it out resumes the task; so this may find nothing.
    fileprivate func endSleep(_ handle: TimerHandle, in shard: EngineShard.Reference, _ clock: ClockKind) {
        // The shard is still this engine's: whoever sleeps keeps the engine.
        let epoch = shard.withShard { $0.epoch }
        let timer = ScheduledTimer(shard: shard, handle: handle, epoch: epoch, clock: clock)
        timer.remove()?.payload.intoAction().abandon()
    }
}
