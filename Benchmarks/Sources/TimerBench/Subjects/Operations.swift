import BenchSupport
import Synchronization

/// What one call costs, beside more and more timers that live.
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
                "asyncAfter is measured in a process of its own in the same rounds: what is cancelled stays until its "
                    + "deadline.",
                "DispatchSourceTimer: cancelling is the call alone; what follows it on other threads is not counted.",
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
                Self.cancelInOrder, "ns", as: "cancel in order" + at, mainPeer: Name.source,
                target: aimed ? .ratioAtMost(0.5, of: Name.source) : nil),
            samples.row(
                Self.cancelInOrder, "ns", as: "cancel in order, handler" + at, ours: Name.handler, peers: []),
            samples.row(
                Self.cancelShuffled, "ns", as: "cancel shuffled" + at, mainPeer: Name.source,
                target: aimed ? .ratioAtMost(0.5, of: Name.source) : nil),
            samples.row(
                Self.cancelShuffled, "ns", as: "cancel shuffled, handler" + at, ours: Name.handler, peers: []),
            samples.row(Self.pair, "ns", as: "schedule+cancel, closure" + at, mainPeer: Name.source),
            samples.row(Self.pair, "ns", as: "schedule+cancel, handler" + at, ours: Name.handler, peers: []),
            samples.row(Self.reset, "ns", as: "reset later" + at, mainPeer: Name.source),
        ]
    }

    /// Everybody's turn in a round.
    private func turn(_ size: Int, _ round: Int, _ samples: inout Samples) throws {
        let seed = UInt64(round + 1)
        try Self.measure(ApusClosure(), Name.ours, size, seed, &samples)
        try Self.measure(ApusHandler(), Name.handler, size, seed, &samples)
        guard size <= 1_000_000 else { return }
        try Self.measure(DispatchSources(), Name.source, size, seed, &samples)
        try Self.measure(NIOTasks(), Name.nioTask, size, seed, &samples, cancels: size <= 10_000)
        try Self.measure(NIOCallbacks(), Name.nioCallback, size, seed, &samples, cancels: size <= 10_000)
        guard size <= 100_000 else { return }
        try Self.measureAsyncAfter(size, &samples)
        try Self.measure(SleepingTasks(), Name.taskSleep, size, seed, &samples)
        guard size <= 10_000 else { return }
        try Self.measure(FoundationTimers(), Name.timer, size, seed, &samples)
    }

    private static func measureAsyncAfter(_ size: Int, _ samples: inout Samples) throws {
        let figures = [scheduleFirst, schedule, cancelInOrder, pair, reset, cancelShuffled, scheduleShuffled]
        let numbers = try numbersOfChild(["--operations", Name.after, "\(size)"])
        for (figure, number) in zip(figures, numbers) { samples.add(number, figure, Name.after) }
    }

    /// What the child prints for it.
    static func inThisProcess(_ contestant: String, _ size: Int) throws -> String {
        try check(contestant == Name.after, "\(contestant) is measured in the parent")
        var samples = Samples()
        try measure(DispatchWorkItems(), contestant, size, 1, &samples, repeats: false)
        return [scheduleFirst, schedule, cancelInOrder, pair, reset, cancelShuffled, scheduleShuffled]
            .map { "\(samples.value($0, contestant) ?? 0)" }.joined(separator: " ")
    }

    private static func measure(
        _ contestant: some Contestant, _ name: String, _ size: Int, _ seed: UInt64, _ samples: inout Samples,
        cancels: Bool = true, repeats: Bool = true
    ) throws {
        waitUntilQuiet()
        let fired = Fired.count.load(ordering: .relaxed)
        let population = Population(contestant, size: size, seed: seed)
        let repetitions = repeats ? max(1, 20_000 / size) : 1
        var costs = OperationCosts()
        try contestant.run {
            for _ in 0..<repetitions { try population.measure(&costs, cancels: cancels) }
        }
        contestant.close()
        try check(Fired.count.load(ordering: .relaxed) == fired, "\(name): something fired that was due in an hour")
        for (figure, cost) in [
            (scheduleFirst, costs.scheduleFirst), (schedule, costs.schedule), (cancelInOrder, costs.cancelInOrder),
            (pair, costs.pair), (reset, costs.reset), (cancelShuffled, costs.cancelShuffled),
            (scheduleShuffled, costs.scheduleShuffled),
        ] {
            if let each = cost.each { samples.add(each, figure, name) }
        }
    }
}
