/// Running as a part of structured concurrency.
extension JobScheduler {
    /// Starts, runs what is due until the task is cancelled, and stops: ``start(afterOpening:)`` and ``stop(grace:)`` in
    /// one call. Register handlers before. Returns when the scheduler has stopped, be it by the cancellation or by
    /// ``stop(grace:)``; like a started scheduler, it cannot be run again.
    ///
    /// In a `ServiceGroup` of swift-service-lifecycle, use `JobSchedulerService` of ApusServiceLifecycle: it stops at a
    /// graceful shutdown.
    /// - Parameters:
    ///   - grace: how long handlers may run after the task's cancellation, on the uptime clock, before they are
    ///     cancelled; `nil` waits for as long as they take. See ``stop(grace:)``.
    ///   - afterOpening: called when the store is this scheduler's, before anything is run.
    /// - Throws: what ``start(afterOpening:)`` throws, and the error with which the scheduler loses its store
    ///   (``JobError`` with `notOwner`). Not `CancellationError`: a cancellation is how it ends.
    public func run(
        grace: Duration? = .seconds(10), afterOpening: @Sendable () -> Void = {}
    ) async throws {
        let hasStopped = loop.hub.isFinished
        let error = try await withTaskCancellationHandler {
            do { try await start(afterOpening: afterOpening) } catch let error as JobError where error.code == .closed {
                // It was stopped while it started; one that had been stopped before cannot be run.
                guard !hasStopped, loop.hub.isFinished else { throw error }
            }
            return await loop.hub.waitForEnd()
        } onCancel: {
            requestStop(grace: grace)
        }
        if let error { throw error }
    }

    /// Begins ``stop(grace:)``, and does not wait for its end.
    package func requestStop(grace: Duration?) {
        _ = Task(executorPreference: loop.executor) { await self.stop(grace: grace) }
    }
}
