#if SimulatedApple
    /// A view that calls an action when it appears or disappears.
    private struct AppearanceObserver<Content: View>: View, Wrapper {
        typealias Body = Never
        let content: Content
        var onAppear: (() -> Void)?
        var onDisappear: (() -> Void)?

        func appeared(in node: ViewNode) { if let onAppear { node.graph.afterUpdate(onAppear) } }
        func disappeared(in node: ViewNode) { if let onDisappear { node.graph.afterArrivals(of: node, onDisappear) } }
    }

    /// A view that runs a task when it appears, and cancels the task when it disappears.
    private struct TaskRunner<Content: View, ID: Equatable>: View, Wrapper {
        typealias Body = Never
        let content: Content
        let id: ID
        let priority: TaskPriority
        let action: @Sendable () async -> Void

        private final class Running {
            let id: ID
            var task: Task<Void, Never>?
            init(_ id: ID) { self.id = id }
        }

        func updated(in node: ViewNode) {
            guard let running = node.memory as? Running, running.id != id else { return }
            running.task?.cancel()
            appeared(in: node)
        }

        func appeared(in node: ViewNode) {
            let running = Running(id)
            node.memory = running
            let (priority, action) = (priority, action)
            node.graph.afterUpdate { [weak node] in
                if node?.memory === running { running.task = Task(priority: priority) { await action() } }
            }
        }

        func disappeared(in node: ViewNode) {
            (node.memory as? Running)?.task?.cancel()
            node.memory = nil
        }
    }

    extension View {
        /// Calls an action when the view appears.
        ///
        /// Rule: Apple, "onAppear(perform:)". Here the actions of the views inside are called before that of the view
        /// itself. A view appears again when a view that was pushed in front of it is popped, or its tab is selected. It
        /// does not appear again when the app returns from the background.
        public func onAppear(perform action: (() -> Void)? = nil) -> some View {
            AppearanceObserver(content: self, onAppear: action)
        }

        /// Calls an action when the view disappears.
        ///
        /// Rule: Apple, "onDisappear(perform:)". When views replace others, by a push, a pop or a selected tab too, the
        /// views that appear come first.
        public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
            AppearanceObserver(content: self, onDisappear: action)
        }

        /// Runs a task when the view appears, and cancels it when the view disappears.
        ///
        /// Rule: Apple, "task(priority:_:)". The task is not cancelled when the app goes to the background.
        public func task(
            priority: TaskPriority = .userInitiated,
            @_inheritActorContext _ action: @escaping @Sendable () async -> Void
        ) -> some View {
            TaskRunner(content: self, id: 0, priority: priority, action: action)
        }

        /// Runs a task when the view appears, and starts another one whenever `value` has changed.
        ///
        /// The previous task is then cancelled. Rule: Apple, "task(id:priority:_:)".
        public func task<T: Equatable>(
            id value: T, priority: TaskPriority = .userInitiated,
            @_inheritActorContext _ action: @escaping @Sendable () async -> Void
        ) -> some View {
            TaskRunner(content: self, id: value, priority: priority, action: action)
        }
    }
#endif
