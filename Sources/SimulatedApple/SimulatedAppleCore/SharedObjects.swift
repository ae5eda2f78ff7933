import ApusTimers

/// Objects of which there is one: of a process, or of a phone. From any thread.
package final class SharedObjects: Sendable {
    private let objects = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// The object of that type. The first one that asks makes it.
    package func object<Object: AnyObject & Sendable>(of type: Object.Type, orMake make: () -> Object) -> Object {
        if let object = existing(type) { return object }
        // Outside the lock, as it may ask for other ones. Of two that are made at once, one stays.
        let new = make()
        return objects.withLock { objects in
            if let object = objects[ObjectIdentifier(type)] as? Object { return object }
            objects[ObjectIdentifier(type)] = new
            return new
        }
    }

    /// The object of that type, if it was made.
    package func existing<Object: AnyObject & Sendable>(_ type: Object.Type) -> Object? {
        objects.withLock { $0[ObjectIdentifier(type)] } as? Object
    }

    func removeAll() {
        let old = objects.withLock { objects in
            defer { objects = [:] }
            return objects
        }
        // Released outside the lock: what they hold may do anything when it goes.
        withExtendedLifetime(old) {}
    }
}
