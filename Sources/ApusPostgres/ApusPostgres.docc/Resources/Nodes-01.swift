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

        let node = JobScheduler(store: store, configuration: .init(node: NodeID(rawValue: name)))
        node.register(Greeting.self, returning: String.self) { _, _ in name }
        try await node.run(grace: .seconds(10), afterStarting: { print("\(name) is ready.") })
    }
}
