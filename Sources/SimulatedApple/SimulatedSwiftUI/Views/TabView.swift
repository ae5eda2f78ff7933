#if SimulatedApple
    /// Views of which the user sees one, with labels below it by which the user selects a view.
    ///
    /// A view is created when it is selected for the first time. It then stays in the graph, and appears and disappears
    /// with the selection. If a tab cannot be selected, because neither a label nor a tag is found outside of its view's
    /// body, all views are shown, one after another.
    ///
    /// Rule: Apple, "TabView".
    public struct TabView<SelectionValue: Hashable, Content: View>: View, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        private let selection: Binding<SelectionValue>?
        private let content: Content

        /// Creates tabs, and shows the one with the selected tag, or the first one if no tab has that tag.
        public init(selection: Binding<SelectionValue>?, @ViewBuilder content: () -> Content) {
            (self.selection, self.content) = (selection, content())
        }

        private final class Memory {
            /// The tabs that were selected so far.
            var seen: Set<Tab.Place> = []
            /// The selected tab, if there is no binding.
            let selected = StateBox<Tab.Place>([])
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            let memory = node.memory as? Memory ?? Memory()
            node.memory = memory
            let tabs = Tab.all(in: content, of: node)
            let tag = selection.map { AnyHashable($0.wrappedValue) }
            let selected = memory.selected.value
            let shown = (tabs.first { tab in tag.map { $0 == tab.tag } ?? (tab.place == selected) } ?? tabs.first)?
                .place
            let areSelectable = tabs.allSatisfy { $0.label != nil || (tag != nil && $0.tag != nil) }
            for tab in tabs where !areSelectable || tab.place == shown { memory.seen.insert(tab.place) }
            let pages = tabs.filter { memory.seen.contains($0.place) }.map { tab in
                ViewNode.Part(
                    key: .id(tab.place), element: tab.element, isShown: !areSelectable || tab.place == shown)
            }
            let labels = tabs.compactMap { tab in
                tab.label.map { label in
                    let button = Button {
                        if let selection, let value = tab.tag?.base as? SelectionValue {
                            selection.wrappedValue = value
                        } else {
                            memory.selected.value = tab.place
                        }
                    } label: {
                        AnyPart(element: label)
                    }
                    return ViewNode.Part(key: .id([tab.place]), element: button)
                }
            }
            return pages + labels
        }
    }

    extension TabView where SelectionValue == Int {
        /// Creates tabs, of which the first is shown until the user selects another one.
        public init(@ViewBuilder content: () -> Content) { self.init(selection: nil, content: content) }
    }

    /// One tab with its view, tag and label.
    @MainActor
    private struct Tab {
        /// The keys that lead from the content of the tabs to the view.
        typealias Place = [ViewNode.Key]

        let place: Place
        let element: Any
        private(set) var tag: AnyHashable?
        private(set) var label: Any?

        /// Returns the tabs in a view: the views in its tuples, groups, conditions and loops.
        static func all(in element: Any, at place: Place = [], of node: ViewNode) -> [Tab] {
            guard let list = element as? any ViewList else { return [Tab(element, at: place)] }
            return list.parts(in: node).flatMap { all(in: $0.element, at: place + [$0.key], of: node) }
        }

        private init(_ element: Any, at place: Place) {
            (self.element, self.place) = (element, place)
            var view = element
            while let wrapper = view as? any Wrapper {
                if let tagged = view as? any TabMark { tagged.mark(&tag, &label) }
                view = wrapper.content
            }
            if tag == nil, case .id(let id) = place.last { tag = id }
        }
    }

    /// A modifier that sets the tag or the label of a tab.
    private protocol TabMark { func mark(_ tag: inout AnyHashable?, _ label: inout Any?) }

    private struct Tagged<Content: View>: View, Wrapper, TabMark {
        typealias Body = Never
        let content: Content
        let tag: AnyHashable

        func mark(_ tag: inout AnyHashable?, _ label: inout Any?) { tag = tag ?? self.tag }
    }

    private struct TabItem<Content: View>: View, Wrapper, TabMark {
        typealias Body = Never
        let content: Content
        let label: Any

        func mark(_ tag: inout AnyHashable?, _ label: inout Any?) { label = label ?? self.label }
    }

    extension View {
        /// Sets the value that selects the view's tab in a `TabView`.
        ///
        /// Rule: Apple, "tag(_:)". In a `Picker` it has no effect, because the simulated user cannot choose an option.
        public func tag<V: Hashable>(_ tag: V) -> some View { Tagged(content: self, tag: tag) }

        /// Sets the label of the view's tab; a press on the label selects the view.
        ///
        /// Rule: Apple, "tabItem(_:)".
        public func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View {
            TabItem(content: self, label: label())
        }
    }
#endif
