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

        /// A tab whose label is set in its own body.
        private struct LabelledTab: View {
            let name: String
            let events: Events

            var body: some View { Page(name: name, events: events).tabItem { Text("label") } }
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
            func makeUIView(context: Context) -> UILabel { UILabel() }
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
                #expect(Set(take()) == ["first disappears", "second appears"])
                #expect(!stage.screen.press("first 1"))
                #expect(stage.screen.press("deeper"))
                #expect(stage.screen.lines == ["third 0", "close third"])
                #expect(Set(take()) == ["second disappears", "third appears"])
                #expect(stage.screen.press("close third"))
                #expect(Set(take()) == ["third disappears", "second appears"])
                #expect(stage.screen.press("close second"))
                #expect(stage.screen.lines == ["first 1", "push", "link"])
                #expect(Set(take()) == ["second disappears", "first appears"])
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
                #expect(Set(take()) == ["b disappears", "a appears"])
                #expect(stage.screen.press("D"))
                #expect(Set(take()) == ["a disappears", "d appears"])
                #expect(stage.screen.press("B"))
                #expect(stage.screen.lines.first == "b 1")
                #expect(Set(take()) == ["d disappears", "b appears"])
            }

            @Test("tabs without a selection begin with the first, and the user selects others")
            func freeTabs() {
                let stage = Stage(FreeTabs(events: events))
                #expect(stage.screen.lines == ["a 0", "A", "B"])
                #expect(stage.screen.press("B"))
                #expect(stage.screen.lines == ["b 0", "A", "B"])
                #expect(
                    events.all.first == "a appears" && Set(events.all.dropFirst()) == ["a disappears", "b appears"])
            }

            @Test("a sheet of a covered view is shown")
            func sheetOfCoveredView() {
                let stage = Stage(SheetOfRoot(events: events))
                #expect(stage.screen.press("page") && stage.screen.press("open"))
                #expect(stage.screen.lines == ["open", "sheet 0"] || stage.screen.lines == ["sheet 0", "open"])
                #expect(take() == ["sheet appears"])
                #expect(stage.screen.press("sheet 0"))
            }

            @Test("tabs whose labels and tags are not found are all shown")
            func hiddenLabels() {
                let stage = Stage(
                    TabView {
                        LabelledTab(name: "a", events: events)
                        LabelledTab(name: "b", events: events)
                    })
                #expect(stage.screen.lines == ["a 0", "b 0"])
            }

            @Test("of two sheets at once the first is shown, and the other one when that is dismissed")
            func twoSheets() {
                let stage = Stage(TwoSheets(events: events))
                #expect(stage.screen.press("both"))
                #expect(take() == ["first sheet appears"])
                #expect(!stage.screen.press("close second sheet"))
                #expect(stage.screen.press("close first sheet"))
                #expect(Set(take()) == ["first sheet disappears", "second sheet appears"])
                #expect(stage.screen.press("close second sheet"))
                #expect(stage.screen.lines == ["both", "one", "two"])
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
                #expect(events.all == ["dismantles wheel"])
            }
        }
    #endif
#endif
