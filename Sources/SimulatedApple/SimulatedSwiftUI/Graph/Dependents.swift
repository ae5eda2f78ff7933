#if SimulatedApple
    import ApusTimers

    /// The nodes that are to be evaluated again when something changes. From any thread.
    final class Dependents: Sendable {
        private let nodes = Locked<[ObjectIdentifier: ViewNode]>([:])

        /// The body that is evaluated by this thread, if one is, depends on this from now on.
        func noteRead() {
            guard let node = Evaluated.node else { return }
            add(node)
        }

        func add(_ node: ViewNode) {
            let isNew = nodes.withLock { $0.updateValue(node, forKey: ObjectIdentifier(node)) == nil }
            // Bodies are evaluated on the main thread.
            if isNew { MainActor.assumeIsolated { node.depend(on: self) } }
        }

        func remove(_ node: ViewNode) {
            let old = nodes.withLock { $0.removeValue(forKey: ObjectIdentifier(node)) }
            withExtendedLifetime(old) {}
        }

        func invalidate() {
            for node in nodes.withLock({ Array($0.values) }) { node.graph.invalidate(node) }
        }
    }

    /// A value that belongs to a node, and whose readers are evaluated again when it changes. From any thread.
    ///
    /// `@unchecked Sendable`: the value is read and replaced under the lock.
    final class StateBox<Value>: @unchecked Sendable {
        private struct Content: @unchecked Sendable { var value: Value }  // protected by the lock of `content`

        private let content: Locked<Content>
        private let dependents = Dependents()

        init(_ value: Value) { content = Locked(Content(value: value)) }

        var value: Value {
            get {
                dependents.noteRead()
                return content.withLock { $0.value }
            }
            set {
                // Compared and released outside the lock: both are code of the app.
                let old = content.withLock { content in
                    defer { content.value = newValue }
                    return content.value
                }
                if !Sameness.areSame(old, newValue) { dependents.invalidate() }
            }
        }
    }

    /// Whether two values are the same, as far as that can be known of any type.
    ///
    /// Values that are `Equatable` are asked. Of objects it is the identity, and of all else the bytes: so two values
    /// with the same content may count as different, and then something is evaluated that need not be.
    enum Sameness {
        static func areSame(_ first: Any, _ second: Any) -> Bool {
            func compare<T>(_ first: T) -> Bool {
                guard type(of: second) == type(of: first as Any), let second = second as? T else { return false }
                return areSame(first, second)
            }
            return _openExistential(first, do: compare)
        }

        static func areSame<T>(_ first: T, _ second: T) -> Bool {
            if let first = first as? any Equatable { return isEqual(first, second) }
            if T.self is AnyClass { return first as AnyObject === second as AnyObject }
            return withUnsafeBytes(of: first) { first in
                withUnsafeBytes(of: second) { second in first.elementsEqual(second) }
            }
        }

        private static func isEqual<T: Equatable>(_ first: T, _ second: Any) -> Bool { (second as? T) == first }
    }
#endif
