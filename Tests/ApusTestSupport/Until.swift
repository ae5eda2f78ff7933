import ApusTimers

/// What a check of a test, or of a program that tests, has found wrong.
package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Looks, 50 times a second, until something is so. An error of `condition` says that it is not so yet.
///
/// - Parameters:
///   - what: What is waited for.
///   - limit: How long it may take; `nil` for as long as the time limit of the test, which cancels its task.
///   - condition: Whether it is so. No event says it: it is in another process, on another thread or at a server.
/// - Throws: ``Failure`` with what was waited for, and the error of the last look.
package nonisolated(nonsending) func until(
    _ what: String, atMost limit: Duration? = nil, _ condition: nonisolated(nonsending) () async throws -> Bool
) async throws(Failure) {
    let clock = TimerClock.continuous()
    let end = limit.map { clock.now.advanced(by: $0) }
    while true {
        var problem = ""
        do { if try await condition() { return } } catch { problem = "; the last error: \(error)" }
        if let limit, let end, clock.now >= end { throw Failure("not within \(limit): \(what)\(problem)") }
        do {
            // Real time: other processes and threads do not report what they have done.
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(20)), tolerance: nil)
        } catch {
            throw Failure("cancelled while waiting for: \(what)\(problem)")
        }
    }
}
