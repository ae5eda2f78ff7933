/// One beat of a repeating timer.
public struct Tick: Sendable, Hashable {
    /// Which interval ended, from 1. With `.coalesce` and `.skip`, missed ticks use up numbers too.
    public let number: Int
    /// When it was due.
    public let due: ClockInstant
    /// When it was delivered: never before `due`.
    public let actual: ClockInstant
    /// How many ticks before this one were due and not delivered, since the last delivered one.
    public let missedCount: Int

    /// How long after its due instant it was delivered.
    public var lateness: Duration { due.duration(to: actual) }
}

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

/// What a repeating timer does about ticks that fell due while its consumer was busy or its process did not run.
///
/// In the timelines one character is a fifth of the interval; `|` is a due instant, `1` a tick with its number, `=` the
/// handler at work. The handler of tick 2 takes 2.4 intervals.
///
/// ```
/// due        |    |    |    |    |    |    |    |
///            0    1    2    3    4    5    6    7
/// coalesce        1    2===========4  5    6    7      4 at once; it missed 1; then in phase
/// skip            1    2===========   5    6    7      5 missed 2
/// delay           1    2===========3    4    5         3 at once, and a new phase from there
/// burst           1    2===========34 5    6    7      nothing is lost, the late ones come at once
/// ```
public struct MissedTickPolicy: Sendable, Hashable {
    enum Kind { case coalesce, skip, delay, burst }
    let kind: Kind

    /// The late ticks become one, delivered as soon as the consumer is free, which says how many were missed. The
    /// default.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// coalesce        1    2===========4  5    6    7
    /// ```
    public static var coalesce: MissedTickPolicy { MissedTickPolicy(kind: .coalesce) }

    /// Ticks that fell due while the consumer was busy are dropped; the next one comes in phase and says how many.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// skip            1    2===========   5    6    7
    /// ```
    public static var skip: MissedTickPolicy { MissedTickPolicy(kind: .skip) }

    /// The late tick is delivered as soon as the consumer is free, and the phase starts anew from there.
    ///
    /// Lateness of less than an interval that is not the consumer's doing (tolerance, a busy machine) keeps the phase.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// delay           1    2===========3    4    5
    /// ```
    public static var delay: MissedTickPolicy { MissedTickPolicy(kind: .delay) }

    /// Every tick is delivered, the late ones one after another as fast as the consumer takes them.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// burst           1    2===========34 5    6    7
    /// ```
    public static var burst: MissedTickPolicy { MissedTickPolicy(kind: .burst) }
}
