import BenchSupport
import Foundation

/// A program that was started as a shell starts it: without a library of processes between, whose own work would be
/// measured too.
struct Program {
    let process: pid_t

    /// Starts a program with its output going nowhere.
    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var process: pid_t = 0
        let result = Self.withCStrings([path] + arguments) { argv in
            Self.withCStrings(environment.map { "\($0)=\($1)" }) {
                posix_spawn(&process, path, &actions, nil, argv, $0)
            }
        }
        guard result == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(result)))") }
        self.process = process
    }

    /// Waits for the end.
    /// - Throws: if it was not a success.
    func wait() throws {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Failure(description: "process \(process) ended with status \(status)") }
    }

    /// Kills it as the system would in need, and waits until it is gone.
    func kill() {
        Foundation.kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
