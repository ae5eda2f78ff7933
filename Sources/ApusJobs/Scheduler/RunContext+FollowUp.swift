/// Work that a handler does after its own, because of how that ended: hooks and notifications.
extension RunContext {
    /// Ends the attempt's work: from now on, neither the time limit nor a cancellation changes what the handler's return
    /// or error makes of the attempt. (A job that is cancelled meanwhile still has the outcome `cancelled`.)
    ///
    /// - Returns: why the handler was cancelled, if it was.
    package func endWork() -> CancellationReason? { control.endWork() }

    /// Runs work that follows the attempt's, after ``endWork()``. It runs even if the handler's task is cancelled, which is
    /// so after a time-out; it has a time limit of its own, and is cancelled when the scheduler stops or the job is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - timeLimit: on the uptime clock.
    ///   - body: gets a context like this one. The exit code and the output that it sets there are not kept.
    /// - Returns: why `body` was cancelled, if it was; it did not begin if the scheduler was stopping already.
    package func followUp(
        timeLimit: Duration, _ body: @escaping @Sendable (RunContext) async -> Void
    ) async -> CancellationReason? {
        let (job, occurrence, attempt, standsFor) = (job, occurrence, attempt, standsFor)
        let (due, started, isLastAttempt) = (due, started, isLastAttempt)
        return await control.followUp(timeLimit: timeLimit) { control in
            await body(
                RunContext(
                    job: job, occurrence: occurrence, attempt: attempt, standsFor: standsFor, due: due,
                    started: started, isLastAttempt: isLastAttempt, control: control))
        }
    }
}
