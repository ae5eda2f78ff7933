import CApus
import Dispatch
import PlatformC

/// The meaning of a signal for a host.
enum HostSignal: Sendable, Hashable, CustomStringConvertible {
    case stop(TerminationSignal)
    /// SIGTSTP, sent by Ctrl-Z: the process is to be suspended.
    case standStill
    /// SIGCONT, sent by `fg` or `kill -CONT`: the process continues, whatever suspended it.
    case continued

    static let all: [HostSignal] = TerminationSignal.allCases.map { .stop($0) } + [.standStill, .continued]

    var number: Int32 {
        switch self {
        case .stop(let signal): signal.number
        case .standStill: SIGTSTP
        case .continued: SIGCONT
        }
    }

    var description: String {
        switch self {
        case .stop(let signal): signal.description
        case .standStill: "SIGTSTP"
        case .continued: "SIGCONT"
        }
    }
}

/// The process's signals as a stream, until `stop()`.
struct CaughtSignals {
    let stream: AsyncStream<HostSignal>
    private let continuation: AsyncStream<HostSignal>.Continuation
    private let queue = DispatchQueue(label: "apus.linux.signals")
    private let source: any DispatchSourceRead

    init(_ signals: [HostSignal]) throws(SignalError) {
        let numbers = signals.map(\.number)
        let descriptor = capus_signals_catch(numbers, Int32(numbers.count))
        guard descriptor >= 0 else { throw SignalError(errno: -descriptor) }

        let (stream, continuation) = AsyncStream.makeStream(of: HostSignal.self)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) == 1 {
                if let signal = signals.first(where: { $0.number == Int32(byte) }) { continuation.yield(signal) }
            }
        }
        source.resume()
        self.stream = stream
        self.continuation = continuation
        self.source = source
    }

    /// Restores the former handling of the signals, which can then be caught again.
    func stop() {
        source.cancel()
        // This waits for a read in progress, which would otherwise take bytes from the next catcher.
        queue.sync {}
        capus_signals_release()
        continuation.finish()
    }
}

/// Suspends this process with all its threads, and returns after SIGCONT.
///
/// It raises SIGSTOP, because the host catches SIGTSTP. To raise SIGTSTP, it would have to restore the default action
/// first. That action has no effect in a process group without a shell that could resume it (signal(7), "orphaned"),
/// and until the host caught the signal again, a SIGTSTP from another process would be lost.
func stopThisProcess() {
    // The signal is raised on this thread, which therefore stops before this function returns.
    raise(SIGSTOP)
}

/// A signal that asks a process to stop.
public enum TerminationSignal: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// SIGTERM, sent by a service manager or `kill`.
    case terminate
    /// SIGINT, sent by Ctrl-C.
    case interrupt
    /// SIGHUP, sent when the terminal is closed.
    ///
    /// It is not caught in a process that was started with SIGHUP ignored, as by nohup(1).
    case hangUp

    /// The signal's number.
    public var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        }
    }

    /// The signal's name.
    public var description: String {
        switch self {
        case .terminate: "SIGTERM"
        case .interrupt: "SIGINT"
        case .hangUp: "SIGHUP"
        }
    }
}

/// The error of signals that cannot be caught.
public struct SignalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case alreadyCaught, unavailable }
        private let kind: Kind

        /// Another part of this process catches the signals already.
        public static var alreadyCaught: Code { Code(kind: .alreadyCaught) }
        /// The system does not allow this process to wait for signals.
        public static var unavailable: Code { Code(kind: .unavailable) }

        /// The name of the code, for logs.
        public var description: String { kind.rawValue }
    }

    /// The kind of error.
    public let code: Code
    /// A sentence for people that says what happened and what to do.
    public let message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

extension SignalError {
    /// Creates the error for a system error code.
    init(errno: Int32) {
        self =
            errno == EBUSY
            ? SignalError(
                code: .alreadyCaught,
                message: "signals are caught already: only one LinuxHost of a process can run() at a time")
            : SignalError(
                code: .unavailable, message: "signals cannot be caught: \(String(cString: strerror(errno)))")
    }
}
