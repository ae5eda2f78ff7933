import ApusDevice
import ApusTimers
import PlatformC
import SimulatedAppleCore

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The size of a transfer that is not known.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

/// A request of a session. After a relaunch, a background session with the same identifier has other objects for the same
/// tasks. From any thread.
///
/// Apple, documentation/foundation/urlsessiontask
open class URLSessionTask: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `values`, protected by its lock, and in `progress`, which has a lock
    // of its own.

    /// Where a task is.
    public enum State: Int, Sendable {
        /// It runs, or waits until it can.
        case running = 0
        /// It was not resumed, or was suspended.
        case suspended = 1
        /// It is about to be cancelled. The simulation does not give this: a cancelled task is completed.
        case canceling = 2
        /// It has ended.
        case completed = 3
    }

    private struct Values: Sendable {
        var record: TransferRecord
        var clientExpectsToSend = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
        var priority = URLSessionTask.defaultPriority
    }

    /// The usual priority.
    public static let defaultPriority: Float = 0.5
    /// A low priority.
    public static let lowPriority: Float = 0.25
    /// A high priority.
    public static let highPriority: Float = 0.75

    /// Counts the tasks of the session.
    public let taskIdentifier: Int
    /// The request. In a process that has not made the task: its address, method and the fields of its header.
    public let originalRequest: URLRequest?
    /// How far it is, as of the last message to the delegate.
    public let progress = Progress(totalUnitCount: NSURLSessionTransferSizeUnknown)
    private let session: String
    private let transfers: any PhoneTransfers
    private let values: Locked<Values>

    init(_ record: TransferRecord, _ request: URLRequest?, session: String, _ transfers: any PhoneTransfers) {
        taskIdentifier = record.number
        originalRequest = request ?? URLRequest(record.request)
        (self.session, self.transfers) = (session, transfers)
        values = Locked(Values(record: record))
        super.init()
    }

    static func make(
        _ record: TransferRecord, _ request: URLRequest?, session: String, _ transfers: any PhoneTransfers
    ) -> URLSessionTask {
        switch record.request.kind {
        case .download: URLSessionDownloadTask(record, request, session: session, transfers)
        case .upload: URLSessionUploadTask(record, request, session: session, transfers)
        case .data: URLSessionDataTask(record, request, session: session, transfers)
        }
    }

    // MARK: Control

    /// Begins, or continues. A task of a background session that is resumed in the background is at the system's
    /// discretion.
    open func resume() { transfers.change(taskIdentifier, of: session, .resume) }
    /// Stops for the time being.
    open func suspend() { transfers.change(taskIdentifier, of: session, .suspend) }
    /// Ends the task; the delegate, the completion handler or the caller gets `URLError.cancelled`.
    open func cancel() { transfers.change(taskIdentifier, of: session, .cancel) }

    /// Text of the app's own, which outlives the process.
    open var taskDescription: String? {
        get { present.note }
        set { transfers.change(taskIdentifier, of: session, .note(newValue)) }
    }

    /// Before which a task of a background session does not begin.
    open var earliestBeginDate: Date? {
        get { present.earliestBegin.map(SimulatedPhone.date(of:)) }
        set {
            transfers.change(taskIdentifier, of: session, .earliestBegin(newValue.map(SimulatedPhone.instant(of:))))
        }
    }

    /// Without effect.
    open var countOfBytesClientExpectsToSend: Int64 {
        get { values.withLock { $0.clientExpectsToSend } }
        set { values.withLock { $0.clientExpectsToSend = newValue } }
    }

    /// Without effect.
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { values.withLock { $0.clientExpectsToReceive } }
        set { values.withLock { $0.clientExpectsToReceive = newValue } }
    }

    /// Without effect: the tasks of the simulated phone do not share its network.
    open var priority: Float {
        get { values.withLock { $0.priority } }
        set { values.withLock { $0.priority = newValue } }
    }

    // MARK: Reading

    /// The original request: redirections are not simulated.
    open var currentRequest: URLRequest? { originalRequest }
    /// Where it is.
    open var state: State { State(rawValue: present.state.rawValue) ?? .completed }
    /// What the server has answered; `nil` before the end.
    open var response: URLResponse? {
        let record = present
        guard let status = record.status, let url = URL(string: record.request.url) else { return nil }
        let fields = record.expectedToReceive.map { ["Content-Length": String($0)] }
        return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    }
    /// Why it has failed.
    open var error: (any Error)? { present.error }
    /// How many bytes were sent.
    open var countOfBytesSent: Int64 { present.sent }
    /// How many bytes have come.
    open var countOfBytesReceived: Int64 { present.received }
    /// How many bytes are to be sent.
    open var countOfBytesExpectedToSend: Int64 { present.request.bytesToSend }
    /// How many bytes are to come; ``NSURLSessionTransferSizeUnknown`` before the server has answered.
    open var countOfBytesExpectedToReceive: Int64 { present.expectedToReceive ?? NSURLSessionTransferSizeUnknown }

    private var present: TransferRecord {
        let last = values.withLock { $0.record }
        // Of a task that has ended the system keeps nothing.
        return last.state == .completed ? last : transfers.record(taskIdentifier, of: session) ?? last
    }

    /// The pending calls of the delegate.
    func update(_ record: TransferRecord) {
        values.withLock { $0.record = record }
        let (sent, expected) = (record.request.bytesToSend, record.expectedToReceive)
        progress.totalUnitCount = expected.map { $0 > .max - sent ? .max : $0 + sent } ?? -1
        progress.completedUnitCount = record.sent + record.received
    }
}

/// A task that gives data. One of a background session ends with the error `backgroundSessionWasDisconnected` when the app
/// is suspended or ends.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}  // adds nothing
/// The upload of bytes or a file.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}  // adds nothing
/// The download of a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}  // adds nothing

extension URLRequest {
    /// What the system knows of a request.
    init?(_ request: TransferRequest) {
        guard let url = URL(string: request.url) else { return nil }
        self.init(url: url)
        httpMethod = request.method
        allHTTPHeaderFields = request.headers
    }
}

extension TransferRecord {
    /// What the delegate gets.
    var error: (any Error)? {
        guard let failure else { return nil }
        var userInfo: [String: Any] = [:]
        if let url = URL(string: request.url) { userInfo[NSURLErrorFailingURLErrorKey] = url }
        // NSURLErrorCancelledReasonUserForceQuitApplication
        if isForceQuit { userInfo["NSURLErrorBackgroundTaskCancelledReasonKey"] = 0 }
        return URLError(URLError.Code(rawValue: failure.rawValue) ?? .unknown, userInfo: userInfo)
    }
}

/// The file of a download, which exists only while the app is notified of it.
enum DownloadedFile {
    /// Calls `body` with the place of a file that has those bytes, or as many zeros.
    static func with(_ contents: [UInt8]?, size: Int64, _ body: (URL) -> Void) {
        let location = make(contents, size: size)
        body(location)
        try? FileManager.default.removeItem(at: location)
    }

    private static func make(_ contents: [UInt8]?, size: Int64) -> URL {
        let template = FileManager.default.temporaryDirectory.appendingPathComponent("CFNetworkDownload_XXXXXX.tmp")
        var path = Array(template.path.utf8CString)
        let file = mkstemps(&path, 4)
        guard file >= 0 else {
            preconditionFailure("no file can be made in \(template.deletingLastPathComponent().path)")
        }
        // A file of zeros takes no place on the disk, however long it is.
        if let contents {
            FileHandle(fileDescriptor: file, closeOnDealloc: false).write(Data(contents))
        } else {
            ftruncate(file, Int(size))
        }
        close(file)
        return URL(
            fileURLWithPath: path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })
    }
}
