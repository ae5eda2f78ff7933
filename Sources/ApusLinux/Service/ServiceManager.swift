import ApusTimers
import Logging
import PlatformC

/// The service manager that started this process and wants to know how it is: systemd's, or any other that speaks
/// sd_notify(3).
///
/// A message is one datagram of lines to the socket that the manager named. Nothing here fails the process: a manager
/// that cannot be reached is logged once.
public struct ServiceManager: Sendable {
    /// A line of a message.
    enum Field: Equatable {
        /// The service answers now.
        case ready
        /// The service was asked to stop, or stops by itself.
        case stopping
        /// Do not lose patience yet: another such message, or the end, comes within this time. It counts only beyond
        /// the manager's own limit for the present state, and so can only lengthen it.
        case extendTimeout(Duration)
        /// What `systemctl status` shows.
        case status(String)

        var line: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(max(1, duration.wholeNanoseconds / 1_000))"
            case .status(let text): "STATUS=" + Self.oneLine(text)
            }
        }

        /// A line's end would begin another field. What is longer than a line of a terminal is not readable, and a
        /// datagram has a limit.
        private static func oneLine(_ text: String) -> String {
            let line = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
            return line.count > 200 ? line.prefix(199) + "…" : line
        }
    }

    private let send: (@Sendable (String) -> Int32)?
    private let wasReported = SharedFlag()

    /// The manager at a socket.
    ///
    /// - Parameter notifySocket: What `NOTIFY_SOCKET` holds: an absolute path, or a name in the abstract namespace
    ///   after an `@`. `nil` or empty: there is no manager, and every message goes nowhere.
    public init(notifySocket: String?) {
        send = notifySocket.flatMap { $0.isEmpty ? nil : $0 }.map { name in
            { message in DatagramSocket.send(message, to: name) }
        }
    }

    /// A manager that gets messages by `send`, which returns an errno or 0.
    init(send: @escaping @Sendable (String) -> Int32) { self.send = send }

    /// The manager that this process's environment names.
    public static func ofThisProcess() -> ServiceManager {
        ServiceManager(notifySocket: getenv("NOTIFY_SOCKET").map { String(cString: $0) })
    }

    func notify(_ fields: [Field], logger: Logger) {
        guard let send else { return }
        let error = send(fields.map(\.line).joined(separator: "\n"))
        guard error != 0, wasReported.raise() else { return }
        logger.warning(
            "the service manager cannot be notified of the state of this process; it may kill it too early",
            metadata: ["reason": "\(String(cString: strerror(error)))"])
    }
}

/// Raised once, by the first failure.
private final class SharedFlag: Sendable {
    private let isRaised = Locked(false)

    /// Whether this call raised it.
    func raise() -> Bool {
        isRaised.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }
}
