import ApusTimers
import CApus
import CProcessClock
import Foundation

/// A program and its arguments; the first argument is the program's name.
struct ChildCommand: Equatable {
    var path: String
    var arguments: [String]
    var environment: [String: String]
}

/// The result of a process.
struct ChildOutcome: Equatable {
    enum Ending: Equatable {
        case notStarted(String)
        case exited(Int32)
        case signalled(Int32)
        /// Other code of this process has taken the status with `waitpid`.
        case unknown
    }

    var ending: Ending
    var events: [UInt8] = []
    /// The last bytes of the process's error output.
    var errorOutput: [UInt8] = []
    /// Whether virtual time has begun in the process.
    var hasBegun = false
    /// The time limit of the test, if the process has exceeded that limit or the limit for loading.
    var exceededLimit: Duration?
    /// The report of the process's virtual clock at the time limit.
    var clockReport = ""
}

/// The execution of one program to its end, in real time.
enum ChildProcess {
    /// The descriptors of the program: a file for its events, and the connection with this process.
    static let eventsDescriptor = TEST_PROCESS_EVENTS
    static let controlDescriptor = TEST_PROCESS_CONTROL
    static let begunByte = UInt8(ascii: "b")
    static let errorOutputLimit = 8192

    /// Starts the program, and waits for its end; cancellation kills it.
    ///
    /// The program inherits the standard output of this process. Its error output is copied to the error output of this
    /// process.
    ///
    /// - Parameters:
    ///   - command: The program.
    ///   - limit: The time limit from the beginning of virtual time, after which the process is asked for a report and
    ///     ended.
    ///   - loadLimit: The time limit for the loading, from the start of the process until virtual time begins.
    /// - Returns: The way in which the process ended, and its output.
    static func run(
        _ command: ChildCommand, limit: Duration, loadLimit: Duration = .seconds(60)
    ) async -> ChildOutcome {
        guard let wake = WakePipe() else { return ChildOutcome(ending: .notStarted(errorText(errno))) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                SystemThread(named: "apus-supervisor") {
                    let outcome =
                        switch Supervisor.start(command, wake: wake, limit: limit, loadLimit: loadLimit) {
                        case .success(var supervisor): supervisor.run()
                        case .failure(let error): ChildOutcome(ending: .notStarted(errorText(error.number)))
                        }
                    continuation.resume(returning: outcome)
                }.detach()
            }
        } onCancel: {
            wake.send(.cancelled)
        }
    }

    static func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }

    /// An error code of `errno.h`.
    struct SystemError: Error {
        var number: Int32
    }
}

/// A pipe that wakes the thread that supervises a process.
final class WakePipe: Sendable {
    enum Reason: UInt8 {
        case ended, cancelled
    }

    let reader: Int32
    private let writer: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        let error = capus_pipe(&ends)
        guard error == 0 else {
            errno = error
            return nil
        }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    func send(_ reason: Reason) {
        var byte = reason.rawValue
        _ = write(writer, &byte, 1)
    }

    func received() -> [Reason] {
        var bytes: [UInt8] = Array(repeating: 0, count: 16)
        let count = read(reader, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).compactMap(Reason.init(rawValue:))
    }
}
