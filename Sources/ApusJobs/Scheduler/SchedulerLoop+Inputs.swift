import ApusTimers

/// Brings the commands of callers to the loop.
extension SchedulerLoop {
    func call(_ command: SchedulerCommand) async throws -> SchedulerReply {
        try await withCheckedThrowingContinuation { continuation in
            bring([command]) { _, result in continuation.resume(with: result) }
        }
    }

    /// Brings several commands at once, so that turns take as many of them as they have room for.
    /// - Returns: the answers, in the order of the commands.
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

    /// `answer` is called once for each command, with its index.
    private func bring(
        _ commands: [SchedulerCommand], answer: @escaping @Sendable (Int, Result<SchedulerReply, JobError>) -> Void
    ) {
        let (error, waiter) = inbox.withLock { inbox -> (JobError?, CheckedContinuation<Void, Never>?) in
            switch inbox.life {
            case .idle, .opening:
                return (JobError(.closed, "the scheduler was not started; call start() first"), nil)
            case .stopped: return (SchedulerMachine.closed, nil)
            case .running: break
            }
            for (index, command) in commands.enumerated() {
                inbox.lastCall += 1
                inbox.calls[inbox.lastCall] = { answer(index, $0) }
                inbox.inputs.append(.command(inbox.lastCall, command))
            }
            return (nil, inbox.waiter.take())
        }
        if let error { for index in commands.indices { answer(index, .failure(error)) } }
        waiter?.resume()
    }

    func post(_ input: SchedulerInput) {
        let waiter = inbox.withLock { inbox -> CheckedContinuation<Void, Never>? in
            guard case .running = inbox.life else { return nil }
            inbox.inputs.append(input)
            return inbox.waiter.take()
        }
        waiter?.resume()
    }

    /// The machine looks at the clocks.
    func wake() {
        let waiter = inbox.withLock { inbox in
            inbox.isWoken = true
            return inbox.waiter.take()
        }
        waiter?.resume()
    }
}
