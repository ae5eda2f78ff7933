#if SimulatedApple
    import ApusTimers
    import Dispatch

    /// The tree of an app's views and scenes, and what of it is to be evaluated again.
    ///
    /// The graph evaluates everything that has changed in the next turn of the main queue: parents before children, and
    /// views of one depth in the order of the screen, so that each launch logs the same. Then it calls the actions that
    /// follow (`onAppear`, `onChange` …), and evaluates in the same turn what those have changed.
    @MainActor
    package final class ViewGraph {
        private struct Dirt {
            var nodes: [ObjectIdentifier: (node: ViewNode, readIn: ViewNode.Evaluation?)] = [:]
            var isScheduled = false
        }

        /// How often actions may change what they are called for in one turn. Then the rest waits for the next one.
        private static let rounds = 100

        private let dirt = Locked(Dirt())
        private let schedule: @Sendable (@escaping @MainActor @Sendable () -> Void) -> Void
        private var root: ViewNode?
        private var actions: [() -> Void] = []
        private var isUpdating = false

        /// - Parameter schedule: Calls its argument on the main thread, later.
        package init(
            schedule: @escaping @Sendable (@escaping @MainActor @Sendable () -> Void) -> Void = { work in
                DispatchQueue.main.async { MainActor.assumeIsolated(work) }
            }
        ) { self.schedule = schedule }

        /// Shows a view, a scene or an app.
        package func show(_ element: Any, environment: EnvironmentValues = EnvironmentValues()) {
            update {
                root = ViewNode(ViewNode.Part(element: element), in: self, below: nil, environment: environment)
            }
        }

        /// Replaces the environment, and evaluates what depends on it, at once.
        package func setEnvironment(_ environment: EnvironmentValues) { update { root?.pass(environment) } }

        /// Evaluates what is to be evaluated, and calls the actions.
        package func update() { update {} }

        private func update(after change: () -> Void) {
            // Called by an action: the update in progress sees the change.
            guard !isUpdating else { return change() }
            isUpdating = true
            // Until its end no turn has to be scheduled.
            dirt.withLock { $0.isScheduled = true }
            change()
            var round = 0
            repeat {
                while let node = nextDirtyNode() { node.evaluate() }
                let present = actions
                actions = []
                for action in present { action() }
                round += 1
            } while isWorkLeft && round < Self.rounds
            isUpdating = false
            dirt.withLock { $0.isScheduled = false }
            if isWorkLeft { scheduleUpdate() }
        }

        private var isWorkLeft: Bool { !actions.isEmpty || dirt.withLock { !$0.nodes.isEmpty } }

        /// Calls `action` when all that is dirty was evaluated.
        func afterUpdate(_ action: @escaping () -> Void) {
            actions.append(action)
            scheduleUpdate()
        }

        /// All nodes, parents before their children, in the order on the screen.
        func visit(_ look: (ViewNode) -> Bool) {
            func visit(_ node: ViewNode) { if look(node) { node.children.forEach(visit) } }
            if let root { visit(root) }
        }

        // MARK: What is dirty

        /// From any thread. With `readIn`, only if that is still the node's evaluation.
        nonisolated func invalidate(_ node: ViewNode, readIn evaluation: ViewNode.Evaluation? = nil) {
            dirt.withLock { dirt in
                let old = dirt.nodes[ObjectIdentifier(node)]
                if old == nil || old?.readIn != nil { dirt.nodes[ObjectIdentifier(node)] = (node, evaluation) }
            }
            scheduleUpdate()
        }

        func clean(_ node: ViewNode) {
            let old = dirt.withLock { $0.nodes.removeValue(forKey: ObjectIdentifier(node)) }
            withExtendedLifetime(old) {}
        }

        private func nextDirtyNode() -> ViewNode? {
            while true {
                let all = dirt.withLock { Array($0.nodes.values) }
                for dirty in all where !dirty.node.isInTree { clean(dirty.node) }
                guard let next = all.filter(\.node.isInTree).min(by: { $0.node.precedes($1.node) }) else { return nil }
                clean(next.node)
                let isStale = next.readIn.map { $0 !== next.node.evaluation } ?? false
                if !isStale { return next.node }
            }
        }

        nonisolated private func scheduleUpdate() {
            let isNew = dirt.withLock { dirt in
                defer { dirt.isScheduled = true }
                return !dirt.isScheduled
            }
            if isNew { schedule { [weak self] in self?.update() } }
        }
    }
#endif
