import BenchSupport

/// The total time of a number of calls.
struct OperationCost {
    private var nanoseconds: UInt64 = 0
    private var calls = 0

    mutating func measure(
        _ calls: Int, by clock: () -> UInt64 = { monotonicNanoseconds() }, _ body: () throws -> Void
    ) rethrows {
        let start = clock()
        try body()
        nanoseconds += clock() - start
        self.calls += calls
    }

    /// The time of a call in nanoseconds; `nil` without calls.
    var each: Double? { calls == 0 ? nil : Double(nanoseconds) / Double(calls) }

    /// The text that a child process prints.
    var numbers: String { "\(nanoseconds) \(calls)" }

    init() {}

    init(nanoseconds: Double, calls: Double) {
        self.nanoseconds = UInt64(nanoseconds)
        self.calls = Int(calls)
    }
}

struct OperationCosts {
    var scheduleFirst = OperationCost()
    var schedule = OperationCost()
    var scheduleShuffled = OperationCost()
    var cancelInOrder = OperationCost()
    /// The CPU time in which the whole process cancels all timers, until all effects are complete.
    var cancelAll = OperationCost()
    var cancelShuffled = OperationCost()
    var pair = OperationCost()
    var reset = OperationCost()

    private static var all: [WritableKeyPath<Self, OperationCost>] {
        [
            \.scheduleFirst, \.schedule, \.scheduleShuffled, \.cancelInOrder, \.cancelAll, \.cancelShuffled, \.pair,
            \.reset,
        ]
    }

    init() {}

    /// Creates the costs from the output of a child process.
    init(numbers: [Double]) throws {
        try check(numbers.count == 2 * Self.all.count, "a child printed \(numbers.count) numbers")
        for (index, cost) in Self.all.enumerated() {
            self[keyPath: cost] = OperationCost(nanoseconds: numbers[2 * index], calls: numbers[2 * index + 1])
        }
    }

    /// The text that a child process prints.
    var numbers: String { Self.all.map { self[keyPath: $0].numbers }.joined(separator: " ") }
}

/// Live timers of a contestant, created three times.
///
/// They are created first in unused memory, then in memory whose timers were cancelled in order, and last in memory
/// whose timers were cancelled in random order.
///
/// The type uses neither arrays nor a separate object, because the runtime checks accesses to an object's properties,
/// and the measured calls take little longer than these checks.
struct Population<Maker: Contestant>: ~Copyable {
    private let contestant: Maker
    private let size: Int
    private var random: SplitMix
    private let delays: UnsafeMutablePointer<Maker.Delay>
    private var handles: UnsafeMutableBufferPointer<Maker.Handle>

    /// The number of prepared delays, which are few enough to stay in the cache.
    private static var delayCount: Int { 1_024 }

    init(_ contestant: Maker, size: Int, seed: UInt64) {
        self.contestant = contestant
        self.size = size
        random = SplitMix(seed: seed)
        delays = .allocate(capacity: Self.delayCount)
        for index in 0..<Self.delayCount { (delays + index).initialize(to: contestant.delay(random.farAway())) }
        handles = .allocate(capacity: size)
        // Writes to the memory of the handles now, so that the time of its first use is not measured.
        UnsafeMutableRawBufferPointer(handles).initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        delays.deinitialize(count: Self.delayCount)
        delays.deallocate()
        handles.deallocate()
    }

    @inline(__always)
    private func schedule(_ number: Int) -> Maker.Handle {
        contestant.schedule(after: delays[number & (Self.delayCount - 1)], number: number)
    }

    mutating func measure(_ costs: inout OperationCosts, cancels: Bool) throws {
        try fill(&costs.scheduleFirst)
        guard cancels else {
            handles.deinitialize()
            return
        }
        if size >= Self.leastForCPU {
            try costs.cancelAll.measure(size, by: processCPUNanoseconds) {
                try empty(&costs.cancelInOrder)
                waitUntilQuiet()
            }
        } else {
            try empty(&costs.cancelInOrder)
        }
        try fill(&costs.schedule)
        let some = min(size, 100_000)
        costs.pair.measure(some) {
            for number in 0..<some { contestant.cancel(schedule(number)) }
            contestant.settle()
        }
        // The timers are chosen at random, each at most a few times, so that the memory of the timers that are reset is
        // scattered.
        let chosen = (0..<some).map { _ in Int(random.below(UInt64(size))) }
        costs.reset.measure(some) {
            for (turn, index) in chosen.enumerated() {
                contestant.reset(&handles[index], after: delays[turn & (Self.delayCount - 1)], number: index)
            }
            contestant.settle()
        }
        try checkLive(size)
        handles.shuffle(using: &random)
        try empty(&costs.cancelShuffled)
        try fill(&costs.scheduleShuffled)
        var uncounted = OperationCost()
        try empty(&uncounted)
    }

    /// The least number of timers for which the CPU time is measured; with fewer, other work of the process would
    /// matter.
    private static var leastForCPU: Int { 100_000 }

    private func fill(_ cost: inout OperationCost) throws {
        let first = handles.baseAddress.unsafelyUnwrapped
        cost.measure(size) {
            for number in 0..<size { (first + number).initialize(to: schedule(number)) }
            contestant.settle()
        }
        try checkLive(size)
    }

    private func empty(_ cost: inout OperationCost) throws {
        let first = handles.baseAddress.unsafelyUnwrapped
        cost.measure(size) {
            for number in 0..<size { contestant.cancel((first + number).pointee) }
            contestant.settle()
        }
        try checkLive(0)
        handles.deinitialize()
    }

    private func checkLive(_ expected: Int) throws {
        guard let live = contestant.live else { return }
        try check(live == expected, "\(live) timers live instead of \(expected)")
    }
}
