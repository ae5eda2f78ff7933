import BenchSupport

/// How often something wakes while all timers wait for an hour.
struct Idle {
    private let seconds: UInt64

    init(quick: Bool) { seconds = quick ? 2 : 10 }

    func table() throws -> ComparisonTable {
        var samples = Samples()
        let figure = "wake-ups in \(seconds) s"
        for kind in [OneShots.ours, .source, .nioTask] {
            let hour = monotonicNanoseconds() + 3_600_000_000_000
            let instants = (0..<1_000).map { hour + UInt64($0) * 1_000_000 }
            let close = try kind.set(instants) { number in Fired.note(number) }
            waitUntilQuiet()
            let before = Self.switches(kind)
            sleep(until: monotonicNanoseconds() + seconds * 1_000_000_000)
            samples.add(Double(Self.switches(kind) - before), figure, kind.name)
            close()
        }
        return ComparisonTable(
            "Idle: 1 k timers wait for one hour", [samples.row(figure, "", target: .atMost(0))],
            footnotes: ["Ours: of the engine's thread. The peers: of all threads but the measuring one."])
    }

    private static func switches(_ kind: OneShots) -> Int {
        kind == .ours ? ContextSwitches.ofEngines() : ContextSwitches.ofOthers()
    }
}
