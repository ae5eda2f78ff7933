#if SimulatedApple
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
