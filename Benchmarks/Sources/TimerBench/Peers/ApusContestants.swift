import ApusTimers

/// Ours, with a closure for each timer.
final class ApusClosure: Contestant {
    private let engine = TimerEngine()

    func schedule(after nanoseconds: Int64, number: Int) -> ScheduledTimer {
        engine.schedule(after: .nanoseconds(nanoseconds)) { Fired.note(number) }
    }
    func cancel(_ handle: ScheduledTimer) { handle.cancel() }
    func reset(_ handle: inout ScheduledTimer, after nanoseconds: Int64, number: Int) {
        handle.reset(after: .nanoseconds(nanoseconds))
    }
    var live: Int? { engine.liveTimers }
    func close() { engine.shutdown() }
}

/// Ours, with one handler for all timers and a token for each.
final class ApusHandler: Contestant {
    private let engine = TimerEngine()
    private let handler = TimerHandler { token in Fired.note(Int(truncatingIfNeeded: token)) }

    func schedule(after nanoseconds: Int64, number: Int) -> ScheduledTimer {
        engine.schedule(
            after: .nanoseconds(nanoseconds), handler: handler, token: UInt64(truncatingIfNeeded: number))
    }
    func cancel(_ handle: ScheduledTimer) { handle.cancel() }
    func reset(_ handle: inout ScheduledTimer, after nanoseconds: Int64, number: Int) {
        handle.reset(after: .nanoseconds(nanoseconds))
    }
    var live: Int? { engine.liveTimers }
    func close() { engine.shutdown() }
}
