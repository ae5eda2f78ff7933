import Foundation

/// Takes away what a process has registered with `NotificationCenter.default` for notifications of the frameworks.
///
/// A process that ends takes its observers with it, but Foundation's center belongs to the whole program. There is no
/// public way to ask it for its observers, so this looks inside; if Foundation changes there, observers of ended
/// processes are called again, and a test of this module fails.
package enum NotificationCleaner {
    /// Removes all observers of these notifications.
    package static func removeObservers(of names: [Notification.Name]) {
        let center = NotificationCenter.default
        for receiver in receivers(in: center, of: Set(names)) { center.removeObserver(receiver) }
    }

    private static func receivers(in center: NotificationCenter, of names: Set<Notification.Name>) -> [AnyObject] {
        let fields = Mirror(reflecting: center).children
        guard let lock = fields.first(where: { $0.label == "_observersLock" })?.value as? NSLock else { return [] }
        lock.lock()
        defer { lock.unlock() }
        guard let observers = Mirror(reflecting: center).children.first(where: { $0.label == "_observers" }) else {
            return []
        }
        var found: [AnyObject] = []
        for (name, byObject) in pairs(of: observers.value) where isOne(of: names, name) {
            for (_, byReceiver) in pairs(of: byObject) {
                found += pairs(of: byReceiver).map { $0.1 as AnyObject }
            }
        }
        return found
    }

    private static func pairs(of dictionary: Any) -> [(Any, Any)] {
        Mirror(reflecting: dictionary).children.compactMap { child in
            let pair = Array(Mirror(reflecting: child.value).children)
            return pair.count == 2 ? (pair[0].value, pair[1].value) : nil
        }
    }

    private static func isOne(of names: Set<Notification.Name>, _ key: Any) -> Bool {
        guard let name = (key as? AnyHashable)?.base as? Notification.Name else { return false }
        return names.contains(name)
    }
}
