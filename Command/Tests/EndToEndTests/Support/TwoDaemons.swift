import ApusClient
import ApusTestSupport

/// Starts two daemons of one database, each with its own home and half of the shards.
enum TwoDaemons {
    static func with(
        patience: String = "30s",
        _ body: (_ first: ApusUnderTest, _ second: ApusUnderTest) async throws -> Void
    ) async throws {
        try await StoreUnderTest.postgres.with(patience: patience) { try await with(variables: $0, body) }
    }

    /// Starts two daemons in the database that the variables name.
    static func with(
        variables: [String: String],
        _ body: (_ first: ApusUnderTest, _ second: ApusUnderTest) async throws -> Void
    ) async throws {
        try await ApusUnderTest.with(variables: variables) { first in
            try await ApusUnderTest.with(variables: variables) { second in
                try await first.startDaemon(after: "", "--node first")
                try await second.startDaemon(after: "", "--node second")
                try await until("equal parts") {
                    try await first.client.nodes().nodes.map(\.shards) == [128, 128]
                }
                try await body(first, second)
            }
        }
    }
}
