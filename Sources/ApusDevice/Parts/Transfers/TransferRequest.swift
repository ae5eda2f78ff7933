package import ApusTimers

/// An app's request to a server by `URLSession`, as a test's server receives it (``SimulatedTransfers/serve(_:)``).
public struct TransferRequest: Sendable, Hashable, Codable {
    /// The direction of a transfer.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// The server sends a file.
        case download
        /// The app sends bytes or a file.
        case upload
        /// The server sends bytes.
        case data
    }

    /// The direction of the transfer.
    public var kind: Kind
    /// The address.
    public var url: String
    /// The method of the HTTP request.
    public var method: String
    /// The fields of the header that the app has set.
    public var headers: [String: String]
    /// The number of bytes that the app sends with the request.
    public var bytesToSend: Int64
    /// The number of bytes that an earlier download of the same file has received, so that the server sends the rest.
    public var bytesToSkip: Int64 = 0

    /// Creates a request.
    public init(
        _ kind: Kind, url: String, method: String = "GET", headers: [String: String] = [:], bytesToSend: Int64 = 0
    ) {
        self.kind = kind
        self.url = url
        self.method = method
        self.headers = headers
        self.bytesToSend = max(0, bytesToSend)
    }
}

/// The reason for which a transfer has failed: a code of `URLError`.
public struct TransferFailure: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The code in the domain `NSURLErrorDomain`.
    public let rawValue: Int

    /// Creates the failure with a code.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The app cancelled the transfer, or the user force-quit the app.
    public static let cancelled = TransferFailure(rawValue: -999)
    /// The transfer was not finished in time.
    public static let timedOut = TransferFailure(rawValue: -1001)
    /// There is no server with this name.
    public static let cannotFindHost = TransferFailure(rawValue: -1003)
    /// The server does not answer.
    public static let cannotConnectToHost = TransferFailure(rawValue: -1004)
    /// The server closed the connection, the network was lost, or the app was suspended.
    public static let networkConnectionLost = TransferFailure(rawValue: -1005)
    /// The answer to a data task or an upload is longer than 1 GiB.
    public static let dataLengthExceedsMaximum = TransferFailure(rawValue: -1103)
    /// There is no network.
    public static let notConnectedToInternet = TransferFailure(rawValue: -1009)
    /// The app was suspended or has ended, which ended a data task of a background session.
    public static let backgroundSessionWasDisconnected = TransferFailure(rawValue: -997)

    /// The failure in words, or the code of an unknown one.
    public var description: String {
        switch self {
        case .cancelled: "cancelled"
        case .timedOut: "timed out"
        case .cannotFindHost: "cannot find host"
        case .cannotConnectToHost: "cannot connect to host"
        case .networkConnectionLost: "network connection lost"
        case .dataLengthExceedsMaximum: "data length exceeds maximum"
        case .notConnectedToInternet: "not connected to the internet"
        case .backgroundSessionWasDisconnected: "background session was disconnected"
        default: "error \(rawValue)"
        }
    }
}

/// A server's answer to a ``TransferRequest``, and the time that the transfer takes.
///
/// The time is on the device's uptime clock, and does not include the times during which the transfer waits.
public struct TransferReply: Sendable, Hashable, Codable {
    /// The status of the HTTP response; `nil` for a failure.
    public let status: Int?
    /// The failure; `nil` if the server answers.
    public let failure: TransferFailure?
    /// The number of bytes that the server sends.
    public let bytes: Int64
    /// The bytes that the server sends; `nil` for zeros.
    let contents: [UInt8]?
    private let bytesPerSecond: Int64
    private let failsAfter: UInt64

    private init(
        status: Int?, failure: TransferFailure? = nil, bytes: Int64 = 0, contents: [UInt8]? = nil,
        bytesPerSecond: Int64 = 1, failsAfter: Duration = .zero
    ) {
        (self.status, self.failure, self.bytes, self.contents) = (status, failure, max(0, bytes), contents)
        self.bytesPerSecond = max(1, bytesPerSecond)
        self.failsAfter = failsAfter.nanosecondsFromZero
    }

    /// Returns an answer with a file of zeros.
    ///
    /// - Parameters:
    ///   - bytes: The size of the file.
    ///   - bytesPerSecond: The rate of the transfer; at least 1.
    ///   - status: The status of the HTTP response. A status that reports an error does not make a download fail: the
    ///     file then contains the server's answer.
    /// - Returns: The answer.
    public static func file(bytes: Int64, bytesPerSecond: Int64 = 1_000_000, status: Int = 200) -> TransferReply {
        TransferReply(status: status, bytes: bytes, bytesPerSecond: bytesPerSecond)
    }

    /// Returns an answer with a file of these bytes; see ``file(bytes:bytesPerSecond:status:)``.
    public static func file(contents: [UInt8], bytesPerSecond: Int64 = 1_000_000, status: Int = 200) -> TransferReply {
        TransferReply(
            status: status, bytes: Int64(contents.count), contents: contents, bytesPerSecond: bytesPerSecond)
    }

    /// Returns an answer without bytes, which accepts what the app has sent.
    public static func accepted(bytesPerSecond: Int64 = 1_000_000, status: Int = 200) -> TransferReply {
        TransferReply(status: status, bytesPerSecond: bytesPerSecond)
    }

    /// Returns the failure of a transfer.
    ///
    /// - Parameters:
    ///   - failure: The reason.
    ///   - duration: The time that the transfer takes until it fails.
    /// - Returns: The answer.
    public static func failure(_ failure: TransferFailure, after duration: Duration = .zero) -> TransferReply {
        TransferReply(status: nil, failure: failure, failsAfter: duration)
    }

    /// Returns the answer, or a time-out instead of a failure that would come after more than `limit` nanoseconds.
    func limited(to limit: UInt64) -> TransferReply {
        guard failure != nil, failsAfter > limit else { return self }
        return .failure(.timedOut, after: .nanoseconds(Int64(clamping: limit)))
    }

    /// Returns the time, in nanoseconds, that the transfer of the request and of this answer takes.
    func nanoseconds(for request: TransferRequest) -> UInt64 {
        if failure != nil { return failsAfter }
        let bytes = UInt64(max(0, bytes - request.bytesToSkip)) + UInt64(request.bytesToSend)
        let product = bytes.multipliedFullWidth(by: 1_000_000_000)
        // The largest number of nanoseconds in an `Int64`, 292 years, is longer than any test.
        guard product.high < UInt64(bytesPerSecond) else { return UInt64(Int64.max) }
        let (quotient, remainder) = UInt64(bytesPerSecond).dividingFullWidth(product)
        return min(UInt64(Int64.max), quotient + (remainder > 0 ? 1 : 0))
    }
}

/// The configuration of a session.
package struct TransferSettings: Sendable, Hashable, Codable {
    /// Whether the session belongs to the process: its tasks continue only while the app runs, and end with the
    /// process.
    package var isOrdinary = false
    /// Whether a task of an ordinary session that begins without a network waits for one.
    package var waitsForConnectivity = false
    /// The time for which a task of an ordinary session waits for the next bytes, in nanoseconds.
    package var requestLimit: UInt64 = 60_000_000_000
    /// Whether the system chooses a favourable time.
    package var isDiscretionary = false
    /// Whether the app is started or resumed when all tasks have ended.
    package var sendsLaunchEvents = true
    /// Whether transfers may use a constrained network, which is metered or in low-data mode.
    package var allowsConstrainedNetwork = true
    /// The longest time from a task's first resumption to its end, in nanoseconds.
    package var limit: UInt64 = 604_800_000_000_000

    package init() {}
}

/// The names of ordinary sessions, which differ from all identifiers of background sessions.
package enum OrdinarySessionName {
    private static let mark = "\u{0}"

    /// Returns the name of an ordinary session, which is used in place of an identifier.
    package static func make(_ text: String) -> String { mark + text }

    /// Returns the name of any session for the log.
    package static func shown(_ name: String) -> String { name.hasPrefix(mark) ? String(name.dropFirst()) : name }
}

/// One task of a session, as the system stores it.
package struct TransferRecord: Sendable, Hashable, Codable {
    package enum State: Int, Sendable, Hashable, Codable {
        case running, suspended, canceling, completed
    }

    /// The number that identifies the task within the session.
    package let number: Int
    package let request: TransferRequest
    package var state = State.suspended
    /// The app's description of the task.
    package var note: String?
    package var earliestBegin: WallInstant?
    package var sent: Int64 = 0
    package var received: Int64 = 0
    /// The number of bytes that the server will send; `nil` before it has answered.
    package var expectedToReceive: Int64?
    package var status: Int?
    package var failure: TransferFailure?
    /// Whether the task was cancelled because the user force-quit the app.
    package var isForceQuit = false

    init(_ number: Int, _ request: TransferRequest) { (self.number, self.request) = (number, request) }
}

/// A change of a task by the app.
package enum TransferChange: Sendable, Hashable, Codable {
    case resume, suspend, cancel
    case note(String?)
    case earliestBegin(WallInstant?)
}

/// An event of a session; events are delivered in order.
package enum TransferEvent: Sendable, Hashable, Codable {
    /// The download continues after the bytes that an earlier download has received.
    case resumed(TransferRecord)
    /// This number of bytes was transferred since the last event.
    case progress(TransferRecord, Int64)
    /// A file was downloaded with these bytes; `nil` stands for zeros.
    case downloaded(TransferRecord, [UInt8]?)
    /// The server answered a data task or an upload with these bytes; `nil` stands for zeros.
    case received(TransferRecord, [UInt8]?)
    /// The task has ended.
    case completed(TransferRecord)
    /// All events for which the app was started or resumed have been delivered.
    case finished
    /// The session has ended and can no longer be used.
    case invalidated
}

/// A notice that the app has events of a session to handle.
package struct TransferNotice: Sendable, Hashable, Codable {
    /// The number that identifies the notice on the device.
    package let number: Int
    /// The identifier of the session.
    package let session: String
}
