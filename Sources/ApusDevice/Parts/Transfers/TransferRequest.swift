package import ApusTimers

/// What an app asks of a server by a `URLSession`, as the server of a test gets it (``SimulatedTransfers/serve(_:)``).
public struct TransferRequest: Sendable, Hashable, Codable {
    /// The direction.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A file comes from the server.
        case download
        /// Bytes or a file go to the server.
        case upload
        /// Bytes come from the server.
        case data
    }

    /// The direction.
    public var kind: Kind
    /// The address.
    public var url: String
    /// The method of HTTP.
    public var method: String
    /// The fields of the header that the app has set.
    public var headers: [String: String]
    /// How many bytes go to the server with the request.
    public var bytesToSend: Int64

    /// A request.
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

/// Why a transfer has failed: a code of `URLError`.
public struct TransferFailure: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The code, as of `NSURLErrorDomain`.
    public let rawValue: Int

    /// The failure with that code.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The app has cancelled it, or the user has force-quit the app.
    public static let cancelled = TransferFailure(rawValue: -999)
    /// It was not finished in time.
    public static let timedOut = TransferFailure(rawValue: -1001)
    /// There is no server of that name.
    public static let cannotFindHost = TransferFailure(rawValue: -1003)
    /// The server does not answer.
    public static let cannotConnectToHost = TransferFailure(rawValue: -1004)
    /// The connection was lost: the server has closed it, the network is gone, or the app was suspended.
    public static let networkConnectionLost = TransferFailure(rawValue: -1005)
    /// The answer to a data task or an upload is longer than 1 GiB.
    public static let dataLengthExceedsMaximum = TransferFailure(rawValue: -1103)
    /// There is no network.
    public static let notConnectedToInternet = TransferFailure(rawValue: -1009)
    /// The app was suspended or has ended, and a data task of a background session with it.
    public static let backgroundSessionWasDisconnected = TransferFailure(rawValue: -997)

    /// The code in words, or as a number.
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

/// What a server answers to a ``TransferRequest``, and how long that takes on the device's uptime clock, without the time
/// in which the transfer has to wait.
public struct TransferReply: Sendable, Hashable, Codable {
    /// The status of HTTP; `nil` for a failure.
    public let status: Int?
    /// Why there is no answer.
    public let failure: TransferFailure?
    /// How many bytes come.
    public let bytes: Int64
    /// The bytes; `nil` stands for zeros.
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

    /// A file of so many zeros.
    ///
    /// - Parameters:
    ///   - bytes: Its size.
    ///   - bytesPerSecond: The rate of the transfer; at least 1.
    ///   - status: The status of HTTP. One that is an error is no failure of a download: the file is what the server
    ///     says.
    /// - Returns: The answer.
    public static func file(bytes: Int64, bytesPerSecond: Int64 = 1_000_000, status: Int = 200) -> TransferReply {
        TransferReply(status: status, bytes: bytes, bytesPerSecond: bytesPerSecond)
    }

    /// A file with those bytes; see ``file(bytes:bytesPerSecond:status:)``.
    public static func file(contents: [UInt8], bytesPerSecond: Int64 = 1_000_000, status: Int = 200) -> TransferReply {
        TransferReply(
            status: status, bytes: Int64(contents.count), contents: contents, bytesPerSecond: bytesPerSecond)
    }

    /// What was sent is taken, and nothing comes back.
    public static func accepted(bytesPerSecond: Int64 = 1_000_000, status: Int = 200) -> TransferReply {
        TransferReply(status: status, bytesPerSecond: bytesPerSecond)
    }

    /// The transfer fails.
    ///
    /// - Parameters:
    ///   - failure: Why.
    ///   - duration: How long the transfer lasts until then.
    /// - Returns: The answer.
    public static func failure(_ failure: TransferFailure, after duration: Duration = .zero) -> TransferReply {
        TransferReply(status: nil, failure: failure, failsAfter: duration)
    }

    /// The same, or that it has timed out if nothing comes within `limit` nanoseconds.
    func limited(to limit: UInt64) -> TransferReply {
        guard failure != nil, failsAfter > limit else { return self }
        return .failure(.timedOut, after: .nanoseconds(Int64(clamping: limit)))
    }

    /// How long it takes to answer that request, in nanoseconds.
    func nanoseconds(for request: TransferRequest) -> UInt64 {
        if failure != nil { return failsAfter }
        let bytes = UInt64(bytes) + UInt64(request.bytesToSend)
        let product = bytes.multipliedFullWidth(by: 1_000_000_000)
        // Up to the largest duration, which is longer than any test.
        guard product.high < UInt64(bytesPerSecond) else { return UInt64(Int64.max) }
        let (quotient, remainder) = UInt64(bytesPerSecond).dividingFullWidth(product)
        return min(UInt64(Int64.max), quotient + (remainder > 0 ? 1 : 0))
    }
}

/// What a session says to the system about itself.
package struct TransferSettings: Sendable, Hashable, Codable {
    /// Whether the session is the process's own: its tasks continue only while the app runs, and end with the process.
    package var isOrdinary = false
    /// Of an ordinary session: whether a task that begins without a network waits for one.
    package var waitsForConnectivity = false
    /// Of an ordinary session: how long a task waits for the next bytes, in nanoseconds.
    package var requestLimit: UInt64 = 60_000_000_000
    /// Whether the system chooses a good time.
    package var isDiscretionary = false
    /// Whether the app is started or resumed when all tasks have ended.
    package var sendsLaunchEvents = true
    /// Whether a connection that costs may be used.
    package var allowsConstrainedNetwork = true
    /// How long a task may take from its first resumption, in nanoseconds.
    package var limit: UInt64 = 604_800_000_000_000

    package init() {}
}

/// The names of ordinary sessions, which no identifier of a background session is.
package enum OrdinarySessionName {
    private static let mark = "\u{0}"

    /// A name in the place of an identifier.
    package static func make(_ text: String) -> String { mark + text }

    /// The name of any session, for people.
    package static func shown(_ name: String) -> String { name.hasPrefix(mark) ? String(name.dropFirst()) : name }
}

/// One task of a session, as the system keeps it.
package struct TransferRecord: Sendable, Hashable, Codable {
    package enum State: Int, Sendable, Hashable, Codable {
        case running, suspended, canceling, completed
    }

    /// Counts the tasks of the session.
    package let number: Int
    package let request: TransferRequest
    package var state = State.suspended
    /// What the app has written on it.
    package var note: String?
    package var earliestBegin: WallInstant?
    package var sent: Int64 = 0
    package var received: Int64 = 0
    /// Nil before the server has answered.
    package var expectedToReceive: Int64?
    package var status: Int?
    package var failure: TransferFailure?
    /// Whether it was cancelled because the user has force-quit the app.
    package var isForceQuit = false

    init(_ number: Int, _ request: TransferRequest) { (self.number, self.request) = (number, request) }
}

/// What the app does with a task.
package enum TransferChange: Sendable, Hashable, Codable {
    case resume, suspend, cancel
    case note(String?)
    case earliestBegin(WallInstant?)
}

/// The events of a session, in order.
package enum TransferEvent: Sendable, Hashable, Codable {
    /// So many bytes more were transferred.
    case progress(TransferRecord, Int64)
    /// The file is there: these bytes, or as many zeros.
    case downloaded(TransferRecord, [UInt8]?)
    /// What the server has answered to a data task or an upload: these bytes, or as many zeros.
    case received(TransferRecord, [UInt8]?)
    /// The task has ended.
    case completed(TransferRecord)
    /// That was all for which the app was started or resumed.
    case finished
    /// The session can be used no more.
    case invalidated
}

/// The app has events to handle for a session.
package struct TransferNotice: Sendable, Hashable, Codable {
    /// Counts the notices of a device.
    package let number: Int
    /// The identifier of the session.
    package let session: String
}
