#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusTimers
    import Foundation

    /// Observers of Foundation's notification center, which end with this object.
    ///
    /// For `@unchecked Sendable`: the tokens, of which the compiler does not know that they may go from thread to thread,
    /// are touched under `lock` only, and mean something to the center alone.
    final class NotificationObservers: @unchecked Sendable {
        private let lock = Locked(())
        private var tokens: [any NSObjectProtocol] = []

        /// Calls `handler` on the thread on which a notification of that name is posted, before the posting returns.
        func observe(_ name: Notification.Name, _ handler: @escaping @Sendable (Notification) -> Void) {
            let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil, using: handler)
            lock.withLock { _ in tokens.append(token) }
        }

        deinit {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }
#endif
