#if SimulatedApple
    import Observation
    import SimulatedAppleCore

    /// A place in the tree of views and scenes, to which state belongs.
    ///
    /// It exists as long as each evaluation has an element of the same type there.
    ///
    /// Rule: Apple, "Managing user interface state" and the session "Demystify SwiftUI": the identity of a view is its
    /// place in the structure, or the identifier that `ForEach` and `id(_:)` give it.
    @MainActor
    final class ViewNode {
        /// The identity of a node among the children of its parent.
        enum Key: Hashable {
            case index(Int)
            case branch(Bool)
            case id(AnyHashable)
        }

        /// The element of a child node, with its key.
        struct Part {
            var key = Key.index(0)
            var element: Any
            /// Whether the user sees the element; false in a tab that is not selected, and below a pushed view.
            var isShown = true
            /// Whether the element is presented in front of all pages, so that it is shown although a page below is
            /// covered or its tab is not selected.
            var isPresented = false
        }

        let graph: ViewGraph
        private let depth: Int
        private weak var parent: ViewNode?
        /// The index among the parent's children.
        private var position = 0
        /// The view, the scene or the app of the node.
        private(set) var element: Any
        private(set) var environment: EnvironmentValues
        private(set) var children: [ViewNode] = []
        private(set) var isInTree = true
        /// Whether the user sees the node.
        ///
        /// The node and all nodes above it must be shown, up to the nearest presented node. A presented node is shown
        /// whenever the tree is.
        private(set) var isShown: Bool
        private var hasAppeared = false
        /// Whether the user sees the node while the parent is shown.
        private var isFront: Bool
        private let isPresented: Bool
        /// The latest evaluation, which distinguishes the values that were read in it from those that were read before.
        private(set) var evaluation = Evaluation()
        /// The objects of the element's dynamic properties, by the offsets of the properties.
        var properties: [Int: AnyObject] = [:]
        /// The object that a primitive stores; `nil` before its first evaluation.
        var memory: AnyObject?

        private let key: Key
        private var sources: [Dependents] = []
        private var environmentReads: [(EnvironmentValues, EnvironmentValues) -> Bool] = []

        final class Evaluation: Sendable {}

        init(_ part: Part, in graph: ViewGraph, below parent: ViewNode?, environment: EnvironmentValues) {
            (key, element, isFront, isPresented) = (part.key, part.element, part.isShown, part.isPresented)
            isShown = part.isShown && (part.isPresented ? graph.isShown : parent?.isShown ?? graph.isShown)
            (self.graph, self.environment) = (graph, environment)
            (self.parent, depth) = (parent, parent.map { $0.depth + 1 } ?? 0)
            evaluate()
        }

        /// Returns whether the graph evaluates this node before another one of the tree.
        ///
        /// Parents come before children, and nodes of the same depth in the order of the screen.
        func precedes(_ other: ViewNode) -> Bool {
            guard depth == other.depth else { return depth < other.depth }
            var (first, second) = (self, other)
            while let above = first.parent, let beside = second.parent, above !== beside {
                (first, second) = (above, beside)
            }
            return first.position < second.position
        }

        // MARK: Evaluating

        /// Evaluates the body, and updates the child nodes.
        func evaluate() {
            graph.clean(self)
            forgetReads()
            let evaluation = Evaluation()
            self.evaluation = evaluation
            let parts = withObservationTracking {
                Evaluated.withNode(self) { currentParts() }
            } onChange: { [weak self] in
                if let self { graph.invalidate(self, readIn: evaluation) }
            }
            reconcile(parts)
            (element as? any Primitive)?.updated(in: self)
            noteAppearance()
        }

        private func currentParts() -> [Part] {
            if let primitive = element as? any Primitive { return primitive.parts(in: self) }
            if let view = element as? any UIViewRepresentable { return [view.representation(in: self)] }
            if let view = element as? any UIViewControllerRepresentable { return [view.representation(in: self)] }
            if let view = element as? any View { return [Part(element: body(of: view))] }
            if let scene = element as? any Scene { return [Part(element: body(of: scene))] }
            if let app = element as? any App { return [Part(element: body(of: app))] }
            fatalError("\(type(of: element)) is not a view, a scene or an app")
        }

        private func body<V: View>(of view: V) -> Any { installed(view).body }
        private func body<S: Scene>(of scene: S) -> Any { installed(scene).body }
        private func body<A: App>(of app: A) -> Any { installed(app).body }

        /// Returns the value with its dynamic properties connected to this node.
        func installed<Owner>(_ owner: Owner) -> Owner {
            var owner = owner
            DynamicProperties.install(in: &owner, of: self)
            return owner
        }

        private func reconcile(_ parts: [Part]) {
            let environment = environmentOfParts
            var old = Dictionary(children.map { ($0.key, $0) }) { first, _ in first }
            let former = children
            children = parts.map { part in
                if let node = old[part.key], type(of: node.element) == type(of: part.element) {
                    old[part.key] = nil
                    node.update(part.element, environment)
                    if node.isFront != part.isShown {
                        node.isFront = part.isShown
                        node.parentShows(isShown)
                    }
                    return node
                }
                return ViewNode(part, in: graph, below: self, environment: environment)
            }
            for (position, child) in children.enumerated() { child.position = position }
            let present = Set(children.map(ObjectIdentifier.init))
            for node in former where !present.contains(ObjectIdentifier(node)) { node.leave() }
        }

        /// Replaces the element after an evaluation of the parent; the body of an equal element is not evaluated again.
        func update(_ new: Any, _ environment: EnvironmentValues) {
            let isSame = Sameness.areSame(element, new)
            element = new
            if isSame { return pass(environment) }
            self.environment = environment
            evaluate()
        }

        /// Notes that the node is not in the tree any more.
        func leave() {
            guard isInTree else { return }
            isInTree = false
            for child in children { child.leave() }
            noteAppearance()
            (element as? any Primitive)?.removed(from: self)
            graph.clean(self)
            forgetReads()
        }

        // MARK: Appearance

        /// Shows or hides the node with its parent; the node keeps its state.
        func parentShows(_ isParentShown: Bool) {
            let wasShown = isShown
            isShown = isFront && (isPresented ? graph.isShown : isParentShown)
            if isShown, !wasShown { graph.reappears(self) }
            // A presented view below this node can appear or disappear even if this node does not, because it is shown
            // whenever the tree is.
            for child in children { child.parentShows(isShown) }
            noteAppearance()
        }

        /// Returns whether the node is `other` or below it.
        func isIn(_ other: ViewNode) -> Bool { sequence(first: self, next: \.parent).contains { $0 === other } }

        private func noteAppearance() {
            guard hasAppeared != (isShown && isInTree) else { return }
            hasAppeared.toggle()
            let primitive = element as? any Primitive
            if hasAppeared { primitive?.appeared(in: self) } else { primitive?.disappeared(in: self) }
        }

        // MARK: Dependencies

        /// Registers that the node must be evaluated again when `dependents` is invalidated.
        func depend(on dependents: Dependents) { sources.append(dependents) }

        /// Registers that the node must be evaluated again when `isChanged` returns true for two environments.
        func dependOnEnvironment(_ isChanged: @escaping (EnvironmentValues, EnvironmentValues) -> Bool) {
            environmentReads.append(isChanged)
        }

        private func forgetReads() {
            for source in sources { source.remove(self) }
            (sources, environmentReads) = ([], [])
        }

        /// Passes an environment to this node and the nodes below; only nodes that read a changed value are evaluated
        /// again.
        func pass(_ new: EnvironmentValues) {
            let old = environment
            environment = new
            if environmentReads.contains(where: { $0(old, new) }) { graph.invalidate(self) }
            let environment = environmentOfParts
            for child in children { child.pass(environment) }
        }

        private var environmentOfParts: EnvironmentValues {
            (element as? any Primitive)?.environment(from: environment) ?? environment
        }
    }

    /// The node whose body is being evaluated, which depends on everything that the body reads.
    ///
    /// It is not a task-local value, because tasks that a model's `init` creates would inherit it.
    enum Evaluated {
        // For `nonisolated(unsafe)`: it is read and changed on the main thread only.
        nonisolated(unsafe) private static var current: ViewNode?

        static var node: ViewNode? { MainThread.isCurrent ? current : nil }

        @MainActor
        static func withNode<Result>(_ node: ViewNode, _ body: () -> Result) -> Result {
            let outer = current
            defer { current = outer }
            current = node
            return body()
        }
    }

    /// A view or scene without a body, which returns its parts to the graph.
    protocol Primitive {
        /// Returns the elements inside; the node depends on everything that this method reads.
        @MainActor func parts(in node: ViewNode) -> [ViewNode.Part]
        /// Returns the environment of the elements inside.
        @MainActor func environment(from environment: EnvironmentValues) -> EnvironmentValues
        /// Called after each evaluation; code of the app must be called in ``ViewGraph/afterUpdate(_:)``.
        @MainActor func updated(in node: ViewNode)
        /// Called when the user begins to see the node, after the calls for the nodes inside.
        ///
        /// Code of the app must be called in ``ViewGraph/afterUpdate(_:)``.
        @MainActor func appeared(in node: ViewNode)
        /// Called when the user does not see the node any more, also before ``removed(from:)``.
        ///
        /// Code of the app must be called in ``ViewGraph/afterArrivals(of:_:)``.
        @MainActor func disappeared(in node: ViewNode)
        /// Called when the node is removed from the tree.
        ///
        /// Code of the app must be called in ``ViewGraph/afterArrivals(of:_:)``.
        @MainActor func removed(from node: ViewNode)
    }

    /// A primitive around one other view or scene.
    protocol Wrapper: Primitive {
        associatedtype Content
        var content: Content { get }
    }

    extension Wrapper {
        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }
        func environment(from environment: EnvironmentValues) -> EnvironmentValues { environment }
    }

    /// A primitive that only groups the views in it; a `TabView` makes a tab of each of them.
    protocol ViewList: Primitive {}

    /// A list of at most one view, which is a tab itself if the list is one.
    protocol OneOfViews: ViewList {}

    extension OneOfViews {
        func environment(from environment: EnvironmentValues) -> EnvironmentValues { environment }
    }

    extension Primitive {
        func parts(in node: ViewNode) -> [ViewNode.Part] { [] }
        /// Returns the environment for the views inside, of which none is a tab of its own.
        func environment(from environment: EnvironmentValues) -> EnvironmentValues {
            guard environment.tabMarks != nil else { return environment }
            var environment = environment
            environment.tabMarks = nil
            return environment
        }
        func updated(in node: ViewNode) {}
        func appeared(in node: ViewNode) {}
        func disappeared(in node: ViewNode) {}
        func removed(from node: ViewNode) {}
    }
#endif
