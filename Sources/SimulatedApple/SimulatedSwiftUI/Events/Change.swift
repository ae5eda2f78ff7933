#if SimulatedApple
    /// A view or scene that calls an action when a value differs from that of the previous evaluation.
    struct ChangeObserver<Content, Value: Equatable>: Wrapper {
        /// The closure that is called.
        enum Action {
            /// A closure that receives the new value, in the form before iOS 17.
            ///
            /// The closure that is called comes from the evaluation with the old value, so it has the values that it
            /// captured then.
            case former((Value) -> Void)
            /// A closure that receives the old and the new value.
            ///
            /// The closure that is called comes from the evaluation with the new value.
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
        /// Calls an action with the old and the new value when a value that the view reads changes.
        ///
        /// Rule: Apple, "onChange(of:initial:_:)": the action is called on the main actor, after the evaluation with
        /// the new value. With `initial`, it is also called when the view appears, and receives the same value twice.
        /// The closure that is called is the one from the evaluation with the new value, so it has the values that it
        /// captured then.
        public func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
        ) -> some View {
            ChangeObserver(content: self, value: value, isInitial: initial, action: .present(action))
        }

        /// Calls an action when a value that the view reads changes; see the form with two parameters.
        public func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping () -> Void
        ) -> some View {
            ChangeObserver(content: self, value: value, isInitial: initial, action: .present { _, _ in action() })
        }

        /// Calls an action with the new value, in the form of iOS 14.
        ///
        /// Rule: Apple, "onChange(of:perform:)": the closure that is called comes from the evaluation with the old
        /// value, so it has the values that it captured then.
        public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some View
        {
            ChangeObserver(content: self, value: value, isInitial: false, action: .former(action))
        }
    }

    extension Scene {
        /// Calls an action with the old and the new value when a value that the app reads changes, as the method of
        /// views does.
        public func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
        ) -> some Scene {
            ChangeObserver(content: self, value: value, isInitial: initial, action: .present(action))
        }

        /// Calls an action when a value that the app reads changes, as the method of views does.
        public func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping () -> Void
        ) -> some Scene {
            ChangeObserver(content: self, value: value, isInitial: initial, action: .present { _, _ in action() })
        }

        /// Calls an action with the new value, in the form of iOS 14, as the method of views does.
        public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some Scene
        {
            ChangeObserver(content: self, value: value, isInitial: false, action: .former(action))
        }
    }
#endif
