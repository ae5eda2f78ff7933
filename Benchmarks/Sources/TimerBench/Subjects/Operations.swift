import BenchSupport
import Synchronization

/// The costs of one call with an increasing number of live timers.
///
/// In each round, and for each number of timers, every contestant is measured in a process of its own, so that none
/// works in memory that another has fragmented.
struct Operations {
    private let quick: Bool
    private let sizes: [Int]

    init(quick: Bool) {
        self.quick = quick
        sizes = quick ? [1_000, 10_000, 100_000] : [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
    }

    private static let scheduleFirst = "schedule, first use"
    private static let schedule = "schedule"
    private static let scheduleShuffled = "schedule, shuffled"
    private static let cancelInOrder = "cancel in order"
    private static let cancelAll = "cancel in order, all the work"
    private static let cancelShuffled = "cancel shuffled"
    private static let pair = "schedule+cancel"
    private static let reset = "reset later"

    func table() throws -> ComparisonTable {
        var rows: [Comparison] = []
        var flat: [Int: Double] = [:]
        for size in sizes {
            var samples = Samples()
            let rounds = quick ? 1 : size >= 10_000_000 ? 1 : size >= 1_000_000 ? 2 : 3
            for round in 0..<rounds {
                note("operations at \(short(size)), round \(round + 1) of \(rounds)")
                try turn(size, round, &samples)
            }
            rows += self.rows(samples, size)
            flat[size] = samples.value(Self.cancelInOrder)
        }
        if let small = sizes.first, let large = sizes.last, let least = flat[small], let most = flat[large] {
            rows.append(
                Comparison(
                    "cancel in order, \(short(large)) as a multiple of \(short(small))", most / least, "x",
                    target: .atMost(1.5)))
        }
        return ComparisonTable(
            "Operations: one call beside so many live timers, due in one hour to two", rows,
            footnotes: [
                "-: not measured. NIO searches its queue to cancel and a run loop to insert, for which more than 10 k "
                    + "would take too long; tasks and asyncAfter beyond 100 k, and all beyond 1 M, too.",
                "schedule: in memory of which as many timers were cancelled in order just before.",
                "Task.sleep: a task counts as set when it runs, and as cancelled when it was waited for.",
                "Each contestant has a process of its own for each round and size.",
                "cancel: the call alone. CPU of the process: with what follows on other threads, until the memory is "
                    + "free again.",
            ])
    }

    private func rows(_ samples: Samples, _ size: Int) -> [Comparison] {
        let aimed = size == sizes.last { $0 <= 1_000_000 }
        let at = ", \(short(size))"
        return [
            samples.row(
                Self.scheduleFirst, "ns", as: "schedule, closure, first use of memory" + at, mainPeer: Name.source),
            samples.row(
                Self.scheduleShuffled, "ns", as: "schedule, closure, after cancel shuffled" + at, mainPeer: Name.source),
            samples.row(
                Self.schedule, "ns", as: "schedule, closure" + at, mainPeer: Name.source,
                target: aimed ? .ratioAtMost(0.1, of: Name.source) : nil),
            samples.row(
                Self.schedule, "ns", as: "schedule, handler and token" + at, ours: Name.handler, peers: [],
                target: aimed ? .atMost(40) : nil),
            samples.row(
                Self.schedule, "ns", as: "schedule, handler and token, at an instant" + at,
                ours: Name.handlerAtInstants, peers: [], target: aimed ? .atMost(40) : nil),
            samples.row(
                Self.cancelInOrder, "ns", as: "cancel in order" + at, mainPeer: Name.source,
                target: aimed ? .ratioAtMost(0.5, of: Name.source) : nil),
            samples.row(
                Self.cancelInOrder, "ns", as: "cancel in order, handler" + at, ours: Name.handler, peers: []),
            samples.row(
                Self.cancelAll, "ns", as: "cancel in order, CPU of the process" + at, mainPeer: Name.source),
            samples.row(
                Self.cancelShuffled, "ns", as: "cancel shuffled" + at, mainPeer: Name.source,
                target: aimed ? .ratioAtMost(0.5, of: Name.source) : nil),
            samples.row(
                Self.cancelShuffled, "ns", as: "cancel shuffled, handler" + at, ours: Name.handler, peers: []),
            samples.row(Self.pair, "ns", as: "schedule+cancel, closure" + at, mainPeer: Name.source),
            samples.row(Self.pair, "ns", as: "schedule+cancel, handler" + at, ours: Name.handler, peers: []),
            samples.row(Self.reset, "ns", as: "reset later" + at, mainPeer: Name.source),
        ].filter { $0.ours != nil }
    }

    /// Measures all contestants in one round.
    private func turn(_ size: Int, _ round: Int, _ samples: inout Samples) throws {
        for (name, largest) in Self.contestants where size <= largest {
            let costs = try OperationCosts(
                numbers: numbersOfChild(["--seed", "\(round + 1)", "--operations", name, "\(size)"]))
            for (figure, cost) in Self.figures {
                if let each = costs[keyPath: cost].each { samples.add(each, figure, name) }
            }
        }
    }

    /// The contestants, with the largest number of timers for each; more would take too long.
    private static let contestants = [
        (Name.ours, Int.max), (Name.handler, .max), (Name.handlerAtInstants, .max), (Name.source, 1_000_000),
        (Name.nioTask, 1_000_000), (Name.nioCallback, 1_000_000), (Name.after, 100_000), (Name.taskSleep, 100_000),
        (Name.timer, 10_000),
    ]

    static var contestantNames: String { contestants.map { "\"\($0.0)\"" }.joined(separator: ", ") }

    private static var figures: [(String, KeyPath<OperationCosts, OperationCost>)] {
        [
            (scheduleFirst, \.scheduleFirst), (schedule, \.schedule), (cancelInOrder, \.cancelInOrder),
            (cancelAll, \.cancelAll), (pair, \.pair), (reset, \.reset), (cancelShuffled, \.cancelShuffled),
            (scheduleShuffled, \.scheduleShuffled),
        ]
    }

    /// Measures a contestant in this process, and returns the text that it prints for its parent.
    static func inThisProcess(_ contestant: String, _ size: Int, seed: UInt64) throws -> String {
        func costs(_ contestant: some Contestant, cancels: Bool = true, repeats: Bool = true) throws -> String {
            let fired = Fired.count.load(ordering: .relaxed)
            var population = Population(contestant, size: size, seed: seed)
            var costs = OperationCosts()
            try contestant.run {
                // A small number of timers takes little time, so the measurement is repeated until the processor has
                // reached its full speed.
                let start = monotonicNanoseconds()
                repeat {
                    try population.measure(&costs, cancels: cancels)
                } while repeats && monotonicNanoseconds() - start < 200_000_000
            }
            contestant.close()
            try check(Fired.count.load(ordering: .relaxed) == fired, "something fired that was due in an hour")
            return costs.numbers
        }
        return switch contestant {
        case Name.ours: try costs(ApusClosure())
        case Name.handler: try costs(ApusHandler())
        case Name.handlerAtInstants: try costs(ApusHandlerAtInstants())
        case Name.source: try costs(DispatchSources())
        case Name.nioTask: try costs(NIOTasks(), cancels: size <= 10_000)
        case Name.nioCallback: try costs(NIOCallbacks(), cancels: size <= 10_000)
        // Cancelled items stay in the queue until their deadlines, so the items of each repetition would be added to
        // the earlier ones.
        case Name.after: try costs(DispatchWorkItems(), repeats: false)
        case Name.taskSleep: try costs(SleepingTasks())
        case Name.timer: try costs(FoundationTimers())
        default: throw Failure(description: "--operations \(contestant): it is one of \(contestantNames)")
        }
    }
}
