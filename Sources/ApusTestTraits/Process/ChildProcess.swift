import ApusTimers
import CApus
import CProcessClock
import Foundation

/// A program with its arguments; the first is its name.
struct ChildCommand: Equatable {
    var path: String
    var arguments: [String]
    var environment: [String: String]
}

/// What became of a process.
struct ChildOutcome: Equatable {
    enum Ending: Equatable {
        case notStarted(String)
        case exited(Int32)
        case signalled(Int32)
        /// Its status was taken by a `waitpid` elsewhere in this process.
        case unknown
    }

    var ending: Ending
    /// The events that it wrote.
    var events: [UInt8] = []
    /// The last bytes of its error output.
    var errorOutput: [UInt8] = []
    /// Whether virtual time began in it.
    var hasBegun = false
    /// The time that it was given, if that was over.
    var exceededLimit: Duration?
    /// What its clock reported then.
    var clockReport = ""
}

/// Runs one program to its end, in the machine's time.
enum ChildProcess {
    /// What the process has in these descriptors: a file for its events, and the connection with this process.
    static let eventsDescriptor = TEST_PROCESS_EVENTS
    static let controlDescriptor = TEST_PROCESS_CONTROL
    static let begunByte = UInt8(ascii: "b")
    static let errorOutputLimit = 8192

    /// Starts the program and waits for its end. It has this process's standard output; its error output is copied to that
    /// of this process. Cancellation kills it.
    ///
    /// - Parameters:
    ///   - command: the program.
    ///   - limit: how long it may take after the virtual time began. Then it is asked for a report, and ended.
    ///   - loadLimit: how long it may take until then.
    /// - Returns: how it ended and what it wrote.
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

    /// A number of `errno.h`.
    struct SystemError: Error {
        var number: Int32
    }
}

/// Wakes the thread that looks after a process.
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
