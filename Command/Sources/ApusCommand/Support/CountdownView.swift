import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser
import Dispatch
import PlatformC

/// A countdown on the terminal.
///
/// The bar is computed from instants, not counted, so it is right even after the process or the machine was suspended.
struct CountdownView {
    let session: Session
    let job: WireJob
    var showsBar = Terminal.isInteractive
    /// Whether a daemon that has died is started again (``JobFollower/restartsDaemon``).
    var restartsDaemon = true

    private enum News: Sendable {
        case job(WireJob)
        case ended(WireRun)
        case failed(any Error)
        case tick
    }

    /// Watches until the countdown ends.
    ///
    /// - Throws: `ExitCode(1)` if it was cancelled, `ExitCode(3)` if the daemon was stopped, or the daemon's error if
    ///   the countdown cannot be followed.
    func watch() async throws {
        let detach = await onInterrupt()
        defer { detach.cancel() }
        let (news, continuation) = AsyncStream.makeStream(of: News.self)
        let ticks = try TimerEngine.shared.ticks(every: .milliseconds(200), clock: .continuous)
        let ticking = Task {
            for await _ in ticks { continuation.yield(.tick) }
        }
        let listening = Task { await listen(continuation) }
        defer {
            ticking.cancel()
            listening.cancel()
        }
        if !showsBar { Terminal.out("\(job.id)\(job.name.map { " (\($0))" } ?? ""): \(When.due(job))") }
        var current = job
        for await item in news {
            switch item {
            case .tick:
                draw(current)
            case .job(let job):
                current = job
                if job.state == "cancelled" {
                    finishLine("cancelled")
                    throw ExitCode(1)
                }
                if job.state == "finished" { return finishLine(Self.title(job) + "done") }
                draw(current)
            case .ended:
                return finishLine(Self.title(current) + "done")
            case .failed(is JobFollower.Stopped):
                if showsBar { Terminal.out("") }
                Terminal.note("apus: the daemon was stopped; the countdown continues (`apus countdown` attaches again)")
                throw ExitCode(3)
            case .failed(let error):
                throw error
            }
        }
    }

    /// Follows the job's events.
    ///
    /// The bar also moves between events, because this process computes it.
    private func listen(_ continuation: AsyncStream<News>.Continuation) async {
        do {
            try await JobFollower(session: session, job: job.id, restartsDaemon: restartsDaemon).follow { client in
                continuation.yield(.job(try await client.job(job.id)))
                return true
            } note: { text in
                Terminal.note("\(showsBar ? Terminal.eraseLine : "")\u{7}\(lines: text)")
            } event: { event in
                switch event.name {
                case "job":
                    continuation.yield(.job(try event.decoded()))
                case "run":
                    let run: WireRun = try event.decoded()
                    if run.final, run.outcome != "cancelled" { continuation.yield(.ended(run)) }
                default:
                    break
                }
                return true
            }
        } catch {
            if !Task.isCancelled { continuation.yield(.failed(error)) }
        }
    }

    private func draw(_ job: WireJob) {
        guard showsBar else { return }
        let left: Duration
        if let remaining = job.remainingMs {
            left = .milliseconds(remaining)
        } else if let due = job.nextDue.flatMap(When.instant) {
            left = max(.zero, When.now.duration(to: due))
        } else {
            left = .zero
        }
        let width = Terminal.size?.columns ?? 80
        Terminal.out(Terminal.eraseLine + Self.bar(job, left: left, width: width), terminator: "")
    }

    static func bar(_ job: WireJob, left: Duration, width: Int) -> TerminalText {
        let total =
            job.nextDue.flatMap(When.instant).flatMap { due in When.instant(job.created).map { $0.duration(to: due) } }
            ?? left
        let whole =
            job.trigger.after.flatMap { try? DurationText.parse($0) } ?? (total > .zero ? total : .seconds(1))
        let fraction = min(1, max(0, 1 - left / whole))
        let label = "\(title(job))\(clock(left))\(job.state == "suspended" ? " paused" : "")"
        let room = max(10, min(60, width - label.count - 10))
        let filled = Int(Double(room) * fraction)
        let percent = String(Int(fraction * 100))
        let (done, rest) = (String(repeating: "█", count: filled), String(repeating: "░", count: room - filled))
        let padding = String(repeating: " ", count: 3 - percent.count)
        return "\(Colour.bold(label)) \(Colour.green(done))\(Colour.dim(rest)) \(padding)\(percent) %"
    }

    private static func title(_ job: WireJob) -> String { job.name.map { PrintableText.escaped($0) + " " } ?? "" }

    /// Returns the remaining time, such as `1:05:09`, rounded up, so that `0:00` means done.
    static func clock(_ left: Duration) -> String {
        let seconds = Int(left.components.seconds) + (left.components.attoseconds > 0 ? 1 : 0)
        let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }

    private func finishLine(_ text: String) {
        Terminal.out("\(showsBar ? Terminal.eraseLine : "")\(text)")
    }

    private func onInterrupt() async -> any DispatchSourceSignal {
        let (id, showsBar) = (job.id, showsBar)
        return await signalSource(SIGINT) {
            if showsBar { Terminal.out("") }
            Terminal.note(
                """
                apus: detached; the countdown continues (`apus countdown` attaches again, `apus cancel \(id)` ends it)
                """)
            exit(130)
        }
    }
}
