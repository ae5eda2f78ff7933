import ApusTimers
import CApus
import Dispatch
import PathTrust
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Starts a daemon in the background.
///
/// The daemon has a session of its own, so that it outlives the terminal, and writes its output to the home's log.
public struct DaemonLauncher: Sendable {
    /// The path of the program, which is started with the arguments `serve --ready-fd N`.
    public var executable: String
    /// The home of the daemon.
    public var home: Home
    /// The environment of the daemon.
    public var environment: [String: String]
    /// The time within which the daemon must become ready.
    public var patience: Duration = .seconds(30)

    /// Creates a launcher.
    public init(executable: String, home: Home, environment: [String: String]) {
        self.executable = executable
        self.home = home
        self.environment = environment
    }

    /// Starts a daemon, and returns when it answers requests.
    ///
    /// - Returns: the identifier of the daemon's process, or of the daemon that another process has started at the same
    ///   moment.
    /// - Throws: ``DaemonError`` with the daemon's message about its failure.
    @discardableResult
    public func start() async throws -> Int32 {
        try home.prepare()
        var ready: [Int32] = [0, 0]
        guard pipe(&ready) == 0 else {
            throw DaemonError(.unavailable, "no pipe can be made (\(String(cString: strerror(errno))))")
        }
        defer { close(ready[0]) }
        let log: Int32
        do throws(TrustedPath.Failure) {
            log = try TrustedPath.open(home.logPath, O_WRONLY | O_CREAT | O_APPEND)
        } catch {
            close(ready[1])
            throw DaemonError(.unavailable, "the log \(error)")
        }
        var process: Int32 = 0
        let arguments = [executable, "serve", "--ready-fd", "3"]
        // These variables are removed, because a service manager that started this process does not wait for the
        // daemon, and a daemon that a job's command starts is not a part of that job.
        let environment = environment.filter {
            ![ProcessEnvironment.notifySocket, ProcessEnvironment.run].contains($0.key)
        }
        let result = Self.withCStrings(arguments) { argv in
            Self.withCStrings(environment.map { "\($0)=\($1)" }) { envp in
                capus_spawn_detached(executable, argv, envp, log, ready[1], &process)
            }
        }
        close(log)
        close(ready[1])
        guard result == 0 else {
            throw DaemonError(.unavailable, "\(executable) cannot be started (\(String(cString: strerror(result))))")
        }
        let answer = try await readAnswer(ready[0])
        if answer == "ready" { return process }
        // Another daemon has won a race for the home, and answers now or in a moment.
        if answer.hasPrefix("owned"), let other = await otherDaemon() { return other }
        throw DaemonError(
            .unavailable,
            answer.isEmpty
                ? "the daemon ended, or was not ready within \(patience); \(home.logPath) may say why" : answer)
    }

    /// Reads one line, on a thread of Dispatch.
    ///
    /// The read blocks that thread, which is acceptable because it is done only once for each daemon.
    private func readAnswer(_ descriptor: Int32) async throws -> String {
        let milliseconds = Int32(clamping: patience.wholeMilliseconds)
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var text: [UInt8] = []
                var byte: UInt8 = 0
                while true {
                    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    guard waitForInput(&poll, milliseconds) > 0, read(descriptor, &byte, 1) == 1,
                        byte != UInt8(ascii: "\n")
                    else { break }
                    text.append(byte)
                }
                continuation.resume(returning: String(decoding: text, as: UTF8.self))
            }
        }
    }

    private func otherDaemon() async -> Int32? {
        let client = DaemonClient(home: home)
        let clock = TimerClock.continuous()
        for _ in 0..<100 {
            if let health = try? await client.health() { return health.pid }
            try? await clock.sleep(until: clock.now.advanced(by: .milliseconds(50)), tolerance: nil)
        }
        return nil
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// Calls poll(2), which the caller cannot name, because its variable `poll` hides the function.
private func waitForInput(_ descriptor: inout pollfd, _ milliseconds: Int32) -> Int32 {
    poll(&descriptor, 1, milliseconds)
}
