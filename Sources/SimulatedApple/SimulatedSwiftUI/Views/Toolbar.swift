#if SimulatedApple
    /// The contents of a toolbar; on the screen, their lines follow the lines of the view.
    ///
    /// Rule: Apple, "ToolbarContent".
    public protocol ToolbarContent: View {}

    /// The result builder of toolbars.
    public typealias ToolbarContentBuilder = ViewBuilder

    /// The position of an item in a toolbar, which has no effect here.
    ///
    /// Rule: Apple, "ToolbarItemPlacement".
    public struct ToolbarItemPlacement: Sendable {
        /// A position in the toolbar, which has no effect here.
        public static let automatic = ToolbarItemPlacement(), principal = ToolbarItemPlacement()
        /// A position in the toolbar, which has no effect here.
        public static let navigation = ToolbarItemPlacement(), primaryAction = ToolbarItemPlacement()
        /// A position in the toolbar, which has no effect here.
        public static let status = ToolbarItemPlacement(), keyboard = ToolbarItemPlacement()
        /// A position in the toolbar, which has no effect here.
        public static let confirmationAction = ToolbarItemPlacement(), cancellationAction = ToolbarItemPlacement()
        /// A position in the toolbar, which has no effect here.
        public static let destructiveAction = ToolbarItemPlacement(), secondaryAction = ToolbarItemPlacement()
        /// A position in the toolbar, which has no effect here.
        public static let topBarLeading = ToolbarItemPlacement(), topBarTrailing = ToolbarItemPlacement()
        /// A position in the toolbar, which has no effect here.
        public static let navigationBarLeading = ToolbarItemPlacement(), navigationBarTrailing = ToolbarItemPlacement()
        /// A position in the toolbar, which has no effect here.
        public static let bottomBar = ToolbarItemPlacement()
    }

    /// An item of a toolbar.
    ///
    /// Rule: Apple, "ToolbarItem".
    public struct ToolbarItem<Content: View>: ToolbarContent {
        /// The content of the item.
        public let body: Content
        /// Creates an item; the position has no effect.
        public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
            body = content()
        }
    }

    /// Items of a toolbar at one position.
    ///
    /// Rule: Apple, "ToolbarItemGroup".
    public struct ToolbarItemGroup<Content: View>: ToolbarContent {
        /// The content of the items.
        public let body: Content
        /// Creates items; the position has no effect.
        public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
            body = content()
        }
    }

    /// The space between items of a toolbar.
    public struct ToolbarSpacer: ToolbarContent {
        /// Creates a space, without effect.
        public init(_ sizing: SpacerSizing = .flexible, placement: ToolbarItemPlacement = .automatic) {}
        /// An empty view.
        public var body: some View { EmptyView() }
    }

    /// The size of a space, without effect.
    public struct SpacerSizing: Sendable {
        /// A size, without effect.
        public static let fixed = SpacerSizing(), flexible = SpacerSizing()
    }

    extension View {
        /// Adds the contents of a toolbar after the view.
        ///
        /// Rule: Apple, "toolbar(content:)".
        public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
            beside(content())
        }

        /// Adds a view that overlaps this one.
        ///
        /// Rule: Apple, "overlay(alignment:content:)".
        public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View {
            beside(content())
        }

        /// Adds a view that overlaps this one.
        public func overlay<V: View>(_ overlay: V, alignment: Alignment = .center) -> some View { beside(overlay) }

        /// Adds a view that this one covers.
        ///
        /// Rule: Apple, "background(alignment:content:)".
        public func background<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View {
            beside(content())
        }

        /// Adds a view that this one covers.
        @_disfavoredOverload
        public func background<V: View>(_ background: V, alignment: Alignment = .center) -> some View {
            beside(background)
        }

        /// Adds a view at an edge of this one.
        ///
        /// Rule: Apple, "safeAreaInset(edge:alignment:spacing:content:)".
        public func safeAreaInset<V: View>(
            edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
            @ViewBuilder content: () -> V
        ) -> some View { beside(content()) }

        /// Adds the commands of a long press, which are always shown here.
        ///
        /// Rule: Apple, "contextMenu(menuItems:)".
        public func contextMenu<Items: View>(@ViewBuilder menuItems: () -> Items) -> some View { beside(menuItems()) }

        /// Adds the buttons of a swipe across a row, which are always shown here.
        ///
        /// Rule: Apple, "swipeActions(edge:allowsFullSwipe:content:)".
        public func swipeActions<T: View>(
            edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> T
        ) -> some View { beside(content()) }

        /// Adds the buttons of a navigation bar, as apps did before iOS 14.
        public func navigationBarItems<L: View, T: View>(leading: L, trailing: T) -> some View {
            beside(leading).beside(trailing)
        }

        /// Adds the leading button of a navigation bar, as apps did before iOS 14.
        public func navigationBarItems<L: View>(leading: L) -> some View { beside(leading) }

        /// Adds the trailing button of a navigation bar, as apps did before iOS 14.
        public func navigationBarItems<T: View>(trailing: T) -> some View { beside(trailing) }

        fileprivate func beside(_ other: some View) -> some View { Beside(content: self, other: other) }
    }

    /// A view with another one that belongs to it: unlike the views of a group, they are one tab of a `TabView`.
    private struct Beside<Content: View, Other: View>: View, Wrapper {
        typealias Body = Never
        let content: Content
        let other: Other

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            [ViewNode.Part(element: content), ViewNode.Part(key: .index(1), element: VStack { other })]
        }
    }

    /// The upper or the lower edge.
    public enum VerticalEdge: Sendable {
        /// One of the two edges.
        case top, bottom
    }

    /// The edge at which lines of text begin, or the one at which they end.
    public enum HorizontalEdge: Sendable {
        /// One of the two edges.
        case leading, trailing
    }
#endif
