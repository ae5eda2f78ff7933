import ApusTimers

/// The whole seconds that a display shows, and the instants at which they change.
enum SecondDisplay: Sendable, Hashable {
    case still(seconds: Int64)
    /// The time until an instant, rounded up, so that 0 means done.
    case down(to: ContinuousInstant)
    /// The elapsed time, rounded down: it is `elapsed` at the instant `since`, and grows from then on.
    case up(elapsed: Duration, since: ContinuousInstant)

    func seconds(at now: ContinuousInstant) -> Int64 {
        switch self {
        case .still(let seconds): seconds
        case .down(let stop): WholeSeconds.up(now.duration(to: stop))
        case .up(let elapsed, let since): WholeSeconds.down(elapsed + since.duration(to: now))
        }
    }

    /// Returns the instant of the next change; `nil` if there is none.
    func nextChange(after now: ContinuousInstant) -> ContinuousInstant? {
        let seconds = seconds(at: now)
        switch self {
        case .still:
            return nil
        case .down(let stop):
            return seconds > 0 ? stop.advanced(by: .seconds(1 - seconds)) : nil
        case .up(let elapsed, let since):
            return since.advanced(by: .seconds(seconds + 1) - elapsed)
        }
    }
}

/// Calls observers on the main loop when the displayed second changes.
///
/// The engine is armed for the next change only while there are observers, and is armed again only after they have been
/// called, so calls never accumulate.
final class SecondTicker: Sendable {
    private typealias Call = @MainActor @Sendable (Duration) -> Void

    private struct Observer: Sendable {
        let id: Int
        let call: Call
        var last: Int64?
    }

    private struct State {
        var display: SecondDisplay
        var observers: [Observer] = []
        var nextObserver = 0
        var waiting: ScheduledTimer?
    }

    private let engine: TimerEngine
    private let mainLoop: any MainLoop
    private let state: Locked<State>

    init(host: any BackgroundHost, display: SecondDisplay) {
        engine = host.engine
        mainLoop = host.mainLoop
        state = Locked(State(display: display))
    }

    deinit { state.withLock { $0.waiting.take() }?.cancel() }

    /// Replaces the display, and calls the observers if the displayed second changes.
    func show(_ display: SecondDisplay) {
        let isObserved = state.withLock { state in
            state.display = display
            return !state.observers.isEmpty
        }
        if isObserved { refreshSoon() }
    }

    /// Calls `observer` soon with the displayed time, and again after each change.
    func observe(_ observer: @escaping @MainActor @Sendable (Duration) -> Void) -> ObservationToken {
        let id = state.withLock { state in
            state.nextObserver += 1
            state.observers.append(Observer(id: state.nextObserver, call: observer))
            return state.nextObserver
        }
        refreshSoon()
        return ObservationToken { [weak self] in
            let removed = self?.state.withLock { state in
                let removed = state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0) }
                if state.observers.isEmpty { state.waiting.take()?.cancel() }
                return removed
            }
            // The observer is released outside the lock.
            withExtendedLifetime(removed) {}
        }
    }

    private func refreshSoon() {
        mainLoop.run { [weak self] in self?.refresh() }
    }

    @MainActor private func refresh() {
        let (seconds, ids) = state.withLock { state in
            let seconds = state.display.seconds(at: engine.time.continuous())
            var ids: [Int] = []
            for index in state.observers.indices where state.observers[index].last != seconds {
                state.observers[index].last = seconds
                ids.append(state.observers[index].id)
            }
            return (seconds, ids)
        }
        for id in ids {
            // Each observer is looked up immediately before its call, so that an observer that was cancelled in the
            // meantime is not called.
            let call = state.withLock { state in state.observers.first { $0.id == id }?.call }
            call?(.seconds(seconds))
        }
        state.withLock { state in
            state.waiting.take()?.cancel()
            guard !state.observers.isEmpty,
                let next = state.display.nextChange(after: engine.time.continuous())
            else { return }
            state.waiting = engine.schedule(at: next) { [weak self] in self?.refreshSoon() }
        }
    }
}

/// Formats durations as clocks show them: `0:07`, `12:34`, `1:05:09`, with any number of hours.
public enum CountdownText {
    /// Returns a remaining time, rounded up to the second, so that `0:00` means done; a negative time is zero.
    public static func remaining(_ duration: Duration) -> String { text(WholeSeconds.up(duration)) }

    /// Returns an elapsed time, rounded down to the second; a negative time is zero.
    public static func elapsed(_ duration: Duration) -> String { text(WholeSeconds.down(duration)) }

    private static func text(_ seconds: Int64) -> String {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let rest = padded(seconds % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(rest)" : "\(minutes):\(rest)"
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Converts durations to whole seconds that are not negative.
enum WholeSeconds {
    static func up(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = inRange(duration).components
        return attoseconds > 0 ? seconds + 1 : seconds
    }

    static func down(_ duration: Duration) -> Int64 { inRange(duration).components.seconds }

    /// Returns the duration, limited to the range from zero to `Int64.max` seconds.
    ///
    /// Reading the components of a longer duration traps.
    private static func inRange(_ duration: Duration) -> Duration { min(max(.zero, duration), .seconds(Int64.max)) }
}
