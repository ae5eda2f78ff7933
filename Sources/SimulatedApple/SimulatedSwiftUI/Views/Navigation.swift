#if SimulatedApple
    /// A stack of views: the root, and the views that are pushed in front of it.
    ///
    /// The user sees the view in front. A covered view keeps its state, and appears again when the view in front of it
    /// is popped.
    ///
    /// Rule: Apple, "NavigationStack".
    public struct NavigationStack<Root: View>: View, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        private let root: Root

        /// Creates a stack with its root view.
        public init(@ViewBuilder root: () -> Root) { self.root = root() }

        func parts(in node: ViewNode) -> [ViewNode.Part] { PushedViews.parts(of: root, in: node) }
    }

    /// A stack of views in the form before iOS 16: the root, and the views that links push in front of it.
    ///
    /// Rule: Apple, "NavigationView".
    public struct NavigationView<Content: View>: View, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        private let content: Content

        /// Creates a stack with its root view.
        public init(@ViewBuilder content: () -> Content) { self.content = content() }

        func parts(in node: ViewNode) -> [ViewNode.Part] { PushedViews.parts(of: content, in: node) }
    }

    /// The views that are pushed in one stack, from back to front.
    @MainActor
    final class PushedViews {
        private weak var stack: ViewNode?
        private var pages: [PushedPage] = []

        private init(_ stack: ViewNode) { self.stack = stack }

        /// Returns the parts of a stack, which are the root and the pushed views; only the last part is shown.
        ///
        /// If `isStack` is false, nothing can be pushed; the root keeps its state when that changes.
        static func parts(of root: Any, in stack: ViewNode, isStack: Bool = true) -> [ViewNode.Part] {
            let views = stack.memory as? PushedViews ?? PushedViews(stack)
            stack.memory = views
            let base = StackLayer(views: isStack ? views : nil, root: root, page: nil)
            return [ViewNode.Part(element: base, isShown: views.pages.isEmpty)]
                + views.pages.map { page in
                    ViewNode.Part(
                        key: .id(ObjectIdentifier(page)), element: StackLayer(views: views, root: nil, page: page),
                        isShown: page === views.pages.last)
                }
        }

        /// Pushes a view for a presenter, or replaces the view that is pushed for it; if `element` is `nil`, pops that
        /// view.
        func show(_ element: Any?, for presenter: ViewNode, dismiss: @escaping () -> Void = {}) {
            let index = pages.firstIndex { $0.presenter === presenter }
            switch (index, element) {
            case (let index?, let element?): pages[index].element.value = element
            case (nil, let element?): pages.append(PushedPage(element, presenter, dismiss))
            case (let index?, nil): pages.remove(at: index)
            case (nil, nil): return
            }
            // If a pushed view only gets new content, the stack is not evaluated: its views are the same as before.
            if index == nil || element == nil, let stack { stack.graph.invalidate(stack) }
        }
    }

    @MainActor
    private final class PushedPage {
        let presenter: ViewNode
        let element: StateBox<Any>
        let dismiss: DismissAction

        init(_ element: Any, _ presenter: ViewNode, _ dismiss: @escaping () -> Void) {
            (self.presenter, self.element) = (presenter, StateBox(element))
            self.dismiss = DismissAction(action: dismiss)
        }
    }

    /// The root or a pushed view of a stack.
    private struct StackLayer: View, Primitive {
        typealias Body = Never
        let views: PushedViews?
        let root: Any?
        let page: PushedPage?

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            (page?.element.value ?? root).map { [ViewNode.Part(element: $0)] } ?? []
        }

        func environment(from environment: EnvironmentValues) -> EnvironmentValues {
            var environment = environment
            environment.pushedViews = views
            if let page {
                environment.dismissAction = page.dismiss
                environment.closesAlert = nil
                environment.tap = nil
            }
            return environment
        }
    }

    /// A view that pushes another one while a value is true.
    private struct Pusher<Content: View>: View, Wrapper {
        typealias Body = Never
        let content: Content
        let isPresented: Binding<Bool>
        let destination: () -> Any

        private final class Warned {}

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            let element = isPresented.wrappedValue ? destination() : nil
            if let views = node.environment.pushedViews {
                views.show(element, for: node) { isPresented.wrappedValue = false }
            } else if element != nil, node.memory == nil {
                node.memory = Warned()
                node.graph.warn("a navigationDestination outside of a NavigationStack shows nothing")
            }
            return [ViewNode.Part(element: content)]
        }

        func removed(from node: ViewNode) { node.environment.pushedViews?.show(nil, for: node) }
    }

    private struct PushedViewsKey: EnvironmentKey { static var defaultValue: PushedViews? { nil } }

    extension EnvironmentValues {
        /// The pushed views of the stack that contains the view; `nil` outside of a stack.
        var pushedViews: PushedViews? {
            get { self[PushedViewsKey.self] }
            set { self[PushedViewsKey.self] = newValue }
        }
    }

    extension View {
        /// Pushes a view while a value is true.
        ///
        /// Rule: Apple, "navigationDestination(isPresented:destination:)". Outside of a stack nothing is shown, and the
        /// device's log has a warning.
        public func navigationDestination<Content: View>(
            isPresented: Binding<Bool>, @ViewBuilder destination: @escaping () -> Content
        ) -> some View { Pusher(content: self, isPresented: isPresented, destination: destination) }
    }

    /// A button that pushes a view; outside of a stack it is disabled.
    ///
    /// Rule: Apple, "NavigationLink".
    public struct NavigationLink<Title: View, Destination: View>: View {
        @State private var isActive = false
        @Environment(\.pushedViews) private var pushedViews
        private let label: Title
        private let destination: () -> Destination

        /// Creates a link with a label.
        public init(@ViewBuilder destination: @escaping () -> Destination, @ViewBuilder label: () -> Title) {
            (self.label, self.destination) = (label(), destination)
        }

        /// Creates a link with a label.
        public init(destination: Destination, @ViewBuilder label: () -> Title) {
            (self.label, self.destination) = (label(), { destination })
        }

        /// The label, and the destination after a press.
        public var body: some View {
            let label = label
            return Button {
                isActive = true
            } label: {
                label
            }.disabled(pushedViews == nil).navigationDestination(isPresented: $isActive, destination: destination)
        }
    }

    extension NavigationLink where Title == Text {
        /// Creates a link with a title.
        public init(_ title: LocalizedStringKey, @ViewBuilder destination: @escaping () -> Destination) {
            (label, self.destination) = (Text(title), destination)
        }

        /// Creates a link with a title.
        public init(_ title: LocalizedStringKey, destination: Destination) {
            (label, self.destination) = (Text(title), { destination })
        }
    }
#endif
