import ApusClient
import ApusDaemon
import ApusJobs
import ApusPostgres
import ArgumentParser
import Foundation
import Logging

extension StoreMigrations {
    /// What is shipped, and made-up versions after it, each of which adds columns to the tables that turns write.
    /// Older programs may work with all of them.
    static func upTo(_ newest: Int) -> StoreMigrations {
        var migrations = shipped
        while migrations.newest < newest {
            let number = migrations.newest + 1
            migrations.versions.append(
                Version(
                    [
                        "ALTER TABLE apus.node ADD COLUMN added_\(number) text",
                        "ALTER TABLE apus.job ADD COLUMN added_\(number) bigint NOT NULL DEFAULT 0",
                        "ALTER TABLE apus.open_run ADD COLUMN added_\(number) text",
                        "ALTER TABLE apus.run ADD COLUMN added_\(number) text",
                    ], compatibleWith: shipped.compatibleWith))
        }
        return migrations
    }
}

/// `apus serve` as a later version of Apus has it: the same daemon, which knows later versions of the schema.
struct NextServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve-next", abstract: "Run a daemon of a later version; chaos does it.",
        shouldDisplay: false)

    @Option var store: String
    @Option var node: String
    @Option var schema: Int
    @Option var readyFd: Int32

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        let environment = ProcessInfo.processInfo.environment
        var configuration = Daemon.Configuration(
            home: try Home(environment: environment), store: try StoreLocation(store), node: NodeID(rawValue: node),
            environment: environment)
        configuration.migrations = .upTo(schema)
        let ready = FileHandle(fileDescriptor: readyFd, closeOnDealloc: false)
        _ = try await Daemon(configuration: configuration, logger: Logger(label: "apus")).run { _ in
            ready.write(Data("ready\n".utf8))
            try? ready.close()
        }
    }
}
