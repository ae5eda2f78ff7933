public import Hummingbird
import ServiceLifecycle

extension ApplicationProtocol {
    /// Serves until the calling task is cancelled, and then ends in order: no more connections are taken, requests that
    /// have begun are answered, and connections without one are closed.
    ///
    /// Cancelling `run()` instead ends the process now and then: a connection that was accepted and not yet looked at
    /// is dropped by SwiftNIO, which traps (swift-nio issue 2637).
    /// - Parameter limit: how long that may take, in real time; what is left then is cancelled.
    /// - Throws: what `run()` throws.
    public func serveUntilCancelled(endingWithin limit: Duration = .seconds(2)) async throws {
        var configuration = ServiceGroupConfiguration(services: [self], logger: logger)
        configuration.maximumGracefulShutdownDuration = limit
        let group = ServiceGroup(configuration: configuration)
        // A task of its own, which the cancellation does not reach.
        let serving = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await serving.value
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
        }
    }
}
