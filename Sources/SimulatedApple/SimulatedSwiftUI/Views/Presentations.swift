#if SimulatedApple
    /// A view that presents another one while a value requires it.
    ///
    /// The presented view is a part of the graph only while it is presented; it appears when it is added, and
    /// disappears when it is removed. The texts of both views can be read.
    private struct Presenter<Content: View>: View, Wrapper {
        typealias Body = Never
        let content: Content
        /// Returns the view to present; `nil` while there is none.
        let presented: () -> Any?
        let dismiss: () -> Void
        var onDismiss: (() -> Void)?
        /// Whether each button dismisses the view, as in an alert.
        var isAlert = false

        @MainActor
        private final class Presented { let presentations = PresentationLine() }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            let line = node.environment.presentations ?? node.graph.presentations
            let wanted = presented()
            if wanted == nil { line.leave(node) }
            let former = node.memory as? Presented
            guard let view = wanted, line.admits(node) else {
                if former != nil, let onDismiss { node.graph.afterUpdate(onDismiss) }
                node.memory = nil
                return [ViewNode.Part(element: content)]
            }
            let present = former ?? Presented()
            node.memory = present
            let environment = EnvironmentChange(content: AnyPart(content: view)) { environment in
                environment.dismissAction = DismissAction(action: dismiss)
                environment.closesAlert = isAlert ? dismiss : nil
                environment.presentationDepth += 1
                environment.presentations = present.presentations
                environment.pushedViews = nil
                environment.tabMarks = nil
                environment.tap = nil
            }
            return [
                ViewNode.Part(element: content), ViewNode.Part(key: .index(1), element: environment, isPresented: true),
            ]
        }

        func removed(from node: ViewNode) {
            (node.environment.presentations ?? node.graph.presentations).leave(node)
        }
    }

    /// The presentations in front of one view, of which a phone shows only one at a time.
    @MainActor
    final class PresentationLine {
        private var nodes: [ViewNode] = []
        /// The first of `nodes` while its view disappears.
        private var leaving: ViewNode?

        /// Returns whether a node may present its view now; if not, the node is evaluated again when it may, which is
        /// after the view in front has disappeared.
        func admits(_ node: ViewNode) -> Bool {
            if leaving === node { leaving = nil }
            if !nodes.contains(where: { $0 === node }) {
                nodes.append(node)
                // The first view may be dismissed in the same update, by a change that is evaluated later.
                node.graph.afterUpdate { [weak self, weak node] in
                    guard let self, let node, leaving == nil, nodes.dropFirst().contains(where: { $0 === node })
                    else { return }
                    node.graph.warn(
                        "two views are presented at once; the second one waits until the first is dismissed")
                }
            }
            return nodes.first === node
        }

        func leave(_ node: ViewNode) {
            guard nodes.first === node else { return nodes.removeAll { $0 === node } }
            leaving = node
            node.graph.afterArrivals(of: node) { [weak self] in
                guard let self, leaving === node else { return }
                leaving = nil
                nodes.removeFirst()
                if let next = nodes.first { next.graph.invalidate(next) }
            }
        }
    }

    /// A view whose type is not known.
    struct AnyPart: View, Wrapper {
        typealias Body = Never
        let content: Any
    }

    /// The action that dismisses a presented view.
    ///
    /// Rule: Apple, "DismissAction".
    public struct DismissAction {
        let action: () -> Void
        /// Dismisses the view; without a presented view it does nothing.
        @MainActor @preconcurrency
        public func callAsFunction() { action() }
    }

    /// Whether a view is presented, in the form before iOS 15.
    ///
    /// Rule: Apple, "PresentationMode".
    public struct PresentationMode {
        let action: () -> Void
        /// Whether the view is presented.
        public let isPresented: Bool
        /// Dismisses the view; without a presented view it does nothing.
        public mutating func dismiss() { action() }
    }

    private struct DismissKey: EnvironmentKey { static var defaultValue: DismissAction? { nil } }
    private struct ClosesAlertKey: EnvironmentKey { static var defaultValue: (() -> Void)? { nil } }
    private struct PresentationDepthKey: EnvironmentKey { static var defaultValue: Int { 0 } }
    private struct PresentationsKey: EnvironmentKey { static var defaultValue: PresentationLine? { nil } }

    extension EnvironmentValues {
        var dismissAction: DismissAction? {
            get { self[DismissKey.self] }
            set { self[DismissKey.self] = newValue }
        }

        /// The number of nested presentations that contain the view; a covered view has a smaller number than the
        /// covering one.
        var presentationDepth: Int {
            get { self[PresentationDepthKey.self] }
            set { self[PresentationDepthKey.self] = newValue }
        }

        /// The presentations in front of the presented view; `nil` if the view is not presented.
        var presentations: PresentationLine? {
            get { self[PresentationsKey.self] }
            set { self[PresentationsKey.self] = newValue }
        }

        /// The action that follows the action of each button in an alert; `nil` outside of an alert.
        var closesAlert: (() -> Void)? {
            get { self[ClosesAlertKey.self] }
            set { self[ClosesAlertKey.self] = newValue }
        }

        /// The action that dismisses the presented view or pops the pushed one; it does nothing in other views.
        public var dismiss: DismissAction { dismissAction ?? DismissAction {} }

        /// Whether the view is presented or pushed.
        public var isPresented: Bool { dismissAction != nil }

        /// Whether the view is presented or pushed: the name that Apple has replaced in iOS 15.
        public var presentationMode: Binding<PresentationMode> {
            let action = dismissAction?.action
            return Binding(get: { PresentationMode(action: action ?? {}, isPresented: action != nil) }, set: { _ in })
        }
    }

    extension View {
        private func presenting(
            _ isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, isAlert: Bool = false,
            _ view: @escaping () -> Any
        ) -> some View {
            Presenter(
                content: self, presented: { isPresented.wrappedValue ? view() : nil },
                dismiss: { isPresented.wrappedValue = false }, onDismiss: onDismiss, isAlert: isAlert)
        }

        private func presenting<Item: Identifiable>(
            _ item: Binding<Item?>, onDismiss: (() -> Void)?, _ view: @escaping (Item) -> some View
        ) -> some View {
            Presenter(
                content: self, presented: { item.wrappedValue.map { view($0).id($0.id) } },
                dismiss: { item.wrappedValue = nil }, onDismiss: onDismiss)
        }

        /// Presents a view in front of this one while a value is true.
        ///
        /// Rule: Apple, "sheet(isPresented:onDismiss:content:)". While another view is presented in front of the same
        /// one, the sheet waits, and the device's log has a warning.
        public func sheet<Content: View>(
            isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
        ) -> some View { presenting(isPresented, onDismiss: onDismiss, content) }

        /// Presents a view in front of this one while there is an item.
        ///
        /// Rule: Apple, "sheet(item:onDismiss:content:)".
        public func sheet<Item: Identifiable, Content: View>(
            item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
        ) -> some View { presenting(item, onDismiss: onDismiss, content) }

        /// Presents a view that covers the screen while a value is true.
        ///
        /// Rule: Apple, "fullScreenCover(isPresented:onDismiss:content:)". The covered view stays in the graph.
        public func fullScreenCover<Content: View>(
            isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
        ) -> some View { presenting(isPresented, onDismiss: onDismiss, content) }

        /// Presents a view that covers the screen while there is an item.
        ///
        /// Rule: Apple, "fullScreenCover(item:onDismiss:content:)". The covered view stays in the graph.
        public func fullScreenCover<Item: Identifiable, Content: View>(
            item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
        ) -> some View { presenting(item, onDismiss: onDismiss, content) }

        /// Presents a popover while a value is true.
        ///
        /// Rule: Apple, "popover(isPresented:attachmentAnchor:arrowEdge:content:)".
        public func popover<Content: View>(
            isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> Content
        ) -> some View { presenting(isPresented, content) }

        /// Presents an alert while a value is true; each of its buttons dismisses it.
        ///
        /// Rule: Apple, "alert(_:isPresented:actions:)". Without an action it has the button `OK`, as on a phone.
        public func alert<Actions: View>(
            _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions
        ) -> some View { alert(Text(title), isPresented: isPresented, actions: actions) { EmptyView() } }

        /// Presents an alert while a value is true; each of its buttons dismisses it.
        @_disfavoredOverload
        public func alert<Actions: View>(
            _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions
        ) -> some View { alert(Text(title), isPresented: isPresented, actions: actions) { EmptyView() } }

        /// Presents an alert with a message while a value is true; each of its buttons dismisses it.
        public func alert<Actions: View, Message: View>(
            _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions,
            @ViewBuilder message: @escaping () -> Message
        ) -> some View { alert(Text(title), isPresented: isPresented, actions: actions, message: message) }

        /// Presents an alert with a message while a value is true; each of its buttons dismisses it.
        @_disfavoredOverload
        public func alert<Actions: View, Message: View>(
            _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions,
            @ViewBuilder message: @escaping () -> Message
        ) -> some View { alert(Text(title), isPresented: isPresented, actions: actions, message: message) }

        /// Presents an alert with a message while a value is true; each of its buttons dismisses it.
        public func alert<Actions: View, Message: View>(
            _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions,
            @ViewBuilder message: @escaping () -> Message
        ) -> some View {
            presenting(isPresented, isAlert: true) {
                let actions = actions()
                return Group {
                    title
                    message()
                    if actions is EmptyView { Button("OK") {} } else { actions }
                }
            }
        }

        /// Presents an alert while a value is true, in the form before iOS 15.
        ///
        /// Rule: Apple, "alert(isPresented:content:)".
        public func alert(isPresented: Binding<Bool>, content: @escaping () -> Alert) -> some View {
            presenting(isPresented, isAlert: true) { content().view }
        }

        /// Presents an alert while there is an item, in the form before iOS 15.
        ///
        /// Rule: Apple, "alert(item:content:)".
        public func alert<Item: Identifiable>(item: Binding<Item?>, content: @escaping (Item) -> Alert) -> some View {
            Presenter(
                content: self, presented: { item.wrappedValue.map { content($0).view } },
                dismiss: { item.wrappedValue = nil }, isAlert: true)
        }

        /// Presents a list of actions while a value is true; each action dismisses the list.
        ///
        /// Rule: Apple, "confirmationDialog(_:isPresented:titleVisibility:actions:)".
        public func confirmationDialog<Actions: View>(
            _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
            @ViewBuilder actions: @escaping () -> Actions
        ) -> some View {
            confirmationDialog(title, isPresented: isPresented, titleVisibility: titleVisibility, actions: actions) {
                EmptyView()
            }
        }

        /// Presents a list of actions with a message while a value is true; each action dismisses the list.
        ///
        /// Rule: Apple, "confirmationDialog(_:isPresented:titleVisibility:actions:message:)". The title is always shown
        /// here.
        public func confirmationDialog<Actions: View, Message: View>(
            _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
            @ViewBuilder actions: @escaping () -> Actions, @ViewBuilder message: @escaping () -> Message
        ) -> some View {
            confirmationDialog(
                Text(title), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions,
                message: message)
        }

        /// Presents a list of actions with a message while a value is true; each action dismisses the list.
        public func confirmationDialog<Actions: View, Message: View>(
            _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
            @ViewBuilder actions: @escaping () -> Actions, @ViewBuilder message: @escaping () -> Message
        ) -> some View {
            presenting(isPresented, isAlert: true) {
                Group {
                    title
                    message()
                    actions()
                }
            }
        }
    }

    /// An alert, in the form before iOS 15.
    ///
    /// Rule: Apple, "Alert".
    public struct Alert {
        /// A button of an alert, which dismisses it.
        public struct Button {
            let label: Text
            let action: (() -> Void)?

            /// Returns a button.
            public static func `default`(_ label: Text, action: (() -> Void)? = nil) -> Button {
                Button(label: label, action: action)
            }
            /// Returns a button that cancels.
            public static func cancel(_ label: Text, action: (() -> Void)? = nil) -> Button {
                Button(label: label, action: action)
            }
            /// Returns the button `Cancel`.
            public static func cancel(_ action: (() -> Void)? = nil) -> Button {
                Button(label: Text(verbatim: "Cancel"), action: action)
            }
            /// Returns a button that deletes something.
            public static func destructive(_ label: Text, action: (() -> Void)? = nil) -> Button {
                Button(label: label, action: action)
            }
        }

        private let title: Text
        private let message: Text?
        private let buttons: [Button]

        /// Creates an alert with one button, by default `OK`.
        public init(title: Text, message: Text? = nil, dismissButton: Button? = nil) {
            (self.title, self.message) = (title, message)
            buttons = [dismissButton ?? .default(Text(verbatim: "OK"))]
        }

        /// Creates an alert with two buttons.
        public init(title: Text, message: Text? = nil, primaryButton: Button, secondaryButton: Button) {
            (self.title, self.message, buttons) = (title, message, [primaryButton, secondaryButton])
        }

        @MainActor
        fileprivate var view: some View {
            Group {
                title
                if let message { message }
                ForEach(0..<buttons.count) { index in
                    SimulatedSwiftUI.Button {
                        buttons[index].action?()
                    } label: {
                        buttons[index].label
                    }
                }
            }
        }
    }

    /// Whether a part of the interface is shown.
    public enum Visibility: Hashable, Sendable {
        /// As the system decides, always, or never.
        case automatic, visible, hidden
    }
#endif
