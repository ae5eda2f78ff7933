import Dispatch

/// The thread of the main actor, which is not always the program's first one.
package enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether this is that thread.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Whether that is the main queue. On Linux the same queue is not always the same object.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
