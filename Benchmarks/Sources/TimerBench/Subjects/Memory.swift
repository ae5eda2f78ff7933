import BenchSupport

/// The memory of a timer, measured in a separate process for each contestant and size.
struct Memory {
    private let sizes: [Int]
    private let largest: Int?

    init(quick: Bool) {
        sizes = quick ? [100_000] : [100_000, 1_000_000]
        largest = quick ? nil : 10_000_000
    }

    private static let whole = "the whole process with 10 M live timers"

    func table() throws -> ComparisonTable {
        var rows: [Comparison] = []
        for size in sizes {
            var samples = Samples()
            for name in [
                Name.ours, Name.handler, Name.source, Name.after, Name.taskSleep, Name.nioTask, Name.nioCallback,
            ]
            where name != Name.taskSleep || size <= 100_000 {
                samples.add(try measure(name, size).each, "memory", name)
            }
            rows += [
                samples.row("memory", "B", as: "a timer of \(short(size)), closure"),
                samples.row("memory", "B", as: "a timer of \(short(size)), handler", ours: Name.handler),
            ]
        }
        if let largest {
            for (name, form) in [(Name.ours, "closure"), (Name.handler, "handler")] {
                let memory = try measure(name, largest)
                rows.append(Comparison("a timer of \(short(largest)), \(form)", memory.each, "B"))
                rows.append(
                    Comparison(
                        Self.whole + ", \(form)", memory.whole, "MB",
                        target: name == Name.handler ? .atMost(1_000) : nil))
            }
        }
        return ComparisonTable(
            "Memory: growth of what is resident", rows,
            footnotes: [
                "Without the value that the caller keeps to cancel with, unless it is what keeps the timer alive.",
                "-: a run loop inserts too slowly, and tasks beyond 100 k take too long.",
            ])
    }

    private func measure(_ name: String, _ count: Int) throws -> (each: Double, whole: Double) {
        note("memory of \(short(count)): \(name)")
        let numbers = try numbersOfChild(["--memory", name, "\(count)"])
        try check(numbers.count == 2, "the child printed \(numbers)")
        return (numbers[0], numbers[1])
    }

    /// Measures a contestant in this process, and returns the text that it prints for its parent.
    ///
    /// The text contains the bytes of each timer, and the megabytes of the whole process.
    static func inThisProcess(_ name: String, _ count: Int) throws -> String {
        switch name {
        case Name.ours: try grow(ApusClosure(), count)
        case Name.handler: try grow(ApusHandler(), count)
        case Name.source: try grow(DispatchSources(), count, keepsHandles: true)
        case Name.after: try grow(DispatchWorkItems(), count)
        case Name.taskSleep: try grow(SleepingTasks(), count)
        case Name.nioTask: try grow(NIOTasks(), count)
        case Name.nioCallback: try grow(NIOCallbacks(), count)
        default: throw Failure(description: "--memory \(name): there is no such contestant")
        }
    }

    private static func grow<Maker: Contestant>(
        _ contestant: Maker, _ count: Int, keepsHandles: Bool = false
    ) throws -> String {
        var random = SplitMix(seed: 5)
        var handles: ContiguousArray<Maker.Handle> = []
        var before = 0.0
        try contestant.run {
            // The first timer is set before the measurement, because it allocates memory that all timers share.
            handles.append(contestant.schedule(after: contestant.delay(random.farAway()), number: 0))
            contestant.settle()
            before = residentMegabytes()
            for number in 0..<count {
                let handle = contestant.schedule(after: contestant.delay(random.farAway()), number: number)
                if keepsHandles { handles.append(handle) }
            }
            contestant.settle()
        }
        if let live = contestant.live { try check(live == count + 1, "\(live) timers live instead of \(count + 1)") }
        let whole = residentMegabytes()
        keep(handles)
        return "\((whole - before) * 1_048_576 / Double(count)) \(whole * 1.048_576)"
    }
}
