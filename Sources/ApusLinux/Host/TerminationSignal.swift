import PlatformC

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
    /// The system's error number; `EBUSY` when something in this process catches them already.
    public var errno: Int32

    /// What happened.
    public var description: String {
        errno == EBUSY
            ? "signals are caught already: only one LinuxHost of a process can run() at a time"
            : "signals cannot be caught: \(String(cString: strerror(errno)))"
    }
}
