#if SimulatedApple
    import ApusTimers

    /// The nodes that must be evaluated again when a value changes; may be used from any thread.
    final class Dependents: Sendable {
        private let nodes = Locked<[ObjectIdentifier: ViewNode]>([:])

        /// Adds the node whose body this thread evaluates, if there is one.
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

    /// A value that belongs to a node, and whose readers are evaluated again when it changes.
    ///
    /// It may be used from any thread.
    ///
    /// For `@unchecked Sendable`: the value is read and replaced under the lock.
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
                // The values are compared and released outside of the lock, because both operations can run code of the
                // app.
                let old = content.withLock { content in
                    defer { content.value = newValue }
                    return content.value
                }
                if !Sameness.areSame(old, newValue) { dependents.invalidate() }
            }
        }
    }

    /// The comparison of two values of any type.
    ///
    /// `Equatable` values are compared with `==`, objects by identity, and all other values by their bytes. Two values
    /// with the same content may therefore count as different, which causes an unnecessary evaluation.
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
