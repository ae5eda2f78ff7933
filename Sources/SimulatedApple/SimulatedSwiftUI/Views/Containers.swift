#if SimulatedApple
    /// A view that contains others and adds no text.
    protocol Container: View, Primitive {
        associatedtype Content: View
        var content: Content { get }
    }

    extension Container {
        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }
    }

    /// Views that are stacked vertically.
    ///
    /// Rule: Apple, "VStack".
    public struct VStack<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a vertical stack; alignment and spacing have no effect.
        public init(
            alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
        ) {
            self.content = content()
        }
    }

    /// Views side by side.
    ///
    /// Here each of them is a line of its own. Rule: Apple, "HStack".
    public struct HStack<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a horizontal stack; alignment and spacing have no effect.
        public init(
            alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
        ) {
            self.content = content()
        }
    }

    /// Views that overlap.
    ///
    /// Here all of them are readable. Rule: Apple, "ZStack".
    public struct ZStack<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a stack of overlapping views; the alignment has no effect.
        public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) { self.content = content() }
    }

    /// A group of views.
    ///
    /// Rule: Apple, "Group".
    public struct Group<Content: View>: Container, ViewList {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a group of views.
        public init(@ViewBuilder content: () -> Content) { self.content = content() }
    }

    /// The controls of a form.
    ///
    /// Rule: Apple, "Form".
    public struct Form<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a form.
        public init(@ViewBuilder content: () -> Content) { self.content = content() }
    }

    /// Views that can be scrolled.
    ///
    /// Here all of them are readable. Rule: Apple, "ScrollView".
    public struct ScrollView<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content
        /// Creates a scrollable view; the axes have no effect.
        public init(_ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content) {
            self.content = content()
        }
    }

    /// A list of rows.
    ///
    /// Here all rows can be read and pressed. Rule: Apple, "List".
    public struct List<Content: View>: Container {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        let content: Content

        /// Creates a list of views.
        public init(@ViewBuilder content: () -> Content) { self.content = content() }

        /// Creates a list with a row for each element.
        public init<Data: RandomAccessCollection, Row: View>(
            _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
        ) where Content == ForEach<Data, Data.Element.ID, Row>, Data.Element: Identifiable {
            content = ForEach(data, content: rowContent)
        }

        /// Creates a list with a row for each element; a key path leads to the element's identifier.
        public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
            _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
        ) where Content == ForEach<Data, ID, Row> {
            content = ForEach(data, id: id, content: rowContent)
        }
    }

    /// Rows with a header and a footer.
    ///
    /// Rule: Apple, "Section".
    public struct Section<Parent: View, Content: View, Footer: View>: View {
        private let header: Parent
        private let content: Content
        private let footer: Footer

        /// Creates a section with a header and a footer.
        public init(
            @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
        ) { (self.header, self.content, self.footer) = (header(), content(), footer()) }

        /// Creates a section with a header and a footer, in the form of iOS 13.
        public init(header: Parent, footer: Footer, @ViewBuilder content: () -> Content) {
            (self.header, self.content, self.footer) = (header, content(), footer)
        }

        /// The header, the rows and the footer.
        public var body: some View {
            header
            content
            footer
        }
    }

    extension Section where Footer == EmptyView {
        /// Creates a section with a header, in the form of iOS 13.
        public init(header: Parent, @ViewBuilder content: () -> Content) {
            self.init(header: header, footer: EmptyView(), content: content)
        }

        /// Creates a section with a header.
        public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {
            self.init(content: content, header: header) { EmptyView() }
        }
    }

    extension Section where Parent == EmptyView {
        /// Creates a section with a footer.
        public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {
            self.init(content: content, header: { EmptyView() }, footer: footer)
        }
    }

    extension Section where Parent == EmptyView, Footer == EmptyView {
        /// Creates a section of rows only.
        public init(@ViewBuilder content: () -> Content) {
            self.init(content: content, header: { EmptyView() }, footer: { EmptyView() })
        }
    }

    extension Section where Parent == Text, Footer == EmptyView {
        /// Creates a section with a title.
        public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }

        /// Creates a section with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    /// Empty space between views.
    ///
    /// Rule: Apple, "Spacer".
    public struct Spacer: View, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        /// Creates empty space; the length has no effect.
        public init(minLength: CGFloat? = nil) {}
    }

    /// A line between views.
    ///
    /// Rule: Apple, "Divider".
    public struct Divider: View, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        /// Creates a divider.
        public init() {}
    }

    /// A view for each element of a collection; the state of the view belongs to the element's identifier.
    ///
    /// Rule: Apple, "ForEach".
    public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content>: ViewList {
        /// The collection.
        public var data: Data
        /// The closure that creates the view of an element.
        public var content: (Data.Element) -> Content
        private let id: (Data.Element) -> ID

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            data.map { ViewNode.Part(key: .id(id($0)), element: content($0)) }
        }
    }

    extension ForEach: View where Content: View {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never

        /// Creates a view for each identifiable element.
        public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
        where ID == Data.Element.ID, Data.Element: Identifiable {
            self.init(data: data, content: content) { $0.id }
        }

        /// Creates a view for each element; a key path leads to the element's identifier.
        public init(
            _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
        ) {
            self.init(data: data, content: content) { $0[keyPath: id] }
        }

        /// Creates a view for each number of a range.
        public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content)
        where Data == Range<Int>, ID == Int {
            self.init(data: data, content: content) { $0 }
        }

        /// Returns the views unchanged, because no row is swiped here.
        public func onDelete(perform action: ((IndexSet) -> Void)?) -> some View { self }
        /// Returns the views unchanged, because no row is moved here.
        public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> some View { self }
    }
#endif
