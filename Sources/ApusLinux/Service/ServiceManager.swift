import ApusTimers
import Logging
import PlatformC

/// The service manager that started this process and is notified of its state: systemd, or any other that supports
/// sd_notify(3).
///
/// A message is a datagram of lines, sent to the socket that the manager has named. If the manager cannot be reached,
/// this is logged once, and does not affect the process.
public struct ServiceManager: Sendable {
    /// A line of a message.
    enum Field: Equatable {
        /// The service is ready.
        case ready
        /// The service was asked to stop, or stops by itself.
        case stopping
        /// The next message of this kind, or the end of the process, comes within this time.
        ///
        /// The manager has a limit of its own for the present state. This time counts only if it ends later than that
        /// limit, so it can extend the limit but not shorten it.
        case extendTimeout(Duration)
        /// The text that `systemctl status` shows.
        case status(String)

        var line: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(max(1, duration.wholeNanoseconds / 1_000))"
            case .status(let text): "STATUS=" + Self.oneLine(text)
            }
        }

        /// Returns the text on one line of at most 200 characters.
        ///
        /// A line break would begin another field, and the size of a datagram is limited.
        private static func oneLine(_ text: String) -> String {
            let line = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
            return line.count > 200 ? line.prefix(199) + "…" : line
        }
    }

    private let send: (@Sendable (String) -> Int32)?
    private let wasReported = SharedFlag()

    /// Creates the manager that receives messages at a socket.
    ///
    /// - Parameter notifySocket: The value of `NOTIFY_SOCKET`: an absolute path, or a name in the abstract namespace,
    ///   which begins with `@`. With `nil` or an empty text there is no manager, and messages are dropped.
    public init(notifySocket: String?) {
        send = notifySocket.flatMap { $0.isEmpty ? nil : $0 }.map { name in
            { message in DatagramSocket.send(message, to: name) }
        }
    }

    /// Creates a manager that receives messages through `send`, which returns an errno, or 0.
    init(send: @escaping @Sendable (String) -> Int32) { self.send = send }

    /// Returns the manager that the environment of this process names.
    public static func ofThisProcess() -> ServiceManager {
        ServiceManager(notifySocket: getenv("NOTIFY_SOCKET").map { String(cString: $0) })
    }

    func notify(_ fields: [Field], logger: Logger) {
        guard let send else { return }
        let error = send(fields.map(\.line).joined(separator: "\n"))
        guard error != 0, wasReported.raise() else { return }
        logger.warning(
            "the service manager cannot be notified of this process's state, and may kill the process too early",
            metadata: ["reason": "\(String(cString: strerror(error)))"])
    }
}

/// A flag that is raised once, by the first failure.
private final class SharedFlag: Sendable {
    private let isRaised = Locked(false)

    /// Raises the flag, and returns whether this call was the first.
    func raise() -> Bool {
        isRaised.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }
}
