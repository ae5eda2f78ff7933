import ApusJobs
import ApusTimers
import ApusVirtualTime

/// The handler of a process's jobs, which behaves as the plan of each job says.
struct SimulatedHandler: Sendable {
    let node: Int
    let engine: TimerEngine
    let base: MemoryStore
    let ledger: Ledger
    let waits = Waits()

    func run(_ context: RunContext) async throws {
        let run = await stored(context)
        let call = ledger.began(context, node: node, stored: run)
        let (plan, isPeace) = ledger.with { state in
            (state.facts[JobPlan.number(of: context.job)].plan, state.isPeace || state.isOver)
        }
        var behaviour = plan.behaviour(occurrence: context.occurrence, attempt: context.attempt)
        if isPeace { behaviour = .succeed(after: 0) }
        do {
            for (index, pause) in plan.reports.enumerated() {
                if await wait(isPeace ? 0 : pause) { throw CancellationError() }
                ledger.reported(call)
                context.report(
                    progress: Double(index + 1) / Double(plan.reports.count),
                    message: call.map { Ledger.report(index, of: $0) })
            }
            try await perform(behaviour, context)
            ledger.ended(call, .returned, cancelled: context.cancellationReason)
        } catch {
            ledger.ended(
                call, (error as? RunDecision)?.kind == .snooze ? .postponed : .threw,
                cancelled: context.cancellationReason)
            throw error
        }
    }

    /// Returns the run in the store at the moment of the call.
    private func stored(_ context: RunContext) async -> Run? {
        let open = try? await base.job(context.job.id)
        if let open, open.job.key == context.job.key {
            let run = open.open.first { $0.occurrence == context.occurrence && $0.attempt == context.attempt }
            if let run { return run }
        }
        let page = try? await base.runs(RunQuery(occurrence: context.occurrence, limit: .max))
        return page?.runs.first { $0.jobKey == context.job.key && $0.attempt == context.attempt }
    }

    private func perform(_ behaviour: JobPlan.Behaviour, _ context: RunContext) async throws {
        switch behaviour {
        case .succeed(let time): if await wait(time) { throw CancellationError() }
        case .fail(let time):
            if await wait(time) { throw CancellationError() }
            throw RunDecision.retry(reason: "as planned")
        case .failFinally: throw RunDecision.discard(reason: "as planned")
        case .hang: if await wait(nil) { throw CancellationError() }
        case .stubborn(let time): _ = await wait(time, heedsCancellation: false)
        case .postpone(let delay):
            if calls(of: context) <= 2 { throw RunDecision.snooze(for: .milliseconds(delay), reason: "as planned") }
        case .snooze(let delay, let times):
            guard calls(of: context) <= times else { return }
            // The run is postponed, so none of this may stay in its row.
            context.setExitCode(75)
            context.setOutput([1])
            try context.setResult([1])
            throw RunDecision.snooze(for: .milliseconds(delay))
        }
    }

    /// Returns the number of calls of the handler for this attempt.
    private func calls(of context: RunContext) -> Int {
        ledger.with { state in
            state.callsByAttempt[
                .init(key: context.job.key, occurrence: context.occurrence, attempt: context.attempt), default: []
            ].count
        }
    }

    /// Waits, and returns whether the cancellation was requested before the end of the time.
    private func wait(_ time: Int?, heedsCancellation: Bool = true) async -> Bool {
        // Handlers do not wait after ``World/makePeace()``, which ends the faults of a history. It has also ended the
        // waits that were in progress.
        if time == 0 || ledger.with({ $0.isPeace }) { return false }
        let wait = waits.make()
        let timer = time.map { time in engine.schedule(after: .milliseconds(time)) { wait.end(cancelled: false) } }
        let isCancelled = await withTaskCancellationHandler {
            await withCheckedContinuation { wait.begin($0) }
        } onCancel: {
            if heedsCancellation { wait.end(cancelled: true) }
        }
        _ = timer?.cancel()
        waits.remove(wait)
        return isCancelled
    }
}

/// The waits of a process's handlers that have not ended.
final class Waits: Sendable {
    final class Wait: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Bool, Never>?
            var isCancelled: Bool?
        }

        let number: Int
        private let state = Locked(State())
        fileprivate init(number: Int) { self.number = number }

        func begin(_ continuation: CheckedContinuation<Bool, Never>) {
            let ended = state.withLock { state in
                if state.isCancelled == nil { state.continuation = continuation }
                return state.isCancelled
            }
            if let ended { continuation.resume(returning: ended) }
        }

        func end(cancelled: Bool) {
            let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard state.isCancelled == nil else { return nil }
                state.isCancelled = cancelled
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume(returning: cancelled)
        }
    }

    private let state = Locked<(next: Int, waits: [Wait])>((0, []))

    func make() -> Wait {
        state.withLock { state in
            state.next += 1
            state.waits.append(Wait(number: state.next))
            return state.waits[state.waits.count - 1]
        }
    }

    fileprivate func remove(_ wait: Wait) { state.withLock { $0.waits.removeAll { $0.number == wait.number } } }

    var count: Int { state.withLock { $0.waits.count } }

    /// Ends all waits, as if their time were over.
    func endAll() { for wait in state.withLock({ $0.waits }) { wait.end(cancelled: false) } }
}
