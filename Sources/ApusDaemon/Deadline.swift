import ApusTimers

/// The limit of ``within(_:_:)`` has passed.
package struct DeadlineExceeded: Error {}

/// Runs `body` for at most `limit`, measured by the continuous clock.
///
/// - Throws: ``DeadlineExceeded`` once the limit has passed: `body` is cancelled then, and has ended when this throws.
package func within<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await TimerEngine.shared.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else { throw DeadlineExceeded() }
        return result
    }
}
