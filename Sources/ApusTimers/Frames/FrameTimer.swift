/// Calls a handler once for each frame of a display, or for every second, third … one: a display link without a display.
///
/// The display's frames begin at multiples of 1 / ``maximumFramesPerSecond`` seconds of the clock, to the nanosecond and
/// without drift, so timers of one maximum share their wake-ups. This timer's frames are every n-th of them, for the
/// rate that is nearest to what was preferred.
///
/// A new timer is paused; set ``isPaused`` to false to start it. ``isPaused``, ``preferredFramesPerSecond`` and
/// ``cancel()`` may be used from any thread, also from the handler, in any order and any number of times; what makes
/// no sense in a state does nothing. Dropping the last reference invalidates. The handler never overlaps itself, and is
/// never called under a lock.
///
/// A handler that takes longer than its frame is called next at the beginning of a frame of the timer, never in the
/// middle of one; what it let pass is dropped, and ``Frame/droppedFrameCount`` says how many that were. After the machine
/// was late or the process stopped there is one call, at once, with all that were dropped. While the machine sleeps
/// nothing is called; on ``ClockKind/continuous`` the frames of that time are dropped, on ``ClockKind/uptime`` there
/// were none.
///
/// While paused there is no timer in the engine, and so no wake-up. The first frame after a pause is the timer's next
/// one on the grid; the frames of the pause are not dropped.
public final class FrameTimer: Sendable {
    private let core: FrameTimerCore

    /// The display's rate in frames per second, from 1 to 1000: the rate of the grid, and the highest that there is.
    public let maximumFramesPerSecond: Int

    /// A paused timer whose frames are handled on the main actor.
    ///
    /// - Parameters:
    ///   - maximumFramesPerSecond: The display's rate, from 1 to 1000.
    ///   - preferredFramesPerSecond: The rate that is wished for; see ``preferredFramesPerSecond``.
    ///   - clock: The clock that the frames are on: `.continuous` or `.uptime`, as these cannot be set.
    ///   - engine: The engine that wakes. After its shutdown no frame comes.
    ///   - handler: Called with each frame. It is released when the timer is invalidated.
    /// - Throws: ``TimerError`` with `invalidFrameRate`, also for a negative preference, or with `invalidClock`.
    public convenience init(
        maximumFramesPerSecond: Int = 60, preferredFramesPerSecond: Int? = nil, clock: ClockKind = .continuous,
        engine: TimerEngine = .shared, handler: @escaping @MainActor @Sendable (Frame) -> Void
    ) throws(TimerError) {
        try self.init(
            maximumFramesPerSecond: maximumFramesPerSecond, preferredFramesPerSecond: preferredFramesPerSecond,
            clock: clock, on: .mainActor, engine: engine
        ) { frame in MainActor.assumeIsolated { handler(frame) } }
    }

    /// A paused timer.
    ///
    /// - Parameters:
    ///   - maximumFramesPerSecond: The display's rate, from 1 to 1000.
    ///   - preferredFramesPerSecond: The rate that is wished for; see ``preferredFramesPerSecond``.
    ///   - clock: The clock that the frames are on: `.continuous` or `.uptime`, as these cannot be set.
    ///   - executor: Where the handler runs.
    ///   - engine: The engine that wakes. After its shutdown no frame comes.
    ///   - handler: Called with each frame. It is released when the timer is invalidated.
    /// - Throws: ``TimerError`` with `invalidFrameRate`, also for a negative preference, or with `invalidClock`.
    public init(
        maximumFramesPerSecond: Int = 60, preferredFramesPerSecond: Int? = nil, clock: ClockKind = .continuous,
        on executor: ActionExecutor, engine: TimerEngine = .shared,
        handler: @escaping @Sendable (Frame) -> Void
    ) throws(TimerError) {
        try TimerError.validate(
            maximumFramesPerSecond: maximumFramesPerSecond, preferredFramesPerSecond: preferredFramesPerSecond,
            clock: clock)
        self.maximumFramesPerSecond = maximumFramesPerSecond
        core = FrameTimerCore(
            machine: FrameTimerStateMachine(
                grid: FrameGrid(framesPerSecond: maximumFramesPerSecond),
                preferredFramesPerSecond: preferredFramesPerSecond, clock: clock),
            clock: clock, executor: executor, engine: engine, handler: handler)
    }

    deinit { core.cancel() }

    /// Whether no frames come. True for a new timer, and for good after ``cancel()``, when setting it does nothing.
    ///
    /// No frame's turn comes after this was set to true, but a call whose turn had come is completed. On the handler's
    /// own serial executor (the main actor, a serial queue) that is none: nothing is called after this was set there.
    public var isPaused: Bool {
        get { core.read { $0.isPaused } }
        set { core.setPaused(newValue) }
    }

    /// The rate that is wished for, in frames per second; nil or zero: the maximum.
    ///
    /// ``framesPerSecond`` is the divisor of the maximum that is nearest, and of two that are equally near the faster
    /// one: with a maximum of 60, wishes from 25 to 44 give 30 and all from 45 on give 60. May be changed while the
    /// timer runs; the next frame is then the next of the new rate on the display's grid. There is no caller to throw a
    /// negative value at, so it counts as nil.
    public var preferredFramesPerSecond: Int? {
        get { core.read { $0.preferredFramesPerSecond } }
        set { core.prefer(framesPerSecond: newValue) }
    }

    /// The actual rate, in frames per second: a divisor of ``maximumFramesPerSecond``.
    public var framesPerSecond: Int { core.read { $0.framesPerSecond } }

    /// How many frames were dropped since the timer was made: the sum of what the delivered frames said.
    public var droppedFrameCount: Int { core.read { $0.droppedFrameCount } }

    /// Ends the timer for good and releases its handler. No frame's turn comes after this, but a call whose turn had
    /// come is completed, as with ``isPaused``.
    public func cancel() { core.cancel() }
}

/// What outlives the timer while its handler runs. It is its own action, and the token is the epoch: a frame allocates
/// nothing.
///
/// For `@unchecked Sendable`, which subclasses have to say again: what changes is in `state`, protected by its lock.
private final class FrameTimerCore: TimerHandler, @unchecked Sendable {
    /// A struct, because a closure that goes through the lock's generic code would be wrapped in another each time.
    private struct Handler {
        let body: @Sendable (Frame) -> Void
    }

    private struct State {
        var machine: FrameTimerStateMachine
        var handler: Handler?
        var timer: ScheduledTimer?
    }

    private let state: Locked<State>
    private let clock: ClockKind
    private let engine: TimerEngine

    init(
        machine: FrameTimerStateMachine, clock: ClockKind, executor: ActionExecutor, engine: TimerEngine,
        handler: @escaping @Sendable (Frame) -> Void
    ) {
        state = Locked(State(machine: machine, handler: Handler(body: handler), timer: nil))
        self.clock = clock
        self.engine = engine
        super.init(overridden: executor)
    }

    func read<Value: Sendable>(_ property: @Sendable (FrameTimerStateMachine) -> Value) -> Value {
        state.withLock { property($0.machine) }
    }

    func setPaused(_ isPaused: Bool) {
        state.withLock { state in
            perform(isPaused ? state.machine.pause() : state.machine.resume(now: now), &state)
        }
    }

    func prefer(framesPerSecond: Int?) {
        state.withLock { state in
            perform(state.machine.prefer(framesPerSecond: framesPerSecond, now: now), &state)
        }
    }

    func cancel() {
        let handler = state.withLock { state in
            perform(state.machine.cancel(), &state)
            return state.handler.take()
        }
        // Released outside the lock: what it captured may do anything when it goes.
        withExtendedLifetime(handler) {}
    }

    private var now: UInt64 { engine.time.nanoseconds(on: clock) }

    /// Under the lock on purpose: otherwise a pause could overtake the start before it. The engine calls no user code
    /// when it schedules and cancels.
    private func perform(_ action: FrameTimerStateMachine.WaitAction, _ state: inout State) {
        switch action {
        case .none: break
        case .wait(let due, let epoch): wait(due, epoch, &state)
        case .stopWaiting: state.timer.take()?.cancel()
        }
    }

    private func wait(_ due: UInt64, _ epoch: UInt64, _ state: inout State) {
        state.timer.take()?.cancel()
        state.timer = engine.core.insert(
            .handler(self, token: epoch), clock: clock, deadline: due, tolerance: .zero
        )
    }

    override func fired(_ epoch: UInt64) {
        let delivery = state.withLock { state -> (Frame, Handler)? in
            switch state.machine.fired(epoch: epoch, now: now) {
            case .ignore:
                return nil
            case .wait(let due, let epoch):
                wait(due, epoch, &state)
                return nil
            case .deliver(let frame):
                guard let handler = state.handler else {
                    preconditionFailure("only an invalidated timer has no handler")
                }
                state.timer = nil
                return (frame, handler)
            }
        }
        guard let (frame, handler) = delivery else { return }
        handler.body(frame)
        state.withLock { state in perform(state.machine.finished(now: now), &state) }
    }
}

/// One call of a ``FrameTimer``.
public struct Frame: Sendable, Hashable {
    /// Which of the timer's frames this is, from 1. Dropped frames use up numbers too; a pause does not.
    public let number: Int
    /// When this frame began: the latest of the timer's frames at or before the call. Never later than the call.
    public let timestamp: ClockInstant
    /// When the timer's next frame begins, and what is drawn now is to be shown. Always later than ``timestamp``, by
    /// one frame at the timer's actual rate.
    public let targetTimestamp: ClockInstant
    /// How long one frame is at the *maximum* rate, as with `CADisplayLink`. The length of this timer's frames is
    /// ``targetTimestamp`` − ``timestamp``.
    public let duration: Duration
    /// How many of the timer's frames were dropped between the one before and this one, because the handler or the
    /// machine was late. Frames that passed in a pause are not dropped.
    public let droppedFrameCount: Int

    /// For the other kinds of display links that Apus has.
    package init(
        number: Int, timestamp: ClockInstant, targetTimestamp: ClockInstant, duration: Duration, droppedFrameCount: Int
    ) {
        self.number = number
        self.timestamp = timestamp
        self.targetTimestamp = targetTimestamp
        self.duration = duration
        self.droppedFrameCount = droppedFrameCount
    }
}
