import ApusClient
import Foundation
import Synchronization

/// A real daemon with its own home.
final class DaemonProcess: Sendable {
    let apus: String
    let client: DaemonClient
    let environment: [String: String]
    private let program = Mutex<Program?>(nil)
    private static let all = Mutex<[pid_t: Program]>([:])

    init(apus: String, home: Home) {
        self.apus = apus
        client = DaemonClient(home: home)
        environment = ["APUS_HOME": home.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    }

    var process: pid_t? { program.withLock { $0?.process } }

    /// Starts the daemon without waiting for it.
    func exec() throws {
        let started = try Program(apus, ["serve"], environment: environment)
        program.withLock { $0 = started }
        Self.all.withLock { $0[started.process] = started }
    }

    /// Starts the daemon, and waits until it answers.
    func start() async throws {
        try exec()
        try await untilAnswering()
    }

    func untilAnswering() async throws {
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(30) {
            if (try? await client.health())?.pid == process { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw Failure(
            description: "the daemon does not answer; try it by hand: APUS_HOME=\(client.home.path) \(apus) serve")
    }

    func kill() async throws {
        let killed = program.withLock { $0.take() }
        guard let killed else { return }
        Self.all.withLock { $0[killed.process] = nil }
        killed.kill()
    }

    static func killAll() {
        for program in all.withLock({ Array($0.values) }) { program.kill() }
        all.withLock { $0 = [:] }
    }
}
