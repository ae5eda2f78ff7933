import ApusTimers
import ArgumentParser
import ClusterSimulation
import Foundation

/// Simulates several schedulers over one database: `make simulate SIMULATE=--cluster`.
extension ApusSimulation {
    func runCluster() throws {
        let mutant = mutant.flatMap(ClusterMutant.init)
        if trace {
            return ClusterSimulation.trace(seed: first, mutant: mutant, shrinks: !raw) { line in
                FileHandle.standardOutput.write(Data("\(line)\n".utf8))
            }
        }
        let clock = SystemTime()
        let beginning = clock.uptime()
        var counts = ClusterSimulation.Counts()
        var broken: [ClusterPromise: (count: Int, first: UInt64, detail: String)] = [:]
        for seed in first..<(first + seeds) {
            Seed.note(seed, seconds: 600)
            let found = ClusterSimulation.run(seed: seed, mutant: mutant, shrinks: !survey && !raw, counts: &counts)
            guard let failure = found else { continue }
            guard survey else {
                print(failure)
                print("Repeat it with: make simulate SIMULATE=--cluster FIRST=\(seed) SEEDS=1")
                throw ExitCode(1)
            }
            let before = broken[failure.violation.promise]
            broken[failure.violation.promise] = (
                (before?.count ?? 0) + 1, before?.first ?? seed, before?.detail ?? failure.violation.detail
            )
        }
        for (promise, found) in broken.sorted(by: { $0.value.count > $1.value.count }) {
            print("\(found.count) × \(promise.rawValue)\n    first with seed \(found.first): \(found.detail)")
        }
        let time = beginning.duration(to: clock.uptime())
        print(
            """
            \(seeds) clusters from \(first) on in \(time): \(counts.starts) starts, \(counts.forwarded) forwarded \
            commands, \(counts.promotions) promotions, \(counts.snoozes) snoozes, \(counts.limited) last places, \
            \(counts.moved) moves of jobs, \(counts.placed) new jobs in the shards of others, \
            \(counts.overlaps) overlaps with cancelled handlers, the longest take-over \
            \(counts.longestTakeOver / 1_000_000) ms of \(counts.takenOver) starts
            """)
        print(broken.isEmpty ? "every promise was kept" : "\(broken.count) promises were broken")
        if !broken.isEmpty { throw ExitCode(1) }
    }
}
