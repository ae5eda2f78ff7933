import ClusterSimulation
import Testing

/// Each seed decides a history: nodes, jobs, commands, handlers, the network and the database.
@Suite("Schedulers over one database, simulated")
struct ClusterSimulationTests {
    @Test("seeds that failed once keep every promise", arguments: ClusterSimulation.regressions.map(\.seed))
    func regression(_ seed: UInt64) {
        var counts = ClusterSimulation.Counts()
        let failure = ClusterSimulation.run(seed: seed, counts: &counts)
        #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
    }

    @Test("no history breaks a promise", arguments: 0..<UInt64(4))
    func histories(_ part: UInt64) {
        var counts = ClusterSimulation.Counts()
        for seed in (part * 250 + 1)...(part * 250 + 250) {
            guard let failure = ClusterSimulation.run(seed: seed, counts: &counts) else { continue }
            Issue.record("\(failure)")
            return
        }
        // The histories test too little if they have fewer runs, takeovers and other events than these.
        #expect(counts.starts > 250 * 20)
        #expect(counts.forwarded > 250)
        #expect(counts.takenOver > 250)
        #expect(counts.effects > 250)
        #expect(counts.promotions > 25 && counts.snoozes > 250 && counts.limited > 250 && counts.limitedByKey > 100)
        #expect(counts.named > 100 && counts.namesTaken > 25)
        #expect(counts.moved > 20 && counts.placed > 100)
        #expect(counts.longestTakeOver <= 5_000_000_000)
    }

    @Test("leaving out any rule is noticed", arguments: ClusterMutant.allCases)
    func mutants(_ mutant: ClusterMutant) {
        var counts = ClusterSimulation.Counts()
        // The search for a fault that shows in only one of hundreds of histories begins shortly before that history.
        let first: UInt64 =
            switch mutant {
            case .sameNumbers, .staleTimeline, .placesBelieved: 350
            case .moveUnfenced: 4_050
            default: 1
            }
        let found = (first...(first + 150)).first {
            ClusterSimulation.run(seed: $0, mutant: mutant, shrinks: false, counts: &counts) != nil
        }
        #expect(found != nil)
    }

    @Test("a seed makes the same history each time", arguments: [UInt64](1...5))
    func determinism(_ seed: UInt64) {
        var traces: [[String]] = [[], []]
        for index in traces.indices { ClusterSimulation.trace(seed: seed) { traces[index].append($0) } }
        #expect(traces[0] == traces[1])
        #expect(traces[0].count > 100)
    }
}
