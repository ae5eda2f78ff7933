#if SimulatedApple
    /// A part of the app's interface, of which only the text and the controls exist here.
    ///
    /// Rule: Apple, "View".
    @MainActor @preconcurrency
    public protocol View {
        /// The type of the view's body.
        associatedtype Body: View

        /// The content of the view, which is evaluated again when a value that it has read has changed.
        @ViewBuilder @MainActor @preconcurrency
        var body: Body { get }
    }

    extension View where Body == Never {
        /// Traps, because the graph does not evaluate the body of this view.
        public var body: Never { fatalError("\(Self.self) has no body") }
    }

    extension Never: View {
        /// Traps, but is never called, because there is no value of the type `Never`.
        public var body: Never { fatalError("there is no Never") }
    }

    /// The result builder that makes one view of the views in a closure.
    ///
    /// Rule: Apple, "ViewBuilder".
    @resultBuilder
    public enum ViewBuilder {
        /// Returns the view.
        public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
        /// Returns the view of an empty block.
        public static func buildBlock() -> EmptyView { EmptyView() }
        /// Returns the only view of the block.
        public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
        /// Returns several views as one.
        public static func buildBlock<each Content: View>(
            _ content: repeat each Content
        ) -> TupleView<(repeat each Content)> {
            var parts: [Any] = []
            repeat parts.append(each content)
            return TupleView((repeat each content), parts: parts)
        }
        /// Returns the view of an `if` without `else`.
        public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
        /// Returns the view of the first branch of an `if` or `switch`.
        public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
            _ConditionalContent(isFirst: true, element: first)
        }
        /// Returns the view of the second branch of an `if` or `switch`.
        public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second>
        {
            _ConditionalContent(isFirst: false, element: second)
        }
        /// Returns the views of an `if #available`.
        public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
    }

    /// Several views as one.
    public struct TupleView<T>: View, ViewList {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        /// The views, as a tuple.
        public var value: T
        private let elements: [Any]

        init(_ value: T, parts: [Any]) { (self.value, elements) = (value, parts) }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            elements.enumerated().map { ViewNode.Part(key: .index($0.offset), element: $0.element) }
        }
    }

    // The name is Apple's.
    // swift-format-ignore: NoLeadingUnderscores
    /// One of two views, or of two scenes.
    ///
    /// Each has its own identity: the state of one is lost when the other replaces it.
    public struct _ConditionalContent<First, Second>: OneOfViews {
        private let isFirst: Bool
        private let element: Any

        init(isFirst: Bool, element: Any) { (self.isFirst, self.element) = (isFirst, element) }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(key: .branch(isFirst), element: element)] }
    }

    extension _ConditionalContent: View where First: View, Second: View {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
    }

    extension Optional: View where Wrapped: View {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
    }

    extension Optional: Primitive, ViewList, OneOfViews where Wrapped: View {
        func parts(in node: ViewNode) -> [ViewNode.Part] { map { [ViewNode.Part(element: $0)] } ?? [] }
    }

    /// A view without content.
    public struct EmptyView: View, ViewList {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        /// Creates an empty view.
        public init() {}
    }

    /// A view of any type; if a view of another type replaces it, the state is new.
    ///
    /// Rule: Apple, "AnyView".
    public struct AnyView: View, Wrapper {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Any

        /// Creates a view without its static type.
        public init<V: View>(_ view: V) { content = view }
        /// Creates a view without its static type.
        public init<V: View>(erasing view: V) { content = view }
    }

    /// A type that creates a view from another view.
    ///
    /// Rule: Apple, "ViewModifier".
    @MainActor @preconcurrency
    public protocol ViewModifier {
        /// The type of the new view.
        associatedtype Body: View
        /// The view that is modified.
        typealias Content = _ViewModifier_Content<Self>

        /// Returns the new view with `content` in it.
        @ViewBuilder @MainActor @preconcurrency
        func body(content: Content) -> Body
    }

    // The name is Apple's.
    // swift-format-ignore: NoLeadingUnderscores, AlwaysUseLowerCamelCase
    /// The view that a modifier is applied to.
    public struct _ViewModifier_Content<Modifier: ViewModifier>: View, Wrapper {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Any
    }

    /// A view whose modifier has a body, so that what the body sets is found only when it is evaluated.
    protocol ModifiedView {}

    /// A view with a modifier.
    ///
    /// Rule: Apple, "ModifiedContent".
    public struct ModifiedContent<Content, Modifier>: Wrapper, ModifiedView {
        /// The view.
        public var content: Content
        /// The modifier.
        public var modifier: Modifier

        /// Creates a view with a modifier.
        public init(content: Content, modifier: Modifier) { (self.content, self.modifier) = (content, modifier) }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            func body<M: ViewModifier>(of modifier: M) -> Any {
                node.installed(modifier).body(content: _ViewModifier_Content(content: content))
            }
            return (modifier as? any ViewModifier).map { [ViewNode.Part(element: body(of: $0))] } ?? []
        }
    }

    extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
    }

    extension View {
        /// Returns the view with a modifier.
        public func modifier<T: ViewModifier>(_ modifier: T) -> ModifiedContent<Self, T> {
            ModifiedContent(content: self, modifier: modifier)
        }

        /// Returns the view with an explicit identity; a view with another identifier is a different view with new
        /// state.
        ///
        /// Rule: Apple, "id(_:)".
        public func id<ID: Hashable>(_ id: ID) -> some View { IdentifiedView(content: self, id: id) }
    }

    private struct IdentifiedView<Content: View, ID: Hashable>: View, Wrapper {
        typealias Body = Never
        let content: Content
        let id: ID

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(key: .id(id), element: content)] }
    }
#endif
