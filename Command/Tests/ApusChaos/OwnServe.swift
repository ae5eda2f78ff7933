import ApusClient
import ApusDaemon
import ApusJobs
import ApusPostgres
import ApusTestSupport
import ArgumentParser
import Dispatch
import Foundation
import Logging

/// A daemon like that of `apus serve` that knows later versions of the schema, and blocks its threads on a signal.
struct OwnServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run a daemon for a nemesis; chaos does it.", shouldDisplay: false)

    /// The signal that blocks all threads of Swift's pool, as handlers that wait in system calls would.
    static let blockingSignal = SIGUSR1
    static let blockedTime: Duration = .seconds(9)

    @Option var store: String
    @Option var node: String
    @Option var schema: Int
    @Option var readyFd: Int32

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        signal(Self.blockingSignal, SIG_IGN)
        let source = DispatchSource.makeSignalSource(
            signal: Self.blockingSignal, queue: DispatchQueue(label: "apus-chaos-block"))
        source.setEventHandler { Self.blockThreads() }
        source.activate()
        defer { source.cancel() }
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

    private static func blockThreads() {
        let end = ContinuousClock.now.advanced(by: blockedTime)
        for _ in 0..<moreThanThreads {
            Task.detached {
                // If the task gets a thread only after `end`, it returns at once.
                blockThread(for: ContinuousClock.now.duration(to: end))
            }
        }
    }

    private static func blockThread(for duration: Duration) {
        // The sleep is real, because blocking the thread is the purpose of this nemesis.
        if duration > .zero { Thread.sleep(forTimeInterval: duration / .seconds(1)) }
    }
}
