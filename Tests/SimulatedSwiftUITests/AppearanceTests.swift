#if SimulatedApple
    #if os(Linux)
        import ApusDevice
        import SimulatedAppleCore
        import SimulatedSwiftUI
        import Testing
        import UIKit

        /// Notes its appearances and its task, and has a number as its state.
        private struct Page: View {
            let name: String
            let events: Events
            @State private var count = 0

            var body: some View {
                Button("\(name) \(count)") { count += 1 }
                    .onAppear { events.all.append("\(name) appears") }
                    .onDisappear { events.all.append("\(name) disappears") }
            }
        }

        /// A stack whose first page pushes a second one, which can push a third one.
        private struct Stacked: View {
            let events: Events
            @State private var isPushed = false

            var body: some View {
                NavigationStack {
                    VStack {
                        Page(name: "first", events: events)
                        Button("push") { isPushed = true }
                        NavigationLink("link") { Closable(name: "linked", events: events) }
                    }
                    .navigationDestination(isPresented: $isPushed) { Closable(name: "second", events: events) }
                }
            }
        }

        private struct Closable: View {
            let name: String
            let events: Events
            @Environment(\.dismiss) private var dismiss

            var body: some View {
                Page(name: name, events: events)
                Button("close \(name)") { dismiss() }
                if name == "second" { NavigationLink("deeper") { Closable(name: "third", events: events) } }
            }
        }

        private struct Tabs: View {
            let events: Events
            @State private var selection = "b"

            var body: some View {
                TabView(selection: $selection) {
                    Page(name: "a", events: events).tabItem { Text("A") }.tag("a")
                    Page(name: "b", events: events).tag("b").tabItem { Label("B", systemImage: "moon") }
                    if events.all.count < 100 {
                        ForEach(["c", "d"], id: \.self) { name in
                            Page(name: name, events: events).tabItem { Text(name.uppercased()) }.tag(name)
                        }
                    }
                }
                Button("choose a") { selection = "a" }
            }
        }

        private struct FreeTabs: View {
            let events: Events

            var body: some View {
                TabView {
                    Page(name: "a", events: events).tabItem { Text("A") }
                    Page(name: "b", events: events).tabItem { Text("B") }
                }
            }
        }

        private struct TwoSheets: View {
            let events: Events
            @State private var isFirst = false
            @State private var isSecond = false

            var body: some View {
                Button("both") { (isFirst, isSecond) = (true, true) }
                Button("only first") { (isFirst, isSecond) = (true, false) }
                Button("only second") { (isFirst, isSecond) = (false, true) }
                Text("one").sheet(isPresented: $isFirst) { Closable(name: "first sheet", events: events) }
                Text("two").sheet(isPresented: $isSecond) { Closable(name: "second sheet", events: events) }
            }
        }

        /// A stack whose covered root presents a sheet for the page in front of it.
        private struct SheetOfRoot: View {
            let events: Events
            @State private var isPresented = false

            var body: some View {
                NavigationStack {
                    VStack {
                        Text("root")
                        NavigationLink("page") { Button("open") { isPresented = true } }
                    }
                    .sheet(isPresented: $isPresented) { Page(name: "sheet", events: events) }
                }
            }
        }

        /// Switches between a sheet and another one, whose order in the structure is the opposite in `isReversed`.
        private struct ReplacedSheet: View {
            let events: Events
            let isReversed: Bool
            @State private var isFirst = false
            @State private var isSecond = false

            var body: some View {
                Text("one").sheet(isPresented: isReversed ? $isSecond : $isFirst) { sheet(isReversed ? 2 : 1) }
                Text("two").sheet(isPresented: isReversed ? $isFirst : $isSecond) { sheet(isReversed ? 1 : 2) }
                Button("first") { isFirst = true }
            }

            private func sheet(_ number: Int) -> some View {
                VStack {
                    Page(name: "sheet \(number)", events: events)
                    Button("replace") { (isFirst, isSecond) = (false, true) }
                }
            }
        }

        /// A view that is not in a stack, and is evaluated again whenever its button is pressed.
        private struct PushingOutsideOfStack: View {
            @State private var count = 0

            var body: some View {
                Button("count \(count)") { count += 1 }
                    .navigationDestination(isPresented: .constant(count > 0)) { Text("never") }
            }
        }

        /// A tab whose tag and label, with a number, are set in its own body.
        private struct LabelledTab: View {
            let name: String
            let events: Events
            @State private var news = 0

            var body: some View {
                Page(name: name, events: events)
                    .overlay { Button("more \(name)") { news += 1 } }
                    .tag(name)
                    .tabItem { Text("\(name): \(news)") }
            }
        }

        private struct LabelModifier: ViewModifier {
            let label: String

            func body(content: Content) -> some View { content.tabItem { Text(label) } }
        }

        /// A tab with a label of its own in each branch of its body.
        private struct BranchedTab: View {
            let events: Events
            @State private var isNew = false

            var body: some View {
                if isNew {
                    Page(name: "new", events: events).tabItem { Text("New") }
                } else {
                    Button("renew") { isNew = true }.tabItem { Text("Old") }
                }
            }
        }

        /// Tabs that are all shown, because they have no labels.
        private struct GrowingTabs: View {
            let events: Events
            @State private var isGrown = false

            var body: some View {
                TabView {
                    Page(name: "a", events: events)
                    Page(name: "b", events: events)
                    if isGrown { Page(name: "c", events: events) }
                }
                Button("grow") { isGrown = true }
            }
        }

        /// Calls an action in the update that its button causes.
        private struct Acting: View {
            let events: Events
            let action: () -> Void
            @State private var count = 0

            var body: some View {
                Page(name: "page", events: events)
                Button("act") { count += 1 }.onChange(of: count) { action() }
            }
        }

        /// Tabs with views beside them, or in views that hide the type.
        private struct DecoratedTabs: View {
            let events: Events

            var body: some View {
                TabView {
                    Page(name: "a", events: events).tabItem { Text("A") }.overlay { Text("over a") }
                    Page(name: "b", events: events).tabItem { Text("B") }.safeAreaInset(edge: .top) { Text("inset b") }
                    Page(name: "c", events: events).tabItem { Text("C") }.toolbar { Button("tool c") {} }
                    AnyView(Page(name: "d", events: events).tabItem { Text("D") })
                    Page(name: "e", events: events).tabItem { Text("E") }.id("e")
                }
            }
        }

        private struct SelectedLabels: View {
            let events: Events
            @State private var selection = "b"

            var body: some View {
                TabView(selection: $selection) {
                    LabelledTab(name: "a", events: events)
                    LabelledTab(name: "b", events: events)
                }
                Text("selected \(selection)")
            }
        }

        /// Pages that the user turns, with a selection.
        private struct Pages: View {
            let events: Events
            let style: ControlStyleName
            @State private var selection = "a"

            var body: some View {
                TabView(selection: $selection) {
                    ForEach(["a", "b"], id: \.self) { Page(name: $0, events: events).tag($0) }
                    Page(name: "c", events: events).tag("c")
                }.tabViewStyle(style)
                Text("selected \(selection)")
            }
        }

        private final class WheelController: UIViewController {
            var events: Events?
            override func viewDidLoad() { events?.all.append("loads") }
            override func viewWillAppear(_ animated: Bool) { events?.all.append("will appear") }
            override func viewDidAppear(_ animated: Bool) { events?.all.append("did appear") }
            override func viewWillDisappear(_ animated: Bool) { events?.all.append("will disappear") }
            override func viewDidDisappear(_ animated: Bool) { events?.all.append("did disappear") }
        }

        /// Pushes another controller while it appears itself, as an app does that asks for a log-in.
        private final class PushingController: UIViewController {
            var login: UIViewController?

            override func viewWillAppear(_ animated: Bool) {
                super.viewWillAppear(animated)
                if let login { navigationController?.pushViewController(login, animated: false) }
                login = nil
            }
        }

        private struct ControlledWheel: UIViewControllerRepresentable {
            let events: Events

            func makeCoordinator() -> Events { events }
            func makeUIViewController(context: Context) -> WheelController {
                let controller = WheelController()
                controller.events = events
                return controller
            }
            func updateUIViewController(_ uiViewController: WheelController, context: Context) {
                events.all.append("updates")
            }
            static func dismantleUIViewController(_ uiViewController: WheelController, coordinator: Events) {
                coordinator.all.append("dismantles")
            }
        }

        private struct ShownWheel: UIViewRepresentable {
            let events: Events

            func makeCoordinator() -> Events { events }
            func makeUIView(context: Context) -> UILabel {
                events.all.append("makes wheel")
                return UILabel()
            }
            func updateUIView(_ uiView: UILabel, context: Context) { uiView.text = "wheel" }
            static func dismantleUIView(_ uiView: UILabel, coordinator: Events) {
                coordinator.all.append("dismantles \(uiView.text ?? "")")
            }
        }

        /// An app whose process has the screen that controllers of UIKit need.
        private final class ScreenApp: UIResponder, UIApplicationDelegate {}

        private struct Switched<Content: View>: View {
            @State private var isOn = true
            @ViewBuilder let content: Content

            var body: some View {
                Button("switch") { isOn.toggle() }
                if isOn { content }
            }
        }

        @MainActor
        @Suite("The appearance of views")
        struct AppearanceTests {
            private let events = Events()

            private func take() -> [String] {
                defer { events.all = [] }
                return events.all
            }

            private func withScreen(_ body: () -> Void) throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(usesScenes: false), delegate: ScreenApp())
                    device.launch()
                    body()
                }
            }

            @Test("a pushed view covers the stack's views, which disappear, keep their state, and appear again")
            func push() {
                let stage = Stage(Stacked(events: events))
                #expect(stage.screen.press("first 0"))
                #expect(take() == ["first appears"])
                #expect(stage.screen.press("push"))
                #expect(stage.screen.lines == ["second 0", "close second", "deeper"])
                #expect(take() == ["second appears", "first disappears"])
                #expect(!stage.screen.press("first 1"))
                #expect(stage.screen.press("deeper"))
                #expect(stage.screen.lines == ["third 0", "close third"])
                #expect(take() == ["third appears", "second disappears"])
                #expect(stage.screen.press("close third"))
                #expect(take() == ["second appears", "third disappears"])
                #expect(stage.screen.press("close second"))
                #expect(stage.screen.lines == ["first 1", "push", "link"])
                #expect(take() == ["first appears", "second disappears"])
            }

            @Test("a link in a stack pushes its view; one outside of a stack is disabled")
            func link() {
                let stage = Stage(Stacked(events: events))
                #expect(stage.screen.press("link"))
                #expect(stage.screen.lines == ["linked 0", "close linked"])
                let outside = Stage(NavigationLink("link") { Text("never") })
                #expect(!outside.screen.press("link"))
                #expect(outside.screen.lines == ["link"])
            }

            @Test("a tab is in the graph when it was selected once; it appears and disappears with the selection")
            func tabs() {
                let stage = Stage(Tabs(events: events))
                #expect(stage.screen.lines == ["b 0", "A", "B", "C", "D", "choose a"])
                #expect(take() == ["b appears"])
                #expect(stage.screen.press("b 0") && stage.screen.press("choose a"))
                #expect(stage.screen.lines == ["a 0", "A", "B", "C", "D", "choose a"])
                #expect(take() == ["a appears", "b disappears"])
                #expect(stage.screen.press("D"))
                #expect(take() == ["d appears", "a disappears"])
                #expect(stage.screen.press("B"))
                #expect(stage.screen.lines.first == "b 1")
                #expect(take() == ["b appears", "d disappears"])
            }

            @Test("tabs without a selection begin with the first, and the user selects others")
            func freeTabs() {
                let stage = Stage(FreeTabs(events: events))
                #expect(stage.screen.lines == ["a 0", "A", "B"])
                #expect(stage.screen.press("B"))
                #expect(stage.screen.lines == ["b 0", "A", "B"])
                #expect(take() == ["a appears", "b appears", "a disappears"])
            }

            @Test("a sheet of a covered view is shown")
            func sheetOfCoveredView() {
                let stage = Stage(SheetOfRoot(events: events))
                #expect(stage.screen.press("page") && stage.screen.press("open"))
                #expect(stage.screen.lines == ["open", "sheet 0"] || stage.screen.lines == ["sheet 0", "open"])
                #expect(take() == ["sheet appears"])
                #expect(stage.screen.press("sheet 0"))
            }

            @Test("a label or a tag that a tab's view sets in its body is found, and follows the view's state")
            func labelsInBodies() {
                let stage = Stage(
                    TabView {
                        LabelledTab(name: "a", events: events)
                        LabelledTab(name: "b", events: events)
                    })
                #expect(stage.screen.lines == ["a 0", "more a", "a: 0", "b: 0"])
                #expect(take() == ["a appears"])
                #expect(stage.screen.press("more a"))
                #expect(stage.screen.lines == ["a 0", "more a", "a: 1", "b: 0"])
                #expect(stage.screen.press("b: 0"))
                #expect(stage.screen.lines == ["b 0", "more b", "a: 1", "b: 0"])
                #expect(take() == ["b appears", "a disappears"])
                let selected = Stage(SelectedLabels(events: events))
                #expect(selected.screen.lines == ["b 0", "more b", "a: 0", "b: 0", "selected b"])
                #expect(take() == ["b appears"])
                #expect(selected.screen.press("a: 0"))
                #expect(selected.screen.lines == ["a 0", "more a", "a: 0", "b: 0", "selected a"])
            }

            @Test("a label that a modifier or a branch of a condition sets is found")
            func labelsInModifiers() {
                let stage = Stage(
                    TabView {
                        Text("a").modifier(LabelModifier(label: "A"))
                        BranchedTab(events: events)
                    })
                #expect(stage.screen.lines == ["a", "A", "Old"])
                #expect(stage.screen.press("Old"))
                #expect(stage.screen.lines == ["renew", "A", "Old"])
                #expect(stage.screen.press("renew"))
                #expect(stage.screen.lines == ["new 0", "A", "New"])
            }

            @Test("a view that is hidden and shown again in one action disappears, and then appears")
            func hiddenAndShown() {
                var hide: () -> Void = {}
                let stage = Stage(Acting(events: events) { hide() })
                hide = { [graph = stage.graph] in
                    graph.setShown(false)
                    graph.setShown(true)
                }
                #expect(take() == ["page appears"])
                #expect(stage.screen.press("act"))
                #expect(take() == ["page disappears", "page appears"])
                hide = { [graph = stage.graph] in
                    for isShown in [false, true, false] { graph.setShown(isShown) }
                }
                #expect(stage.screen.press("act"))
                #expect(take() == ["page disappears", "page appears", "page disappears"])
            }

            @Test("a view of UIKit in a tab is made when the tab is selected")
            func viewInTab() {
                struct Wheels: View {
                    let events: Events
                    @State private var selection = 1

                    var body: some View {
                        TabView(selection: $selection) {
                            Text("first").tag(1)
                            ShownWheel(events: events).tag(2)
                        }
                        Button("second") { selection = 2 }
                    }
                }
                let stage = Stage(Wheels(events: events))
                #expect(take().isEmpty)
                #expect(stage.screen.press("second"))
                #expect(take() == ["makes wheel"])
            }

            @Test("tabs without labels and tags are all shown")
            func noLabels() {
                let stage = Stage(
                    TabView {
                        Page(name: "a", events: events)
                        Text("b")
                    })
                #expect(stage.screen.lines == ["a 0", "b"])
                #expect(take() == ["a appears"])
                let growing = Stage(GrowingTabs(events: events))
                #expect(take() == ["a appears", "b appears"])
                #expect(growing.screen.press("grow"))
                #expect(growing.screen.lines == ["a 0", "b 0", "c 0", "grow"])
                #expect(take() == ["c appears"])
            }

            @Test("a tab keeps its label behind a view beside it, AnyView and id, and what is beside it is in its page")
            func decoratedTabs() {
                let stage = Stage(DecoratedTabs(events: events))
                let labels = ["A", "B", "C", "D", "E"]
                #expect(stage.screen.lines == ["a 0", "over a"] + labels)
                #expect(take() == ["a appears"])
                #expect(stage.screen.press("B"))
                #expect(stage.screen.lines == ["b 0", "inset b"] + labels)
                #expect(stage.screen.press("C"))
                #expect(stage.screen.lines == ["c 0", "tool c"] + labels)
                #expect(stage.screen.press("D"))
                #expect(stage.screen.lines == ["d 0"] + labels)
                #expect(stage.screen.press("E"))
                #expect(stage.screen.lines == ["e 0"] + labels)
            }

            @Test(
                "the user turns to a page by its line below the pages, and the selection follows",
                arguments: [.page, .page(indexDisplayMode: .never), PageTabViewStyle()] as [ControlStyleName])
            func pages(style: ControlStyleName) {
                let stage = Stage(Pages(events: events, style: style))
                let below = ["page 1 of 3", "page 2 of 3", "page 3 of 3"]
                #expect(stage.screen.lines == ["a 0"] + below + ["selected a"])
                #expect(take() == ["a appears"])
                #expect(stage.screen.press("page 3 of 3"))
                #expect(stage.screen.lines == ["c 0"] + below + ["selected c"])
                #expect(take() == ["c appears", "a disappears"])
                #expect(stage.screen.press("page 2 of 3"))
                #expect(stage.screen.lines.first == "b 0")
            }

            @Test(
                "a sheet that replaces another one appears after that has disappeared, without a warning",
                arguments: [false, true])
            func replacedSheet(isReversed: Bool) {
                let stage = Stage(ReplacedSheet(events: events, isReversed: isReversed))
                stage.graph.warn = { [events] in events.all.append("warning: \($0)") }
                #expect(stage.screen.press("first") && stage.screen.press("replace"))
                #expect(take() == ["sheet 1 appears", "sheet 1 disappears", "sheet 2 appears"])
            }

            @Test("a view that is pushed outside of a stack is one warning")
            func pushOutsideOfStack() {
                let stage = Stage(PushingOutsideOfStack())
                stage.graph.warn = { [events] in events.all.append($0) }
                #expect(stage.screen.press("count 0") && stage.screen.press("count 1"))
                #expect(take() == ["a navigationDestination outside of a NavigationStack shows nothing"])
            }

            @Test("of two sheets at once the first is shown, and the other one when that is dismissed")
            func twoSheets() {
                let stage = Stage(TwoSheets(events: events))
                #expect(stage.screen.press("both"))
                #expect(take() == ["first sheet appears"])
                #expect(!stage.screen.press("close second sheet"))
                #expect(stage.screen.press("close first sheet"))
                #expect(take() == ["first sheet disappears", "second sheet appears"])
                #expect(stage.screen.press("close second sheet"))
                #expect(stage.screen.lines == ["both", "only first", "only second", "one", "two"])
            }

            @Test("a controller in a view gets the calls about its appearance, and is dismantled with the view")
            func controller() throws {
                try withScreen {
                    let stage = Stage(Switched { ControlledWheel(events: events) })
                    #expect(take() == ["updates", "loads", "will appear", "did appear"])
                    #expect(stage.screen.press("switch"))
                    #expect(take() == ["will disappear", "did disappear", "dismantles"])
                }
            }

            @Test("a controller in a covered view disappears, and is not dismantled")
            func coveredController() throws {
                try withScreen {
                    let stage = Stage(
                        NavigationStack {
                            ControlledWheel(events: events)
                            NavigationLink("push") { Closable(name: "pushed", events: Events()) }
                        })
                    _ = take()
                    #expect(stage.screen.press("push"))
                    #expect(take() == ["will disappear", "did disappear"])
                    #expect(stage.screen.press("close pushed"))
                    #expect(take() == ["will appear", "did appear"])
                }
            }

            @Test("a controller that is pushed while its stack appears gets the calls, and so does a child in any view")
            func controllersInViews() throws {
                try withScreen {
                    let (root, pushed, child) = (PushingController(), WheelController(), WheelController())
                    (pushed.events, child.events) = (events, events)
                    root.login = pushed
                    let window = UIWindow()
                    window.rootViewController = UINavigationController(rootViewController: root)
                    window.makeKeyAndVisible()
                    #expect(take() == ["loads", "will appear", "did appear"])
                    let container = UIView()
                    pushed.addChild(child)
                    container.addSubview(child.view)
                    #expect(take() == ["loads"])
                    pushed.view.addSubview(container)
                    #expect(take() == ["will appear", "did appear"])
                    pushed.view.addSubview(container)
                    #expect(take().isEmpty)
                    child.removeFromParent()
                    container.removeFromSuperview()
                    #expect(take() == ["will disappear", "did disappear"])
                }
            }

            @Test("a view of UIKit in one of SwiftUI is dismantled when it leaves the graph")
            func view() {
                let stage = Stage(Switched { ShownWheel(events: events) })
                #expect(stage.screen.press("switch"))
                #expect(events.all == ["makes wheel", "dismantles wheel"])
            }
        }
    #endif
#endif
