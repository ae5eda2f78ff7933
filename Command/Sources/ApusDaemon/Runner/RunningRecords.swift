import ApusBackground
import ApusClient
import ApusJobs
import ApusLinux
import ApusTimers
import Logging
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files that record running commands, so that the next start of a killed daemon can end the leftover processes.
///
/// An interrupted attempt is retried, and must not run beside its own leftovers.
///
/// Each file exists from before the start of its command until after the command's end. Its name is a token that the
/// command and its children have in their environment (`APUS_RUN`). Process identifiers are not used, because they
/// would be known too late, and are reused. The processes are found in `/proc`; on systems without it, leftovers run to
/// their end.
struct RunningRecords: Sendable {
    var folder: String
    var random: any RandomSource

    func token() -> String { String(random.next(), radix: 36) + String(random.next(), radix: 36) }

    /// Records that a command is about to run.
    ///
    /// - Throws: ``CommandLaunchError`` for lack of descriptors or memory. After other failures (a full disk), the
    ///   command runs all the same; without the file, a crash of the daemon may leave it running.
    func begin(_ token: String, _ context: RunContext) throws(CommandLaunchError) {
        let descriptor = open(path(token), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let error = CommandLaunchError(step: .record, code: errno, subject: path(token))
            if error.isShortage { throw error }
            return
        }
        defer { close(descriptor) }
        let text = Array("\(context.job.id) \(context.occurrence) \(context.attempt)\n".utf8)
        _ = write(descriptor, text, text.count)
    }

    /// Records that no process of a command is left.
    func end(_ token: String) { unlink(path(token)) }

    private func path(_ token: String) -> String { "\(folder)/\(token)" }

    /// Ends the processes that the commands of an earlier daemon left running.
    func endLeftovers(logger: Logger) {
        let tokens = Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        guard !tokens.isEmpty else { return }
        var left: [ProcessEntry] = []
        // The search is repeated until it finds nothing, because a process can start another one while the list is
        // read, and because a process takes a moment to end. The record of a process that withstands all rounds is
        // kept.
        for round in 0..<100 {
            left = ProcessTable.running().filter { $0.token.map(tokens.contains) ?? false }
            if left.isEmpty { break }
            if round == 0 {
                logger.notice(
                    "ending processes that the commands of an interrupted daemon left running",
                    metadata: ["processes": "\(left.map(\.process))"])
            }
            for entry in left { kill(entry.process, SIGKILL) }
        }
        if !left.isEmpty {
            logger.warning(
                "processes of an interrupted daemon's commands survived SIGKILL",
                metadata: ["processes": "\(left.map(\.process))"])
        }
        for token in tokens.subtracting(left.compactMap(\.token)) { end(token) }
    }
}

final class RunningWork: Sendable {
    private struct State {
        var count = 0
        /// The names of the actions that were cancelled because the daemon stopped.
        var cut: [String] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }
    /// Whether an action was cancelled because the daemon stopped, or any action is still running.
    var wasCut: Bool { state.withLock { !$0.cut.isEmpty || $0.count > 0 } }
    /// The names of the ended actions that had been cancelled because the daemon stopped.
    var cutNames: [String] { state.withLock { $0.cut } }

    /// Runs `body` under a background task of `host` with the job's name.
    ///
    /// If the process has to end before `body` has ended, the host's report contains the name.
    func during(_ context: RunContext, on host: LinuxHost, _ body: () async throws -> Void) async throws {
        let name = PrintableText.escaped(context.job.request.name ?? context.job.id.rawValue)
        var request = BackgroundTaskRequest(name: name)
        // The background task ends with the handler, which the scheduler cancels before the host's time is over.
        request.endsOnExpiration = false
        // The host refuses the task when the process is about to end; the scheduler is then about to cancel this run
        // too.
        let claim = try? host.beginBackgroundTask(request)
        defer { claim?.end() }
        state.withLock { $0.count += 1 }
        defer {
            let isCut = context.cancellationReason == .shutdown
            state.withLock { state in
                state.count -= 1
                if isCut { state.cut.append(name) }
            }
        }
        try await body()
    }
}
