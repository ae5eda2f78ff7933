import Apus
import ApusPostgres

struct Greeting: JobPayload {
    static let kind = "greeting"
    var number: Int
}

@main
struct Nodes {
    static func main() async throws {
        let (name, address) = (CommandLine.arguments[1], CommandLine.arguments[2])
        let store = PostgresStore(try PostgresConfiguration(address))
        if name == "client" { return try await submit(to: store) }

        let node = JobScheduler(store: store, configuration: .init(node: NodeID(rawValue: name)))
        node.register(Greeting.self, returning: String.self) { _, _ in name }
        try await node.run(grace: .seconds(10), afterStarting: { print("\(name) is ready.") })
    }

    static func submit(to store: PostgresStore) async throws {
        let client = JobScheduler(store: store, configuration: .init(serves: .nothing))
        try await client.start()
        let jobs = try await client.submit((1...8).map { try JobRequest(Greeting(number: $0)) })
        while try await client.count(JobQuery(states: [.scheduled], kind: Greeting.kind)) > 0 {
            try await Task.sleep(for: .seconds(1))
        }
        for (index, job) in jobs.enumerated() {
            let run = try await client.outcome(of: job.id)
            print("greeting \(index + 1): run by \(try run?.result(as: String.self) ?? "no node")")
        }
        await client.stop(grace: .seconds(10))
    }
}
