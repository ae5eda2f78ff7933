import ApusTimers

/// Waits until a condition holds. In real time: what other programs and threads have done, they tell nobody.
nonisolated(nonsending) func eventually(_ condition: () -> Bool) async throws {
    while !condition() { try await TimerEngine.shared.sleep(for: .milliseconds(5)) }
}
