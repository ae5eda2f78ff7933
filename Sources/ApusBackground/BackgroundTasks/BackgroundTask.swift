public import Logging

/// A request to delay the suspension or termination of the app until current work has finished.
///
/// A background task is ended exactly once: by ``end()``, by its expiration after the handler has returned, or when its
/// last reference is released. Such a release is logged as an error.
public final class BackgroundTask: Sendable {
    /// The name of the work.
    public let name: String

    private let place: String
    private let logger: Logger
    private let endOnce: @Sendable () -> Bool

    /// Creates a background task that a host has granted, for implementations of a ``BackgroundHost``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - logger: Receives an error for a background task that is released without an end.
    ///   - end: Ends the background task, and returns whether it was open. Called from any thread, any number of times.
    public init(_ request: BackgroundTaskRequest, logger: Logger, end: @escaping @Sendable () -> Bool) {
        name = request.name
        place = request.place
        self.logger = logger
        endOnce = end
    }

    /// Ends the background task.
    ///
    /// May be called from any thread, any number of times: only the first call has an effect.
    public func end() {
        _ = endOnce()
    }

    deinit {
        if endOnce() {
            logger.error(
                "a background task was never ended; call end(), or use withBackgroundTask(named:_:)",
                metadata: ["task": "\(name)", "begun": "\(place)"])
        }
    }
}

/// The parameters of a background task.
public struct BackgroundTaskRequest: Sendable {
    /// The name of the work in logs, and in the error for a background task that is never ended.
    public var name: String
    /// The place that began the task, as `Module/File.swift:12`.
    public var place: String
    /// The expiration handler, called on the main actor shortly before the end of the granted time, or immediately if
    /// the request is refused.
    ///
    /// It should return within a second; all handlers of an app together have a few seconds.
    public var onExpiration: @MainActor @Sendable () -> Void
    /// Whether the background task ends when the expiration handler has returned.
    ///
    /// If it is `false`, ``BackgroundTask/end()`` ends the background task. On a host with
    /// ``BackgroundHost/waitsForExpiredTasks``, the call may come after the handler has returned; on other hosts, it
    /// must come before.
    public var endsOnExpiration = true

    /// Creates a request whose place is the calling line.
    public init(
        name: String,
        fileID: String = #fileID,
        line: Int = #line,
        onExpiration: @escaping @MainActor @Sendable () -> Void = {}
    ) {
        self.name = name
        place = "\(fileID):\(line)"
        self.onExpiration = onExpiration
    }
}

extension BackgroundHost {
    /// Runs `body` under a background task, which ends when the body returns or throws.
    ///
    /// At the expiration the body's Swift task is cancelled. A host that waits for expired tasks
    /// (``waitsForExpiredTasks``: Linux) gives the body the rest of its time to finish, and the background task ends
    /// when the body has returned. On other hosts (a phone) the background task ends immediately, and the body may be
    /// suspended together with the app.
    ///
    /// - Parameters:
    ///   - name: The name of the work in logs and errors.
    ///   - fileID: The file that begins the task.
    ///   - line: The line in that file.
    ///   - body: The work, which runs in a child task.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body; ``BackgroundError`` with the code `tooLate`, without running the body, if the
    ///   host grants no more time.
    public func withBackgroundTask<Result: Sendable>(
        named name: String,
        fileID: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let expired = AsyncStream.makeStream(of: Never.self)
        var request = BackgroundTaskRequest(name: name, fileID: fileID, line: line) { expired.continuation.finish() }
        request.endsOnExpiration = !waitsForExpiredTasks
        let task = try beginBackgroundTask(request)
        defer { task.end() }

        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in expired.stream {}
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
                // The background task has expired, so the body is cancelled. Its result or error is still returned.
                group.cancelAll()
            }
            preconditionFailure("the body is a child of this group, so its result comes before the group is empty")
        }
    }
}
