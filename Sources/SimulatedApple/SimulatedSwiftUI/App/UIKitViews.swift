#if SimulatedApple
    import SimulatedAppleCore

    /// A view of UIKit inside a view of SwiftUI.
    ///
    /// The view of UIKit is created and updated, but its texts are not among the lines of the screen.
    ///
    /// Rule: Apple, "UIViewRepresentable".
    @preconcurrency @MainActor
    public protocol UIViewRepresentable: View where Body == Never {
        /// The type of the view.
        associatedtype UIViewType: UIView
        /// The type of an object that belongs to the view.
        associatedtype Coordinator = Void
        /// The coordinator and the environment of the view.
        typealias Context = UIViewRepresentableContext<Self>
        /// Creates the view, before its first update.
        func makeUIView(context: Context) -> UIViewType
        /// Updates the view after each evaluation.
        func updateUIView(_ uiView: UIViewType, context: Context)
        /// Called when the view leaves the graph.
        static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator)
        /// Creates the object that belongs to the view, before the view is created.
        func makeCoordinator() -> Coordinator
    }

    extension UIViewRepresentable where Coordinator == Void {
        /// Creates no object.
        public func makeCoordinator() {}
    }

    /// The coordinator and the environment of a view of UIKit.
    @preconcurrency @MainActor
    public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
        /// The object that belongs to the view.
        public let coordinator: Representable.Coordinator
        /// The environment at the view's place in the tree.
        public let environment: EnvironmentValues
    }

    extension UIViewRepresentable {
        /// Does nothing.
        public static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator) {}

        @MainActor
        func representation(in node: ViewNode) -> ViewNode.Part {
            let representable = node.installed(self)
            return ViewNode.Part(
                element: Representation(
                    makeCoordinator: representable.makeCoordinator,
                    make: { representable.makeUIView(context: Context(coordinator: $0, environment: $1)) },
                    update: {
                        representable.updateUIView($0, context: Context(coordinator: $1, environment: $2))
                    }, dismantle: Self.dismantleUIView))
        }
    }

    /// A controller of UIKit inside a view of SwiftUI.
    ///
    /// The controller is created and updated, but its texts are not among the lines of the screen.
    ///
    /// Rule: Apple, "UIViewControllerRepresentable".
    @preconcurrency @MainActor
    public protocol UIViewControllerRepresentable: View where Body == Never {
        /// The type of the controller.
        associatedtype UIViewControllerType: UIViewController
        /// The type of an object that belongs to the controller.
        associatedtype Coordinator = Void
        /// The coordinator and the environment of the controller.
        typealias Context = UIViewControllerRepresentableContext<Self>
        /// Creates the controller, before its first update.
        func makeUIViewController(context: Context) -> UIViewControllerType
        /// Updates the controller after each evaluation.
        func updateUIViewController(_ uiViewController: UIViewControllerType, context: Context)
        /// Called when the controller leaves the graph.
        static func dismantleUIViewController(_ uiViewController: UIViewControllerType, coordinator: Coordinator)
        /// Creates the object that belongs to the controller, before the controller is created.
        func makeCoordinator() -> Coordinator
    }

    extension UIViewControllerRepresentable where Coordinator == Void {
        /// Creates no object.
        public func makeCoordinator() {}
    }

    /// The coordinator and the environment of a controller of UIKit.
    @preconcurrency @MainActor
    public struct UIViewControllerRepresentableContext<Representable: UIViewControllerRepresentable> {
        /// The object that belongs to the controller.
        public let coordinator: Representable.Coordinator
        /// The environment at the controller's place in the tree.
        public let environment: EnvironmentValues
    }

    extension UIViewControllerRepresentable {
        /// Does nothing.
        public static func dismantleUIViewController(_ uiViewController: UIViewControllerType, coordinator: Coordinator)
        {}

        @MainActor
        func representation(in node: ViewNode) -> ViewNode.Part {
            let representable = node.installed(self)
            return ViewNode.Part(
                element: Representation(
                    makeCoordinator: representable.makeCoordinator,
                    make: { representable.makeUIViewController(context: Context(coordinator: $0, environment: $1)) },
                    update: {
                        representable.updateUIViewController($0, context: Context(coordinator: $1, environment: $2))
                    }, dismantle: Self.dismantleUIViewController))
        }
    }

    /// The node's element for a representable; it creates and updates the object of UIKit.
    private struct Representation<Object: AnyObject, Coordinator>: View, Primitive {
        typealias Body = Never
        let makeCoordinator: () -> Coordinator
        let make: (Coordinator, EnvironmentValues) -> Object
        let update: (Object, Coordinator, EnvironmentValues) -> Void
        let dismantle: (Object, Coordinator) -> Void

        private final class Made {
            let object: Object
            let coordinator: Coordinator

            init(object: Object, coordinator: Coordinator) { (self.object, self.coordinator) = (object, coordinator) }
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            let made = node.memory as? Made ?? makeObject(in: node)
            update(made.object, made.coordinator, node.environment)
            return []
        }

        @MainActor
        private func makeObject(in node: ViewNode) -> Made {
            let coordinator = makeCoordinator()
            let made = Made(object: make(coordinator, node.environment), coordinator: coordinator)
            node.memory = made
            return made
        }

        func appeared(in node: ViewNode) {
            guard let controller = (node.memory as? Made)?.object as? UIViewController else { return }
            node.graph.afterUpdate { controller.appear(in: nil, animated: false) }
        }

        func disappeared(in node: ViewNode) {
            guard let controller = (node.memory as? Made)?.object as? UIViewController else { return }
            node.graph.afterArrivals(of: node) { controller.disappear(animated: false) }
        }

        func removed(from node: ViewNode) {
            guard let made = node.memory as? Made else { return }
            node.graph.afterArrivals(of: node) { dismantle(made.object, made.coordinator) }
        }
    }

    /// A controller of UIKit that shows a view of SwiftUI.
    ///
    /// The view exists from the first appearance of the controller until the app releases the controller. It appears
    /// and disappears with the controller, and keeps its state meanwhile. Its scene's phase becomes `background` when
    /// the app enters the background, and `active` when the app becomes active; it is never `inactive`. In a navigation
    /// controller, the view's links push views in front of it.
    ///
    /// Rule: Apple, "UIHostingController".
    @preconcurrency @MainActor
    open class UIHostingController<Content: View>: UIViewController {
        /// The view.
        open var rootView: Content {
            didSet { if !observers.isEmpty { show() } }
        }

        private let graph = ViewGraph()
        private var observers: [any NSObjectProtocol] = []

        /// Creates a controller of a view.
        public init(rootView: Content) {
            self.rootView = rootView
            super.init(nibName: nil, bundle: nil)
        }

        /// Returns `nil`, because no storyboards are read here.
        public required init?(coder: NSCoder) { return nil }

        isolated deinit {
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
            graph.clear()
        }

        private var environment: EnvironmentValues {
            var environment = EnvironmentValues()
            environment.isSceneConnected = true
            environment.scenePhase = UIApplication.shared.applicationState == .background ? .background : .active
            return environment
        }

        override open func viewDidAppear(_ animated: Bool) {
            super.viewDidAppear(animated)
            if observers.isEmpty { connect() }
            show()
            graph.setShown(true)
        }

        override open func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            graph.setShown(false)
        }

        private func show() {
            graph.show(
                HostedView(content: rootView, isInStack: navigationController != nil), environment: environment)
        }

        private func connect() {
            graph.warn = SimulatedPhone.process.host.warn
            view.contents = HeadlessScreen(graph)
            let names = [UIApplication.didBecomeActiveNotification, UIApplication.didEnterBackgroundNotification]
            observers = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
                    MainActor.assumeIsolated {
                        if let self { self.graph.setEnvironment(self.environment) }
                    }
                }
            }
        }
    }

    /// The view of a controller; it is the root of a stack if the controller is in a navigation stack.
    private struct HostedView<Content: View>: View, Primitive {
        typealias Body = Never
        let content: Content
        let isInStack: Bool

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            PushedViews.parts(of: content, in: node, isStack: isInStack)
        }
    }
#endif
