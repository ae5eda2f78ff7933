#if SimulatedApple
    /// A control that calls an action when it is pressed.
    ///
    /// Rule: Apple, "Button".
    public struct Button<Title: View>: View, ScreenItem {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        private let label: Title
        private let action: () -> Void

        /// Creates a button with a label.
        public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Title) {
            (self.label, self.action) = (label(), action)
        }

        /// Creates a button with a label; the role has no effect.
        public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Title) {
            (self.label, self.action) = (label(), action)
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: label)] }
        func press(in node: ViewNode) -> (() -> Void)? { action }
    }

    extension Button where Title == Text {
        /// Creates a button with a title; the role has no effect.
        public init(_ title: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
            (label, self.action) = (Text(title), action)
        }

        /// Creates a button with a title; the role has no effect.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
            (label, self.action) = (Text(title), action)
        }
    }

    extension Button where Title == Label<Text, Image> {
        /// Creates a button with a title and a symbol.
        public init(_ title: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void) {
            (label, self.action) = (Label(title, systemImage: systemImage), action)
        }
    }

    /// A switch, whose line on the screen is its title and `on` or `off`.
    ///
    /// Rule: Apple, "Toggle".
    public struct Toggle<Title: View>: View, ScreenItem {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        private let label: Title
        private let isOn: Binding<Bool>

        /// Creates a switch with a label.
        public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Title) { (self.label, self.isOn) = (label(), isOn) }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: label)] }
        func line(in node: ViewNode) -> String { "\(title(in: node)): \(isOn.wrappedValue ? "on" : "off")" }
        func press(in node: ViewNode) -> (() -> Void)? { { isOn.wrappedValue.toggle() } }
    }

    extension Toggle where Title == Text {
        /// Creates a switch with a title.
        public init(_ title: LocalizedStringKey, isOn: Binding<Bool>) { (label, self.isOn) = (Text(title), isOn) }

        /// Creates a switch with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, isOn: Binding<Bool>) { (label, self.isOn) = (Text(title), isOn) }
    }

    /// A text field, whose line on the screen is the field's text, or the field's title while the text is empty.
    ///
    /// Rule: Apple, "TextField". No text is entered here; the app's own code sets the binding.
    public struct TextField<Title: View>: View, ScreenItem {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let label: Title
        let text: Binding<String>

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: label)] }
        func line(in node: ViewNode) -> String { text.wrappedValue.isEmpty ? title(in: node) : text.wrappedValue }
    }

    extension TextField where Title == Text {
        /// Creates a text field with a title.
        public init(_ title: LocalizedStringKey, text: Binding<String>) { (label, self.text) = (Text(title), text) }
    }
#endif
