#if SimulatedApple
    /// Something to press. Rule: Apple, "Button".
    public struct Button<Title: View>: View, ScreenItem {
        /// None; the graph knows it.
        public typealias Body = Never
        private let label: Title
        private let action: () -> Void

        /// A button with any label.
        public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Title) {
            (self.label, self.action) = (label(), action)
        }

        /// A button with any label; the role has no effect.
        public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Title) {
            (self.label, self.action) = (label(), action)
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: label)] }
        func press(in node: ViewNode) -> (() -> Void)? { action }
    }

    extension Button where Title == Text {
        /// A button with a title.
        public init(_ title: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
            (label, self.action) = (Text(title), action)
        }

        /// A button with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
            (label, self.action) = (Text(title), action)
        }
    }

    extension Button where Title == Label<Text, Image> {
        /// A button with a title and a symbol.
        public init(_ title: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void) {
            (label, self.action) = (Label(title, systemImage: systemImage), action)
        }
    }

    /// A switch. Its line is the title and `on` or `off`. Rule: Apple, "Toggle".
    public struct Toggle<Title: View>: View, ScreenItem {
        /// None; the graph knows it.
        public typealias Body = Never
        private let label: Title
        private let isOn: Binding<Bool>

        /// A switch with any label.
        public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Title) { (self.label, self.isOn) = (label(), isOn) }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: label)] }
        func line(in node: ViewNode) -> String { "\(title(in: node)): \(isOn.wrappedValue ? "on" : "off")" }
        func press(in node: ViewNode) -> (() -> Void)? { { isOn.wrappedValue.toggle() } }
    }

    extension Toggle where Title == Text {
        /// A switch with a title.
        public init(_ title: LocalizedStringKey, isOn: Binding<Bool>) { (label, self.isOn) = (Text(title), isOn) }

        /// A switch with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, isOn: Binding<Bool>) { (label, self.isOn) = (Text(title), isOn) }
    }

    /// A field to type into. Its line is what is in it, or its title while there is nothing. Rule: Apple, "TextField".
    /// Nothing is typed here; the app's own code sets the binding.
    public struct TextField<Title: View>: View, ScreenItem {
        /// None; the graph knows it.
        public typealias Body = Never
        private let label: Title
        private let text: Binding<String>

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: label)] }
        func line(in node: ViewNode) -> String { text.wrappedValue.isEmpty ? title(in: node) : text.wrappedValue }
    }

    extension TextField where Title == Text {
        /// A field with a title.
        public init(_ title: LocalizedStringKey, text: Binding<String>) { (label, self.text) = (Text(title), text) }
    }

    /// Views one of which is in front of the others. Rule: Apple, "NavigationStack".
    public struct NavigationStack<Root: View>: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        private let root: Root

        /// The view that is there at first.
        public init(@ViewBuilder root: () -> Root) { self.root = root() }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: root)] }
    }

    /// Views one of which is in front of the others, before iOS 16. Rule: Apple, "NavigationView".
    public struct NavigationView<Content: View>: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        private let content: Content

        /// The view that is there at first.
        public init(@ViewBuilder content: () -> Content) { self.content = content() }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }
    }
#endif
