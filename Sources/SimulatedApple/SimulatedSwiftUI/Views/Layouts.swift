#if SimulatedApple
    // Containers that only place their views. Because nothing is placed here, all views can be read, in their order.
    // Rules: Apple, the pages of the same names.

    /// Views that are stacked vertically and created when they are scrolled to; here all of them are created.
    public struct LazyVStack<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a stack; alignment, spacing and pinned views have no effect.
        public init(
            alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, pinnedViews: PinnedScrollableViews = [],
            @ViewBuilder content: () -> Content
        ) { self.content = content() }
    }

    /// Views side by side that are created when they are scrolled to; here all of them are created.
    public struct LazyHStack<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a stack; alignment, spacing and pinned views have no effect.
        public init(
            alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, pinnedViews: PinnedScrollableViews = [],
            @ViewBuilder content: () -> Content
        ) { self.content = content() }
    }

    /// Headers and footers that stay visible.
    public struct PinnedScrollableViews: OptionSet, Sendable {
        /// The raw value, in which each bit stands for the headers or the footers.
        public let rawValue: UInt32
        /// Creates a set with these bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// The headers.
        public static let sectionHeaders = PinnedScrollableViews(rawValue: 1)
        /// The footers.
        public static let sectionFooters = PinnedScrollableViews(rawValue: 2)
    }

    /// A row or column of a grid.
    public struct GridItem: Sendable {
        /// The size of a row or column.
        public enum Size: Sendable {
            /// One row or column with a size in points.
            case fixed(CGFloat)
            /// One row or column within limits.
            case flexible(minimum: CGFloat = 10, maximum: CGFloat = .infinity)
            /// As many rows or columns as fit, each within limits.
            case adaptive(minimum: CGFloat, maximum: CGFloat = .infinity)
        }
        /// Creates a row or column, without effect.
        public init(_ size: Size = .flexible(), spacing: CGFloat? = nil, alignment: Alignment? = nil) {}
    }

    /// A grid whose rows are filled one after another.
    public struct LazyVGrid<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a grid; columns, alignment, spacing and pinned views have no effect.
        public init(
            columns: [GridItem], alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
            pinnedViews: PinnedScrollableViews = [], @ViewBuilder content: () -> Content
        ) { self.content = content() }
    }

    /// A grid whose columns are filled one after another.
    public struct LazyHGrid<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a grid; rows, alignment, spacing and pinned views have no effect.
        public init(
            rows: [GridItem], alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
            pinnedViews: PinnedScrollableViews = [], @ViewBuilder content: () -> Content
        ) { self.content = content() }
    }

    /// A grid of rows.
    public struct Grid<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a grid; alignment and spacing have no effect.
        public init(
            alignment: Alignment = .center, horizontalSpacing: CGFloat? = nil, verticalSpacing: CGFloat? = nil,
            @ViewBuilder content: () -> Content
        ) { self.content = content() }
    }

    /// A row of a grid.
    public struct GridRow<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a row; the alignment has no effect.
        public init(alignment: VerticalAlignment? = nil, @ViewBuilder content: () -> Content) {
            self.content = content()
        }
    }

    /// A box around views, with a title.
    public struct GroupBox<Title: View, Content: View>: View {
        /// The title and the content.
        public let body: TupleView<(Title, Content)>
        /// Creates a box.
        public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Title) {
            body = ViewBuilder.buildBlock(label(), content())
        }
    }

    extension GroupBox where Title == EmptyView {
        /// Creates a box without a title.
        public init(@ViewBuilder content: () -> Content) { self.init(content: content) { EmptyView() } }
    }

    extension GroupBox where Title == Text {
        /// Creates a box with a title.
        public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    /// Views that the user opens and closes; here they are always readable.
    public struct DisclosureGroup<Title: View, Content: View>: View {
        /// The title and the content.
        public let body: TupleView<(Title, Content)>
        /// Creates a group.
        public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Title) {
            body = ViewBuilder.buildBlock(label(), content())
        }
    }

    extension DisclosureGroup where Title == Text {
        /// Creates a group with a title.
        public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
        /// Creates a group with a title; whether it is open has no effect.
        public init(_ title: LocalizedStringKey, isExpanded: Binding<Bool>, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    /// A view whose content depends on its size; here the size is that of the screen, because no layout is computed.
    public struct GeometryReader<Content: View>: View {
        private let content: (GeometryProxy) -> Content
        /// Creates a view with content that depends on its size.
        public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) { self.content = content }
        /// The content.
        public var body: some View { content(GeometryProxy()) }
    }

    /// The size and position of a view; here they are those of the screen, because no layout is computed.
    @MainActor @preconcurrency
    public struct GeometryProxy {
        nonisolated init() {}
        /// The size of the screen, in points.
        public var size: CGSize { UIScreen.main.bounds.size }
        /// The margins, which are zero here, because no layout is computed.
        public var safeAreaInsets: EdgeInsets { EdgeInsets() }
        /// Returns the rectangle of the screen, in points.
        public func frame(in coordinateSpace: CoordinateSpace) -> CGRect { UIScreen.main.bounds }
    }

    /// The rectangle to which coordinates refer.
    public enum CoordinateSpace: Hashable, Sendable {
        /// The coordinates of the screen, or of the view itself.
        case global, local
        /// The view with this name.
        case named(String)
    }

    /// The margins of a rectangle, in points.
    public struct EdgeInsets: Equatable, Sendable {
        /// The margin at one of the four edges.
        public var top: CGFloat, leading: CGFloat, bottom: CGFloat, trailing: CGFloat
        /// Creates margins.
        public init(top: CGFloat, leading: CGFloat, bottom: CGFloat, trailing: CGFloat) {
            (self.top, self.leading, self.bottom, self.trailing) = (top, leading, bottom, trailing)
        }
        /// Creates margins of zero.
        public init() { self.init(top: 0, leading: 0, bottom: 0, trailing: 0) }
    }

    /// A view whose content can be scrolled to one of its parts; here all parts are always readable.
    public struct ScrollViewReader<Content: View>: View {
        private let content: (ScrollViewProxy) -> Content
        /// Creates a view whose content can be scrolled.
        public init(@ViewBuilder content: @escaping (ScrollViewProxy) -> Content) { self.content = content }
        /// The content.
        public var body: some View { content(ScrollViewProxy()) }
    }

    /// The object by which the app scrolls to a part of the content.
    public struct ScrollViewProxy {
        /// Does nothing.
        public func scrollTo<ID: Hashable>(_ id: ID, anchor: UnitPoint? = nil) {}
    }

    /// A column, and the details of what the user selects in it; here both are readable, and each is a stack.
    public struct NavigationSplitView<Sidebar: View, Detail: View>: View {
        /// The column and the details.
        public let body: TupleView<(NavigationStack<Sidebar>, NavigationStack<Detail>)>
        /// Creates a view with a column.
        public init(@ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail) {
            body = ViewBuilder.buildBlock(NavigationStack(root: sidebar), NavigationStack(root: detail))
        }
    }
#endif
