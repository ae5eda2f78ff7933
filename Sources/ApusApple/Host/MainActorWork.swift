import ApusBackground

extension MainLoop {
    /// Runs `work` on the main loop and waits for it. `MainActor.run` would leave the order of the main loop, and on a
    /// simulated phone its time.
    func perform<Result: Sendable>(_ work: @escaping @MainActor @Sendable () -> Result) async -> Result {
        await withUnsafeContinuation { continuation in
            run { continuation.resume(returning: work()) }
        }
    }
}
