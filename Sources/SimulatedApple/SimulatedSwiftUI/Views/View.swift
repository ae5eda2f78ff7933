#if SimulatedApple
    /// A part of the app's interface. Nothing is drawn; what would be seen is text.
    ///
    /// Rule: Apple, "View".
    @MainActor @preconcurrency
    public protocol View {
        /// What the view consists of.
        associatedtype Body: View

        /// What the view consists of now. It is evaluated again when something that it has read has changed.
        @ViewBuilder @MainActor @preconcurrency
        var body: Body { get }
    }

    extension View where Body == Never {
        /// Never asked for: the graph knows this view itself.
        public var body: Never { preconditionFailure("\(Self.self) has no body") }
    }

    extension Never: View {
        /// There is no such view or scene.
        public var body: Never { preconditionFailure("there is no Never") }
    }

    /// Makes one view of the views in a closure.
    ///
    /// Rule: Apple, "ViewBuilder".
    @resultBuilder
    public enum ViewBuilder {
        /// Takes any view.
        public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
        /// Nothing.
        public static func buildBlock() -> EmptyView { EmptyView() }
        /// One view.
        public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
        /// Several views.
        public static func buildBlock<each Content: View>(
            _ content: repeat each Content
        ) -> TupleView<(repeat each Content)> {
            var parts: [Any] = []
            repeat parts.append(each content)
            return TupleView((repeat each content), parts: parts)
        }
        /// An `if` without `else`.
        public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
        /// The first branch of an `if` or `switch`.
        public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
            _ConditionalContent(isFirst: true, element: first)
        }
        /// The second branch of an `if` or `switch`.
        public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second>
        {
            _ConditionalContent(isFirst: false, element: second)
        }
        /// Views of an `if #available`.
        public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
    }

    /// Several views.
    public struct TupleView<T>: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        /// The views.
        public var value: T
        private let elements: [Any]

        init(_ value: T, parts: [Any]) { (self.value, elements) = (value, parts) }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            elements.enumerated().map { ViewNode.Part(key: .index($0.offset), element: $0.element) }
        }
    }

    // The name is Apple's.
    // swift-format-ignore: NoLeadingUnderscores
    /// One of two views, or of two scenes. Each has an identity of its own: the state of one is gone when the other is
    /// there.
    public struct _ConditionalContent<First, Second>: Primitive {
        private let isFirst: Bool
        private let element: Any

        init(isFirst: Bool, element: Any) { (self.isFirst, self.element) = (isFirst, element) }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(key: .branch(isFirst), element: element)] }
    }

    extension _ConditionalContent: View where First: View, Second: View {
        /// None; the graph knows it.
        public typealias Body = Never
    }

    extension Optional: View where Wrapped: View {
        /// None; the graph knows it.
        public typealias Body = Never
    }

    extension Optional: Primitive where Wrapped: View {
        func parts(in node: ViewNode) -> [ViewNode.Part] { map { [ViewNode.Part(element: $0)] } ?? [] }
    }

    /// No view.
    public struct EmptyView: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        /// No view.
        public init() {}
    }

    /// A view of any type. With another type it is another view: its state is gone.
    ///
    /// Rule: Apple, "AnyView".
    public struct AnyView: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        private let element: Any

        /// A view without its type.
        public init<V: View>(_ view: V) { element = view }
        /// A view without its type.
        public init<V: View>(erasing view: V) { element = view }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: element)] }
    }

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
