import ApusDevice
import ApusTimers
import PlatformC
import SimulatedAppleCore

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number that stands for an unknown size.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the data with which a failed download can be continued.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// A request of a session, which can be used on any thread.
///
/// After a relaunch, a background session with the same identifier has new objects for the same tasks.
///
/// Source: Apple, documentation/foundation/urlsessiontask
open class URLSessionTask: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `values`, protected by its lock, and in `progress`, which has a
    // lock of its own.

    /// The state of a task.
    public enum State: Int, Sendable {
        /// The task runs, or waits until it can run.
        case running = 0
        /// The task was not resumed, or was suspended.
        case suspended = 1
        /// The task is being cancelled; never used here, because a cancelled task is completed at once.
        case canceling = 2
        /// The task has ended.
        case completed = 3
    }

    private struct Values: Sendable {
        var record: TransferRecord
        var clientExpectsToSend = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
        var priority = URLSessionTask.defaultPriority
    }

    /// The normal priority.
    public static let defaultPriority: Float = 0.5
    /// A low priority.
    public static let lowPriority: Float = 0.25
    /// A high priority.
    public static let highPriority: Float = 0.75

    /// The number of the task in its session.
    public let taskIdentifier: Int
    /// The request; in a process that did not create the task, only its URL, method and header fields.
    public let originalRequest: URLRequest?
    /// The progress at the time of the last call of the delegate.
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

    /// Starts or resumes the task.
    ///
    /// A task of a background session that is resumed while the app is in the background is discretionary.
    open func resume() { transfers.change(taskIdentifier, of: session, .resume) }
    /// Pauses the task.
    open func suspend() { transfers.change(taskIdentifier, of: session, .suspend) }
    /// Ends the task; the delegate, the completion handler or the caller receives `URLError.cancelled`.
    open func cancel() { transfers.change(taskIdentifier, of: session, .cancel) }

    /// A text for the app's own use, which outlives the process.
    open var taskDescription: String? {
        get { present.note }
        set { transfers.change(taskIdentifier, of: session, .note(newValue)) }
    }

    /// The date before which a task of a background session does not begin.
    open var earliestBeginDate: Date? {
        get { present.earliestBegin.map(SimulatedPhone.date(of:)) }
        set {
            transfers.change(taskIdentifier, of: session, .earliestBegin(newValue.map(SimulatedPhone.instant(of:))))
        }
    }

    /// The number of bytes that the app expects to send, which has no effect.
    open var countOfBytesClientExpectsToSend: Int64 {
        get { values.withLock { $0.clientExpectsToSend } }
        set { values.withLock { $0.clientExpectsToSend = newValue } }
    }

    /// The number of bytes that the app expects to receive, which has no effect.
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { values.withLock { $0.clientExpectsToReceive } }
        set { values.withLock { $0.clientExpectsToReceive = newValue } }
    }

    /// The priority, which has no effect, because tasks do not share the simulated phone's network.
    open var priority: Float {
        get { values.withLock { $0.priority } }
        set { values.withLock { $0.priority = newValue } }
    }

    // MARK: Reading

    /// The original request, because redirections are not simulated.
    open var currentRequest: URLRequest? { originalRequest }
    /// The state of the task.
    open var state: State { State(rawValue: present.state.rawValue) ?? .completed }
    /// The server's response; `nil` before it has arrived.
    open var response: URLResponse? {
        let record = present
        guard let status = record.status, let url = URL(string: record.request.url) else { return nil }
        let fields = record.expectedToReceive.map { ["Content-Length": String($0)] }
        return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    }
    /// The error with which the task failed.
    open var error: (any Error)? { present.error }
    /// The number of bytes that were sent.
    open var countOfBytesSent: Int64 { present.sent }
    /// The number of bytes that have arrived.
    open var countOfBytesReceived: Int64 { present.received }
    /// The number of bytes to send.
    open var countOfBytesExpectedToSend: Int64 { present.request.bytesToSend }
    /// The number of bytes to receive; ``NSURLSessionTransferSizeUnknown`` before the server has responded.
    open var countOfBytesExpectedToReceive: Int64 { present.expectedToReceive ?? NSURLSessionTransferSizeUnknown }

    fileprivate var present: TransferRecord {
        let last = values.withLock { $0.record }
        // The system keeps nothing of a task that has ended.
        return last.state == .completed ? last : transfers.record(taskIdentifier, of: session) ?? last
    }

    /// Stores the record of an event; it is called before the delegate or the receiver is called with the task.
    func update(_ record: TransferRecord) {
        values.withLock { $0.record = record }
        let (sent, expected) = (record.request.bytesToSend, record.expectedToReceive)
        progress.totalUnitCount = expected.map { $0 > .max - sent ? .max : $0 + sent } ?? -1
        progress.completedUnitCount = record.sent + record.received
    }
}

/// A task that receives data.
///
/// In a background session it fails with `backgroundSessionWasDisconnected` when the app is suspended or ends.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}  // adds nothing
/// A task that uploads bytes or a file.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}  // adds nothing
/// A task that downloads a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {  // adds no state
    /// Ends the download like ``URLSessionTask/cancel()``, and calls a handler with the data for its continuation.
    ///
    /// The handler gets `nil` if nothing was received, or the request's method is not `GET`.
    ///
    /// Source: Apple, documentation/foundation/urlsessiondownloadtask/cancel(byproducingresumedata:)
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        let data = present.state == .completed ? nil : present.resumeData
        cancel()
        completionHandler(data)
    }

    /// Ends the download like ``URLSessionTask/cancel()``.
    ///
    /// - Returns: The data for the continuation of the download; `nil` if nothing was received, or the request's method
    ///   is not `GET`.
    open func cancelByProducingResumeData() async -> Data? {
        await withUnsafeContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }
}

extension URLRequest {
    /// Creates a request from the parts that the system keeps.
    init?(_ request: TransferRequest) {
        guard let url = URL(string: request.url) else { return nil }
        self.init(url: url)
        httpMethod = request.method
        allHTTPHeaderFields = request.headers
    }
}

extension TransferRecord {
    /// The data with which the download can be continued.
    ///
    /// It is `nil` if nothing was received, if the request's method is not `GET`, or if the task is not a download.
    fileprivate var resumeData: Data? {
        guard request.kind == .download, received > 0, request.method == "GET" else { return nil }
        var rest = request
        rest.bytesToSkip = received
        return try? JSONEncoder().encode(rest)
    }

    /// The error in the form in which the delegate receives it.
    var error: (any Error)? {
        guard let failure else { return nil }
        var userInfo: [String: Any] = [:]
        if let url = URL(string: request.url) { userInfo[NSURLErrorFailingURLErrorKey] = url }
        // The value of NSURLErrorCancelledReasonUserForceQuitApplication.
        if isForceQuit { userInfo["NSURLErrorBackgroundTaskCancelledReasonKey"] = 0 }
        // The app's own `cancel()` leaves nothing to continue.
        if failure != .cancelled || isForceQuit { userInfo[NSURLSessionDownloadTaskResumeData] = resumeData }
        return URLError(URLError.Code(rawValue: failure.rawValue) ?? .unknown, userInfo: userInfo)
    }
}

/// The file of a download, which exists only while the app is notified of the download.
enum DownloadedFile {
    /// Calls `body` with the location of a file that contains `contents`, or `size` zero bytes if `contents` is `nil`.
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
            fatalError("a file could not be created in \(template.deletingLastPathComponent().path)")
        }
        // A file of zeros takes no space on the disk, however long it is.
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
