import ApusClient
import ApusJobs
import ArgumentParser

struct Nodes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "List the daemons that share the jobs of a PostgreSQL database.",
        discussion: """
            BEAT is the time since the daemon last wrote its heartbeat to the database, which it does every second; \
            LAG is how long ago the earliest of the jobs that it has not examined yet was due. Both use the \
            database's clock.
            STATE is alive; silent, if the daemon has written no heartbeat for 3 seconds or its session has ended, so \
            that the other daemons take over its jobs; or leaving, if it was asked to stop.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let session = try Session()
            let answer = try await session.call { try await $0.nodes() }
            if json { return try Terminal.json(answer) }
            guard answer.shared else {
                let health = try await session.call { try await $0.health() }
                return Terminal.note(
                    "this daemon is alone: its store, \(health.store ?? health.home), is for one machine")
            }
            var table = Table(
                ["NODE", "NAME", "SHARDS", "BEAT", "LAG", "VERSION", "STATE"], rightAligned: [0, 2, 3, 4])
            for node in answer.nodes {
                table.add([
                    (String(node.id), nil), (node.name, .bold), (String(node.shards), nil),
                    (Self.ago(node.beatAgeMs), nil),
                    (node.lagMs == 0 ? "-" : Self.ago(node.lagMs), nil), (node.version, nil),
                    (node.state, node.state == "alive" ? .green : node.state == "silent" ? .red : .yellow),
                ])
            }
            table.print()
        }
    }

    private static func ago(_ milliseconds: Int64) -> String {
        DurationText.format(When.rounded(.milliseconds(milliseconds)))
    }
}
