import ApusTimers

/// The reduction of a failing script to a shorter and simpler one, as a pure state machine.
///
/// It returns the script to try next, and receives the result of each attempt. It removes halves of the script, then
/// quarters, and so on, down to single steps. It also joins adjacent waits, and rounds durations. Each change that
/// preserves the kind of problem is kept, and the passes are repeated until no change is kept.
struct StepShortener {
    /// The shortest script so far.
    private(set) var best: [DeviceStep]
    private var attemptsLeft: Int
    private var pass: Pass
    private var candidate: [DeviceStep]?
    private var hasHelped = false

    private enum Pass {
        /// Removes `size` steps, beginning with the step at the index `start`.
        case removal(size: Int, start: Int)
        /// Joins the waits at this index and the next.
        case joining(Int)
        /// Replaces the step at this index by one of its simpler forms.
        case rounding(Int, form: Int)
        case over
    }

    init(_ steps: [DeviceStep], attempts: Int) {
        best = steps
        attemptsLeft = attempts
        pass = .removal(size: max(1, steps.count / 2), start: 0)
    }

    /// Returns the script to try next; `nil` at the end.
    ///
    /// A call of ``report(failedAfter:)`` must follow.
    mutating func next() -> [DeviceStep]? {
        guard attemptsLeft > 0 else { return nil }
        while true {
            switch pass {
            case .removal(let size, let start):
                if start < best.count {
                    var steps = best
                    steps.removeSubrange(start..<min(start + size, best.count))
                    return propose(steps)
                }
                pass = size > 1 ? .removal(size: size / 2, start: 0) : .joining(0)
            case .joining(let index):
                guard index + 1 < best.count else {
                    pass = .rounding(0, form: 0)
                    continue
                }
                guard case (.advance(let first), .advance(let second)) = (best[index], best[index + 1]) else {
                    pass = .joining(index + 1)
                    continue
                }
                var steps = best
                steps.replaceSubrange(index...index + 1, with: [.advance(first + second)])
                return propose(steps)
            case .rounding(let index, let form):
                guard index < best.count else {
                    pass = hasHelped ? .removal(size: max(1, best.count / 2), start: 0) : .over
                    hasHelped = false
                    continue
                }
                let forms = Self.plainer(best[index])
                guard form < forms.count else {
                    pass = .rounding(index + 1, form: 0)
                    continue
                }
                var steps = best
                steps[index] = forms[form]
                return propose(steps)
            case .over: return nil
            }
        }
    }

    private mutating func propose(_ steps: [DeviceStep]) -> [DeviceStep] {
        attemptsLeft -= 1
        candidate = steps
        return steps
    }

    /// Handles the result of the script from ``next()``.
    ///
    /// - Parameter steps: The steps up to the problem; `nil` when it did not occur.
    mutating func report(failedAfter steps: [DeviceStep]?) {
        guard candidate.take() != nil else { fatalError("next() has returned no script to report about") }
        if let steps {
            best = steps
            hasHelped = true
        }
        switch pass {
        case .removal(let size, let start): pass = .removal(size: size, start: steps == nil ? start + size : start)
        case .joining(let index): pass = .joining(steps == nil ? index + 1 : index)
        case .rounding(let index, let form): pass = .rounding(index, form: steps == nil ? form + 1 : 0)
        case .over: break
        }
    }

    /// Returns the simpler forms of a step, the simplest first; their durations are round.
    private static func plainer(_ step: DeviceStep) -> [DeviceStep] {
        switch step {
        case .advance(let duration): rounder(duration).map { .advance($0) }
        case .scroll(let duration): rounder(duration).map { .scroll($0) }
        case .sleepMachine(let duration): rounder(duration).map { .sleepMachine($0) }
        case .moveWallClock(let duration) where duration != .seconds(3_600) && duration != .seconds(-3_600):
            [.moveWallClock(duration < .zero ? .seconds(-3_600) : .seconds(3_600))]
        // Without a process, `open` and `launch` have the same effect.
        case .open: [.launch]
        default: []
        }
    }

    /// Returns all round durations that are shorter than a duration, and the next longer one unless the duration is
    /// round itself.
    private static func rounder(_ duration: Duration) -> [Duration] {
        let plain: [Duration] = [1, 5, 10, 30, 60, 600, 3_600, 21_600, 86_400].map { .seconds($0) }
        let shorter = plain.filter { $0 < duration }
        guard !plain.contains(duration), let next = plain.first(where: { $0 > duration }) else { return shorter }
        return shorter + [next]
    }
}
