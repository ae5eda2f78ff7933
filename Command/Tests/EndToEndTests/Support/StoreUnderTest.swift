import ApusClient
import ApusDaemon
import ApusPostgres
import Foundation
import PostgresTestServer

/// The store of a daemon in the tests.
enum StoreUnderTest: CaseIterable, Sendable {
    /// The home's own file.
    case sqlite
    /// A separate database on the server that the tests share.
    case postgres

    /// Gives `body` the environment of a daemon with this store, and removes the store afterwards.
    ///
    /// The patience is the time for which other daemons wait for a silent daemon. Its default is long enough for a busy
    /// machine. A test that kills daemons passes a shorter time, because the next daemon waits for this time before it
    /// takes over the jobs.
    func with<Result>(
        patience: String = "30s", _ body: ([String: String]) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .sqlite: return try await body([:])
        case .postgres:
            let database = try await PostgresDatabase.make()
            do {
                let result = try await body([
                    StoreLocation.variable: database.location, "APUS_PATIENCE": patience,
                ])
                try await database.drop()
                return result
            } catch {
                try? await database.drop()
                throw error
            }
        }
    }
}

/// A new database on the server that the tests share.
struct PostgresDatabase: Sendable {
    let server: PostgresServer
    let name: String

    static func make() async throws -> PostgresDatabase {
        let database = PostgresDatabase(
            server: try await PostgresServer.shared.value,
            name: "e2e_" + UUID().uuidString.replacing("-", with: "").lowercased())
        try await database.onServer("CREATE DATABASE \(database.name)")
        return database
    }

    /// The value of `--store` for the Unix socket, as the server's owner.
    var location: String { location(user: "owner") }
    func location(user: String, more: String = "") -> String {
        "host=\(server.folder) port=\(server.port) user=\(user) dbname=\(name) \(more)"
    }

    /// Drops the database, even while it has sessions.
    func drop() async throws { try await onServer("DROP DATABASE \(name) WITH (FORCE)") }

    /// Executes statements in another database of the server.
    func onServer(_ statements: String...) async throws {
        for statement in statements { try await execute(statement, in: "postgres") }
    }

    /// Executes a statement in this database.
    @discardableResult
    func callAsFunction(_ statement: String) async throws -> [PostgresRows] {
        try await execute(statement, in: name)
    }

    /// Returns the single number of a query.
    func number(_ query: String) async throws -> Int64 { try await self(query)[0][0].decode(at: 0) }

    @discardableResult
    private func execute(_ statement: String, in database: String) async throws -> [PostgresRows] {
        var configuration = try PostgresConfiguration(
            "host=\(server.folder) port=\(server.port) user=owner dbname=\(database)")
        // Creating and dropping a database waits for all backends of the server, including other tests'.
        (configuration.connectTimeout, configuration.statementTimeout, configuration.answerTimeout) = (
            .seconds(60), .seconds(300), .seconds(330)
        )
        let connection = try await PostgresConnection.connect(configuration)
        let result: Result<[PostgresRows], PostgresError>
        do throws(PostgresError) {
            result = .success(
                try await connection.execute(PostgresBatch([PostgresStatement(statement, isPrepared: false)])))
        } catch { result = .failure(error) }
        await connection.close()
        return try result.get()
    }
}
