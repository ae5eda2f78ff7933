/// Keeps an observer registered until it is cancelled, or until the last reference to it is dropped.
public final class ObservationToken: Sendable {
    private let cancellation: Locked<(@Sendable () -> Void)?>

    package init(_ cancel: @escaping @Sendable () -> Void) { cancellation = Locked(cancel) }

    /// Ends the observation and releases the observer. From any thread, any number of times.
    ///
    /// A call of the observer that is running, or just beginning, is not waited for. None begins after a cancellation on
    /// the observer's own serial executor, such as the main loop.
    public func cancel() { cancellation.withLock { $0.take() }?() }

    deinit { cancel() }
}
