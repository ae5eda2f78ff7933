import BenchSupport

/// The time that calls took together.
struct OperationCost {
    private var nanoseconds: UInt64 = 0
    private var calls = 0

    mutating func measure(_ calls: Int, _ body: () throws -> Void) rethrows {
        let start = monotonicNanoseconds()
        try body()
        nanoseconds += monotonicNanoseconds() - start
        self.calls += calls
    }

    /// Nanoseconds a call; `nil` of none.
    var each: Double? { calls == 0 ? nil : Double(nanoseconds) / Double(calls) }
}

struct OperationCosts {
    var scheduleFirst = OperationCost()
    var schedule = OperationCost()
    var scheduleShuffled = OperationCost()
    var cancelInOrder = OperationCost()
    var cancelShuffled = OperationCost()
    var pair = OperationCost()
    var reset = OperationCost()
}

/// So many live timers of a contestant, made three times: in memory that nobody has used before, in memory of which
/// timers were just cancelled in order, and in memory of which they were cancelled in any order.
final class Population<Maker: Contestant> {
    private let contestant: Maker
    private let size: Int
    private var random: SplitMix
    private var handles: ContiguousArray<Maker.Handle> = []

    init(_ contestant: Maker, size: Int, seed: UInt64) {
        self.contestant = contestant
        self.size = size
        random = SplitMix(seed: seed)
        handles.reserveCapacity(size)
    }

    func measure(_ costs: inout OperationCosts, cancels: Bool) throws {
        try fill(&costs.scheduleFirst)
        guard cancels else { return handles.removeAll() }
        try empty(&costs.cancelInOrder)
        try fill(&costs.schedule)
        let some = min(size, 100_000)
        costs.pair.measure(some) {
            for number in 0..<some {
                contestant.cancel(contestant.schedule(after: random.farAway(), number: number))
            }
            contestant.settle()
        }
        // Any of them, each at most once or a few times: what is reset lies anywhere in memory.
        let chosen = (0..<some).map { _ in Int(random.below(UInt64(size))) }
        costs.reset.measure(some) {
            for index in chosen { contestant.reset(&handles[index], after: random.farAway(), number: index) }
            contestant.settle()
        }
        try checkLive(size)
        handles.shuffle(using: &random)
        try empty(&costs.cancelShuffled)
        try fill(&costs.scheduleShuffled)
        var uncounted = OperationCost()
        try empty(&uncounted)
    }

    private func fill(_ cost: inout OperationCost) throws {
        cost.measure(size) {
            for number in 0..<size {
                handles.append(contestant.schedule(after: random.farAway(), number: number))
            }
            contestant.settle()
        }
        try check(handles.count == size, "\(handles.count) timers were set instead of \(size)")
        try checkLive(size)
    }

    private func empty(_ cost: inout OperationCost) throws {
        cost.measure(size) {
            for handle in handles { contestant.cancel(handle) }
            contestant.settle()
        }
        try checkLive(0)
        handles.removeAll(keepingCapacity: true)
    }

    private func checkLive(_ expected: Int) throws {
        guard let live = contestant.live else { return }
        try check(live == expected, "\(live) timers live instead of \(expected)")
    }
}
