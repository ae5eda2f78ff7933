import ApusBackground
import ApusVirtualTime
import Dispatch
public import Foundation

extension NotificationCenter {
    /// Foundation's method of this name, for code that runs on a simulated phone. The compiler prefers it to
    /// Foundation's, of which `name` is an optional. It is different in two ways:
    ///
    /// - The observer is removed when the app's process ends. Foundation's center belongs to the whole program, and
    ///   would continue to call it.
    /// - With the main queue, `block` is called before `post` returns if that is called on the main thread, as
    ///   Foundation does on a phone. Under Swift Testing on Linux the main actor's thread is not the program's first
    ///   one, and Foundation would wait there for itself. What is posted on another thread is delivered soon, and `post`
    ///   does not wait for it.
    ///
    /// - Parameters:
    ///   - name: Which notifications.
    ///   - obj: The sender; `nil` is any sender.
    ///   - queue: Where the block is called; `nil` is where the notification is posted.
    ///   - block: Called with each.
    /// - Returns: What `removeObserver` takes.
    @preconcurrency @discardableResult
    public func addObserver(
        forName name: NSNotification.Name, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        // On the main queue it is called where the notification is posted, as far as possible.
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
