import ApusTimers

/// What a display of whole seconds shows, and when it changes.
enum SecondDisplay: Sendable, Hashable {
    case still(seconds: Int64)
    /// Down to an instant: rounded up, so that 0 means done.
    case down(to: ContinuousInstant)
    /// Up from what had passed at an instant: rounded down.
    case up(elapsed: Duration, since: ContinuousInstant)

    func seconds(at now: ContinuousInstant) -> Int64 {
        switch self {
        case .still(let seconds): seconds
        case .down(let stop): WholeSeconds.up(now.duration(to: stop))
        case .up(let elapsed, let since): WholeSeconds.down(elapsed + since.duration(to: now))
        }
    }

    /// The instant of the next change.
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
