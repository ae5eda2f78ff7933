extension BackgroundHost {
    /// Runs `body` under a background task, which ends when the body returns or throws.
    ///
    /// On expiry the body's Swift task is cancelled. A host that waits for expired tasks (``waitsForExpiredTasks``: Linux)
    /// gives the body the rest of its time to wind up, and the background task ends when the body has returned; on the
    /// others (a phone) the background task ends there and then, and what the body still does may be suspended with the
    /// app.
    ///
    /// - Parameters:
    ///   - name: What is being finished, for logs and for the report of what had to be cut.
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
