#if SimulatedApple
    /// A view that calls an action when its node enters or leaves the tree.
    private struct AppearanceObserver<Content: View>: View, Primitive {
        typealias Body = Never
        let content: Content
        var onAppear: (() -> Void)?
        var onDisappear: (() -> Void)?

        private final class Seen {}

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }

        func updated(in node: ViewNode) {
            guard node.memory == nil else { return }
            node.memory = Seen()
            if let onAppear { node.graph.afterUpdate(onAppear) }
        }

        func removed(from node: ViewNode) {
            if let onDisappear { node.graph.afterUpdate(onDisappear) }
        }
    }

    /// A view that runs a task while its node is in the tree.
    private struct TaskRunner<Content: View, ID: Equatable>: View, Primitive {
        typealias Body = Never
        let content: Content
        let id: ID
        let priority: TaskPriority
        let action: @Sendable () async -> Void

        private final class Running {
            var id: ID
            var task: Task<Void, Never>?
            init(_ id: ID) { self.id = id }
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }

        func updated(in node: ViewNode) {
            if let running = node.memory as? Running {
                guard running.id != id else { return }
                running.task?.cancel()
                running.id = id
                start(running, in: node)
            } else {
                let running = Running(id)
                node.memory = running
                start(running, in: node)
            }
        }

        private func start(_ running: Running, in node: ViewNode) {
            let (priority, action) = (priority, action)
            node.graph.afterUpdate { [weak node] in
                guard let node, node.isInTree else { return }
                running.task = Task(priority: priority) { await action() }
            }
        }

        func removed(from node: ViewNode) { (node.memory as? Running)?.task?.cancel() }
    }

    extension View {
        /// Calls an action when the view appears.
        ///
        /// Rule: Apple, "onAppear(perform:)". Here the actions of the views inside are called before that of the view
        /// itself. The view does not appear again when the app returns from the background.
        public func onAppear(perform action: (() -> Void)? = nil) -> some View {
            AppearanceObserver(content: self, onAppear: action)
        }

        /// Calls an action when the view disappears.
        ///
        /// Rule: Apple, "onDisappear(perform:)".
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
