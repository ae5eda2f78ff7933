import TimerWheel

/// SplitMix64: the seed in a failure's message is enough to repeat it.
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

    /// Any magnitude is as likely as any other, so every level of the wheel is visited.
    mutating func anyMagnitude() -> UInt64 { next() >> UInt64(below(64)) }
}

/// The wheel as an array: slow and obviously right.
struct Model {
    struct Timer {
        var deadline: UInt64
        var hard: UInt64
        let payload: UInt64
        var insertion: Int
        /// The deadline, or when the wheel saw that it had passed.
        var instant: UInt64
    }

    var timers: [Timer] = []
    private var insertions = 0

    /// `current` is how far the wheel has looked: an earlier deadline is due immediately.
    mutating func insert(deadline: UInt64, tolerance: UInt64, payload: UInt64, current: UInt64) {
        let (hard, overflow) = deadline.addingReportingOverflow(min(tolerance, TimerWheel.longestTolerance))
        timers.append(
            Timer(
                deadline: deadline, hard: overflow ? .max : hard, payload: payload, insertion: insertions,
                instant: max(deadline, current)
            )
        )
        insertions += 1
    }

    mutating func remove(_ payload: UInt64) -> Bool {
        let count = timers.count
        timers.removeAll { $0.payload == payload }
        return timers.count < count
    }

    var nextWake: UInt64? { timers.map(\.hard).min() }

    mutating func setBack(to now: UInt64) {
        for index in timers.indices { timers[index].instant = max(timers[index].deadline, now) }
    }

    mutating func takeDue(now: UInt64, budget: Int) -> [UInt64] {
        let due = timers.filter { $0.deadline <= now }
            .sorted { ($0.instant, $0.insertion) < ($1.instant, $1.insertion) }
            .prefix(budget).map(\.payload)
        timers.removeAll { due.contains($0.payload) }
        return due
    }
}

extension TimerWheel {
    /// Takes up to `budget` due timers, starts and releases them and gives their payloads, in order.
    ///
    /// `work` is the allowance of each step; steps are repeated until the wheel has nothing more that is due.
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
