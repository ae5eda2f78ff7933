/// The receiver of a session's events; all of its methods are optional, and are called on the session's delegate queue.
///
/// Source: Apple, documentation/foundation/urlsessiondelegate
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// Called when the session was invalidated; the session then releases its delegate.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
    /// Called when the session has delivered all events for which the system launched, resumed or notified the app.
    ///
    /// The simulated phone does not call it for events that a running app with this session receives.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

/// The receiver of the events of a session's tasks; all of its methods are optional.
///
/// Source: Apple, documentation/foundation/urlsessiontaskdelegate
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// Called when the task has ended, with the error if it failed; an HTTP status is never an error here.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
    /// Called when more bytes were sent.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)
    /// Called when the task waits for a network; the simulation never calls it.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
}

extension URLSessionTaskDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {}
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {}
    /// Does nothing.
    public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
}

/// The receiver of the events of tasks that receive data.
///
/// Source: Apple, documentation/foundation/urlsessiondatadelegate
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// Called when data has arrived; the simulation calls it once, at the end.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

extension URLSessionDataDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}
}

/// The receiver of the events of downloads.
///
/// Source: Apple, documentation/foundation/urlsessiondownloaddelegate
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// Called when the file was downloaded; the app must move or read the file before the method returns.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
    /// Called when more bytes have arrived: on the simulated phone once a second while the app runs, and at the end.
    ///
    /// The method is optional.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
    /// Called when a download continues after bytes that an earlier one has received.
    ///
    /// The method is optional.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {}
}
