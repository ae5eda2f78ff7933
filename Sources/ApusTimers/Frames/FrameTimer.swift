/// Calls a handler once for each frame of a display, or for every n-th one: a display link without a display.
///
/// The display's frames begin at multiples of 1 / ``maximumFramesPerSecond`` seconds of the clock, to the nanosecond
/// and without drift, so timers with the same maximum share their wake-ups. The timer's frames are every n-th of the
/// display's frames, where n gives the rate that is nearest to the preferred one.
///
/// A new timer is paused; set ``isPaused`` to false to start it. ``isPaused``, ``preferredFramesPerSecond`` and
/// ``cancel()`` may be used from any thread, including from the handler, in any order and any number of times; a call
/// that does not apply in the timer's state has no effect. Dropping the last reference cancels the timer. The handler
/// never overlaps itself, and is never called under a lock.
///
/// If the handler takes longer than a frame, it is called next at the beginning of a later frame, never in the middle
/// of one. ``Frame/droppedFrameCount`` is the number of frames that passed meanwhile and were dropped. If the machine
/// was late or the process was stopped, there is one immediate call, which counts all dropped frames. No handler is
/// called while the machine sleeps; on ``ClockKind/continuous`` the frames of that time are dropped, on
/// ``ClockKind/uptime`` there are none.
///
/// While the timer is paused, it has no timer in the engine and causes no wake-ups. The first frame after a pause is
/// the timer's next one on the grid; the frames during the pause do not count as dropped.
public final class FrameTimer: Sendable {
    private let core: FrameTimerCore

    /// The display's rate in frames per second, from 1 to 1000.
    ///
    /// It is the rate of the grid, and the highest rate that the timer can have.
    public let maximumFramesPerSecond: Int

    /// Creates a paused timer whose handler runs on the main actor.
    ///
    /// - Parameters:
    ///   - maximumFramesPerSecond: The display's rate, from 1 to 1000.
    ///   - preferredFramesPerSecond: The wanted rate; see ``preferredFramesPerSecond``.
    ///   - clock: The clock of the frames: `.continuous` or `.uptime`, because these cannot be set.
    ///   - engine: The engine that wakes the timer. After the engine is stopped, no frame comes.
    ///   - handler: Called with each frame, and released when the timer is cancelled.
    /// - Throws: ``TimerError`` with `invalidFrameRate`, also for a negative preferred rate, or with `invalidClock`.
    public convenience init(
        maximumFramesPerSecond: Int = 60, preferredFramesPerSecond: Int? = nil, clock: ClockKind = .continuous,
        engine: TimerEngine = .shared, handler: @escaping @MainActor @Sendable (Frame) -> Void
    ) throws(TimerError) {
        try self.init(
            maximumFramesPerSecond: maximumFramesPerSecond, preferredFramesPerSecond: preferredFramesPerSecond,
            clock: clock, on: .mainActor, engine: engine
        ) { frame in MainActor.assumeIsolated { handler(frame) } }
    }

    /// Creates a paused timer.
    ///
    /// - Parameters:
    ///   - maximumFramesPerSecond: The display's rate, from 1 to 1000.
    ///   - preferredFramesPerSecond: The wanted rate; see ``preferredFramesPerSecond``.
    ///   - clock: The clock of the frames: `.continuous` or `.uptime`, because these cannot be set.
    ///   - executor: Where the handler runs.
    ///   - engine: The engine that wakes the timer. After the engine is stopped, no frame comes.
    ///   - handler: Called with each frame, and released when the timer is cancelled.
    /// - Throws: ``TimerError`` with `invalidFrameRate`, also for a negative preferred rate, or with `invalidClock`.
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

    /// Whether the timer is paused.
    ///
    /// A new timer is paused. A cancelled timer counts as paused for good, and setting the property has no effect.
    ///
    /// After the property was set to true, no new delivery begins, but a delivery that has begun is completed. If it is
    /// set on the handler's own serial executor (the main actor, a serial queue), the handler is not called afterwards.
    public var isPaused: Bool {
        get { core.read { $0.isPaused } }
        set { core.setPaused(newValue) }
    }

    /// The wanted rate in frames per second; nil or zero selects the maximum.
    ///
    /// ``framesPerSecond`` becomes the nearest divisor of the maximum, and the faster one if two are equally near: with
    /// a maximum of 60, rates from 25 to 44 give 30, and rates from 45 give 60. The rate may be changed while the timer
    /// runs; the next frame is then the next one of the new rate on the display's grid. A negative value counts as nil,
    /// because a property cannot throw.
    public var preferredFramesPerSecond: Int? {
        get { core.read { $0.preferredFramesPerSecond } }
        set { core.prefer(framesPerSecond: newValue) }
    }

    /// The actual rate in frames per second, a divisor of ``maximumFramesPerSecond``.
    public var framesPerSecond: Int { core.read { $0.framesPerSecond } }

    /// How many frames the timer has dropped: the sum of ``Frame/droppedFrameCount`` of the delivered frames.
    public var droppedFrameCount: Int { core.read { $0.droppedFrameCount } }

    /// Ends the timer for good and releases its handler.
    ///
    /// No new delivery begins afterwards, but one that has begun is completed, as with ``isPaused``.
    public func cancel() { core.cancel() }
}

/// Holds the timer's state, and outlives the timer while its handler runs.
///
/// The core is itself the action of its engine timers, with the epoch as the token, so that a frame allocates nothing.
///
/// For `@unchecked Sendable`, which this subclass of `TimerHandler` must repeat: all mutable values are in `state`,
/// protected by its lock.
private final class FrameTimerCore: TimerHandler, @unchecked Sendable {
    /// The handler's closure, in a struct because each passage through the lock's generic code would wrap a bare
    /// closure in another one.
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
        // The handler is released outside the lock, because releasing what it captured may run any code.
        withExtendedLifetime(handler) {}
    }

    private var now: UInt64 { engine.time.nanoseconds(on: clock) }

    /// Performs an action under the lock, so that a pause cannot overtake an earlier start.
    ///
    /// Holding the lock is safe, because the engine calls no user code when it schedules or cancels.
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

/// One frame that a ``FrameTimer`` delivers.
public struct Frame: Sendable, Hashable {
    /// The number of the frame, from 1; dropped frames are counted, frames during a pause are not.
    public let number: Int
    /// The beginning of this frame: the latest of the timer's frames at or before the call.
    public let timestamp: ClockInstant
    /// The beginning of the timer's next frame, which is when the drawing of this frame should be shown.
    ///
    /// It is always later than ``timestamp``, by one frame at the timer's actual rate.
    public let targetTimestamp: ClockInstant
    /// The length of one frame at the *maximum* rate, as in `CADisplayLink`.
    ///
    /// The length of this timer's frames is ``targetTimestamp`` − ``timestamp``.
    public let duration: Duration
    /// How many frames were dropped since the previous delivered one, because the handler or the machine was late.
    ///
    /// Frames during a pause do not count.
    public let droppedFrameCount: Int

    /// Creates a frame for another kind of display link in Apus.
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
