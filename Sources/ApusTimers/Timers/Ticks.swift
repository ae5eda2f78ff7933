extension TimerEngine {
    /// Ticks as an asynchronous sequence: the first one `interval` after the iteration begins, the others in phase.
    ///
    /// The loop's body is the consumer whose being busy makes ticks missed. The sequence is endless; it ends when its
    /// task is cancelled or the engine shut down. A timer exists only while the loop waits for a tick.
    ///
    /// The parameters are those of ``RepeatingTimer/init(every:tolerance:missedTicks:clock:on:engine:handler:)``.
    ///
    /// - Throws: ``TimerError`` with `invalidInterval` or `invalidTolerance`.
    public func ticks(
        every interval: Duration, tolerance: Duration = .zero, missedTicks: MissedTickPolicy = .coalesce,
        clock: ClockKind = .continuous
    ) throws(TimerError) -> Ticks {
        let (interval, _) = try TimerError.validated(every: interval, tolerance: tolerance)
        return Ticks(
            engine: self, tolerance: tolerance, clock: clock,
            machine: RepeatingTimerStateMachine(interval: interval, clock: clock, policy: missedTicks)
        )
    }
}

/// The ticks of a repeating timer; see ``TimerEngine/ticks(every:tolerance:missedTicks:clock:)``.
public struct Ticks: AsyncSequence, Sendable {
    /// A tick.
    public typealias Element = Tick
    /// Nothing is thrown: cancellation ends the sequence.
    public typealias Failure = Never

    let engine: TimerEngine
    let tolerance: Duration
    let clock: ClockKind
    let machine: RepeatingTimerStateMachine

    /// Begins a new timer: every iteration has a phase of its own.
    public func makeAsyncIterator() -> Iterator {
        var machine = machine
        let wait = machine.resume(now: engine.time.nanoseconds(on: clock))
        return Iterator(ticks: self, machine: machine, nextWait: wait)
    }

    /// Waits for the ticks, one after another.
    public struct Iterator: AsyncIteratorProtocol {
        let ticks: Ticks
        var machine: RepeatingTimerStateMachine
        /// What the machine asked for before the first call; later calls begin with the end of the consumer's work.
        var nextWait: RepeatingTimerStateMachine.WaitAction?
        /// Set with the first nil: no tick was delivered then, so there is no work whose end the machine would have to
        /// note.
        var hasEnded = false

        /// The next tick; nil when the task was cancelled or the engine shut down, and from then on.
        public mutating func next() async -> Tick? { await next(isolation: nil) }

        /// The next tick; nil when the task was cancelled or the engine shut down, and from then on.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Tick? {
            let engine = ticks.engine
            guard !hasEnded, case .wait(var due, var epoch) = nextWait.take() ?? machine.finished(now: now) else {
                return nil
            }
            while true {
                do {
                    try await engine.sleep(untilNanoseconds: due, tolerance: ticks.tolerance, clock: ticks.clock)
                } catch {
                    hasEnded = true
                    return nil
                }
                switch machine.fired(epoch: epoch, now: now) {
                case .deliver(let tick): return tick
                case .wait(let again, let newEpoch): (due, epoch) = (again, newEpoch)
                case .ignore: preconditionFailure("only this iterator moves its machine")
                }
            }
        }

        private var now: UInt64 { ticks.engine.time.nanoseconds(on: ticks.clock) }
    }
}
