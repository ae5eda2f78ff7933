import CApus
import Dispatch
import PlatformC

/// What a signal means to a host.
enum HostSignal: Sendable, Hashable, CustomStringConvertible {
    case stop(TerminationSignal)
    /// SIGTSTP, Ctrl-Z: stand still.
    case standStill
    /// SIGCONT, `fg` or `kill -CONT`: the process continues, whatever stopped it.
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

/// The process's signals as a stream, until `stop`.
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

    /// Gives the signals back. When it returns they do what they did before, and may be caught again.
    func stop() {
        source.cancel()
        // A reading that is under way would take bytes from the next catcher.
        queue.sync {}
        capus_signals_release()
        continuation.finish()
    }
}

/// Stops this process, all its threads, until it gets SIGCONT. Returns then.
///
/// By SIGSTOP: what SIGTSTP would do by default, it does not do in a process group without a shell that could wake it
/// (signal(7), "orphaned"), and to get that default back, another process's SIGTSTP would be lost for a moment.
func stopThisProcess() {
    // To this thread, so that it stands still before this returns.
    raise(SIGSTOP)
}

/// A signal that asks a process to stop.
public enum TerminationSignal: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// SIGTERM: a service manager or `kill`.
    case terminate
    /// SIGINT: Ctrl-C.
    case interrupt
    /// SIGHUP: the terminal has gone. Not caught in a process that was started with it ignored, as nohup(1) does.
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

/// Signals could not be caught.
public struct SignalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case alreadyCaught, unavailable }
        private let kind: Kind

        /// Something in this process catches the signals already.
        public static var alreadyCaught: Code { Code(kind: .alreadyCaught) }
        /// The system does not let this process wait for signals.
        public static var unavailable: Code { Code(kind: .unavailable) }

        /// The name of the code, for logs.
        public var description: String { kind.rawValue }
    }

    /// The kind of error, for programs.
    public let code: Code
    /// What is the matter, and what to do about it.
    public let message: String

    /// An error with a code and a message that says what to do.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

extension SignalError {
    /// The error for the number of one of the system.
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
