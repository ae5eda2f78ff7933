import ApusJobs
import ApusTimers
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Runs a job's command: in a session of its own, so that it and what it starts can be ended together.
struct CommandRunner: Sendable {
    /// How long a command that is told to end (SIGTERM) has until it is killed.
    static let patience: Duration = .seconds(5)

    var environment: [String: String]
    var records: RunningRecords
    /// The patience of this runner: less where the daemon's grace is short.
    var patience = Self.patience

    /// Runs the command to its end.
    /// - Throws: ``JobFailure`` when it cannot be started, exits with another code than 0, or is ended by a signal.
    func run(_ command: Action.Command, context: RunContext) async throws {
        let token = records.begin(context)
        // Not before the process has ended: a command that goes on although it was told to end must be found again.
        defer { records.end(token) }
        let configuration = configuration(for: command, context: context, token: token)
        let tail = OutputTail()
        let status: TerminationStatus
        do {
            status = try await Subprocess.run(
                configuration, input: .none, output: .sequence, error: .combinedWithOutput
            ) { execution in
                for try await chunk in execution.standardOutput {
                    let bytes = chunk.withUnsafeBytes { Array($0) }
                    await tail.append(bytes)
                    context.emit(output: bytes)
                }
            }.terminationStatus
        } catch {
            context.setOutput(await tail.bytes)
            if context.isCancelled { throw CancellationError() }
            throw JobFailure(
                reason: "could not be started: \(Self.explain(error, command: command))", exitCode: 127, isFinal: true)
        }
        context.setOutput(await tail.bytes)
        switch status {
        case .exited(0):
            context.setExitCode(0)
        case .exited(let code):
            throw JobFailure(reason: "exit code \(code)", exitCode: Int(code))
        case .signaled(let signal):
            throw JobFailure(reason: "ended by signal \(signal)", exitCode: 128 + Int(signal))
        }
    }

    private func configuration(
        for command: Action.Command, context: RunContext, token: String
    ) -> Configuration {
        var variables = environment
        variables.merge(command.env) { _, new in new }
        variables[RunningRecords.variable] = token
        variables["APUS_JOB"] = context.job.id.rawValue
        variables["APUS_NAME"] = context.job.request.name
        variables["APUS_OCCURRENCE"] = String(context.occurrence)
        variables["APUS_ATTEMPT"] = String(context.attempt)
        variables["APUS_STANDS_FOR"] = String(context.standsFor)
        variables["APUS_DUE"] = TimeText.iso8601(context.due)
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: patience),
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero),
        ]
        let argv = command.shell ? ["/bin/sh", "-c", command.argv.joined(separator: " ")] : command.argv
        return Configuration(
            executable: argv[0].contains("/") ? .path(FilePath(argv[0])) : .name(argv[0]),
            arguments: Arguments(Array(argv.dropFirst())),
            environment: .custom(
                Dictionary(
                    uniqueKeysWithValues: variables.compactMap { key, value in
                        Environment.Key(rawValue: key).map { ($0, value) }
                    })),
            workingDirectory: command.cwd.map { FilePath($0) },
            platformOptions: options)
    }

    private static func explain(_ error: any Error, command: Action.Command) -> String {
        if let error = error as? SubprocessError {
            if error.code == .executableNotFound { return "\(command.argv.first ?? "") was not found" }
            if error.code == .failedToChangeWorkingDirectory {
                return "its working directory \(command.cwd ?? "") cannot be entered"
            }
        }
        return "\(error)"
    }
}

/// The end of a command's output, bounded.
actor OutputTail {
    private(set) var bytes: [UInt8] = []
    private let limit = 64 * 1024

    func append(_ chunk: [UInt8]) {
        bytes.append(contentsOf: chunk.suffix(limit))
        // Trimmed by halves, so that a chatty command does not move 64 KiB for each line.
        if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
    }
}
