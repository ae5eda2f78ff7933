#if SimulatedApple
    /// Calls an action when a value is another one than at the evaluation before.
    struct ChangeObserver<Content, Value: Equatable>: Primitive {
        /// Which closure is called.
        enum Action {
            /// The action that was made with the old value, as before iOS 17: what it has captured is of that time.
            case former((Value) -> Void)
            /// The action that was made with the new value.
            case present((Value, Value) -> Void)
        }

        let content: Content
        let value: Value
        let isInitial: Bool
        let action: Action

        private final class Last {
            var observer: ChangeObserver
            init(_ observer: ChangeObserver) { self.observer = observer }
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }

        func updated(in node: ViewNode) {
            guard let last = node.memory as? Last else {
                node.memory = Last(self)
                if isInitial { call(self, value, in: node) }
                return
            }
            let former = last.observer
            last.observer = self
            if former.value != value { call(former, former.value, in: node) }
        }

        @MainActor
        private func call(_ former: ChangeObserver, _ old: Value, in node: ViewNode) {
            let new = value
            node.graph.afterUpdate {
                switch (action, former.action) {
                case (.former, .former(let action)): action(new)
                case (.former(let action), _): action(new)
                case (.present(let action), _): action(old, new)
                }
            }
        }
    }

    extension ChangeObserver: View where Content: View { typealias Body = Never }
    extension ChangeObserver: Scene where Content: Scene { typealias Body = Never }

    extension View {
        /// Calls an action with the old and the new value of something that the view has read.
        ///
        /// Rule: Apple, "onChange(of:initial:_:)": it is called on the main actor, after the evaluation in which the
        /// value is another one; with `initial`, also when the view appears, with the same value twice. What the
        /// closure has captured is of the time of the new value.
        public func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
        ) -> some View {
            ChangeObserver(content: self, value: value, isInitial: initial, action: .present(action))
        }

        /// Calls an action when something that the view has read is another value. See the form with two parameters.
        public func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping () -> Void
        ) -> some View {
            ChangeObserver(content: self, value: value, isInitial: initial, action: .present { _, _ in action() })
        }

        /// Calls an action with the new value, in the form of iOS 14.
        ///
        /// Rule: Apple, "onChange(of:perform:)": what the closure has captured is of the time of the old value.
        public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some View
        {
            ChangeObserver(content: self, value: value, isInitial: false, action: .former(action))
        }
    }

    extension Scene {
        /// Calls an action with the old and the new value of something that the app has read, as the view's method
        /// does.
        public func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
        ) -> some Scene {
            ChangeObserver(content: self, value: value, isInitial: initial, action: .present(action))
        }

        /// Calls an action when something that the app has read is another value, as the view's method does.
        public func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping () -> Void
        ) -> some Scene {
            ChangeObserver(content: self, value: value, isInitial: initial, action: .present { _, _ in action() })
        }

        /// Calls an action with the new value, in the form of iOS 14, as the view's method does.
        public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some Scene
        {
            ChangeObserver(content: self, value: value, isInitial: false, action: .former(action))
        }
    }
#endif
