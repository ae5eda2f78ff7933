import TimerWheel

extension TimerEngine {
    /// Suspends the task until an instant of the clock that the instant's type names.
    ///
    /// It creates no task and allocates nothing, and cancellation removes the timer at once. Returns immediately when
    /// the instant has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the engine shut down.
    public func sleep<Instant: NanosecondInstant>(until deadline: Instant, tolerance: Duration = .zero) async throws {
        try await sleep(untilNanoseconds: deadline.nanoseconds, tolerance: tolerance, clock: Instant.clock)
    }

    /// Suspends the task for a duration on one of the clocks; otherwise like ``sleep(until:tolerance:)``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the engine shut down.
    public func sleep(
        for duration: Duration, tolerance: Duration = .zero, clock: ClockKind = .continuous
    ) async throws {
        try Task.checkCancellation()
        if duration <= .zero { return }
        try await suspend(
            untilNanoseconds: core.deadline(after: duration, on: clock), tolerance: tolerance, clock: clock
        )
    }

    func sleep(untilNanoseconds deadline: UInt64, tolerance: Duration, clock: ClockKind) async throws {
        try Task.checkCancellation()
        if deadline <= core.nanoseconds(on: clock) { return }
        try await suspend(untilNanoseconds: deadline, tolerance: tolerance, clock: clock)
    }

    private func suspend(untilNanoseconds deadline: UInt64, tolerance: Duration, clock: ClockKind) async throws {
        // The timer exists before the continuation does, so whoever cancels knows what to cancel. Fire, cancellation
        // and shutdown race for the timer's record, and the one that takes it out resumes the task.
        guard let timer = core.reserve(clock) else { throw CancellationError() }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let isWaiting = core.activate(
                    timer, deadline: deadline, tolerance: tolerance, .continuation(continuation)
                )
                // It was taken out before there was anything to resume.
                if !isWaiting { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            if let removed = timer.remove(), removed.hadAction { removed.payload.intoAction().abandon() }
        }
    }
}
