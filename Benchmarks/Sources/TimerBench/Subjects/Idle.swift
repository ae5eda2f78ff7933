import BenchSupport

/// How often something wakes while all timers wait for an hour.
struct Idle {
    private let seconds: UInt64
    private let grace: UInt64

    init(quick: Bool) {
        seconds = quick ? 1 : 10
        grace = quick ? 0 : 6_000_000_000
    }

    func table() throws -> ComparisonTable {
        var samples = Samples()
        let figure = "wake-ups in \(seconds) s"
        for kind in [OneShots.ours, .source, .nioTask] {
            let hour = monotonicNanoseconds() + 3_600_000_000_000
            let instants = (0..<1_000).map { hour + UInt64($0) * 1_000_000 }
            let close = try kind.set(instants) { number in Fired.note(number) }
            waitUntilQuiet()
            // Dispatch ends the workers of earlier turns after 5 s.
            if kind == .source { sleep(until: monotonicNanoseconds() + grace) }
            let before = Self.switches(kind)
            sleep(until: monotonicNanoseconds() + seconds * 1_000_000_000)
            samples.add(Double(Self.switches(kind) - before), figure, kind.name)
            close()
        }
        return ComparisonTable(
            "Idle: 1 k timers wait for one hour", [samples.row(figure, "wake-ups", target: .atMost(0))],
            footnotes: [
                "Ours: of the engine's thread; NIO: of its loop's; Dispatch: of all threads but the measuring one."
            ])
    }

    private static func switches(_ kind: OneShots) -> Int {
        switch kind {
        case .ours, .handler: ContextSwitches.ofEngines()
        case .nioTask, .nioCallback: ContextSwitches.ofThreads(named: "NIO-ELT")
        default: ContextSwitches.ofOthers()
        }
    }
}
