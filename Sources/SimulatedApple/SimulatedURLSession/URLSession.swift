import ApusBackground
public import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// A session of requests to servers; the test answers in place of the servers, through `SimulatedDevice.transfers`.
///
/// All members can be used on any thread.
///
/// The downloads and uploads of a background session continue without the app. The tasks of an ordinary session belong
/// to the process: a task in progress fails with `URLError.networkConnectionLost` as soon as the app is resumed after a
/// suspension. A process should create only one background session for each identifier: a second one gets the events in
/// place of the first, and the device's log gets a warning. A session and its delegate stay in memory until the session
/// is invalidated.
///
/// Source: Apple, documentation/foundation/urlsession
open class URLSession: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `locked`, protected by its lock.

    private struct State: Sendable {
        var delegate: (any URLSessionDelegate)?
        var tasks: [Int: URLSessionTask] = [:]
        /// The receivers, keyed by the numbers of their tasks.
        var receivers: [Int: any Receiver] = [:]
        var description: String?
        var isInvalid = false
    }

    /// A delegate's decision about a delayed request; the simulation never asks for one.
    public enum DelayedRequestDisposition: Int, Sendable {
        /// The request continues, is replaced, or is cancelled.
        case continueLoading, useNewRequest, cancel
    }

    /// A delegate's decision about a request for credentials; the simulation never asks for one.
    public enum AuthChallengeDisposition: Int, Sendable {
        /// Credentials are used, the system decides, the request is cancelled, or the credentials are refused.
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }

    /// A delegate's decision about a task whose response has arrived; the simulation never asks for one.
    public enum ResponseDisposition: Int, Sendable {
        /// The task is cancelled, continues, or becomes a task of another kind.
        case cancel, allow, becomeDownload, becomeStream
    }

    /// The queue on which the delegate is called.
    public let delegateQueue: OperationQueue
    /// The name of the session, unique in the process; for a background session, its identifier.
    let name: String
    private var displayName: String { OrdinarySessionName.shown(name) }
    let process: PhoneProcess
    private let isShared: Bool
    private let ownConfiguration: URLSessionConfiguration
    private let callbacks: CallbackQueue
    private let locked: Locked<State>

    /// The ordinary session of the process, which has no delegate and cannot be invalidated.
    public class var shared: URLSession {
        SimulatedPhone.process.shared.object(of: SharedSession.self) { SharedSession() }.session {
            URLSession(
                .default, name: OrdinarySessionName.make("shared session"), isShared: true, delegate: nil,
                delegateQueue: nil)
        }
    }

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, which is copied.
    ///   - delegate: The receiver of the events of the session and its tasks; for a background session, also of the
    ///     tasks of earlier processes. The session retains it.
    ///   - queue: The queue on which the delegate and completion handlers are called; `nil` for a new serial queue.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        if let identifier = configuration.identifier {
            guard !identifier.isEmpty else { fatalError("the identifier of a background session is empty") }
            self.init(configuration, name: identifier, isShared: false, delegate: delegate, delegateQueue: queue)
        } else {
            let names = SimulatedPhone.process.shared.object(of: SessionNames.self) { SessionNames() }
            self.init(configuration, name: names.next(), isShared: false, delegate: delegate, delegateQueue: queue)
        }
    }

    private init(
        _ configuration: URLSessionConfiguration, name: String, isShared: Bool, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        (self.name, self.isShared) = (name, isShared)
        process = SimulatedPhone.process
        ownConfiguration = configuration.duplicate
        delegateQueue = queue ?? Self.serialQueue()
        callbacks = CallbackQueue(delegateQueue)
        locked = Locked(State(delegate: delegate))
        super.init()
        OptionalMethods.check(delegate, of: (any URLSessionDelegate).self) { $0 is any URLSessionDelegate.Type }
        OptionalMethods.check(delegate, of: (any URLSessionTaskDelegate).self) { $0 is any URLSessionTaskDelegate.Type }
        OptionalMethods.check(delegate, of: (any URLSessionDataDelegate).self) { $0 is any URLSessionDataDelegate.Type }
        OptionalMethods.check(delegate, of: (any URLSessionDownloadDelegate).self) {
            $0 is any URLSessionDownloadDelegate.Type
        }
        // As on a phone, the system retains the session, which retains its delegate.
        if !process.transfers.open(name, configuration.settings, { self.receive($0) }) {
            process.host.warn(
                "a background URLSession with identifier \(name) already exists; the new one gets its events")
        }
    }

    /// Creates a session without a delegate; the results of tasks without a completion handler are dropped.
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
    /// The delegate; `nil` after the session was invalidated.
    open var delegate: (any URLSessionDelegate)? { locked.withLock { $0.delegate } }
    /// A text for the app's own use.
    open var sessionDescription: String? {
        get { locked.withLock { $0.description } }
        set { locked.withLock { $0.description = newValue } }
    }

    // MARK: Tasks

    /// Creates a download, which is started with `resume()`.
    open func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    /// Creates a download, which is started with `resume()`.
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { add(request, .download) }

    /// Creates a download that continues an earlier one, and is started with `resume()`.
    ///
    /// It continues after the bytes that the earlier download has received. If `resumeData` does not come from a
    /// download, the new one requests an empty URL.
    ///
    /// Source: Apple, documentation/foundation/pausing-and-resuming-downloads
    open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask { addTask(resumed(resumeData)) }

    func resumed(_ resumeData: Data) -> TransferRequest {
        (try? JSONDecoder().decode(TransferRequest.self, from: resumeData)) ?? TransferRequest(.download, url: "")
    }

    /// Creates an upload of a file, which is started with `resume()`.
    ///
    /// A file that cannot be read counts as empty, with a warning in the device's log; a phone raises an exception.
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        add(request, .upload, bytesToSend: size(of: fileURL))
    }

    func size(of file: URL) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        let size = (attributes?[.size] as? NSNumber)?.int64Value
        if size == nil {
            process.host.warn("the file “\(file.lastPathComponent)” of an upload cannot be read, and counts as empty")
        }
        return size ?? 0
    }

    /// Creates an upload of bytes, which is started with `resume()`.
    ///
    /// In a background session, this call is a fault that ends the app.
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        requireOrdinary("uploads of bytes; call uploadTask(with:fromFile:) instead")
        return add(request, .upload, bytesToSend: Int64(bodyData.count))
    }

    /// Creates a task that receives data, and is started with `resume()`.
    open func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    /// Creates a task that receives data, and is started with `resume()`.
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { add(request, .data) }

    func requireOrdinary(_ what: String) {
        guard ownConfiguration.identifier != nil else { return }
        process.host.fault(Fault(.backgroundSessionTask, "a background session does not support \(what)"))
    }

    func add<Task: URLSessionTask>(
        _ request: URLRequest, _ kind: TransferRequest.Kind, bytesToSend: Int64? = nil,
        receiver: (any Receiver)? = nil
    ) -> Task {
        var headers: [String: String] = [:]
        for (name, value) in ownConfiguration.httpAdditionalHeaders ?? [:] { headers["\(name)"] = "\(value)" }
        headers.merge(request.allHTTPHeaderFields ?? [:]) { $1 }
        let transfer = TransferRequest(
            kind, url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET", headers: headers,
            bytesToSend: bytesToSend ?? Int64(request.httpBody?.count ?? 0))
        return addTask(transfer, of: request, receiver: receiver)
    }

    func addTask<Task: URLSessionTask>(
        _ transfer: TransferRequest, of request: URLRequest? = nil, receiver: (any Receiver)? = nil
    ) -> Task {
        // While the lock is held, no event of the new task is delivered, so the task's receiver is known before the
        // first event.
        let new = locked.withLock { state in
            guard !state.isInvalid else { fatalError("a task was requested of an invalidated session: \(displayName)") }
            let record = process.transfers.add(transfer, to: name)
            let task = URLSessionTask.make(record, request, session: name, process.transfers)
            // In a process that has ended, all tasks have the number 0.
            if record.number > 0 {
                state.tasks[record.number] = task
                state.receivers[record.number] = receiver
            }
            return task
        }
        guard let task = new as? Task else { fatalError("the task has a kind that was not requested") }
        return task
    }

    /// Returns the object of a task, always the same in a process.
    private func task(_ record: TransferRecord) -> URLSessionTask {
        if let task = locked.withLock({ $0.tasks[record.number] }) { return task }
        let new = URLSessionTask.make(record, nil, session: name, process.transfers)
        return locked.withLock { state in
            let task = state.tasks[record.number] ?? new
            state.tasks[record.number] = task
            return task
        }
    }

    /// The tasks that have not ended, including those of earlier processes.
    open var allTasks: [URLSessionTask] {
        get async { presentTasks }
    }

    /// The tasks that have not ended, by kind.
    open var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async { presentTasksByKind }
    }

    private var presentTasksByKind: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        let tasks = presentTasks
        return (
            tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask },
            tasks.compactMap { $0 as? URLSessionUploadTask }, tasks.compactMap { $0 as? URLSessionDownloadTask }
        )
    }

    /// Calls a handler on the delegate queue with the tasks that have not ended, by kind.
    open func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
    ) {
        process.host.mainLoop.run { [self] in
            callbacks.call("getTasksWithCompletionHandler", on: process.host) {
                let (data, uploads, downloads) = self.presentTasksByKind
                completionHandler(data, uploads, downloads)
            }
        }
    }

    /// Calls a handler on the delegate queue with the tasks that have not ended, including those of earlier processes.
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        process.host.mainLoop.run { [self] in
            callbacks.call("getAllTasks", on: process.host) { completionHandler(self.presentTasks) }
        }
    }

    private var presentTasks: [URLSessionTask] { process.transfers.records(of: name).map { task($0) } }

    // MARK: The end

    /// Accepts no more tasks, and invalidates the session when the last one has ended.
    open func finishTasksAndInvalidate() { invalidate(cancelsTasks: false) }
    /// Accepts no more tasks, cancels the existing ones, and invalidates the session.
    open func invalidateAndCancel() { invalidate(cancelsTasks: true) }

    private func invalidate(cancelsTasks: Bool) {
        if isShared { return }
        locked.withLock { $0.isInvalid = true }
        process.transfers.invalidate(name, cancelsTasks: cancelsTasks)
    }

    // MARK: Events

    @MainActor
    private func receive(_ event: TransferEvent) {
        callbacks.call("the delegate of the session \(displayName)", on: process.host) { self.notify(of: event) }
    }

    private func notify(of event: TransferEvent) {
        if let record = event.record, let receiver = locked.withLock({ $0.receivers[record.number] }) {
            let task = updatedTask(record)
            if case .completed = event { forget(record) }
            return receiver.receive(event, task)
        }
        notifyDelegate(of: event)
    }

    private func forget(_ record: TransferRecord) {
        locked.withLock { state in
            state.tasks[record.number] = nil
            state.receivers[record.number] = nil
        }
    }

    private func notifyDelegate(of event: TransferEvent) {
        let delegate = delegate
        switch event {
        case .resumed(let record):
            guard let task = updatedTask(record) as? URLSessionDownloadTask else { return }
            (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                self, downloadTask: task, didResumeAtOffset: record.received,
                expectedTotalBytes: record.expectedToReceive ?? NSURLSessionTransferSizeUnknown)
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
        case .received(let record, let contents):
            guard let task = updatedTask(record) as? URLSessionDataTask else { return }
            let data = Data.received(contents, size: record.received)
            (delegate as? any URLSessionDataDelegate)?.urlSession(self, dataTask: task, didReceive: data)
        case .completed(let record):
            let task = updatedTask(record)
            forget(record)
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

extension Fault.Rule {
    /// A background session was asked for a task that raises an exception on a phone: one with a completion handler, or
    /// an upload of bytes.
    public static let backgroundSessionTask = Fault.Rule("NSGenericException.backgroundSessionTask")
}

extension URLSessionConfiguration {
    var duplicate: URLSessionConfiguration {
        guard let copy = copy() as? URLSessionConfiguration else { fatalError("a copy is of another type") }
        return copy
    }
}

/// The handlers that receive a background session's events in place of the app's delegate.
///
/// They belong to SwiftUI's background tasks.
package final class NoticeHandlers: Sendable {
    private struct Handler: Sendable {
        let matches: @Sendable (String) -> Bool
        let handle: @MainActor @Sendable (TransferNotice) -> Void
    }

    private let handlers = Locked<[Handler]>([])

    package init() {}

    /// Adds a handler, which is called on the main loop for the sessions that match.
    package func add(
        _ matches: @escaping @Sendable (String) -> Bool,
        _ handle: @escaping @MainActor @Sendable (TransferNotice) -> Void
    ) { handlers.withLock { $0.append(Handler(matches: matches, handle: handle)) } }

    /// Calls the first handler that matches the session of a notice; returns `false` if there is none.
    @MainActor
    package func handle(_ notice: TransferNotice) -> Bool {
        let all = handlers.withLock { $0 }
        guard let handler = all.first(where: { $0.matches(notice.session) }) else { return false }
        handler.handle(notice)
        return true
    }
}
