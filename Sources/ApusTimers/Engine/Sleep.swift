/// One sleeping task: fire, cancellation and shutdown race, and exactly one of them resumes it, once.
private final class Sleep: Sendable {
    private enum State {
        case installing
        case waiting(UnsafeContinuation<Void, any Error>)
        case ended(Result<Void, any Error>)
    }

    private let state = Locked(State.installing)

    func install(_ continuation: UnsafeContinuation<Void, any Error>) {
        let result: Result<Void, any Error>? = state.withLock { state in
            switch state {
            case .installing:
                state = .waiting(continuation)
                return nil
            case .ended(let result):
                return result
            case .waiting:
                preconditionFailure("a sleep is installed once")
            }
        }
        if let result { continuation.resume(with: result) }
    }

    func end(_ result: Result<Void, any Error>) {
        let continuation: UnsafeContinuation<Void, any Error>? = state.withLock { state in
            switch state {
            case .installing:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(result)
                return continuation
            case .ended:
                return nil
            }
        }
        continuation?.resume(with: result)
    }
}

extension TimerEngine {
    /// Suspends the task until an instant of the clock that the instant's type names.
    ///
    /// It creates no task, and cancellation removes the timer at once. Returns immediately when the instant has passed.
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
        let now = ContinuousInstant(nanoseconds: time.nanoseconds(on: clock))
        try await sleep(
            untilNanoseconds: now.advanced(by: duration).nanoseconds, tolerance: tolerance, clock: clock
        )
    }

    func sleep(untilNanoseconds deadline: UInt64, tolerance: Duration, clock: ClockKind) async throws {
        try Task.checkCancellation()
        if deadline <= time.nanoseconds(on: clock) { return }
        let sleep = Sleep()
        let entry = TimerEntry(
            executor: .engine,
            action: { sleep.end(.success(())) },
            abandon: { sleep.end(.failure(CancellationError())) }
        )
        // The timer exists before the continuation does, so whoever cancels knows what to cancel.
        let timer = insert(entry, clock: clock, deadline: deadline, tolerance: tolerance)
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { sleep.install($0) }
        } onCancel: {
            if timer.cancel() { sleep.end(.failure(CancellationError())) }
        }
    }
}
