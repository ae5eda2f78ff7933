import ApusTestSupport
import Foundation

/// A child process of this program.
///
/// Foundation's `Process` is not used, because it waits until a socket is closed that the child's own children inherit.
/// It would therefore wait for the end of every server that a program has started.
struct Child: Sendable {
    let id: Int32

    /// Starts a program found in the path.
    ///
    /// The program inherits only these descriptors; `ready` becomes number 3.
    init(
        _ command: [String], environment: [String: String] = [:], input: Int32? = nil, output: Int32? = nil,
        errors: Int32? = nil, ready: Int32? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [(0 as Int32, input), (1, output), (2, errors)] {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        if let ready { posix_spawn_file_actions_adddup2(&actions, ready, 3) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var arguments = command.map { strdup($0) } + [nil]
        var variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: Int32 = 0
        let error = posix_spawnp(&id, command[0], &actions, &attributes, &arguments, &variables)
        guard error == 0 else { throw Failure("\(command[0]) cannot be started: \(String(cString: strerror(error)))") }
        self.id = id
    }

    /// Waits for the child's end; the call is permitted once.
    ///
    /// - Returns: The exit status, or 128 plus the signal.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }
}

/// A pipe that no other child inherits.
struct PrivatePipe {
    let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure("no pipe can be made (\(String(cString: strerror(errno))))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reader, writer) = (ends[0], ends[1])
    }
}

/// Reads the descriptor to its end and closes it.
func readToEnd(_ descriptor: Int32) -> String {
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    return String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
}
