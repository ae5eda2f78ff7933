import BenchSupport

/// The number of wake-ups while all timers wait for an hour.
struct Idle {
    private let seconds: UInt64
    private let grace: UInt64

    init(quick: Bool) {
        seconds = quick ? 2 : 10
        grace = quick ? 0 : 6_000_000_000
    }

    func table() throws -> ComparisonTable {
        let hour = monotonicNanoseconds() + 3_600_000_000_000
        let instants = (0..<1_000).map { hour + UInt64($0) * 1_000_000 }
        // All contestants are measured in the same seconds, because their wake-ups can be distinguished by their
        // threads.
        let close = try [OneShots.ours, .source, .nioTask].map { kind in
            try kind.set(instants) { number in Fired.note(number) }
        }
        defer { for close in close { close() } }
        waitUntilQuiet()
        // Dispatch ends the workers of earlier turns after 5 s.
        sleep(until: monotonicNanoseconds() + grace)
        let before = Switches()
        sleep(until: monotonicNanoseconds() + seconds * 1_000_000_000)
        let after = Switches()
        return ComparisonTable(
            "Idle: 1 k timers wait for one hour",
            [
                Comparison(
                    "wake-ups in \(seconds) s", Double(after.ours - before.ours), "wake-ups",
                    peers: [
                        (name: Name.source, value: Double(after.rest - before.rest)),
                        (name: Name.nioTask, value: Double(after.nio - before.nio)),
                    ], target: .atMost(0))
            ],
            footnotes: [
                "Ours: of the engine's thread; NIO: of its loop's; Dispatch: of all others but the measuring one."
            ])
    }

    private struct Switches {
        let ours = ContextSwitches.ofEngines()
        let nio = ContextSwitches.ofThreads(named: "NIO-ELT")
        let rest: Int

        init() { rest = ContextSwitches.ofOthers() - ours - nio }
    }
}
