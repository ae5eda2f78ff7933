import ApusBackground
package import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// A background session: downloads and uploads that continue without the app. The test is the server, by
/// `SimulatedDevice.transfers`. From any thread.
///
/// Other sessions are not simulated, and are refused: an app on Linux uses those of module FoundationNetworking, which are
/// real. A session is made once in a process for each identifier; it and its delegate stay until it is invalidated.
///
/// Apple, documentation/foundation/urlsession
open class URLSession: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `locked`, protected by its lock.

    private struct State: Sendable {
        var delegate: (any URLSessionDelegate)?
        var tasks: [Int: URLSessionTask] = [:]
        var description: String?
        var isInvalid = false
    }

    /// The queue on which the delegate is called.
    public let delegateQueue: OperationQueue
    let identifier: String
    let process: PhoneProcess
    private let ownConfiguration: URLSessionConfiguration
    private let callbacks: CallbackQueue
    private let locked: Locked<State>

    /// The shared session is not simulated.
    @available(
        *, unavailable,
        message: "ordinary sessions are not simulated; write FoundationNetworking.URLSession.shared, which is real"
    )
    public class var shared: URLSession { preconditionFailure("unavailable") }

    /// A background session.
    ///
    /// - Parameters:
    ///   - configuration: Made with `URLSessionConfiguration.background(withIdentifier:)`. It is copied.
    ///   - delegate: Gets the events of the session and its tasks, including those of earlier processes. The session
    ///     keeps it.
    ///   - queue: Where it is called; `nil` makes a serial queue.
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        guard let identifier = configuration.identifier, !identifier.isEmpty else {
            preconditionFailure(
                "only background sessions are simulated: use URLSessionConfiguration.background(withIdentifier:), or "
                    + "FoundationNetworking.URLSession, which is real")
        }
        self.identifier = identifier
        process = SimulatedPhone.process
        ownConfiguration = configuration.duplicate
        delegateQueue = queue ?? Self.serialQueue()
        callbacks = CallbackQueue(delegateQueue)
        locked = Locked(State(delegate: delegate))
        super.init()
        // As a phone does, the system keeps the session, and that its delegate.
        if !process.transfers.open(identifier, configuration.settings, { self.receive($0) }) {
            process.host.warn(
                "a background URLSession with identifier \(identifier) exists already; this one gets its events")
        }
    }

    /// A background session without a delegate: the events of its tasks are dropped.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    private static func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    /// A copy of the configuration.
    open var configuration: URLSessionConfiguration { ownConfiguration.duplicate }
    /// The delegate; `nil` when the session was invalidated.
    open var delegate: (any URLSessionDelegate)? { locked.withLock { $0.delegate } }
    /// Text of the app's own.
    open var sessionDescription: String? {
        get { locked.withLock { $0.description } }
        set { locked.withLock { $0.description = newValue } }
    }

    // MARK: Tasks

    /// A download, which has to be resumed.
    open func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    /// A download, which has to be resumed.
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        guard let task = add(request, .download, bytesToSend: 0) as? URLSessionDownloadTask else {
            preconditionFailure("a download has a task of another kind")
        }
        return task
    }

    /// The upload of a file, which has to be resumed. A file that cannot be read is a warning in the device's log, and
    /// counts as empty; a phone raises an exception.
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        let attributes = try? FileManager.default.attributesOfItem(atPath: fileURL.path)
        let size = (attributes?[.size] as? NSNumber)?.int64Value
        if size == nil { process.host.warn("the file of an upload cannot be read: \(fileURL.lastPathComponent)") }
        guard let task = add(request, .upload, bytesToSend: size ?? 0) as? URLSessionUploadTask else {
            preconditionFailure("an upload has a task of another kind")
        }
        return task
    }

    /// Background sessions upload files only.
    @available(*, unavailable, message: "a background session uploads files only: write uploadTask(with:fromFile:)")
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        preconditionFailure("unavailable")
    }

    /// Background sessions have no completion handlers: those do not outlive a process.
    @available(*, unavailable, message: "a background session has a delegate, and no completion handlers")
    open func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { preconditionFailure("unavailable") }

    private func add(_ request: URLRequest, _ kind: TransferRequest.Kind, bytesToSend: Int64) -> URLSessionTask {
        precondition(
            !locked.withLock { $0.isInvalid }, "a task was asked for of a session that was invalidated: \(identifier)")
        var headers: [String: String] = [:]
        for (name, value) in ownConfiguration.httpAdditionalHeaders ?? [:] { headers["\(name)"] = "\(value)" }
        headers.merge(request.allHTTPHeaderFields ?? [:]) { $1 }
        let transfer = TransferRequest(
            kind, url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET", headers: headers,
            bytesToSend: bytesToSend)
        let record = process.transfers.add(transfer, to: identifier)
        return task(record, request)
    }

    /// The object for a task, the same each time in a process.
    private func task(_ record: TransferRecord, _ request: URLRequest? = nil) -> URLSessionTask {
        if let task = locked.withLock({ $0.tasks[record.number] }) { return task }
        let new = URLSessionTask.make(record, request, session: identifier, process.transfers)
        return locked.withLock { state in
            let task = state.tasks[record.number] ?? new
            state.tasks[record.number] = task
            return task
        }
    }

    /// The tasks that have not ended, those of earlier processes too.
    open var allTasks: [URLSessionTask] {
        get async { presentTasks }
    }

    /// The tasks that have not ended, by their kinds.
    open var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            let tasks = presentTasks
            return (
                [], tasks.compactMap { $0 as? URLSessionUploadTask }, tasks.compactMap { $0 as? URLSessionDownloadTask }
            )
        }
    }

    /// Gives the tasks that have not ended, those of earlier processes too, on the delegate queue.
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        process.host.mainLoop.run { [self] in
            callbacks.call("getAllTasks", on: process.host) { completionHandler(self.presentTasks) }
        }
    }

    private var presentTasks: [URLSessionTask] { process.transfers.records(of: identifier).map { task($0) } }

    // MARK: The end

    /// Takes no more tasks, and ends when the last one has.
    open func finishTasksAndInvalidate() { invalidate(cancelsTasks: false) }
    /// Takes no more tasks, and cancels those that there are.
    open func invalidateAndCancel() { invalidate(cancelsTasks: true) }

    private func invalidate(cancelsTasks: Bool) {
        locked.withLock { $0.isInvalid = true }
        process.transfers.invalidate(identifier, cancelsTasks: cancelsTasks)
    }

    // MARK: Events

    @MainActor
    private func receive(_ event: TransferEvent) {
        callbacks.call("the delegate of the session \(identifier)", on: process.host) { self.notifyDelegate(of: event) }
    }

    private func notifyDelegate(of event: TransferEvent) {
        let delegate = delegate
        switch event {
        case .progress(let record, let count):
            let task = updatedTask(record)
            if let task = task as? URLSessionDownloadTask {
                (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                    self, downloadTask: task, didWriteData: count, totalBytesWritten: record.received,
                    totalBytesExpectedToWrite: record.expectedToReceive ?? NSURLSessionTransferSizeUnknown)
            } else {
                (delegate as? any URLSessionTaskDelegate)?.urlSession(
                    self, task: task, didSendBodyData: count, totalBytesSent: record.sent,
                    totalBytesExpectedToSend: record.request.bytesToSend)
            }
        case .downloaded(let record, let contents):
            guard let task = updatedTask(record) as? URLSessionDownloadTask,
                let delegate = delegate as? any URLSessionDownloadDelegate
            else { return }
            DownloadedFile.with(contents, size: record.received) { location in
                delegate.urlSession(self, downloadTask: task, didFinishDownloadingTo: location)
            }
        case .completed(let record):
            let task = updatedTask(record)
            _ = locked.withLock { $0.tasks.removeValue(forKey: record.number) }
            (delegate as? any URLSessionTaskDelegate)?.urlSession(self, task: task, didCompleteWithError: record.error)
        case .finished: delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: self)
        case .invalidated:
            delegate?.urlSession(self, didBecomeInvalidWithError: nil)
            locked.exchange(\.delegate, with: nil)
        }
    }

    private func updatedTask(_ record: TransferRecord) -> URLSessionTask {
        let task = task(record)
        task.update(record)
        return task
    }
}

extension URLSessionConfiguration {
    var duplicate: URLSessionConfiguration {
        guard let copy = copy() as? URLSessionConfiguration else { preconditionFailure("a copy is of another type") }
        return copy
    }
}

/// What is called instead of the app's delegate when there are events to handle for a session: SwiftUI's background tasks.
package final class NoticeHandlers: Sendable {
    private struct Handler: Sendable {
        let matches: @Sendable (String) -> Bool
        let handle: @MainActor @Sendable (TransferNotice) -> Void
    }

    private let handlers = Locked<[Handler]>([])

    package init() {}

    /// `handle` is called for the sessions that match, on the main loop.
    package func add(
        _ matches: @escaping @Sendable (String) -> Bool,
        _ handle: @escaping @MainActor @Sendable (TransferNotice) -> Void
    ) { handlers.withLock { $0.append(Handler(matches: matches, handle: handle)) } }

    /// False if none is for that session.
    @MainActor
    package func handle(_ notice: TransferNotice) -> Bool {
        let all = handlers.withLock { $0 }
        guard let handler = all.first(where: { $0.matches(notice.session) }) else { return false }
        handler.handle(notice)
        return true
    }
}
