public import Logging

/// A background task that says "do not suspend or end me yet".
///
/// It is ended exactly once: by ``end()``, by expiry (after its handler returned), or, as a fault that is logged, when
/// the last reference to it is released.
public final class BackgroundTask: Sendable {
    /// What is being finished.
    public let name: String

    private let place: String
    private let logger: Logger
    private let endOnce: @Sendable () -> Bool

    /// A background task that a host has granted. For those who implement a ``BackgroundHost``.
    ///
    /// - Parameters:
    ///   - request: What was asked for.
    ///   - logger: Gets background tasks that were released without an end.
    ///   - end: Ends the background task if it is open, and says whether it was. Called from any thread, any number of
    ///     times.
    public init(_ request: BackgroundTaskRequest, logger: Logger, end: @escaping @Sendable () -> Bool) {
        name = request.name
        place = request.place
        self.logger = logger
        endOnce = end
    }

    /// Ends the background task. From any thread, as often as you like: only the first end counts.
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

/// What an app asks of a host when it begins a background task.
public struct BackgroundTaskRequest: Sendable {
    /// Names the work in logs, and in the error for a background task that is never ended.
    public var name: String
    /// The place that began the task, as `Module/File.swift:12`.
    public var place: String
    /// Called on the main actor when the time is nearly over, or instead of a background task when it is over. It has
    /// about a second; all handlers of an app together have a few.
    public var onExpiration: @MainActor @Sendable () -> Void
    /// Whether the background task ends by itself when the expiration handler has returned: the rule. `false` leaves it
    /// to ``BackgroundTask/end()``, for work that winds up by itself; only where the host waits for that
    /// (``BackgroundHost/waitsForExpiredTasks``) may that be later than the handler's return.
    public var endsOnExpiration = true

    /// A request from the calling place.
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
    /// On expiry the body's Swift task is cancelled. A host that waits for expired tasks (``waitsForExpiredTasks``: Linux)
    /// gives the body the rest of its time to wind up, and the background task ends when the body has returned; on the
    /// others (a phone) the background task ends there and then, and what the body still does may be suspended with the
    /// app.
    ///
    /// - Parameters:
    ///   - name: Names the work in logs and errors.
    ///   - fileID: The place that begins the task.
    ///   - line: The line of that place.
    ///   - body: The work. Runs in a child task.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; ``BackgroundError`` with the code `tooLate`, without running the body, when the
    ///   host grants nothing more.
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
                // Expired: the body is cancelled, and how it ends is the result.
                group.cancelAll()
            }
            preconditionFailure("the body is a child of this group, so its result comes before the group is empty")
        }
    }
}
