import ApusDevice
import ApusTimers

/// Tasks whose result goes to a completion handler or an asynchronous caller rather than to the delegate.
extension URLSession {
    // MARK: Completion handlers

    /// A task that gives data, which has to be resumed. In a background session it is a fault, and ends the app.
    public func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// A task that gives data, which has to be resumed. In a background session it is a fault, and ends the app.
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        ordinary { add(request, .data, receiver: DataReceiver(completionHandler)) }
    }

    /// The upload of bytes, which has to be resumed. In a background session it is a fault, and ends the app.
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        ordinary {
            add(
                request, .upload, bytesToSend: Int64(bodyData?.count ?? 0), receiver: DataReceiver(completionHandler))
        }
    }

    /// The upload of a file, which has to be resumed. In a background session it is a fault, and ends the app.
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        ordinary {
            add(request, .upload, bytesToSend: size(of: fileURL), receiver: DataReceiver(completionHandler))
        }
    }

    /// A download, which has to be resumed. In a background session it is a fault, and ends the app.
    public func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// A download, which has to be resumed. In a background session it is a fault, and ends the app.
    public func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        ordinary { add(request, .download, receiver: FileReceiver(completionHandler)) }
    }

    private func ordinary<Task>(_ make: () -> Task) -> Task {
        requireOrdinary("completion handlers, which do not outlive a process; give it a delegate")
        return make()
    }

    // MARK: Asynchronous callers

    /// Data from a server. Cancelling the calling task cancels the request.
    ///
    /// - Returns: The data, and the server's answer.
    /// - Throws: `URLError`.
    public func data(from url: URL) async throws -> (Data, URLResponse) { try await data(for: URLRequest(url: url)) }

    /// Data from a server. Cancelling the calling task cancels the request.
    ///
    /// - Returns: The data, and the server's answer.
    /// - Throws: `URLError`.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await result { dataTask(with: request, completionHandler: $0) }
    }

    /// Sends bytes. Cancelling the calling task cancels the request.
    ///
    /// - Returns: What the server has answered.
    /// - Throws: `URLError`.
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await result { uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }

    /// Sends a file. Cancelling the calling task cancels the request.
    ///
    /// - Returns: What the server has answered.
    /// - Throws: `URLError`.
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await result { uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }

    /// A file from a server. Cancelling the calling task cancels the request.
    ///
    /// - Returns: The place of the file, which is the caller's to remove, and the server's answer.
    /// - Throws: `URLError`.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url))
    }

    /// A file from a server. Cancelling the calling task cancels the request.
    ///
    /// - Returns: The place of the file, which is the caller's to remove, and the server's answer.
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

/// Gets the events of one task, on the session's delegate queue.
protocol Receiver: Sendable {
    func receive(_ event: TransferEvent, _ task: URLSessionTask)
}

private typealias DataCompletion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
private typealias FileCompletion = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

/// Keeps the data, which comes in one piece, and calls a handler at the end.
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
        case .progress, .downloaded, .finished, .invalidated: break
        }
    }
}

/// Calls a handler with a file, or with the error at the end.
private final class FileReceiver: Receiver {
    private let completion: FileCompletion

    init(_ completion: @escaping FileCompletion) { self.completion = completion }

    func receive(_ event: TransferEvent, _ task: URLSessionTask) {
        switch event {
        case .downloaded(let record, let contents):
            DownloadedFile.with(contents, size: record.received) { completion($0, task.response, nil) }
        case .completed(let record): if let error = record.error { completion(nil, nil, error) }
        case .progress, .received, .finished, .invalidated: break
        }
    }
}

extension Data {
    /// These bytes, or as many zeros.
    static func received(_ contents: [UInt8]?, size: Int64) -> Data {
        contents.map { Data($0) } ?? Data(count: Int(size))
    }
}

extension TransferEvent {
    /// Of which task it is.
    var record: TransferRecord? {
        switch self {
        case .progress(let record, _), .downloaded(let record, _), .received(let record, _), .completed(let record):
            record
        case .finished, .invalidated: nil
        }
    }
}

/// The shared session of a process. Only one may be made: the next one would get the events of the first.
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

/// The names of the ordinary sessions of a process.
final class SessionNames: Sendable {
    private let last = Locked(0)

    func next() -> String {
        last.withLock { last in
            last += 1
            return OrdinarySessionName.make("session \(last)")
        }
    }
}
