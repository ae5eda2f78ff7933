import ApusJobs

/// The search for a shorter and simpler history that breaks the same promise.
struct Shrinker {
    /// A history with the promise that it breaks.
    struct Found {
        var history: History
        var violation: Violation
    }

    /// Runs a history, and checks the rows after each `rowsEvery`th step.
    typealias Trial = (_ history: History, _ rowsEvery: Int) -> Violation?

    private let trial: Trial
    private let promise: Promise
    private let rowsEvery: Int
    private(set) var best: Found
    private var runsLeft = 800

    /// Creates a search; `nil` if the history keeps every promise.
    init?(_ original: History, trial: @escaping Trial = { World($0).run(rowsEvery: $1) }) {
        self.trial = trial
        // Checks after every step find the fault earlier, but possibly as another broken promise.
        for rowsEvery in [1, 8] {
            guard let violation = trial(original, rowsEvery) else { continue }
            (promise, self.rowsEvery) = (violation.promise, rowsEvery)
            best = Found(history: original, violation: violation)
            return
        }
        return nil
    }

    /// Alternates between shortening and simplifying the history until neither helps.
    mutating func shrink() {
        while removeSteps() || simplify(), runsLeft > 0 {}
    }

    /// Runs a candidate, and keeps it as the best one if it breaks the same promise.
    ///
    /// - Returns: Whether it was kept.
    private mutating func accept(_ candidate: History) -> Bool {
        guard runsLeft > 0, candidate != best.history else { return false }
        runsLeft -= 1
        guard let violation = trial(candidate, rowsEvery), violation.promise == promise else {
            return false
        }
        best = Found(history: candidate, violation: violation)
        return true
    }

    /// Removes half of the steps, then quarters, and so on, down to single steps.
    private mutating func removeSteps() -> Bool {
        var hasHelped = false
        var size = max(1, best.history.steps.count / 2)
        while true {
            var start = 0
            while start < best.history.steps.count, runsLeft > 0 {
                var candidate = best.history
                candidate.steps.removeSubrange(start..<min(start + size, candidate.steps.count))
                if accept(candidate) { hasHelped = true } else { start += size }
            }
            if size == 1 { return hasHelped }
            size /= 2
        }
    }

    /// Simplifies one part of the history after another.
    private mutating func simplify() -> Bool {
        var hasHelped = false
        for change in [
            { $0.maximumLoaded = 10_000 }, { $0.maximumConcurrentRuns = 256 }, { $0.horizon = 60 },
            { $0.unreadable = 0 }, { $0.ownConcurrency = nil },
        ] as [(inout History) -> Void] {
            var candidate = best.history
            change(&candidate)
            if accept(candidate) { hasHelped = true }
        }
        for index in best.history.steps.indices {
            var wasPlainer = true
            while wasPlainer, runsLeft > 0 {
                wasPlainer = plainer(best.history.steps[index]).contains { step in
                    var candidate = best.history
                    candidate.steps[index] = step
                    return accept(candidate)
                }
                if wasPlainer { hasHelped = true }
            }
        }
        return hasHelped
    }

    private func plainer(_ step: Step) -> [Step] {
        switch step {
        case .submit(let plans): return plainer(plans).map { .submit($0) }
        case .submitInTransaction(let plans):
            return [.submit(plans)] + plainer(plans).map { .submitInTransaction($0) }
        case .together(let steps):
            return steps
                + steps.indices.map { index in
                    var fewer = steps
                    fewer.remove(at: index)
                    return .together(fewer)
                }
                + steps.indices.flatMap { index in
                    plainer(steps[index]).map { plain in
                        var changed = steps
                        changed[index] = plain
                        return .together(changed)
                    }
                }
        case .advance(let time): return rounder(time).map { .advance($0) }
        case .sleep(let time): return rounder(time).map { .sleep($0) }
        case .fault(.commitsFail(let every, _)) where every > 1: return [.fault(.commitsFail(every: 1, isFull: false))]
        case .fault(.answersLost(let every)) where every > 1: return [.fault(.answersLost(every: 1))]
        case .fault(.commitsHang(let every)) where every > 1: return [.fault(.commitsHang(every: 1))]
        case .kill(let work?): return [.kill(afterWork: nil)] + (work > 0 ? [.kill(afterWork: work - 1)] : [])
        case .moveWallClock(let seconds) where abs(seconds) != 3_600:
            return [.moveWallClock(seconds: seconds < 0 ? -3_600 : 3_600)]
        case .stop(let grace) where grace != 0: return [.stop(grace: 0)]
        case .release(isReversed: true): return [.release(isReversed: false)]
        case .configure(let queue, let setting) where queue != 0: return [.configure(queue: 0, setting)]
        case .bulk(let bulk, _?): return [.bulk(bulk, queue: nil)]
        case .command, .bulk, .configure, .fault, .heal, .release, .stop, .start, .kill, .freeze, .thaw, .takeOver,
            .device,
            .moveWallClock:
            return []
        }
    }

    private func plainer(_ plans: [JobPlan]) -> [[JobPlan]] {
        let fewer = plans.count > 1 ? plans.indices.map { index in [plans[index]] } : []
        let other = plans.indices.flatMap { index in
            plainer(plans[index]).map { plan in
                var changed = plans
                changed[index] = plan
                return changed
            }
        }
        return fewer + other
    }

    private func rounder(_ time: Int) -> [Int] {
        [time / 1_000 * 1_000, time / 10_000 * 10_000, time / 2].filter { $0 != time && $0 > 0 }
    }

    private func plainer(_ plan: JobPlan) -> [JobPlan] {
        var result: [JobPlan] = []
        func add(_ change: (inout JobPlan) -> Void) {
            var plainer = plan
            change(&plainer)
            if plainer != plan { result.append(plainer) }
        }
        // Of the plans with one number, either all must be unique or none.
        let plain = JobPlan(id: plan.id, unique: plan.unique)
        add { $0 = JobPlan(id: plan.id, unique: plan.unique, when: plan.when) }
        add { $0.unique?.within = nil }
        add { $0.unique?.hasOwnID = false }
        add { $0.reports = [] }
        if plan.reports.count > 1 { add { $0.reports.removeLast() } }
        add { $0.behaviours = plain.behaviours }
        for behaviour in Set(plan.behaviours) { add { $0.behaviours = [behaviour] } }
        add { $0.missed = plain.missed }
        add { $0.overlap = plain.overlap }
        add { $0.conflict = plain.conflict }
        add { ($0.maximumAttempts, $0.backoff) = (plain.maximumAttempts, plain.backoff) }
        add { $0.maximumLost = plain.maximumLost }
        add { $0.grace = nil }
        add { $0.expiry = nil }
        add { $0.tolerance = 0 }
        add { $0.timeLimit = nil }
        add { $0.conditions = [] }
        add { $0.queue = nil }
        add { $0.key = nil }
        add { $0.priority = .normal }
        switch plan.when {
        case .at(let delay): for delay in rounder(delay) { add { $0.when = .at(delay) } }
        case .after(let delay): for delay in rounder(delay) { add { $0.when = .after(delay) } }
        case .every(let interval, let count):
            add { $0.when = .after(interval) }
            if let count { add { $0.when = .every(interval, count: count > 1 ? count / 2 : nil) } }
            for interval in rounder(interval) where interval >= 500 { add { $0.when = .every(interval, count: count) } }
        case .anchored(let interval, let offset, let count):
            if offset != 0 { add { $0.when = .anchored(interval, offset: 0, count: count) } }
            if count != nil { add { $0.when = .anchored(interval, offset: offset, count: nil) } }
        }
        return result
    }
}
