import ApusTimers
public import Foundation

extension NotificationCenter {
    /// Calls a method of an object with each notification, on the thread that posts it.
    ///
    /// The object is not retained, and the observation ends when the object is released. All observers are removed
    /// when the app's process ends.
    ///
    /// Rules: Apple, documentation/foundation/notificationcenter/addobserver(_:selector:name:object:).
    ///
    /// - Parameters:
    ///   - observer: The object.
    ///   - selector: A method without parameters, or with one `Notification`.
    ///   - name: The name of the notifications; `nil` for all.
    ///   - object: The sender; `nil` for any.
    public func addObserver(
        _ observer: Any, selector: Selector, name: NSNotification.Name?, object: Any?
    ) {
        let observation = SelectorObservation(observer as AnyObject, of: self, name, object)
        let token = addObserver(forName: name, object: object, queue: nil) { notification in
            if let observer = observation.observer { selector(observer, notification) }
        }
        observation.begin(Handover(token))
        SimulatedPhone.lastProcess?.atEnd { SelectorObservation.end { $0 === observation } }
    }

    /// Removes an observer with all its methods, or a token from `addObserver(forName:object:queue:using:)`.
    public func removeObserver(_ observer: AnyObject) { removeObserver(observer, name: nil, object: nil) }

    /// Stops calling an observer with notifications that have this name and this sender; `nil` stands for any.
    public func removeObserver(_ observer: AnyObject, name: NSNotification.Name?, object: Any?) {
        let identity = ObjectIdentifier(observer)
        let sender = object.map { ObjectIdentifier($0 as AnyObject) }
        SelectorObservation.end {
            $0.identity == identity && $0.center === self && (name == nil || name == $0.name)
                && (sender == nil || sender == $0.sender)
        }
        removeObserver(observer as Any, name: name, object: object)
    }
}

/// A method that is called with notifications.
private final class SelectorObservation: @unchecked Sendable {
    // For `@unchecked Sendable`: `token` is set before other threads see the observation, no other property changes,
    // and a weak reference may be read on any thread.

    private static let all = Locked<[SelectorObservation]>([])

    let identity: ObjectIdentifier
    let center: NotificationCenter
    let name: NSNotification.Name?
    let sender: ObjectIdentifier?
    private(set) weak var observer: AnyObject?
    private var token: Handover<any NSObjectProtocol>?

    init(_ observer: AnyObject, of center: NotificationCenter, _ name: NSNotification.Name?, _ sender: Any?) {
        identity = ObjectIdentifier(observer)
        self.center = center
        self.name = name
        self.sender = sender.map { ObjectIdentifier($0 as AnyObject) }
        self.observer = observer
    }

    func begin(_ token: Handover<any NSObjectProtocol>) {
        self.token = token
        // The observations of released objects end too. They are searched outside the lock, because reading `observer`
        // retains the object for a moment. Its `deinit` can therefore run here, and may call `removeObserver`, which
        // takes the lock.
        let gone = Set(Self.all.withLock { $0 }.filter { $0.observer == nil }.map(ObjectIdentifier.init))
        Self.end { gone.contains(ObjectIdentifier($0)) }
        Self.all.withLock { $0.append(self) }
    }

    static func end(where isEnded: (SelectorObservation) -> Bool) {
        let ended = all.withLock { observations in
            let ended = observations.filter(isEnded)
            observations.removeAll(where: isEnded)
            return ended
        }
        for observation in ended {
            if let token = observation.token { observation.center.removeObserver(token.value as Any) }
        }
    }
}
