import ApusJobs
import Testing

@testable import SchedulerSimulation

/// Each seed decides a history: jobs, commands, handlers, faults, clocks and ends; `make simulate` runs more seeds.
@Suite("The scheduler, simulated")
struct SimulationTests {
    @Test("seeds that failed once keep every promise", arguments: Simulation.regressions.map(\.seed))
    func regression(_ seed: UInt64) {
        // Each seed runs without the kinds of trouble that were added after it had failed, and then with more and more
        // of them.
        let newest: Set<Generator.Trouble> = [.expiries, .deletions, .keys, .bulk, .ownLimits]
        let latest = newest.union([.unique, .snoozes, .progress, .unreadable])
        for excluded in [latest.union([.rates, .applications]), latest, newest, [.bulk, .ownLimits], []] {
            let failure = Simulation.run(seed: seed, without: excluded)
            #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
        }
    }

    @Test("no history breaks a promise", arguments: 0..<UInt64(8))
    func histories(_ part: UInt64) {
        for seed in (part * 250 + 1)...(part * 250 + 250) {
            guard let failure = Simulation.run(seed: seed) else { continue }
            Issue.record("\(failure)")
            return
        }
    }

    @Test("a seed makes the same history and the same calls each time", arguments: [UInt64](1...10))
    func determinism(_ seed: UInt64) {
        var traces: [[String]] = [[], []]
        for index in traces.indices { Simulation.trace(seed: seed) { traces[index].append($0) } }
        #expect(traces[0] == traces[1])
        #expect(traces[0].count > 30)
    }

    @Test("histories have every kind of step")
    func steps() {
        var kinds: Set<String> = []
        for seed in 1...200 as ClosedRange<UInt64> {
            for step in Generator.history(of: seed).steps {
                kinds.insert(String("\(Mirror(reflecting: step).children.first?.label ?? "\(step)")"))
            }
        }
        #expect(
            kinds.isSuperset(of: [
                "submit", "submitInTransaction", "command", "together", "advance", "sleep", "moveWallClock", "device",
                "fault", "release", "stop",
                "bulk", "kill", "start", "the store works again", "the process is frozen", "frozen processes continue",
                "another process takes the store",
            ]), "\(kinds)")
    }
}
