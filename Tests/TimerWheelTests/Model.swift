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
    }

    var timers: [Timer] = []
    private var insertions = 0

    mutating func insert(deadline: UInt64, tolerance: UInt64, payload: UInt64) {
        let (hard, overflow) = deadline.addingReportingOverflow(tolerance)
        timers.append(
            Timer(deadline: deadline, hard: overflow ? .max : hard, payload: payload, insertion: insertions)
        )
        insertions += 1
    }

    mutating func remove(_ payload: UInt64) -> Bool {
        let count = timers.count
        timers.removeAll { $0.payload == payload }
        return timers.count < count
    }

    var nextWake: UInt64? { timers.map(\.hard).min() }

    mutating func takeDue(now: UInt64, budget: Int) -> [UInt64] {
        let due = timers.filter { $0.deadline <= now }
            .sorted { ($0.deadline, $0.insertion) < ($1.deadline, $1.insertion) }
            .prefix(budget).map(\.payload)
        timers.removeAll { due.contains($0.payload) }
        return due
    }
}

extension TimerWheel {
    /// Takes up to `budget` due timers, removes them and gives their payloads, in order.
    mutating func takePayloads(now: UInt64, budget: Int = 1_000) -> [UInt64] {
        let buffer = UnsafeMutableBufferPointer<TimerHandle>.allocate(capacity: budget)
        defer { buffer.deallocate() }
        let count = takeDue(now: now, into: buffer)
        var payloads: [UInt64] = []
        for handle in buffer[..<count] {
            if let payload = remove(handle)?.payload { payloads.append(payload) }
        }
        return payloads
    }
}
