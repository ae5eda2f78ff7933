#if SimulatedApple
    /// A view that holds others and adds no text.
    protocol Container: View, Primitive {
        associatedtype Content: View
        var content: Content { get }
    }

    extension Container {
        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }
    }

    /// Views below each other. Rule: Apple, "VStack".
    public struct VStack<Content: View>: Container {
        /// None; the graph knows it.
        public typealias Body = Never
        let content: Content
        /// Views below each other; alignment and spacing have no effect.
        public init(
            alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
        ) {
            self.content = content()
        }
    }

    /// Views side by side. Each is a line of its own here. Rule: Apple, "HStack".
    public struct HStack<Content: View>: Container {
        /// None; the graph knows it.
        public typealias Body = Never
        let content: Content
        /// Views side by side; alignment and spacing have no effect.
        public init(
            alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
        ) {
            self.content = content()
        }
    }

    /// Views in front of each other. All can be read here. Rule: Apple, "ZStack".
    public struct ZStack<Content: View>: Container {
        /// None; the graph knows it.
        public typealias Body = Never
        let content: Content
        /// Views in front of each other; alignment has no effect.
        public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) { self.content = content() }
    }

    /// Views together. Rule: Apple, "Group".
    public struct Group<Content: View>: Container {
        /// None; the graph knows it.
        public typealias Body = Never
        let content: Content
        /// Views together.
        public init(@ViewBuilder content: () -> Content) { self.content = content() }
    }

    /// Controls of a form. Rule: Apple, "Form".
    public struct Form<Content: View>: Container {
        /// None; the graph knows it.
        public typealias Body = Never
        let content: Content
        /// Controls of a form.
        public init(@ViewBuilder content: () -> Content) { self.content = content() }
    }

    /// Views that can be scrolled. All can be read here. Rule: Apple, "ScrollView".
    public struct ScrollView<Content: View>: Container {
        /// None; the graph knows it.
        public typealias Body = Never
        let content: Content
        /// Views that can be scrolled.
        public init(_ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content) {
            self.content = content()
        }
    }

    /// Rows. All rows can be read and pressed here. Rule: Apple, "List".
    public struct List<Content: View>: Container {
        /// None; the graph knows it.
        public typealias Body = Never
        let content: Content

        /// The rows.
        public init(@ViewBuilder content: () -> Content) { self.content = content() }

        /// A row for each element.
        public init<Data: RandomAccessCollection, Row: View>(
            _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
        ) where Content == ForEach<Data, Data.Element.ID, Row>, Data.Element: Identifiable {
            content = ForEach(data, content: rowContent)
        }

        /// A row for each element, with identifiers that are read by a key path.
        public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
            _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
        ) where Content == ForEach<Data, ID, Row> {
            content = ForEach(data, id: id, content: rowContent)
        }
    }

    /// Rows with a header and a footer. Rule: Apple, "Section".
    public struct Section<Parent: View, Content: View, Footer: View>: View {
        private let header: Parent
        private let content: Content
        private let footer: Footer

        /// Rows with a header and a footer.
        public init(
            @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
        ) { (self.header, self.content, self.footer) = (header(), content(), footer()) }

        /// Rows with a header and a footer, in the form of iOS 13.
        public init(header: Parent, footer: Footer, @ViewBuilder content: () -> Content) {
            (self.header, self.content, self.footer) = (header, content(), footer)
        }

        /// Header, rows and footer.
        public var body: some View {
            header
            content
            footer
        }
    }

    extension Section where Footer == EmptyView {
        /// Rows with a header, in the form of iOS 13.
        public init(header: Parent, @ViewBuilder content: () -> Content) {
            self.init(header: header, footer: EmptyView(), content: content)
        }

        /// Rows with a header.
        public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {
            self.init(content: content, header: header) { EmptyView() }
        }
    }

    extension Section where Parent == EmptyView {
        /// Rows with a footer.
        public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {
            self.init(content: content, header: { EmptyView() }, footer: footer)
        }
    }

    extension Section where Parent == EmptyView, Footer == EmptyView {
        /// Rows.
        public init(@ViewBuilder content: () -> Content) {
            self.init(content: content, header: { EmptyView() }, footer: { EmptyView() })
        }
    }

    extension Section where Parent == Text, Footer == EmptyView {
        /// Rows with a title.
        public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }

        /// Rows with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    /// Empty space. Rule: Apple, "Spacer".
    public struct Spacer: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        /// Makes empty space.
        public init(minLength: CGFloat? = nil) {}
    }

    /// A line between views. Rule: Apple, "Divider".
    public struct Divider: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        /// A line.
        public init() {}
    }

    /// A view for each element of a collection. State goes with an element's identifier.
    ///
    /// Rule: Apple, "ForEach".
    public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content>: Primitive {
        /// The collection.
        public var data: Data
        /// Makes the view of an element.
        public var content: (Data.Element) -> Content
        private let id: (Data.Element) -> ID

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            data.map { ViewNode.Part(key: .id(id($0)), element: content($0)) }
        }
    }

    extension ForEach: View where Content: View {
        /// None; the graph knows it.
        public typealias Body = Never

        /// Views for elements that have identifiers.
        public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
        where ID == Data.Element.ID, Data.Element: Identifiable {
            self.init(data: data, content: content) { $0.id }
        }

        /// Views for elements whose identifiers are read by a key path.
        public init(
            _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
        ) {
            self.init(data: data, content: content) { $0[keyPath: id] }
        }

        /// Views for numbers.
        public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content)
        where Data == Range<Int>, ID == Int {
            self.init(data: data, content: content) { $0 }
        }

        /// Does nothing here: no row is swiped.
        public func onDelete(perform action: ((IndexSet) -> Void)?) -> some View { self }
        /// Does nothing here: no row is moved.
        public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> some View { self }
    }
#endif
