import BenchSupport
import Foundation

/// A program that is started as by a shell, without a process library whose own work would be measured too.
struct Program {
    let process: pid_t

    /// The resources that a process has used.
    struct Usage {
        /// The processor time in the program and in the kernel.
        var processorTime: Duration
        /// The peak of the resident memory.
        var peakMegabytes: Double
    }

    /// Starts a program whose output goes to a file, or is discarded.
    init(_ path: String, _ arguments: [String], environment: [String: String], output: String? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        if let output {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
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

    /// Waits for the end of the process.
    ///
    /// - Returns: The resources that the process has used.
    /// - Throws: An error if the exit status is not 0.
    @discardableResult
    func wait() throws -> Usage {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
        guard status == 0 else { throw Failure(description: "process \(process) ended with status \(status)") }
        return Usage(
            processorTime: .seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + .microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
            peakMegabytes: Double(usage.ru_maxrss) * 1_024 / 1_000_000)
    }

    /// Kills the process with SIGKILL, and waits for its end.
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
