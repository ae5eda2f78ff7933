import ApusTimers

/// The life of a scheduler from the opening of its store to the end, and the callers that wait for the end.
struct SchedulerLife {
    enum Phase: Sendable {
        /// The scheduler decides about runs that a crash interrupted, page by page.
        case recovering(after: Int64)
        case running
        case stopping(Stopping)
        case closing(JobError?)
        case stopped
    }

    struct Stopping: Sendable {
        /// The instant at which the handlers are cancelled; `nil` if they are never cancelled.
        ///
        /// Once the handlers have been cancelled, it is the instant until which the stop waits for their return.
        var deadline: UptimeInstant?
        var handlersAreCancelled = false
        /// The number of failures of the store since the stop, or since the last end of a handler.
        var failures = 0
    }

    private(set) var phase = Phase.recovering(after: 0)
    private var stopCalls: [Int] = []

    var isRunning: Bool { if case .running = phase { true } else { false } }
    /// Whether nothing is read or written any more.
    var isOver: Bool {
        switch phase {
        case .closing, .stopped: true
        case .recovering, .running, .stopping: false
        }
    }
    var isStopping: Bool { if case .stopping = phase { true } else { false } }
    var acceptsCommands: Bool {
        switch phase {
        case .recovering, .running: true
        case .stopping, .closing, .stopped: false
        }
    }

    /// Notes that a page of interrupted runs was read; `key` is `nil` if the page was empty, which means that it was
    /// the last one.
    mutating func recovered(through key: Int64?) { phase = key.map { .recovering(after: $0) } ?? .running }

    // MARK: Stopping

    enum StopAnswer {
        /// The scheduler has stopped.
        case done
        /// The caller waits.
        case waits
        /// Nothing runs yet, so the store is closed at once.
        case close
        /// No run starts from now on.
        case begin
    }

    mutating func stop(_ call: Int, grace: Duration?, _ now: UptimeInstant) -> StopAnswer {
        if case .stopped = phase { return .done }
        stopCalls.append(call)
        let deadline = grace.map { now.advanced(by: $0) }
        switch phase {
        case .closing, .stopped: return .waits
        case .recovering: return .close
        case .running:
            phase = .stopping(Stopping(deadline: deadline))
            return .begin
        case .stopping(var stopping):
            if let deadline, !stopping.handlersAreCancelled {
                stopping.deadline = min(stopping.deadline ?? deadline, deadline)
                phase = .stopping(stopping)
            }
            return .waits
        }
    }

    /// The instant at which a stop in progress continues.
    var deadline: UptimeInstant? { if case .stopping(let stopping) = phase { stopping.deadline } else { nil } }

    enum StopStep {
        case wait
        case cancelHandlers
        case close
    }

    /// Returns the next step of a stop.
    ///
    /// A stop waits for handlers until its deadline. It then cancels them, and waits until a second deadline. Once all
    /// handlers have ended, it waits only until the store has taken their results or has failed three times.
    mutating func continueStop(
        running: Int, unwritten: Int, cancellationGrace: Duration, _ now: UptimeInstant
    ) -> StopStep {
        guard case .stopping(var stopping) = phase else { return .wait }
        if running == 0, unwritten == 0 || stopping.failures >= 3 { return .close }
        guard let deadline = stopping.deadline, deadline <= now else { return .wait }
        if stopping.handlersAreCancelled { return .close }
        stopping.handlersAreCancelled = true
        stopping.deadline = now.advanced(by: cancellationGrace)
        phase = .stopping(stopping)
        return .cancelHandlers
    }

    /// Resets the number of failures.
    ///
    /// Earlier failures do not show whether the store can take the result of this handler.
    mutating func handlerEnded() {
        guard case .stopping(var stopping) = phase else { return }
        stopping.failures = 0
        phase = .stopping(stopping)
    }

    mutating func storeFailed() {
        guard case .stopping(var stopping) = phase else { return }
        stopping.failures += 1
        phase = .stopping(stopping)
    }

    // MARK: The end

    mutating func close(_ error: JobError?) { phase = .closing(error) }

    mutating func closed(_ effects: inout [SchedulerEffect]) {
        guard case .closing(let error) = phase else { return }
        phase = .stopped
        for call in stopCalls { effects.answer(call, .success(.done)) }
        stopCalls = []
        effects.append(.stopped(error))
    }
}
