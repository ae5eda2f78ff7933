import ApusJobs
import ApusPostgres
import ApusTimers

/// Two nodes of one database, here in one process: each runs the jobs of its half of the shards.
///
///     swift run --package-path Examples TwoNodes "host=/tmp dbname=postgres"
@main
struct TwoNodes {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print(
                "usage: TwoNodes CONNECTION, as in \"postgres://user@host/database\" or \"host=/tmp dbname=jobs\"")
            return
        }
        let database = try PostgresConfiguration(CommandLine.arguments[1])
        var nodes: [JobScheduler] = []
        for name in ["left", "right"] {
            let node = JobScheduler(
                store: PostgresStore(database), configuration: .init(node: NodeID(rawValue: name)))
            node.register("greet") { run in print("\(name): \(run.job.id), occurrence \(run.occurrence)") }
            // The first node gives shards to the second one.
            try await node.start()
            nodes.append(node)
        }
        // Any node accepts any job; the owner of its shard runs it.
        for (number, node) in nodes.enumerated() {
            try await node.submit(
                JobRequest(
                    id: JobID("greeting-\(number)"), kind: "greet", trigger: .every(.seconds(1), count: 3)))
        }
        // Real time, in which the three greetings of each job are printed.
        try await TimerEngine.shared.sleep(for: .seconds(4))
        // A command for a job that the other node may own.
        print("cancelled: \(try await nodes[0].cancel("greeting-1").id)")
        for node in nodes { await node.stop(grace: .seconds(1)) }
    }
}
