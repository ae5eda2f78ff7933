import ApusTimers

/// Waits until a condition holds. The patience is a number of looks, not a duration, so that it lasts longer on a machine that
/// is slow or busy.
nonisolated(nonsending) func eventually(_ condition: () throws -> Bool) async throws {
    for _ in 0..<12_000 {
        if try condition() { return }
        // Real time: other programs and threads do not report what they have done.
        try await TimerEngine.shared.sleep(for: .milliseconds(5))
    }
    struct TooLong: Error, CustomStringConvertible { let description = "looked 12,000 times for a condition" }
    throw TooLong()
}
