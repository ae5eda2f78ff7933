#if SimulatedApple
    import SimulatedAppleCore

    /// The screen of an app with SwiftUI: the visible text and the controls of a view graph.
    @MainActor
    package final class HeadlessScreen: PhoneScreen {
        private let graph: ViewGraph

        package init(_ graph: ViewGraph) { self.graph = graph }

        /// The lines of the screen, one for each text and each control, from top to bottom.
        package var lines: [String] {
            var lines: [String] = []
            graph.visit { node in
                // A hidden node is not read, but the nodes below it are visited: a view that one of them presents is
                // shown.
                guard node.isShown else { return true }
                guard let item = node.element as? any ScreenItem else { return true }
                lines.append(item.line(in: node))
                return false
            }
            return lines
        }

        /// Presses the first enabled control, or taps the first text, that has this title and an action.
        ///
        /// It performs the resulting updates before it returns. A control or text that a presented view covers cannot
        /// be pressed.
        ///
        /// - Returns: Whether there is such a control or text.
        package func press(_ title: String) -> Bool {
            var press: (() -> Void)?
            var front = 0
            graph.visit { node in
                guard node.isShown else { return true }
                let depth = node.environment.presentationDepth
                if depth > front { (front, press) = (depth, nil) }
                guard let item = node.element as? any ScreenItem else { return true }
                if depth == front, press == nil, node.environment.isEnabled, item.title(in: node) == title {
                    let closesAlert = node.environment.closesAlert
                    let tap = node.environment.tap
                    if let action = item.press(in: node) ?? tap {
                        press = {
                            action()
                            closesAlert?()
                        }
                    }
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
        /// Returns the title by which a user would identify the view.
        func title(in node: ViewNode) -> String
        /// Returns the visible text.
        func line(in node: ViewNode) -> String
        /// Returns the action of a press; `nil` if the view cannot be pressed.
        func press(in node: ViewNode) -> (() -> Void)?
    }

    extension ScreenItem {
        func title(in node: ViewNode) -> String { node.textBelow }
        func line(in node: ViewNode) -> String { title(in: node) }
        func press(in node: ViewNode) -> (() -> Void)? { nil }
    }

    extension ViewNode {
        /// The visible text of all views inside, in one line.
        fileprivate var textBelow: String {
            children.map { child in
                (child.element as? any ScreenItem)?.line(in: child) ?? child.textBelow
            }.filter { !$0.isEmpty }.joined(separator: " ")
        }
    }
#endif
