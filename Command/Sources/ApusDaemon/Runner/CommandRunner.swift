import ApusClient
import ApusJobs
import ApusTimers
import Logging

/// Runs a job's command in a session of its own, so that the command and its children can be ended together.
struct CommandRunner: Sendable {
    /// The time that a command has between SIGTERM and SIGKILL.
    static let patience: Duration = .seconds(5)
    /// The mean pause before the next start of a command for which a resource was missing.
    ///
    /// The pause is random, from half of this value to one and a half times this value, so that many commands do not
    /// try again at once.
    static let shortageDelay: Duration = .seconds(1)

    var surroundings: CommandSurroundings
    var records: RunningRecords
    var random: any RandomSource
    /// The soft limit of open files that commands get; 0 for that of this process.
    var fileLimit: UInt64
    var starts = CommandStarts()
    var ender: CommandEnder

    /// Runs the command until its process ends.
    ///
    /// If the run is cancelled while that process runs, all processes of the command are ended. Otherwise the processes
    /// that the command left in the background continue to run.
    ///
    /// - Throws: ``RunDecision``: a snooze if the command cannot be started for lack of descriptors, processes or
    ///   memory; a failure if it cannot be started at all, exits with a code other than 0, is ended by a signal, or
    ///   exits with 0 after the run was cancelled.
    func run(_ command: Action.Command, context: RunContext) async throws {
        let token = records.token()
        let tail = OutputTail()
        let started: RunningCommand?
        do {
            try records.begin(token, context)
            started = try await starts.start(launch(command, context: context, token: token)) { piece in
                tail.append(piece)
                context.emit(output: piece)
            }
        } catch {
            records.end(token)
            throw outcome(of: error)
        }
        guard let running = started else {
            records.end(token)
            // The task was cancelled before the command began. If the daemon stops, the run is postponed and does not
            // count as lost.
            guard context.cancellationReason == .shutdown else { throw CancellationError() }
            throw RunDecision.snooze(for: .zero, reason: "the daemon stopped")
        }
        var exit = await running.end()
        var isGone = true
        let wasEnded = exit == nil && running.exit == nil
        if exit == nil {
            // The run was cancelled, and with it this task. The processes are ended in a separate task, which is not
            // cancelled.
            isGone = await Task { await ender.end(running, token: token) }.value
            exit = running.exit
        }
        // If processes of the command are left, the command's record is kept, so that the daemon finds them at its next
        // start.
        if isGone { records.end(token) }
        context.setOutput(tail.bytes)
        switch exit {
        // A command that the daemon ended has not succeeded, whatever its exit code.
        case .code(0) where wasEnded: throw RunDecision.retry(reason: "was terminated, and exited with 0", exitCode: 0)
        case .code(0): context.setExitCode(0)
        case .code(let code): throw RunDecision.retry(reason: "exit code \(code)", exitCode: code)
        case .signal(let signal): throw RunDecision.retry(reason: "ended by signal \(signal)", exitCode: 128 + signal)
        case nil: throw RunDecision.retry(reason: "was cancelled, and could not be killed")
        }
    }

    private func outcome(of error: CommandLaunchError) -> RunDecision {
        guard error.isShortage else {
            return .discard(reason: "could not be started: \(error)", exitCode: 127)
        }
        let share = Double(random.next() >> 11) * 0x1p-53
        return .snooze(for: Self.shortageDelay * (0.5 + share), reason: "\(error)")
    }

    private func launch(_ command: Action.Command, context: RunContext, token: String) -> CommandLaunch {
        var variables = surroundings.variables
        variables.merge(command.env) { _, new in new }
        variables[ProcessEnvironment.run] = token
        variables["APUS_JOB"] = context.job.id.rawValue
        variables["APUS_JOB_KEY"] = String(context.job.key)
        variables["APUS_NAME"] = context.job.request.name
        variables["APUS_OCCURRENCE"] = String(context.occurrence)
        variables["APUS_ATTEMPT"] = String(context.attempt)
        variables["APUS_STANDS_FOR"] = String(context.standsFor)
        variables["APUS_DUE"] = context.due.iso8601
        return CommandLaunch(
            argv: command.shell ? ["/bin/sh", "-c", command.argv.joined(separator: " ")] : command.argv,
            environment: variables, folder: command.cwd ?? CommandSurroundings.defaultFolder,
            mask: command.mask ?? Action.Command.defaultMask, fileLimit: fileLimit)
    }
}

/// Keeps the end of a command's output: at least the last 64 KiB, and at most 128 KiB.
final class OutputTail: Sendable {
    private let state = Locked<[UInt8]>([])
    private let limit = 64 * 1024

    var bytes: [UInt8] { state.withLock { $0 } }

    func append(_ piece: [UInt8]) {
        state.withLock { bytes in
            bytes.append(contentsOf: piece.suffix(limit))
            // The output is trimmed at twice the limit, so that a command with much output does not move 64 KiB for
            // each line.
            if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
        }
    }
}
