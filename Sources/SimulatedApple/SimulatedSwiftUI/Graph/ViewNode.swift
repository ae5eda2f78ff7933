#if SimulatedApple
    import Observation
    import SimulatedAppleCore

    /// A place in the tree of views and scenes. It lives as long as each evaluation has something of the same type
    /// there, and state belongs to it.
    ///
    /// Rule: Apple, "Managing user interface state" and the session "Demystify SwiftUI": the identity of a view is its
    /// place in the structure, or the identifier that `ForEach` and `id(_:)` give it.
    @MainActor
    final class ViewNode {
        /// Which of its parent's parts it is.
        enum Key: Hashable {
            case index(Int)
            case branch(Bool)
            case id(AnyHashable)
        }

        /// Something that lies in a node.
        struct Part {
            var key = Key.index(0)
            var element: Any
        }

        let graph: ViewGraph
        private let depth: Int
        private weak var parent: ViewNode?
        /// Which of its parent's children it is.
        private var position = 0
        /// The view, the scene or the app.
        private(set) var element: Any
        private(set) var environment: EnvironmentValues
        private(set) var children: [ViewNode] = []
        private(set) var isInTree = true
        /// The present evaluation, by which what was read in it differs from what was read before.
        private(set) var evaluation = Evaluation()
        /// What belongs to the dynamic properties of the element, by their offsets.
        var properties: [Int: AnyObject] = [:]
        /// What belongs to a primitive; nil before its first evaluation.
        var memory: AnyObject?

        private let key: Key
        private var sources: [Dependents] = []
        private var environmentReads: [(EnvironmentValues, EnvironmentValues) -> Bool] = []

        final class Evaluation: Sendable {}

        init(_ part: Part, in graph: ViewGraph, below parent: ViewNode?, environment: EnvironmentValues) {
            (key, element) = (part.key, part.element)
            (self.graph, self.environment) = (graph, environment)
            (self.parent, depth) = (parent, parent.map { $0.depth + 1 } ?? 0)
            evaluate()
        }

        /// Returns whether the graph evaluates this node before another one of the tree: parents come before children, and
        /// nodes of one depth in the order of the screen.
        func precedes(_ other: ViewNode) -> Bool {
            guard depth == other.depth else { return depth < other.depth }
            var (first, second) = (self, other)
            while let above = first.parent, let beside = second.parent, above !== beside {
                (first, second) = (above, beside)
            }
            return first.position < second.position
        }

        // MARK: Evaluating

        /// Evaluates the body, and brings the parts in line with it.
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
        }

        private func currentParts() -> [Part] {
            if let primitive = element as? any Primitive { return primitive.parts(in: self) }
            if let view = element as? any View { return [Part(element: body(of: view))] }
            if let scene = element as? any Scene { return [Part(element: body(of: scene))] }
            if let app = element as? any App { return [Part(element: body(of: app))] }
            preconditionFailure("\(type(of: element)) is no view, scene or app")
        }

        private func body<V: View>(of view: V) -> Any { installed(view).body }
        private func body<S: Scene>(of scene: S) -> Any { installed(scene).body }
        private func body<A: App>(of app: A) -> Any { installed(app).body }

        /// The value with its dynamic properties connected to this node.
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
                    return node
                }
                return ViewNode(part, in: graph, below: self, environment: environment)
            }
            for (position, child) in children.enumerated() { child.position = position }
            let present = Set(children.map(ObjectIdentifier.init))
            for node in former where !present.contains(ObjectIdentifier(node)) { node.leave() }
        }

        /// The parent was evaluated. A view that is the same as before keeps its body.
        private func update(_ new: Any, _ environment: EnvironmentValues) {
            let isSame = Sameness.areSame(element, new)
            element = new
            if isSame { return pass(environment) }
            self.environment = environment
            evaluate()
        }

        private func leave() {
            guard isInTree else { return }
            isInTree = false
            for child in children { child.leave() }
            (element as? any Primitive)?.removed(from: self)
            graph.clean(self)
            forgetReads()
        }

        // MARK: What it depends on

        /// Evaluated again when `dependents` says so.
        func depend(on dependents: Dependents) { sources.append(dependents) }

        /// Evaluated again when the environment changes in what `isChanged` compares.
        func dependOnEnvironment(_ isChanged: @escaping (EnvironmentValues, EnvironmentValues) -> Bool) {
            environmentReads.append(isChanged)
        }

        private func forgetReads() {
            for source in sources { source.remove(self) }
            (sources, environmentReads) = ([], [])
        }

        /// Passes an environment on to everything below. Only what reads a changed value is evaluated again.
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

    /// The node whose body is evaluated: what it reads, it depends on.
    ///
    /// A task-local value would not do, because tasks that are made by a model's `init` would inherit it.
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

    /// A view or scene without a body: the graph asks it for its parts.
    protocol Primitive {
        /// What lies in it. What is read meanwhile, the node depends on.
        @MainActor func parts(in node: ViewNode) -> [ViewNode.Part]
        /// The environment of its parts.
        @MainActor func environment(from environment: EnvironmentValues) -> EnvironmentValues
        /// Called after each evaluation. Code of the app belongs into ``ViewGraph/afterUpdate(_:)``.
        @MainActor func updated(in node: ViewNode)
        /// Called when the node is not in the tree any more.
        @MainActor func removed(from node: ViewNode)
    }

    extension Primitive {
        func parts(in node: ViewNode) -> [ViewNode.Part] { [] }
        func environment(from environment: EnvironmentValues) -> EnvironmentValues { environment }
        func updated(in node: ViewNode) {}
        func removed(from node: ViewNode) {}
    }
#endif
