public import Logging

/// A background task that says "do not suspend or end me yet".
///
/// It is ended exactly once: by ``end()``, by expiry (after its handler returned), or, as a fault that is logged, when
/// the last reference to it is released.
public final class BackgroundTask: Sendable {
    /// What is being finished.
    public let name: String

    private let place: String
    private let logger: Logger
    private let endOnce: @Sendable () -> Bool

    /// A background task that a host has granted. For those who implement a ``BackgroundHost``.
    ///
    /// - Parameters:
    ///   - request: What was asked for.
    ///   - logger: Gets background tasks that were released without an end.
    ///   - end: Ends the background task if it is open, and says whether it was. Called from any thread, any number of
    ///     times.
    public init(_ request: BackgroundTaskRequest, logger: Logger, end: @escaping @Sendable () -> Bool) {
        name = request.name
        place = request.place
        self.logger = logger
        endOnce = end
    }

    /// Ends the background task. From any thread, as often as you like: only the first end counts.
    public func end() {
        _ = endOnce()
    }

    deinit {
        if endOnce() {
            logger.error(
                "a background task was never ended; call end(), or use withBackgroundTask(named:_:)",
                metadata: ["task": "\(name)", "begun": "\(place)"])
        }
    }
}
