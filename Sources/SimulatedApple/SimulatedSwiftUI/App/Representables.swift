#if SimulatedApple
    /// A view of UIKit in a view of SwiftUI: it is created and updated, and its texts are not among the lines of the
    /// screen.
    ///
    /// Rule: Apple, "UIViewRepresentable".
    @preconcurrency @MainActor
    public protocol UIViewRepresentable: View where Body == Never {
        /// The type of the view.
        associatedtype UIViewType: UIView
        /// The type of an object that belongs to the view.
        associatedtype Coordinator = Void
        /// The context of the view: its coordinator and its environment.
        typealias Context = UIViewRepresentableContext<Self>
        /// Creates the view, before its first update.
        func makeUIView(context: Context) -> UIViewType
        /// Updates the view after each evaluation.
        func updateUIView(_ uiView: UIViewType, context: Context)
        /// Creates the object that belongs to the view, before the view itself is created.
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
        /// The environment of the view.
        public let environment: EnvironmentValues
    }

    extension UIViewRepresentable {
        /// Creates or updates the view; there are no views of SwiftUI inside.
        @MainActor
        func update(in node: ViewNode) -> [ViewNode.Part] {
            let representable = node.installed(self)
            let made = (node.memory as? Made<UIViewType, Coordinator>)
            let coordinator = made?.coordinator ?? representable.makeCoordinator()
            let context = Context(coordinator: coordinator, environment: node.environment)
            let view = made?.object ?? representable.makeUIView(context: context)
            node.memory = Made(object: view, coordinator: coordinator)
            representable.updateUIView(view, context: context)
            return []
        }
    }

    /// A controller of UIKit in a view of SwiftUI: it is created and updated, and its texts are not among the lines of the
    /// screen.
    ///
    /// Rule: Apple, "UIViewControllerRepresentable".
    @preconcurrency @MainActor
    public protocol UIViewControllerRepresentable: View where Body == Never {
        /// The type of the controller.
        associatedtype UIViewControllerType: UIViewController
        /// The type of an object that belongs to the controller.
        associatedtype Coordinator = Void
        /// The context of the controller: its coordinator and its environment.
        typealias Context = UIViewControllerRepresentableContext<Self>
        /// Creates the controller, before its first update.
        func makeUIViewController(context: Context) -> UIViewControllerType
        /// Updates the controller after each evaluation.
        func updateUIViewController(_ uiViewController: UIViewControllerType, context: Context)
        /// Creates the object that belongs to the controller, before the controller itself is created.
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
        /// The environment of the controller.
        public let environment: EnvironmentValues
    }

    extension UIViewControllerRepresentable {
        /// Creates or updates the controller; there are no views of SwiftUI inside.
        @MainActor
        func update(in node: ViewNode) -> [ViewNode.Part] {
            let representable = node.installed(self)
            let made = (node.memory as? Made<UIViewControllerType, Coordinator>)
            let coordinator = made?.coordinator ?? representable.makeCoordinator()
            let context = Context(coordinator: coordinator, environment: node.environment)
            let controller = made?.object ?? representable.makeUIViewController(context: context)
            node.memory = Made(object: controller, coordinator: coordinator)
            representable.updateUIViewController(controller, context: context)
            return []
        }
    }

    /// An object of UIKit that a node has created.
    private final class Made<Object, Coordinator> {
        let object: Object
        let coordinator: Coordinator

        init(object: Object, coordinator: Coordinator) { (self.object, self.coordinator) = (object, coordinator) }
    }
#endif
