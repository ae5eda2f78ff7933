/// Runs `body` under a background task of `host`, which ends when the body returns or throws.
///
/// On expiry the body's Swift task is cancelled, and the claim is held until the body has returned or the host's time
/// is over. A body that ignores its cancellation is what the host has to cut.
///
/// - Parameters:
///   - name: What is being finished, for logs and for the report of what had to be cut.
///   - host: Who grants the time.
///   - fileID: The place that begins the task.
///   - line: The line of that place.
///   - body: The work. Runs in a child task.
/// - Returns: What the body returns.
/// - Throws: What the body throws; ``BackgroundError`` with the code `tooLate`, without running the body, when the host
///   grants nothing more.
public func withBackgroundTask<Result: Sendable>(
    _ name: String,
    on host: some BackgroundHost,
    fileID: String = #fileID,
    line: Int = #line,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    // Two one-way signals: the host says "expired", the body says "finished".
    let expired = AsyncStream.makeStream(of: Void.self)
    let finished = AsyncStream.makeStream(of: Never.self)
    defer { finished.continuation.finish() }

    let task = try host.beginBackgroundTask(named: name, fileID: fileID, line: line) {
        expired.continuation.finish()
        for await _ in finished.stream {}
    }
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
            // Expired: the body is told, and what it makes of that is the result.
            group.cancelAll()
        }
        preconditionFailure("the body is a child of this group, so its result comes before the group is empty")
    }
}
