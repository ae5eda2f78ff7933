#if SimulatedApple
    /// Views of which the user sees one, with labels below it by which the user selects a view.
    ///
    /// A view is created when it is selected for the first time. It then stays in the graph, and appears and disappears
    /// with the selection. A view whose label or tag is not found outside of its body is created at once, because its
    /// body, or that of its modifier, must be evaluated. If a tab cannot be selected, because it has neither a label nor
    /// a tag, all views are shown, one after another.
    ///
    /// With the style `page` there is a line for each page instead of its label, such as "page 1 of 3", with which the
    /// simulated user turns to that page.
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
            /// What was found in the bodies of tabs.
            var marks: [Tab.Place: TabMarks] = [:]
            /// The tab that the previous evaluation has shown.
            var shown: Tab.Place?
            /// Whether a tab cannot be selected, so that all are shown.
            var showsAll = false
            /// Counts the evaluations with new bodies, after each of which the tabs are evaluated again.
            let examinations = StateBox(0)
            /// Whether bodies are evaluated for the first time.
            var isExamining = false
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            let memory = node.memory as? Memory ?? Memory()
            node.memory = memory
            _ = memory.examinations.value
            let isPaged = node.environment.isPaged
            var tabs = Tab.all(in: content, of: node)
            memory.isExamining = false
            for index in tabs.indices where tabs[index].needsBody(isPaged, isSelected: selection != nil) {
                let place = tabs[index].place
                memory.isExamining = memory.isExamining || memory.marks[place] == nil
                let marks = memory.marks[place] ?? TabMarks()
                memory.marks[place] = marks
                tabs[index].read(marks)
            }
            let tag = selection.map { AnyHashable($0.wrappedValue) }
            let selected = memory.selected.value
            let isSelectable = isPaged || tabs.allSatisfy { $0.label != nil || (tag != nil && $0.tag != nil) }
            if !memory.isExamining {
                memory.shown =
                    (tabs.first { tab in tag.map { $0 == tab.tag } ?? (tab.place == selected) } ?? tabs.first)?.place
                memory.showsAll = !isSelectable
            }
            let showsAll = memory.showsAll
            for tab in tabs where showsAll || tab.place == memory.shown { memory.seen.insert(tab.place) }
            let pages = tabs.filter { memory.seen.contains($0.place) || $0.marks != nil }.map { tab in
                ViewNode.Part(
                    key: .id(tab.place), element: tab.markedElement,
                    isShown: showsAll || tab.place == memory.shown)
            }
            let labels = tabs.enumerated().compactMap { index, tab in
                (isPaged ? Text(verbatim: "page \(index + 1) of \(tabs.count)") : tab.label).map { label in
                    let button = Button {
                        if let selection, let value = tab.tag?.base as? SelectionValue {
                            selection.wrappedValue = value
                        } else {
                            memory.selected.value = tab.place
                        }
                    } label: {
                        AnyPart(content: label)
                    }
                    return ViewNode.Part(key: .id([tab.place]), element: button)
                }
            }
            return pages + labels
        }

        func updated(in node: ViewNode) {
            if let memory = node.memory as? Memory, memory.isExamining { memory.examinations.value += 1 }
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
        private let element: Any
        private let hasBody: Bool
        private(set) var tag: AnyHashable?
        private(set) var label: Any?
        private(set) var marks: TabMarks?

        /// Returns the tabs in a view: the views in its tuples, groups, conditions and loops.
        static func all(in element: Any, at place: Place = [], of node: ViewNode) -> [Tab] {
            guard let list = element as? any ViewList else { return [Tab(element, at: place)] }
            return list.parts(in: node).flatMap { all(in: $0.element, at: place + [$0.key], of: node) }
        }

        private init(_ element: Any, at place: Place) {
            (self.element, self.place) = (element, place)
            var view = element
            var isModified = false
            while let wrapper = view as? any Wrapper {
                if let tagged = view as? any TabMark { tagged.mark(&tag, &label) }
                isModified = isModified || view is any ModifiedView
                view = wrapper.content
            }
            hasBody =
                isModified
                || !(view is any Primitive || view is any UIViewRepresentable
                    || view is any UIViewControllerRepresentable)
            if tag == nil, case .id(let id) = place.last { tag = id }
        }

        /// Returns whether a label or a tag is missing that the body of the view may set.
        func needsBody(_ isPaged: Bool, isSelected: Bool) -> Bool {
            hasBody && (!isPaged && label == nil || isSelected && tag == nil)
        }

        /// Completes the tab with what was found in the body of its view.
        mutating func read(_ marks: TabMarks) {
            self.marks = marks
            tag = tag ?? marks.tag.value
            if label == nil, marks.hasLabel.value { label = FoundLabel(marks: marks) }
        }

        /// The view, which leaves what its body sets in the marks.
        var markedElement: Any {
            guard let marks else { return element }
            return EnvironmentChange(content: AnyPart(content: element)) { $0.tabMarks = marks }
        }
    }

    /// The tag and the label that a tab's view sets in its body.
    ///
    /// The tabs depend on the tag and on whether there is a label, and only the line of the tab on the label.
    @MainActor
    final class TabMarks {
        let tag = StateBox<AnyHashable?>(nil)
        let hasLabel = StateBox(false)
        let label = StateBox<Any>(EmptyView())
    }

    /// The label that was found in the body of a tab's view.
    private struct FoundLabel: View, Primitive {
        typealias Body = Never
        let marks: TabMarks
        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: marks.label.value)] }
    }

    private struct TabMarksKey: EnvironmentKey { static var defaultValue: TabMarks? { nil } }
    private struct IsPagedKey: EnvironmentKey { static var defaultValue: Bool { false } }

    extension EnvironmentValues {
        /// The marks of the tab whose view is evaluated; `nil` in views that are not a tab themselves.
        var tabMarks: TabMarks? {
            get { self[TabMarksKey.self] }
            set { self[TabMarksKey.self] = newValue }
        }

        /// Whether a `TabView` has the style `page`.
        fileprivate var isPaged: Bool {
            get { self[IsPagedKey.self] }
            set { self[IsPagedKey.self] = newValue }
        }
    }

    /// A modifier that sets the tag or the label of a tab.
    private protocol TabMark { func mark(_ tag: inout AnyHashable?, _ label: inout Any?) }

    private struct Tagged<Content: View>: View, Wrapper, TabMark {
        typealias Body = Never
        let content: Content
        let tag: AnyHashable

        func mark(_ tag: inout AnyHashable?, _ label: inout Any?) { tag = tag ?? self.tag }
        func updated(in node: ViewNode) { node.environment.tabMarks?.tag.value = tag }
    }

    private struct TabItem<Content: View>: View, Wrapper, TabMark {
        typealias Body = Never
        let content: Content
        let label: Any

        func mark(_ tag: inout AnyHashable?, _ label: inout Any?) { label = label ?? self.label }

        func updated(in node: ViewNode) {
            guard let marks = node.environment.tabMarks else { return }
            marks.label.value = label
            marks.hasLabel.value = true
        }
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

        /// Sets the style of the `TabView`s inside; only `page` has an effect.
        ///
        /// Rule: Apple, "tabViewStyle(_:)".
        public func tabViewStyle(_ style: ControlStyleName) -> some View {
            environment(\.isPaged, style == .page)
        }
    }
#endif
