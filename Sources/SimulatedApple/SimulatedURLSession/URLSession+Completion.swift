import ApusDevice
import ApusTimers

/// The tasks whose result goes to a completion handler or an asynchronous caller instead of the delegate.
extension URLSession {
    // MARK: Completion handlers

    /// Creates a task that receives data, and is started with `resume()`.
    ///
    /// In a background session, this call is a fault that ends the app.
    public func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that receives data, and is started with `resume()`.
    ///
    /// In a background session, this call is a fault that ends the app.
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        ordinary { add(request, .data, receiver: DataReceiver(completionHandler)) }
    }

    /// Creates an upload of bytes, which is started with `resume()`.
    ///
    /// In a background session, this call is a fault that ends the app.
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        ordinary {
            add(
                request, .upload, bytesToSend: Int64(bodyData?.count ?? 0), receiver: DataReceiver(completionHandler))
        }
    }

    /// Creates an upload of a file, which is started with `resume()`.
    ///
    /// In a background session, this call is a fault that ends the app.
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        ordinary {
            add(request, .upload, bytesToSend: size(of: fileURL), receiver: DataReceiver(completionHandler))
        }
    }

    /// Creates a download, which is started with `resume()`.
    ///
    /// In a background session, this call is a fault that ends the app.
    public func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a download, which is started with `resume()`.
    ///
    /// In a background session, this call is a fault that ends the app.
    public func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        ordinary { add(request, .download, receiver: FileReceiver(completionHandler)) }
    }

    /// Creates a download that continues an earlier one, and is started with `resume()`.
    ///
    /// In a background session, this call is a fault that ends the app.
    public func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        ordinary { addTask(resumed(resumeData), receiver: FileReceiver(completionHandler)) }
    }

    private func ordinary<Task>(_ make: () -> Task) -> Task {
        requireOrdinary("completion handlers, because they do not outlive a process; give it a delegate")
        return make()
    }

    // MARK: Asynchronous callers

    /// Receives data from a server; cancelling the calling task cancels the request.
    ///
    /// - Returns: The data, and the server's response.
    /// - Throws: `URLError`.
    public func data(from url: URL) async throws -> (Data, URLResponse) { try await data(for: URLRequest(url: url)) }

    /// Receives data from a server; cancelling the calling task cancels the request.
    ///
    /// - Returns: The data, and the server's response.
    /// - Throws: `URLError`.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await result { dataTask(with: request, completionHandler: $0) }
    }

    /// Sends bytes to a server; cancelling the calling task cancels the request.
    ///
    /// - Returns: The data of the server's response, and the response.
    /// - Throws: `URLError`.
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await result { uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }

    /// Sends a file to a server; cancelling the calling task cancels the request.
    ///
    /// - Returns: The data of the server's response, and the response.
    /// - Throws: `URLError`.
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await result { uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }

    /// Downloads a file from a server; cancelling the calling task cancels the request.
    ///
    /// - Returns: The location of the file, which the caller removes, and the server's response.
    /// - Throws: `URLError`.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url))
    }

    /// Downloads a file from a server; cancelling the calling task cancels the request.
    ///
    /// - Returns: The location of the file, which the caller removes, and the server's response.
    /// - Throws: `URLError`.
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await result { completion in
            downloadTask(with: request) { location, response, error in
                let kept = location?.appendingPathExtension("kept")
                if let location, let kept { try? FileManager.default.moveItem(at: location, to: kept) }
                completion(kept, response, error)
            }
        }
    }

    private func result<Value: Sendable>(
        _ make: (@escaping @Sendable (Value?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
    ) async throws -> (Value, URLResponse) {
        let (results, continuation) = AsyncThrowingStream<(Value, URLResponse), any Error>.makeStream()
        let task = make { value, response, error in
            guard let value, let response else { return continuation.finish(throwing: error ?? URLError(.unknown)) }
            continuation.yield((value, response))
            continuation.finish()
        }
        continuation.onTermination = { if case .cancelled = $0 { task.cancel() } }
        task.resume()
        for try await result in results { return result }
        throw URLError(.cancelled)
    }
}

/// Receives the events of one task, on the session's delegate queue.
protocol Receiver: Sendable {
    func receive(_ event: TransferEvent, _ task: URLSessionTask)
}

private typealias DataCompletion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
private typealias FileCompletion = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

/// Keeps a task's data, which arrives in one piece, and calls a handler with the data or the error when the task has
/// ended.
private final class DataReceiver: Receiver {
    private let data = Locked(Data())
    private let completion: DataCompletion

    init(_ completion: @escaping DataCompletion) { self.completion = completion }

    func receive(_ event: TransferEvent, _ task: URLSessionTask) {
        switch event {
        case .received(let record, let contents):
            data.exchange(\.self, with: .received(contents, size: record.received))
        case .completed:
            let error = task.error
            completion(error == nil ? data.withLock { $0 } : nil, task.response, error)
        case .resumed, .progress, .downloaded, .finished, .invalidated: break
        }
    }
}

/// Calls a handler with a task's file when it has arrived, or with the error when the task has failed.
private final class FileReceiver: Receiver {
    private let completion: FileCompletion

    init(_ completion: @escaping FileCompletion) { self.completion = completion }

    func receive(_ event: TransferEvent, _ task: URLSessionTask) {
        switch event {
        case .downloaded(let record, let contents):
            DownloadedFile.with(contents, size: record.received) { completion($0, task.response, nil) }
        case .completed(let record): if let error = record.error { completion(nil, nil, error) }
        case .resumed, .progress, .received, .finished, .invalidated: break
        }
    }
}

extension Data {
    /// Returns `contents`, or `size` zero bytes if `contents` is `nil`.
    static func received(_ contents: [UInt8]?, size: Int64) -> Data {
        contents.map { Data($0) } ?? Data(count: Int(size))
    }
}

extension TransferEvent {
    /// The task to which the event belongs; `nil` for an event of the session.
    var record: TransferRecord? {
        switch self {
        case .resumed(let record), .progress(let record, _), .downloaded(let record, _), .received(let record, _),
            .completed(let record):
            record
        case .finished, .invalidated: nil
        }
    }
}

/// The holder of a process's shared session.
///
/// It creates only one session, because a second session of the same name would take the events of the first.
final class SharedSession: Sendable {
    private let made = Locked<URLSession?>(nil)

    func session(orMake make: () -> URLSession) -> URLSession {
        made.withLock { made in
            let session = made ?? make()
            made = session
            return session
        }
    }
}

/// The generator of names for the ordinary sessions of a process.
final class SessionNames: Sendable {
    private let last = Locked(0)

    func next() -> String {
        last.withLock { last in
            last += 1
            return OrdinarySessionName.make("session \(last)")
        }
    }
}
