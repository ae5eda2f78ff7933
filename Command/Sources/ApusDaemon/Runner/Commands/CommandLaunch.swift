import ApusClient
import CApus
import Dispatch
import PlatformC

/// The parameters of a command's start, and the start itself.
struct CommandLaunch: Sendable {
    /// The program and its arguments; never empty.
    var argv: [String]
    /// The whole environment of the command.
    var environment: [String: String]
    /// The absolute path of the working directory.
    var folder: String
    /// The file mode creation mask.
    var mask: UInt32
    /// The command's soft limit of open files; 0 for that of this process.
    var fileLimit: UInt64 = 0

    /// A started command: its process, which leads its group and session, and the reading end of its output pipe.
    struct Started: Sendable {
        var process: Int32
        var output: Int32
    }

    /// Starts the command, and blocks until the program runs or has failed to start.
    func start() throws(CommandLaunchError) -> Started {
        for text in argv + [folder] + environment.flatMap({ [$0.key, $0.value] }) where text.utf8.contains(0) {
            throw CommandLaunchError(step: .execute, code: EINVAL, subject: "an argument, a variable or a folder")
        }
        let path = try program()
        var started = Started(process: 0, output: -1)
        var step = CAPUS_COMMAND_STARTED
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let error = Self.withCStrings(argv) { argv in
            Self.withCStrings(variables) { envp in
                path.withCString { path in
                    folder.withCString { folder in
                        var command = capus_command(
                            path: path, argv: argv, envp: envp, folder: folder, mask: mask, file_limit: fileLimit)
                        return capus_command_start(&command, &started.process, &started.output, &step)
                    }
                }
            }
        }
        guard error == 0 else {
            throw CommandLaunchError(
                step: .init(step), code: error, subject: step == CAPUS_COMMAND_FOLDER ? folder : path)
        }
        return started
    }

    /// Returns the path of the program; a name without a slash is searched for in the `PATH` of the command, not of
    /// this process.
    private func program() throws(CommandLaunchError) -> String {
        let name = argv[0]
        if name.unicodeScalars.contains("/") { return name }
        let path = environment["PATH"] ?? CommandSurroundings.defaultPath
        var code = ENOENT
        for part in path.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false) {
            // An empty part of the `PATH` means the working directory; a relative part is relative to the working
            // directory.
            let place = part.first == "/" ? String(part) : part.isEmpty ? folder : "\(folder)/\(part)"
            let candidate = "\(place)/\(name)"
            var information = stat()
            guard !name.isEmpty, stat(candidate, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            if access(candidate, X_OK) == 0 { return candidate }
            code = errno
        }
        throw CommandLaunchError(step: .search, code: code, subject: name, path: path)
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

/// The reason why a command could not be started.
struct CommandLaunchError: Error, Sendable, CustomStringConvertible {
    enum Step: Sendable {
        case record, search, pipe, fork, prepare, folder, execute

        init(_ step: capus_command_step) {
            self =
                switch step {
                case CAPUS_COMMAND_PIPE: .pipe
                case CAPUS_COMMAND_FORK: .fork
                case CAPUS_COMMAND_FOLDER: .folder
                case CAPUS_COMMAND_EXECUTE: .execute
                default: .prepare
                }
        }
    }

    var step: Step
    /// The system's error number.
    var code: Int32
    /// The program or the folder of the failed step.
    var subject: String
    /// The `PATH` in which the program was searched for.
    var path = ""

    /// Whether the start failed for lack of a resource that may become available again, so that another start can
    /// succeed.
    var isShortage: Bool { [EMFILE, ENFILE, EAGAIN, ENOMEM].contains(code) && step != .search }

    var description: String {
        switch (step, code) {
        case (_, EMFILE) where isShortage: "waits for a file descriptor: the daemon has reached its limit"
        case (_, ENFILE) where isShortage: "waits for a file descriptor: the system has reached its limit"
        case (_, EAGAIN) where isShortage: "waits for a process: the user, or the daemon's group, has reached its limit"
        case (_, ENOMEM) where isShortage: "waits for memory"
        case (.search, ENOENT): "\(subject) was not found in the PATH \(path)"
        case (.search, _): "\(subject) was found in the PATH \(path), but is not executable"
        case (.folder, ENOENT): "its working directory \(subject) does not exist"
        case (.folder, _): "its working directory \(subject) cannot be entered (\(text))"
        case (.execute, ENOENT): "\(subject), or the interpreter that its first line names, was not found"
        case (.execute, ENOEXEC): "\(subject) is not a program of this system, and has no #! line"
        case (.execute, EINVAL): "\(subject) has a zero byte or is not accepted by the system (\(text))"
        case (.execute, _): "\(subject) cannot be executed (\(text))"
        case (.record, _), (.pipe, _), (.fork, _), (.prepare, _): "no process could be created for it (\(text))"
        }
    }

    private var text: String { String(cString: strerror(code)) }
}

/// Starts commands, a few at a time.
///
/// Each start blocks a thread for the time of a fork and an exec, and needs four descriptors in that time.
actor CommandStarts {
    /// The maximum number of concurrent starts.
    static let width = 4

    /// The free queues; each concurrent start has a serial queue.
    ///
    /// Global queues are not used, because Dispatch watches their threads with a timer that wakes the process each
    /// second (``EventLoopExecutor``).
    private var free = (0..<width).map { DispatchQueue(label: "apus.command-start.\($0)") }
    private var waiting: [CheckedContinuation<DispatchQueue, Never>] = []

    /// Starts a command once a queue is free; returns `nil` if the task is cancelled before the start.
    func start(
        _ launch: CommandLaunch, receive: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(CommandLaunchError) -> RunningCommand? {
        let queue = await enter()
        if Task.isCancelled {
            leave(queue)
            return nil
        }
        let result = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(CommandLaunchError) in
                        try RunningCommand.start(launch, receive: receive)
                    })
            }
        }
        leave(queue)
        return try result.get()
    }

    private func enter() async -> DispatchQueue {
        if let queue = free.popLast() { return queue }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func leave(_ queue: DispatchQueue) {
        if waiting.isEmpty {
            free.append(queue)
        } else {
            waiting.removeFirst().resume(returning: queue)
        }
    }
}
