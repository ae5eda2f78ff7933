import ApusJobs
import ApusTimers

/// The generator of histories from seeds.
///
/// Each history has some kinds of trouble and not the others, so that one kind does not always hide the effects of
/// another.
package struct Generator {
    package enum Trouble: String, CaseIterable, Sendable {
        case failures, hangs, reads, kills, stops, freezes, takeovers, wall, sleep, conditions, suspension, bursts,
            queues, byHand, applications, rates, unique, snoozes, progress, unreadable, repeats, expiries,
            deletions, keys, bulk, ownLimits
    }

    private let random: SeededRandom
    /// The random numbers of kinds of trouble that were added later.
    ///
    /// They are separate, so that the addition of these kinds did not change the rest of the histories.
    private let added: SeededRandom
    /// The random numbers of submissions by applications.
    private let applications: SeededRandom
    /// The random numbers of queues with rates.
    private let rates: SeededRandom
    /// The random numbers of jobs that are unique by their payloads, of handlers that postpone their runs, and of
    /// handlers that report progress.
    private let unique: SeededRandom
    private let snoozes: SeededRandom
    private let progress: SeededRandom
    /// The random numbers of jobs that cannot be read.
    private let unreadable: SeededRandom
    /// The random numbers of submissions that are repeated while their jobs may run.
    private let repeats: SeededRandom
    /// The random numbers of occurrences that expire, and of jobs that are deleted.
    private let expiries: SeededRandom
    private let deletions: SeededRandom
    /// The random numbers of fairness keys, and of changes of all matching jobs.
    private let keys: SeededRandom
    private let bulk: SeededRandom
    /// The random numbers of a process's own limits.
    private let ownLimits: SeededRandom
    private let seed: UInt64
    private var troubles: Set<Trouble> = []
    private var ids = 1
    /// Whether a scheduler should be running after the steps so far.
    private var isUp = true

    private init(seed: UInt64, without excluded: Set<Trouble>) {
        self.seed = seed
        // The seeds are small consecutive numbers, but the generators need seeds that differ in many bits.
        random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678)
        added = SeededRandom(seed: seed &* 0xD1B5_4A32_D192_ED03 &+ 0x8765_4321)
        applications = SeededRandom(seed: seed &* 0xA24B_AED4_963E_E407 &+ 0x0F1E_2D3C)
        rates = SeededRandom(seed: seed &* 0x9FB2_1C65_1E98_DF25 &+ 0x1A2B_3C4D)
        unique = SeededRandom(seed: seed &* 0xC2B2_AE3D_27D4_EB4F &+ 0x2B3C_4D5E)
        snoozes = SeededRandom(seed: seed &* 0x1656_67B1_9E37_79F9 &+ 0x3C4D_5E6F)
        progress = SeededRandom(seed: seed &* 0x85EB_CA77_C2B2_AE63 &+ 0x4D5E_6F70)
        unreadable = SeededRandom(seed: seed &* 0x27D4_EB2F_1656_67C5 &+ 0x5E6F_7081)
        repeats = SeededRandom(seed: seed &* 0xB492_B66F_BE98_F273 &+ 0x6F70_8192)
        expiries = SeededRandom(seed: seed &* 0x94D0_49BB_1331_11EB &+ 0x7081_92A3)
        deletions = SeededRandom(seed: seed &* 0xBF58_476D_1CE4_E5B9 &+ 0x8192_A3B4)
        keys = SeededRandom(seed: seed &* 0xFF51_AFD7_ED55_8CCD &+ 0x92A3_B4C5)
        bulk = SeededRandom(seed: seed &* 0xC4CE_B9FE_1A85_EC53 &+ 0xA3B4_C5D6)
        ownLimits = SeededRandom(seed: seed &* 0xD6E8_FEB8_6659_FD93 &+ 0xB4C5_D6E7)
        // Every history draws these numbers, whatever is excluded, so that the other numbers stay the same.
        let chance = 1 + pick(9)
        let later: [Trouble] = [.queues, .byHand]
        let last: [Trouble] = [
            .applications, .rates, .unique, .snoozes, .progress, .unreadable, .repeats, .expiries, .deletions,
            .keys, .bulk, .ownLimits,
        ]
        for trouble in Trouble.allCases where !later.contains(trouble) && !last.contains(trouble) {
            if pick(10) < chance, !excluded.contains(trouble) { troubles.insert(trouble) }
        }
        ids = 1 + pick(5)
        for trouble in later where pickAdded(10) < chance && !excluded.contains(trouble) { troubles.insert(trouble) }
        if pickOfApplications(10) < chance, !excluded.contains(.applications) { troubles.insert(.applications) }
        if pickOfRates(3) == 0, !excluded.contains(.rates) { troubles.insert(.rates) }
        for (trouble, random) in [
            (Trouble.unique, unique), (.snoozes, snoozes), (.progress, progress), (.unreadable, unreadable),
            (.repeats, repeats), (.expiries, expiries), (.deletions, deletions),
            (.keys, keys), (.bulk, bulk), (.ownLimits, ownLimits),
        ]
        where pick(3, of: random) == 0 && !excluded.contains(trouble) {
            troubles.insert(trouble)
        }
    }

    /// Returns the number of steps in the history of a seed.
    package static func steps(of seed: UInt64, without excluded: Set<Trouble> = []) -> Int {
        history(of: seed, without: excluded).steps.count
    }

    static func history(of seed: UInt64, without excluded: Set<Trouble> = []) -> History {
        var generator = Generator(seed: seed, without: excluded)
        return generator.make()
    }

    private func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    private func pickAdded(_ bound: Int) -> Int { Int(added.next() % UInt64(bound)) }
    private func pickOfApplications(_ bound: Int) -> Int { Int(applications.next() % UInt64(bound)) }
    private func pickOfRates(_ bound: Int) -> Int { Int(rates.next() % UInt64(bound)) }
    private func pick(_ bound: Int, of random: SeededRandom) -> Int { Int(random.next() % UInt64(bound)) }
    private func one<Value>(_ values: Value...) -> Value { values[pick(values.count)] }
    private func has(_ trouble: Trouble, oneIn bound: Int = 1) -> Bool {
        troubles.contains(trouble) && pick(bound) == 0
    }

    private mutating func make() -> History {
        var history = History(seed: seed)
        if pick(2) == 0 { history.maximumConcurrentRuns = 1 + pick(4) }
        if pick(3) == 0 { history.maximumLoaded = 1 + pick(4) }
        history.horizon = one(60, 60, 20, 5)
        let length = 30 + pick(51)
        if pick(4) != 0 { history.steps.append(.start) } else { history.steps.append(.together([.start, command()])) }
        for id in 0..<ids where pick(3) != 0 { history.steps.append(.submit([plan(id)])) }
        while history.steps.count < length { append(to: &history.steps) }
        if troubles.contains(.rates) { addRates(to: &history.steps) }
        if troubles.contains(.applications) { history.steps = history.steps.flatMap { withTransactions($0) } }
        if troubles.contains(.unique) { addUnique(to: &history.steps) }
        if troubles.contains(.repeats) { addRepeats(to: &history.steps) }
        if troubles.contains(.snoozes) { history.steps = history.steps.map { $0.withPlans(snoozing) } }
        if troubles.contains(.progress) { history.steps = history.steps.map { $0.withPlans(reporting) } }
        if troubles.contains(.expiries) { history.steps = history.steps.map { $0.withPlans(expiring) } }
        if troubles.contains(.keys) { addKeys(to: &history.steps) }
        if troubles.contains(.deletions) { addDeletions(to: &history.steps) }
        if troubles.contains(.bulk) { addBulk(to: &history.steps) }
        if troubles.contains(.ownLimits) { addOwnLimit(to: &history) }
        if troubles.contains(.unreadable) { history.unreadable = 1 + pick(12, of: unreadable) }
        return history
    }

    /// Submits some jobs in transactions of applications; sometimes the scheduler is killed at the same time.
    private func withTransactions(_ step: Step) -> [Step] {
        switch step {
        case .submit(let plans) where pickOfApplications(2) == 0:
            let submission = Step.submitInTransaction(plans)
            guard troubles.contains(.kills), pickOfApplications(4) == 0 else { return [submission] }
            return [.together([submission, .kill(afterWork: pickOfApplications(20))]), .start]
        case .together(let steps): return [.together(steps.flatMap { withTransactions($0) })]
        default: return [step]
        }
    }

    /// Adds queues with rates, jobs in them, and restarts.
    private func addRates(to steps: inout [Step]) {
        steps = steps.map { step in
            guard case .submit(let plans) = step else { return step }
            return .submit(
                plans.map { plan in
                    var plan = plan
                    if plan.queue == nil, pickOfRates(3) != 0 { plan.queue = pickOfRates(2) }
                    return plan
                })
        }
        for queue in 0..<2 { steps.insert(.configure(queue: queue, rate()), at: 1) }
        for _ in 0..<(1 + pickOfRates(4)) {
            let end: Step =
                pickOfRates(2) == 0
                ? .kill(afterWork: pickOfRates(2) == 0 ? nil : pickOfRates(25)) : .stop(grace: pickOfRates(2) * 1_000)
            let restart = [end, .start, .advance(1 + pickOfRates(5_000))]
            steps.insert(contentsOf: restart, at: 2 + pickOfRates(steps.count - 1))
        }
        if pickOfRates(2) == 0 {
            steps.insert(.configure(queue: pickOfRates(2), rate()), at: 2 + pickOfRates(steps.count - 1))
        }
    }

    /// Makes some jobs unique by their payloads, and submits them more often.
    private func addUnique(to steps: inout [Step]) {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: unique) }
        let isUnique = (0..<5).map { _ in pick(2) == 0 }
        func made(_ plan: JobPlan) -> JobPlan {
            guard isUnique[plan.id] else { return plan }
            var plan = plan
            plan.unique = .init(within: pick(2) == 0 ? nil : 1_000 * (1 + pick(120)), hasOwnID: pick(3) != 0)
            return plan
        }
        steps = steps.map { $0.withPlans(made) }
        let plans = steps.flatMap(\.plans).filter { $0.unique != nil }
        if plans.isEmpty { return }
        func again(_ plan: JobPlan) -> JobPlan {
            var plan = made(plan)
            plan.conflict = JobPlan.Conflict.allCases[pick(4)]
            // Many of these jobs end soon.
            if pick(2) == 0 { plan.when = .after(1 + pick(5_000)) }
            return plan
        }
        for _ in 0..<(1 + pick(6)) {
            let plan = plans[pick(plans.count)]
            let submission: Step =
                switch pick(5) {
                case 0: .submitInTransaction([again(plan)])
                case 1: .together([.submit([again(plan)]), .submit([again(plan)])])
                default: .submit([again(plan)])
                }
            steps.insert(contentsOf: [submission, .advance(1 + pick(10_000))], at: 1 + pick(steps.count))
        }
    }

    /// Submits some jobs twice, the second time at about the time of their last run.
    private func addRepeats(to steps: inout [Step]) {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: repeats) }
        for _ in 0..<(1 + pick(4)) {
            let candidates = steps.indices.filter { index in
                if case .submit(let plans) = steps[index] { plans.contains { $0.lastDue != nil } } else { false }
            }
            guard let index = candidates.isEmpty ? nil : candidates[pick(candidates.count)],
                var plan = steps[index].plans.first(where: { $0.lastDue != nil }), let lastDue = plan.lastDue
            else { return }
            plan.conflict = .update
            plan.behaviours = [.succeed(after: 2_000 + pick(5_000))]
            let delay = pick(3) == 0 ? pick(lastDue) : lastDue + pick(4_000)
            steps.insert(
                contentsOf: [.submit([plan]), .advance(1 + delay), .submit([plan])], at: index + 1)
        }
    }

    private func snoozing(_ plan: JobPlan) -> JobPlan {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: snoozes) }
        if pick(3) == 0 { return plan }
        var plan = plan
        plan.behaviours[pick(plan.behaviours.count)] = .snooze(
            pick(4) == 0 ? 0 : 1 + pick(8_000), times: 1 + pick(3))
        return plan
    }

    private func reporting(_ plan: JobPlan) -> JobPlan {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: progress) }
        if pick(3) == 0 { return plan }
        var plan = plan
        plan.reports = (0..<(1 + pick(4))).map { _ in pick(2) == 0 ? 0 : 1 + pick(3_000) }
        return plan
    }

    private func expiring(_ plan: JobPlan) -> JobPlan {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: expiries) }
        if pick(2) == 0 { return plan }
        var plan = plan
        plan.expiry = 1 + (pick(2) == 0 ? pick(3_000) : pick(30_000))
        return plan
    }

    /// Gives jobs a few keys, and limits the number of runs in progress of each key in a queue.
    private func addKeys(to steps: inout [Step]) {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: keys) }
        func keyed(_ plan: JobPlan) -> JobPlan {
            if pick(5) == 0 { return plan }
            var plan = plan
            plan.key = pick(2)
            if plan.queue == nil, pick(3) != 0 { plan.queue = pick(2) }
            return plan
        }
        steps = steps.map { $0.withPlans(keyed) }
        for queue in 0..<2 { steps.insert(.configure(queue: queue, .concurrencyPerKey(1 + pick(2))), at: 1) }
        for _ in 0..<pick(4) {
            let limit = pick(3) == 0 ? nil : 1 + pick(2)
            steps.insert(.configure(queue: pick(2), .concurrencyPerKey(limit)), at: 2 + pick(steps.count - 1))
        }
    }

    /// Deletes jobs, sometimes together with another command for the same job.
    private func addDeletions(to steps: inout [Step]) {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: deletions) }
        for _ in 0..<(2 + pick(8)) {
            let job = pick(ids)
            var step = Step.command(.delete, job: job)
            switch pick(4) {
            case 0: step = .together([step, .command([.retry, .runNow, .cancel][pick(3)], job: job)])
            case 1: step = .together([.command([.retry, .runNow, .cancel][pick(3)], job: job), step])
            default: break
            }
            steps.insert(step, at: 1 + pick(steps.count))
        }
    }

    /// Changes all jobs, or those of a queue, sometimes together with a submission or another change.
    private func addBulk(to steps: inout [Step]) {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: bulk) }
        for _ in 0..<(1 + pick(4)) {
            let step = Step.bulk(Step.Bulk.allCases[pick(3)], queue: pick(3) == 0 ? nil : pick(2))
            let index = 1 + pick(steps.count)
            switch steps.indices.contains(index) ? steps[index] : nil {
            case .submit?, .command?:
                steps[index] = .together(pick(2) == 0 ? [step, steps[index]] : [steps[index], step])
            default: steps.insert(step, at: index)
            }
        }
    }

    /// Gives a process its own limit for queue 0, in addition to that of the queue, and moves half of the jobs to that
    /// queue.
    private func addOwnLimit(to history: inout History) {
        func pick(_ bound: Int) -> Int { self.pick(bound, of: ownLimits) }
        history.ownConcurrency = 1 + pick(2)
        history.steps.insert(.configure(queue: 0, .concurrency(1 + pick(4))), at: 1)
        history.steps = history.steps.map { step in
            step.withPlans { plan in
                var plan = plan
                if pick(2) == 0 { plan.queue = 0 }
                return plan
            }
        }
    }

    private func rate() -> Step.Setting { .rate(1 + pickOfRates(3), per: 1_000 + pickOfRates(20_000)) }

    private mutating func append(to steps: inout [Step]) {
        if !isUp, pick(3) == 0 {
            isUp = true
            if has(.stops, oneIn: 6) {
                isUp = false
                return steps.append(.together([.start, .stop(grace: one(nil, 0, 2_000))]))
            }
            return steps.append(.start)
        }
        switch pick(30) {
        case 0..<9: steps.append(.advance(duration()))
        case 9..<12: steps.append(.submit(plans()))
        case 12..<16: steps.append(command())
        case 16: steps.append(.together((0..<(2 + pick(3))).map { _ in pick(3) == 0 ? .submit(plans()) : command() }))
        case 17 where has(.failures):
            steps.append(
                .fault(
                    pick(2) == 0
                        ? .commitsFail(every: 1 + pick(3), isFull: pick(2) == 0) : .answersLost(every: 1 + pick(3))))
            steps.append(.advance(duration()))
            if pick(2) == 0 { steps.append(.heal) }
        case 18 where has(.hangs):
            steps.append(.fault(.commitsHang(every: 1 + pick(3))))
            if pick(2) == 0 { steps.append(command()) }
            steps.append(.advance(duration()))
            if pick(2) == 0 { steps.append(pick(2) == 0 ? .heal : .release(isReversed: pick(2) == 0)) }
        case 19 where has(.reads):
            steps.append(.fault(.readsFail))
            steps.append(.advance(duration()))
        case 20 where troubles.intersection([.failures, .hangs, .reads]).isEmpty == false: steps.append(.heal)
        case 21 where has(.kills):
            steps.append(.kill(afterWork: pick(3) == 0 ? nil : pick(25)))
            isUp = pick(3) != 0
            if isUp { steps.append(.start) }
        case 22 where has(.stops):
            let stop = Step.stop(grace: one(nil, 0, 500, 3_000, 20_000))
            steps.append(pick(3) == 0 ? .together([command(), stop]) : stop)
            isUp = false
        case 23 where has(.freezes): steps.append(pick(2) == 0 ? .freeze : .thaw)
        case 24 where has(.takeovers): steps.append(.takeOver)
        case 25 where has(.wall): steps.append(.moveWallClock(seconds: wallMove()))
        case 26 where has(.sleep): steps.append(.sleep(duration() * 4))
        case 27 where has(.conditions): steps.append(.device(device()))
        case 28 where has(.bursts):
            steps.append(.submit((0..<ids).map { id in plan(id) }))
        case 29 where troubles.contains(.queues):
            steps.append(.configure(queue: pickAdded(2), setting()))
        default: steps.append(.advance(1 + pick(6_000)))
        }
    }

    private func duration() -> Int { one(1 + pick(900), 1_000 * (1 + pick(8)), 1 + pick(12_000), 60_000) }

    private func wallMove() -> Int {
        let sign = one(1, -1)
        return sign * one(2 + pick(20), 60 + pick(600), 3_600, 86_400, 86_400 * 365)
    }

    private func device() -> Step.Device {
        .init(network: one(nil, true, false), power: one(nil, true, false), idle: one(nil, true, false))
    }

    private func command() -> Step {
        let id = pick(ids)
        let suspends = has(.suspension)
        switch pick(12) {
        case 0: return .command(.cancel, job: id)
        case 9 where troubles.contains(.byHand): return .command(.retry, job: id)
        case 10 where troubles.contains(.byHand): return .command(.cancelRun, job: id)
        case 1, 2, 3: return .command(suspends ? .suspend : .query, job: id)
        case 4, 5, 6: return .command(suspends ? .resume : .runNow, job: id)
        case 7, 8: return .command(.runNow, job: id)
        default: return .command(.query, job: id)
        }
    }

    private func plans() -> [JobPlan] {
        guard pick(4) == 0, ids > 1 else { return [plan(pick(ids))] }
        let first = pick(ids)
        return [plan(first), plan((first + 1) % ids)]
    }

    private func plan(_ id: Int) -> JobPlan {
        let count = one(nil, 1 + pick(6), 1 + pick(20))
        let interval = one(1_000, 2_000 + pick(8_000), 500 + pick(1_500), 10_000, 30_000, 70_000)
        var plan = JobPlan(id: id)
        plan.when =
            switch pick(8) {
            case 0: .after(1 + pick(90_000))
            case 1: .at(1_000 + pick(90_000))
            case 2: .after(1 + pick(3_000))
            case 3, 4: .anchored(interval, offset: (pick(40) - 20) * 1_000 + pick(1_000), count: count)
            default: .every(interval, count: count)
            }
        plan.conflict = one(.replace, .update, .update, .keep, .refuse)
        if pick(3) == 0 { plan.missed = one(.skip, .runAll(1 + pick(5))) }
        if pick(2) == 0 { plan.overlap = one(.queue(1 + pick(3)), .allow(1 + pick(3)), .replace) }
        if pick(3) == 0 { plan.maximumAttempts = 2 + pick(3) }
        if pick(5) == 0 { plan.maximumLost = 1 + pick(3) }
        plan.backoff = one(0, 1_000, 1 + pick(4_000))
        if pick(4) == 0 { plan.grace = one(0, 500, 2_000, 20_000) }
        if pick(5) == 0 { plan.tolerance = one(100, 1 + pick(900), 3_000) }
        if pick(5) == 0 { plan.timeLimit = one(1_000, 500 + pick(5_000)) }
        if troubles.contains(.conditions), pick(2) == 0 {
            plan.conditions = one(.network, .externalPower, .idle, [.network, .externalPower])
        }
        if troubles.contains(.queues), pickAdded(3) != 0 { plan.queue = pickAdded(2) }
        if troubles.contains(.queues) { plan.priority = JobPriority.allCases[pickAdded(4)] }
        plan.behaviours = (0..<(1 + pick(3))).map { _ in behaviour() }
        return plan
    }

    private func setting() -> Step.Setting {
        switch pickAdded(8) {
        case 0, 1: .paused(true)
        case 2: .paused(false)
        case 3, 4: .concurrency(1 + pickAdded(3))
        case 5: .concurrency(nil)
        case 6: .rate(1 + pickAdded(3), per: 1 + pickAdded(20_000))
        default: .noRate
        }
    }

    private func behaviour() -> JobPlan.Behaviour {
        switch pick(12) {
        case 0: .fail(after: 0)
        case 1: .fail(after: pick(4_000))
        case 2: .failFinally
        case 3: .hang
        case 4: .stubborn(1 + pick(15_000))
        case 5: .postpone(one(0, 1_000, pick(3_000)))
        case 6, 7, 8: .succeed(after: 1 + pick(6_000))
        default: .succeed(after: 0)
        }
    }
}
