import TimerWheel

/// A generator of pseudorandom numbers (SplitMix64); the seed in a failure's message repeats them.
struct Random: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// Returns a number whose magnitude is random, so that every level of the wheel is used.
    mutating func anyMagnitude() -> UInt64 { next() >> UInt64(below(64)) }
}

/// Models the wheel as an array, slowly but obviously correctly.
struct Model {
    struct Timer {
        var deadline: UInt64
        var hard: UInt64
        let payload: UInt64
        var insertion: Int
        /// The deadline, or the wheel's instant at the insertion if the deadline had passed.
        var instant: UInt64
    }

    private var scheduled: [Timer] = []
    /// The timers that were overdue at their insertion and begin the current pass, in this order.
    private var ahead: [Timer] = []
    private var aheadEnd: UInt64 = 0
    /// The timers that were inserted during the pass and begin the next one.
    private var later: [Timer] = []
    private var passEnd: UInt64?
    private var insertions = 0

    var timers: [Timer] { scheduled + ahead + later }

    /// Inserts a timer.
    ///
    /// `current` is the instant of the wheel; a timer with an earlier deadline is due immediately.
    mutating func insert(deadline: UInt64, tolerance: UInt64, payload: UInt64, current: UInt64) {
        let (hard, overflow) = deadline.addingReportingOverflow(min(tolerance, TimerWheel.longestTolerance))
        let timer = Timer(
            deadline: deadline, hard: overflow ? .max : hard, payload: payload, insertion: insertions,
            instant: max(deadline, current)
        )
        insertions += 1
        if let passEnd, timer.instant <= passEnd {
            later.append(timer)
        } else if !ahead.isEmpty, timer.instant <= aheadEnd {
            ahead.append(timer)
        } else {
            scheduled.append(timer)
        }
    }

    mutating func remove(_ payload: UInt64) -> Bool {
        let count = timers.count
        scheduled.removeAll { $0.payload == payload }
        ahead.removeAll { $0.payload == payload }
        later.removeAll { $0.payload == payload }
        return timers.count < count
    }

    var nextWake: UInt64? { timers.map(\.hard).min() }

    /// Takes due timers; `current` is the instant of the wheel.
    mutating func takeDue(now: UInt64, budget: Int, current: UInt64) -> [UInt64] {
        if now < current || (!ahead.isEmpty && now < aheadEnd) {
            scheduled = timers
            (ahead, later, passEnd) = ([], [], nil)
            for index in scheduled.indices { scheduled[index].instant = max(scheduled[index].deadline, now) }
        }
        passEnd = max(now, passEnd ?? now)
        let due = scheduled.filter { $0.deadline <= now }
            .sorted { ($0.instant, $0.insertion) < ($1.instant, $1.insertion) }
        let taken = (ahead + due).prefix(budget).map(\.payload)
        ahead.removeFirst(min(budget, ahead.count))
        scheduled.removeAll { taken.contains($0.payload) }
        return taken
    }

    /// Ends the pass, after everything that was due at its beginning was taken.
    mutating func endPass() {
        if let passEnd, !later.isEmpty { (ahead, aheadEnd, later) = (later, passEnd, []) }
        passEnd = nil
    }
}

extension TimerWheel {
    /// Takes up to `budget` due timers, starts and releases them, and returns their payloads in order.
    ///
    /// `work` is the allowance of each step; steps are repeated until no more timers are due.
    mutating func takePayloads(now: UInt64, budget: Int = 1_000, work: Int = .max) -> [UInt64] {
        let buffer = UnsafeMutableBufferPointer<DueTimer>.allocate(capacity: budget)
        defer { buffer.deallocate() }
        var payloads: [UInt64] = []
        while payloads.count < budget {
            let rest = UnsafeMutableBufferPointer(rebasing: buffer[..<(budget - payloads.count)])
            let progress = takeDue(now: now, into: rest, work: work)
            for due in rest[..<progress.count] where starts.start(due) {
                payloads.append(due.payload.first)
                release(due.index)
            }
            if progress.isComplete { break }
        }
        return payloads
    }
}
