import ApusTimers

/// The failure of a check in a test, or in a program that tests.
package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Waits until a condition holds, which it checks 50 times a second; an error of `condition` means that it does not
/// hold yet.
///
/// - Parameters:
///   - what: The description of the condition.
///   - limit: The longest wait; `nil` for the time limit of the test, which cancels its task.
///   - condition: Returns whether the condition holds. No event announces it, because it concerns another process,
///     another thread or a server.
/// - Throws: ``Failure`` with the description, and the error of the last check.
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
            // The pause is in real time, because other processes and threads do not report what they have done.
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(20)), tolerance: nil)
        } catch {
            throw Failure("cancelled while waiting for: \(what)\(problem)")
        }
    }
}
