import ApusTimers

/// The timers of Apus with a closure for each timer.
final class ApusClosure: Contestant {
    private let engine = TimerEngine()

    func delay(_ nanoseconds: Int64) -> Duration { .nanoseconds(nanoseconds) }
    func schedule(after delay: Duration, number: Int) -> ScheduledTimer {
        engine.schedule(after: delay) { Fired.note(number) }
    }
    func cancel(_ handle: ScheduledTimer) { handle.cancel() }
    func reset(_ handle: inout ScheduledTimer, after delay: Duration, number: Int) {
        handle.reset(after: delay)
    }
    var live: Int? { engine.liveTimerCount }
    func close() { engine.stop() }
}

/// The timers of Apus with one handler for all timers and a token for each.
final class ApusHandler: Contestant {
    private let engine = TimerEngine()
    private let handler = TimerHandler { token in Fired.note(Int(truncatingIfNeeded: token)) }

    func delay(_ nanoseconds: Int64) -> Duration { .nanoseconds(nanoseconds) }
    func schedule(after delay: Duration, number: Int) -> ScheduledTimer {
        engine.schedule(
            after: delay, handler: handler, token: UInt64(truncatingIfNeeded: number))
    }
    func cancel(_ handle: ScheduledTimer) { handle.cancel() }
    func reset(_ handle: inout ScheduledTimer, after delay: Duration, number: Int) {
        handle.reset(after: delay)
    }
    var live: Int? { engine.liveTimerCount }
    func close() { engine.stop() }
}

/// The timers of Apus with one handler for all timers, due at known instants, so that the clock is not read.
final class ApusHandlerAtInstants: Contestant {
    private let engine = TimerEngine()
    private let handler = TimerHandler { token in Fired.note(Int(truncatingIfNeeded: token)) }
    private let now: ContinuousInstant = SystemTime().now()

    func delay(_ nanoseconds: Int64) -> ContinuousInstant { now.advanced(by: .nanoseconds(nanoseconds)) }
    func schedule(after delay: ContinuousInstant, number: Int) -> ScheduledTimer {
        engine.schedule(at: delay, handler: handler, token: UInt64(truncatingIfNeeded: number))
    }
    func cancel(_ handle: ScheduledTimer) { handle.cancel() }
    var live: Int? { engine.liveTimerCount }
    func close() { engine.stop() }
}
