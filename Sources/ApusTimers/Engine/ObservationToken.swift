/// Keeps an observer registered until the token is cancelled or its last reference is dropped.
public final class ObservationToken: Sendable {
    private let cancellation: Locked<(@Sendable () -> Void)?>

    package init(_ cancel: @escaping @Sendable () -> Void) { cancellation = Locked(cancel) }

    /// Ends the observation and releases the observer.
    ///
    /// It may be called from any thread and any number of times. It does not wait for a call of the observer that is
    /// running or beginning. If the observer's executor is serial, such as the main actor, no call begins after a
    /// cancellation on that executor.
    public func cancel() { cancellation.withLock { $0.take() }?() }

    deinit { cancel() }
}
