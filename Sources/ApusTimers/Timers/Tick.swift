/// One tick of a repeating timer.
public struct Tick: Sendable, Hashable {
    /// The number of the interval that ended, from 1; with `.coalesce` and `.skip`, missed ticks are counted too.
    public let number: Int
    /// When the tick was due.
    public let due: ClockInstant
    /// When the tick was delivered, never before ``due``.
    public let actual: ClockInstant
    /// How many ticks were missed since the previous delivered one.
    public let missedCount: Int

    /// How long after ``due`` the tick was delivered.
    public var lateness: Duration { due.duration(to: actual) }
}

extension TimerEngine {
    /// Returns an endless sequence of ticks.
    ///
    /// The first tick is due `interval` after the iteration begins, and the others follow in phase.
    ///
    /// Ticks that fall due while the loop's body is busy are missed ticks, to which `missedTicks` applies. The sequence
    /// ends when its task is cancelled or the engine is stopped. The engine has a timer for it only while the loop
    /// waits for a tick.
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

/// The sequence of ticks that ``TimerEngine/ticks(every:tolerance:missedTicks:clock:)`` returns.
public struct Ticks: AsyncSequence, Sendable {
    /// The sequence's elements are ticks.
    public typealias Element = Tick
    /// The sequence throws no error; cancellation ends it.
    public typealias Failure = Never

    let engine: TimerEngine
    let tolerance: Duration
    let clock: ClockKind
    let machine: RepeatingTimerStateMachine

    /// Starts a new timer, so that every iteration has its own phase.
    public func makeAsyncIterator() -> Iterator {
        var machine = machine
        let wait = machine.resume(now: engine.time.nanoseconds(on: clock))
        return Iterator(ticks: self, machine: machine, nextWait: wait)
    }

    /// Waits for one tick after another.
    public struct Iterator: AsyncIteratorProtocol {
        let ticks: Ticks
        var machine: RepeatingTimerStateMachine
        /// The wait before the first tick; nil after the first call of `next()`.
        var nextWait: RepeatingTimerStateMachine.WaitAction?
        /// Whether `next()` has returned nil.
        ///
        /// No tick was delivered then, so the machine must not be notified of the end of the consumer's work.
        var hasEnded = false

        /// Waits for the next tick, and returns nil if the task is cancelled or the engine is stopped.
        public mutating func next() async -> Tick? { await next(isolation: nil) }

        /// Waits for the next tick, and returns nil if the task is cancelled or the engine is stopped.
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

/// Decides about the ticks that fell due while the consumer was busy or the process did not run.
///
/// In the timelines, one character is a fifth of the interval, `|` is a due instant, a digit is the tick with that
/// number, and `=` is the running handler. The handler of tick 2 takes 2.4 intervals.
///
/// ```
/// due        |    |    |    |    |    |    |    |
///            0    1    2    3    4    5    6    7
/// coalesce        1    2===========4  5    6    7      4 at once; it missed 1; then in phase
/// skip            1    2===========   5    6    7      5 missed 2
/// delay           1    2===========3    4    5         3 at once, and a new phase from there
/// burst           1    2===========34 5    6    7      no tick is lost, the late ones come at once
/// ```
public struct MissedTickPolicy: Sendable, Hashable {
    enum Kind { case coalesce, skip, delay, burst }
    let kind: Kind

    /// Merges late ticks into one, delivered as soon as the consumer is free, with the number of missed ticks.
    ///
    /// This is the default.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// coalesce        1    2===========4  5    6    7
    /// ```
    public static var coalesce: MissedTickPolicy { MissedTickPolicy(kind: .coalesce) }

    /// Drops the ticks that fell due while the consumer was busy.
    ///
    /// The next tick comes in phase, with the number of dropped ticks.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// skip            1    2===========   5    6    7
    /// ```
    public static var skip: MissedTickPolicy { MissedTickPolicy(kind: .skip) }

    /// Delivers a late tick as soon as the consumer is free, and starts a new phase there.
    ///
    /// The phase is kept if the consumer was free and the tick is late by less than an interval. The tolerance or a
    /// busy machine can cause such a delay.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// delay           1    2===========3    4    5
    /// ```
    public static var delay: MissedTickPolicy { MissedTickPolicy(kind: .delay) }

    /// Delivers every tick; late ticks come as fast as the consumer takes them.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// burst           1    2===========34 5    6    7
    /// ```
    public static var burst: MissedTickPolicy { MissedTickPolicy(kind: .burst) }
}
