import ApusBackground
import ApusTesting
import Dispatch
public import Foundation

extension NotificationCenter {
    /// Foundation's method of this name, with two differences that a simulated phone needs. It is preferred to that one
    /// by the compiler, because its name is not an optional.
    ///
    /// - The observer goes with the app's process: Foundation's center belongs to the whole program, and would call
    ///   observers of ended processes again.
    /// - With the main queue, the block is called there and then when the notification is posted on the main actor's
    ///   thread. Under Swift Testing on Linux that is not the program's first thread, and Foundation would wait for
    ///   itself for ever. What is posted on another thread comes soon, and is not waited for.
    ///
    /// - Parameters:
    ///   - name: Which notifications.
    ///   - obj: Whose; `nil` is everybody's.
    ///   - queue: Where the block is called; `nil` is where the notification is posted.
    ///   - block: Called with each.
    /// - Returns: What `removeObserver` takes.
    @preconcurrency @discardableResult
    public func addObserver(
        forName name: NSNotification.Name, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        let token: any NSObjectProtocol
        if queue === OperationQueue.main {
            token = addObserver(forName: Optional(name), object: obj, queue: nil) { notification in
                if MainThread.isCurrent { return block(notification) }
                let notification = Handover(notification)
                DispatchQueue.main.async { block(notification.value) }
            }
        } else {
            token = addObserver(forName: Optional(name), object: obj, queue: queue, using: block)
        }
        let forgotten = Handover((center: self, token: token))
        SimulatedPhone.lastProcess?.atEnd { forgotten.value.center.removeObserver(forgotten.value.token) }
        return token
    }
}
