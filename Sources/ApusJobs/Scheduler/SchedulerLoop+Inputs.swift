import ApusTimers

// Commands of callers, signals of the store and wake-ups.
extension SchedulerLoop {
    func call(_ command: SchedulerCommand) async throws -> SchedulerReply {
        try await withCheckedThrowingContinuation { continuation in
            bring([command]) { _, result in continuation.resume(with: result) }
        }
    }

    /// Delivers several commands at once, so that a turn takes as many of them as it has room for.
    ///
    /// - Returns: The answers, in the order of the commands.
    func call(_ commands: [SchedulerCommand]) async -> [Result<SchedulerReply, JobError>] {
        if commands.isEmpty { return [] }
        let answers = Locked<[Int: Result<SchedulerReply, JobError>]>([:])
        await withCheckedContinuation { continuation in
            bring(commands) { index, result in
                let isLast = answers.withLock { answers in
                    answers[index] = result
                    return answers.count == commands.count
                }
                if isLast { continuation.resume() }
            }
        }
        return answers.withLock { answers in commands.indices.map { answers[$0]! } }
    }

    /// Delivers commands; `answer` is called once for each command, with its index.
    private func bring(
        _ commands: [SchedulerCommand], answer: @escaping @Sendable (Int, Result<SchedulerReply, JobError>) -> Void
    ) {
        let (error, waiter) = inbox.withLock { inbox -> (JobError?, CheckedContinuation<Void, Never>?) in
            switch inbox.gate {
            case .idle, .opening:
                return (JobError(code: .closed, message: "the scheduler was not started; call start() first"), nil)
            case .closed: return (SchedulerMachine.closed, nil)
            case .open: break
            }
            for (index, command) in commands.enumerated() { inbox.add(command) { answer(index, $0) } }
            return (nil, inbox.waiter.take())
        }
        if let error { for index in commands.indices { answer(index, .failure(error)) } }
        waiter?.resume()
    }

    func post(_ input: SchedulerInput) {
        let waiter = inbox.withLock { inbox -> CheckedContinuation<Void, Never>? in
            guard inbox.gate == .open else { return nil }
            inbox.inputs.append(input)
            return inbox.waiter.take()
        }
        waiter?.resume()
    }

    /// Wakes the loop, so that the machine reads the clocks.
    func wake() {
        let waiter = inbox.withLock { inbox in
            inbox.isWoken = true
            return inbox.waiter.take()
        }
        waiter?.resume()
    }

    // MARK: Signals and events of the store

    func follow(_ signals: AsyncStream<StoreSignal>) -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self] in
            for await signal in signals { self?.receive(signal) }
        }
    }

    /// Sends the events of the store's other schedulers to the subscribers of this one.
    func followOthers(_ events: AsyncStream<JobEvent>) -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self] in
            for await event in events { self?.hub.emit(fromOther: event) }
        }
    }

    /// Delivers a signal of the store.
    ///
    /// The machine receives the beginning and the end of a cut-off immediately instead of in the next turn. The present
    /// step may wait for a store that does not answer, and handlers must be cancelled before that step ends.
    private func receive(_ signal: StoreSignal) {
        guard signal == .cutOff || signal == .connected else { return post(.signal(signal)) }
        update { machine, now in machine.receive(.signal(signal), at: now) }
        wake()
    }
}
