import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation

/// A daemon as this program sees it: a process, a home with a socket, and a log.
final class NodeProcess: Sendable {
    private struct State {
        var isUp = false
        var status: Int32?
        /// The message that the daemon printed instead of reporting that it is ready.
        var refusal: String?
        /// The number of submissions that were sent and not answered.
        var waiting = 0
    }

    let name: String
    let log: String
    private let process: Child
    private let client: DaemonClient
    private let state = Locked(State())

    /// Starts a daemon: a program with its options, to which `--ready-fd 3` is added.
    init(
        _ name: String, command: [String], home: Home, files: WorkFolder, environment: [String: String]
    ) throws {
        self.name = name
        log = "\(files.path)/\(name).log"
        client = DaemonClient(home: home)
        try home.prepare()
        let ready = try PrivatePipe()
        let errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        process = try Child(
            command + ["--ready-fd", "3"],
            environment: environment.merging(["APUS_HOME": home.path, "APUS_LOG_FILE": log]) { $1 }, output: errors,
            errors: errors,
            ready: ready.writer)
        close(ready.writer)
        close(errors)
        files.note(process.id)
        Thread.detachNewThread { [self] in
            // The pipe has one line and then ends, because the daemon's children do not inherit it.
            let text = readToEnd(ready.reader).trimmingCharacters(in: .newlines)
            state.withLock { state in
                if text == "ready" { state.isUp = true } else if !text.isEmpty { state.refusal = text }
            }
            let status = process.wait()
            state.withLock { $0.status = status }
        }
    }

    /// The number of the daemon's process.
    var id: Int32 { process.id }
    var isUp: Bool { state.withLock { $0.isUp && $0.status == nil } }
    var hasEnded: Bool { state.withLock { $0.status != nil } }

    /// Whether a signal has ended the daemon.
    var isKilled: Bool { state.withLock { $0.status.map { $0 >= 128 } ?? false } }

    /// The reason why the daemon ended: its exit status, and its last message or the message of its trap.
    var lastWords: String {
        let (status, refusal) = state.withLock { ($0.status, $0.refusal) }
        let lines = ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n")
        let line = refusal ?? (lines.first { $0.contains("Fatal error") } ?? lines.last).map(String.init)
        return "status \(status.map { "\($0)" } ?? "unknown"), \(line ?? "no word")"
    }

    /// Submits a job, and calls `answer` with `nil` when the daemon has accepted it, or with the failure.
    ///
    /// - Returns: Whether the request was sent; `false` if too many earlier requests have no answer yet.
    func submit(_ submission: WireSubmission, answer: @escaping @Sendable (String?) -> Void) -> Bool {
        let isAsked = state.withLock { state in
            guard state.isUp, state.status == nil, state.waiting < 60 else { return false }
            state.waiting += 1
            return true
        }
        guard isAsked else { return false }
        Task {
            defer { state.withLock { $0.waiting -= 1 } }
            do {
                _ = try await client.submit(submission)
                answer(nil)
            } catch { answer("\(error)".prefix(300).replacingOccurrences(of: "\n", with: " ")) }
        }
        return true
    }

    func signal(_ number: Int32) { if !hasEnded { kill(process.id, number) } }

    func waitForEnd(atMost limit: Duration) async throws {
        try await until("the end of \(name)", atMost: limit) { self.hasEnded }
    }
}
