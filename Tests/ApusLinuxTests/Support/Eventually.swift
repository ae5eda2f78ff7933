import ApusTimers

/// Waits until a condition holds. In real time: other programs and threads do not report what they have done.
nonisolated(nonsending) func eventually(_ condition: () -> Bool) async throws {
    while !condition() { try await TimerEngine.shared.sleep(for: .milliseconds(5)) }
}
