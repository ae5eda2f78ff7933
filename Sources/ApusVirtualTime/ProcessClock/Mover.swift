import ApusTimers

/// Threads that move the clock. Not Dispatch's: those are among what a step waits for.
package enum Mover {
    /// Calls `work` on a new thread.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        SystemThread(named: "apus-clock", work).detach()
    }
}
