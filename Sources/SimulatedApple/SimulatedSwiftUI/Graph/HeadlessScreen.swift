#if SimulatedApple
    import SimulatedAppleCore

    /// The screen of an app with SwiftUI: what a user would see and press of a view graph, as text.
    @MainActor
    package final class HeadlessScreen: PhoneScreen {
        private let graph: ViewGraph

        /// The screen of that graph.
        package init(_ graph: ViewGraph) { self.graph = graph }

        /// A line for each text and each control, from above to below.
        package var lines: [String] {
            var lines: [String] = []
            graph.visit { node in
                guard let item = node.element as? any ScreenItem else { return true }
                lines.append(item.line(in: node))
                return false
            }
            return lines
        }

        /// The user presses the first control of that title that is not disabled; what follows from it at once is done
        /// when this returns.
        ///
        /// - Returns: Whether there is one.
        package func press(_ title: String) -> Bool {
            var press: (() -> Void)?
            graph.visit { node in
                guard press == nil else { return false }
                guard let item = node.element as? any ScreenItem else { return true }
                if node.environment.isEnabled, item.title(in: node) == title, let action = item.press(in: node) {
                    press = action
                }
                return false
            }
            guard let press else { return false }
            press()
            graph.update()
            return true
        }
    }

    /// A view that is a line of the screen: a text or a control.
    @MainActor
    protocol ScreenItem: Primitive {
        /// By what a user would name it.
        func title(in node: ViewNode) -> String
        /// What a user reads.
        func line(in node: ViewNode) -> String
        /// What happens when it is pressed; nil for what cannot be pressed.
        func press(in node: ViewNode) -> (() -> Void)?
    }

    extension ScreenItem {
        func title(in node: ViewNode) -> String { node.textBelow }
        func line(in node: ViewNode) -> String { title(in: node) }
        func press(in node: ViewNode) -> (() -> Void)? { nil }
    }

    extension ViewNode {
        /// The lines of what lies in it, as one.
        fileprivate var textBelow: String {
            children.map { child in
                (child.element as? any ScreenItem)?.line(in: child) ?? child.textBelow
            }.filter { !$0.isEmpty }.joined(separator: " ")
        }
    }
#endif
