import ApusLinux
import ApusTimers
import ArgumentParser
import Foundation
import Logging
import LoopbackWeb
import NIOCore

@main
struct SleeplessCommand: AsyncParsableCommand {
    enum HostKind: String, ExpressibleByArgument, CaseIterable {
        case simulated, linux
    }

    static let configuration = CommandConfiguration(
        commandName: "sleepless",
        abstract: "Runs an app that continues after the user has left it, on a simulated phone or on this machine.")

    @Option(help: "Where the app runs: on a simulated phone, or in this process, for which SIGTERM is Home.")
    var host = HostKind.simulated
    @Option(help: "The port on 127.0.0.1; 0 for any free port.")
    var port = 7979
    @Option(help: "The seed of all random decisions of the simulated phone.")
    var seed: UInt64 = 0
    @Option(help: "How many seconds pass on the simulated phone in a real second, from 0 to 3600.")
    var speed = 1.0
    @Option(help: "With --host linux: the folder of the app's records (default: $XDG_STATE_HOME/sleepless).")
    var home: String?
    @Option(help: "The folder of the page's files, for work on the page (default: the built-in page).")
    var web: String?

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is \(port); pass a number from 0 to 65535")
        }
        guard (0...3_600).contains(speed) else {
            throw ValidationError("--speed is \(speed); pass a number from 0 to 3600")
        }
        if host == .simulated, home != nil { throw ValidationError("--home needs --host linux") }
    }

    @MainActor
    func run() async throws {
        let logger = Logger(label: "sleepless") { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .warning
            return handler
        }
        switch host {
        case .simulated:
            let phone = PhoneStage(seed: seed, speed: speed)
            try await serve(phone, secrets: nil, logger)
        case .linux:
            let machine: LinuxMachine
            do {
                machine = try LinuxMachine(home: homeFolder, logger: logger)
            } catch let failure as HomeFolder.Failure {
                throw ValidationError("--home: \(failure)")
            }
            let random = SystemRandom()
            func secret() -> String { (0..<3).map { _ in String(random.next(), radix: 36) }.joined() }
            let secrets = GuardRules.Secrets(token: secret(), cookie: secret())
            let server = Task {
                // If the server ends, the process ends too, because the app cannot be used without a page.
                defer { machine.host.requestStop() }
                try await serve(machine, secrets: secrets, logger)
            }
            let outcome = try await machine.host.run()
            machine.feed.events.close()
            server.cancel()
            do { try await server.value } catch is CancellationError {}
            throw ExitCode(outcome.exitCode)
        }
    }

    @MainActor
    private func serve(_ stage: any Stage, secrets: GuardRules.Secrets?, _ logger: Logger) async throws {
        var quiet = logger
        // The server logs an orderly end as an error, so its errors are not logged.
        quiet.logLevel = .critical
        let page =
            web.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? Bundle.module.bundleURL.appending(path: "Web")
        let server = SleeplessServer(.init(port: port, page: page, secrets: secrets), stage: stage)
        do {
            try await server.run(logger: quiet) { address in
                print("Sleepless: open \(address)")
                fflush(nil)
            }
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw ValidationError("--port \(port) is taken; choose another port, or 0 for any free port")
        }
    }

    private var homeFolder: URL {
        if let home { return URL(fileURLWithPath: home, isDirectory: true) }
        let state = ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let base = state ?? NSHomeDirectory() + "/.local/state"
        return URL(fileURLWithPath: base, isDirectory: true).appending(path: "sleepless", directoryHint: .isDirectory)
    }
}
