import BenchSupport
import Foundation

/// Measures durable submissions through one node, one by one and in batches, and those of procrastinate.
struct Submits {
    let server: Server
    let options: Options

    func table() throws -> ComparisonTable {
        let waves = try Waves(1, on: server, "submits")
        let (alone, together) = options.quick ? (200, 5_000) : (1_000, 50_000)
        let peer = try Procrastinate(server: server, options: options).measure(workers: 1)
        func rate(_ jobs: Int, _ batch: Int) throws -> Double {
            try waves.nodes[0].send("submit \(jobs) \(batch)")
            return Double(jobs) / (try waves.nodes[0].expect("submitted")[0])
        }
        let single = try rate(alone, 1)
        let batched = try rate(together, 1_000)
        waves.stop()
        return ComparisonTable(
            "Submissions through one node",
            [
                Comparison(
                    "one after another", single, "jobs/s", peers: peer.map { [("procrastinate", $0.submits)] } ?? []),
                Comparison("1,000 at once", batched, "jobs/s"),
            ], footnotes: peer == nil ? [Procrastinate.hint(options)] : [])
    }
}
