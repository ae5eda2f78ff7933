#if SimulatedApple
    /// Makes a view of another one. Rule: Apple, "ViewModifier".
    @MainActor @preconcurrency
    public protocol ViewModifier {
        /// What it makes.
        associatedtype Body: View
        /// The view that is modified.
        typealias Content = _ViewModifier_Content<Self>

        /// The view that is made of `content`.
        @ViewBuilder @MainActor @preconcurrency
        func body(content: Content) -> Body
    }

    // The name is Apple's.
    // swift-format-ignore: NoLeadingUnderscores, AlwaysUseLowerCamelCase
    /// The view that a modifier is applied to.
    public struct _ViewModifier_Content<Modifier: ViewModifier>: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        let element: Any

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: element)] }
    }

    /// A view with a modifier. Rule: Apple, "ModifiedContent".
    public struct ModifiedContent<Content, Modifier>: Primitive {
        /// The view.
        public var content: Content
        /// The modifier.
        public var modifier: Modifier

        /// A view with a modifier.
        public init(content: Content, modifier: Modifier) { (self.content, self.modifier) = (content, modifier) }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            func body<M: ViewModifier>(of modifier: M) -> Any {
                node.installed(modifier).body(content: _ViewModifier_Content(element: content))
            }
            return (modifier as? any ViewModifier).map { [ViewNode.Part(element: body(of: $0))] } ?? []
        }
    }

    extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
        /// None; the graph knows it.
        public typealias Body = Never
    }

    extension View {
        /// The view with a modifier.
        public func modifier<T: ViewModifier>(_ modifier: T) -> ModifiedContent<Self, T> {
            ModifiedContent(content: self, modifier: modifier)
        }

        /// The view with an identity of its own: with another identifier it is another view, and its state is gone.
        ///
        /// Rule: Apple, "id(_:)".
        public func id<ID: Hashable>(_ id: ID) -> some View { IdentifiedView(content: self, id: id) }
    }

    private struct IdentifiedView<Content: View, ID: Hashable>: View, Primitive {
        typealias Body = Never
        let content: Content
        let id: ID

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(key: .id(id), element: content)] }
    }
#endif
