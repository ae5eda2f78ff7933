import ApusBackground
import ApusVirtualTime
import Dispatch
public import Foundation

extension NotificationCenter {
    /// Adds an observer, as Foundation's method of this name does, for code that runs on a simulated phone.
    ///
    /// The compiler prefers it to Foundation's method, whose `name` is optional. It differs in two ways:
    ///
    /// - The observer is removed when the app's process ends. Foundation's center belongs to the whole program, and
    ///   would continue to call it.
    /// - With the main queue, a notification that is posted on the main thread is delivered before `post` returns, as
    ///   on a phone. Foundation's method would block forever under Swift Testing on Linux, because the main actor's
    ///   thread is not the program's first one there. A notification that is posted on another thread is delivered
    ///   soon, and `post` does not wait for it.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - obj: The sender; `nil` for any.
    ///   - queue: The queue on which the block is called; `nil` for the posting thread.
    ///   - block: The closure that is called with each notification.
    /// - Returns: A token for `removeObserver`.
    @preconcurrency @discardableResult
    public func addObserver(
        forName name: NSNotification.Name, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        // For the main queue, the block is called on the posting thread if the posting thread is the main thread.
        let observer =
            queue === OperationQueue.main
            ? addObserver(forName: Optional(name), object: obj, queue: nil) { Self.deliverOnMain($0, to: block) }
            : addObserver(forName: Optional(name), object: obj, queue: queue, using: block)
        let registration = Handover((center: self, observer: observer))
        SimulatedPhone.lastProcess?.atEnd { registration.value.center.removeObserver(registration.value.observer) }
        return observer
    }

    private static func deliverOnMain(
        _ notification: Notification, to block: @escaping @Sendable (Notification) -> Void
    ) {
        if MainThread.isCurrent { return block(notification) }
        let notification = Handover(notification)
        DispatchQueue.main.async { block(notification.value) }
    }
}
