import CApus
import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A signal that asks a process to stop.
public enum TerminationSignal: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// SIGTERM: a service manager or `kill`.
    case terminate
    /// SIGINT: Ctrl-C.
    case interrupt

    /// The signal's number.
    public var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        }
    }

    /// The signal's name.
    public var description: String {
        switch self {
        case .terminate: "SIGTERM"
        case .interrupt: "SIGINT"
        }
    }
}

/// Signals could not be caught.
public struct SignalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number; `EBUSY` when something in this process catches them already.
    public var errno: Int32

    /// What happened.
    public var description: String {
        errno == EBUSY
            ? "signals are caught already: only one LinuxHost of a process can run() at a time"
            : "signals cannot be caught: \(String(cString: strerror(errno)))"
    }
}

/// The process's signals as a stream, until `stop`.
struct CaughtSignals {
    let stream: AsyncStream<TerminationSignal>
    private let source: any DispatchSourceRead

    init(_ signals: [TerminationSignal]) throws(SignalError) {
        let numbers = signals.map(\.number)
        let descriptor = capus_signals_catch(numbers, Int32(numbers.count))
        guard descriptor >= 0 else { throw SignalError(errno: -descriptor) }

        let (stream, continuation) = AsyncStream.makeStream(of: TerminationSignal.self)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "apus.linux.signals"))
        source.setEventHandler {
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) == 1 {
                if let signal = signals.first(where: { $0.number == Int32(byte) }) { continuation.yield(signal) }
            }
        }
        // Only now: the descriptor may not be closed while the source looks at it.
        source.setCancelHandler {
            capus_signals_release()
            continuation.finish()
        }
        source.resume()
        self.stream = stream
        self.source = source
    }

    func stop() {
        source.cancel()
    }
}
