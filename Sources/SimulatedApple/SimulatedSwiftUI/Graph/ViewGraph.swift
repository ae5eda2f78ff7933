#if SimulatedApple
    import ApusTimers
    import Dispatch

    /// The tree of an app's views and scenes, with the nodes that must be evaluated again.
    ///
    /// The graph evaluates all changes in the next turn of the main queue: parents before children, and views of the
    /// same depth in the order of the screen, so that each launch writes the same log. It then calls the resulting
    /// actions (`onAppear`, `onChange` …), and those of views that disappear after all others, wherever the views are.
    /// A view that appears again before that is an exception: its actions are called in the order of its appearances.
    /// In the same turn, the graph evaluates the changes that these actions make.
    @MainActor
    package final class ViewGraph {
        private struct Dirt {
            var nodes: [ObjectIdentifier: (node: ViewNode, readIn: ViewNode.Evaluation?)] = [:]
            var isScheduled = false
        }

        /// The maximum number of rounds of evaluations and actions in one turn; further changes wait for the next turn.
        private static let rounds = 100

        private let dirt = Locked(Dirt())
        private let schedule: @Sendable (@escaping @MainActor @Sendable () -> Void) -> Void
        private var root: ViewNode?
        private var actions: [() -> Void] = []
        /// The actions that follow all `actions` of the same round.
        private var departures: [(node: ViewNode, action: () -> Void)] = []
        private var isUpdating = false
        /// The views that are presented in front of the root.
        let presentations = PresentationLine()
        /// Whether the user sees the tree.
        private(set) var isShown = true
        /// Writes a warning about a mistake of the app; without a phone there is no log.
        package var warn: (String) -> Void = { _ in }

        /// Creates an empty graph.
        ///
        /// - Parameter schedule: Calls its argument on the main thread, later.
        package init(
            schedule: @escaping @Sendable (@escaping @MainActor @Sendable () -> Void) -> Void = { work in
                DispatchQueue.main.async { MainActor.assumeIsolated(work) }
            }
        ) { self.schedule = schedule }

        /// Shows a view, a scene or an app as the root; the tree keeps its state if the previous root had the same
        /// type.
        package func show(_ element: Any, environment: EnvironmentValues = EnvironmentValues()) {
            update {
                if let root, type(of: root.element) == type(of: element) { return root.update(element, environment) }
                root?.leave()
                root = ViewNode(ViewNode.Part(element: element), in: self, below: nil, environment: environment)
            }
        }

        /// Shows or hides the tree, whose views keep their state.
        package func setShown(_ isShown: Bool) {
            self.isShown = isShown
            update { root?.parentShows(isShown) }
        }

        /// Removes the tree.
        func clear() {
            update {
                root?.leave()
                root = nil
            }
        }

        /// Replaces the environment, and immediately evaluates the views that depend on it.
        package func setEnvironment(_ environment: EnvironmentValues) { update { root?.pass(environment) } }

        /// Evaluates all changes, and calls the resulting actions.
        package func update() { update {} }

        private func update(after change: () -> Void) {
            // If an action calls this method, the update in progress includes the change.
            guard !isUpdating else { return change() }
            isUpdating = true
            // The update in progress includes all changes, so no turn has to be scheduled.
            dirt.withLock { $0.isScheduled = true }
            change()
            var round = 0
            repeat {
                while let node = nextDirtyNode() { node.evaluate() }
                let present = actions + departures.map(\.action)
                (actions, departures) = ([], [])
                for action in present { action() }
                round += 1
            } while isWorkLeft && round < Self.rounds
            isUpdating = false
            dirt.withLock { $0.isScheduled = false }
            if isWorkLeft { scheduleUpdate() }
        }

        private var isWorkLeft: Bool { !actions.isEmpty || !departures.isEmpty || dirt.withLock { !$0.nodes.isEmpty } }

        /// Calls `action` after the evaluation of all changed nodes.
        func afterUpdate(_ action: @escaping () -> Void) {
            actions.append(action)
            scheduleUpdate()
        }

        /// Calls `action` after the evaluation of all changed nodes and the actions that result from it.
        ///
        /// The actions of disappearing views are called in this way, unless the node appears again before.
        func afterArrivals(of node: ViewNode, _ action: @escaping () -> Void) {
            departures.append((node, action))
            scheduleUpdate()
        }

        /// Moves the pending actions of disappearances in a node before those of the node's new appearance.
        func reappears(_ node: ViewNode) {
            actions += departures.filter { $0.node.isIn(node) }.map(\.action)
            departures.removeAll { $0.node.isIn(node) }
        }

        /// Visits the nodes, parents before their children, in the order of the screen.
        ///
        /// The children of a node are visited if `look` returns true.
        func visit(_ look: (ViewNode) -> Bool) {
            func visit(_ node: ViewNode) { if look(node) { node.children.forEach(visit) } }
            if let root { visit(root) }
        }

        // MARK: Changed nodes

        /// Marks a node for evaluation; may be called from any thread.
        ///
        /// If `evaluation` is given, the mark counts only as long as it is the node's latest evaluation.
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
