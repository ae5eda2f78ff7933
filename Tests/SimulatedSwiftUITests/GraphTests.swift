#if SimulatedApple
    #if os(Linux)
        import ApusTimers
        import Foundation
        import SimulatedSwiftUI
        import Testing

        /// A graph whose turns run when the test says so.
        @MainActor
        final class Stage {
            private final class Turns: Sendable {
                let waiting = Locked<[@MainActor @Sendable () -> Void]>([])
            }

            let graph: ViewGraph
            var screen: HeadlessScreen { HeadlessScreen(graph) }
            private let turns: Turns

            init(_ view: some View) {
                let turns = Turns()
                self.turns = turns
                graph = ViewGraph { work in turns.waiting.withLock { $0.append(work) } }
                graph.show(view)
                turn()
            }

            var waitingTurns: Int { turns.waiting.withLock { $0.count } }

            func turn() {
                let present = turns.waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                for work in present { work() }
            }
        }

        /// The notes of a test's views, in order.
        @MainActor
        final class Events {
            var all: [String] = []
        }

        final class Model: ObservableObject {
            @Published var count = 0
            @Published var other = 0
        }

        private struct Counter: View {
            let name: String
            var events: Events?
            @State private var count = 0

            var body: some View {
                let _ = events?.all.append("body \(name)")
                Button("\(name) \(count)") { count += 1 }
            }
        }

        private struct Parent: View {
            let events: Events
            @State private var isFlipped = false
            @State private var names = ["a", "b"]

            var body: some View {
                let _ = events.all.append("body parent")
                Button("flip") { isFlipped.toggle() }
                Button("insert") { names.insert("c", at: 0) }
                if isFlipped { Counter(name: "then") } else { Counter(name: "else") }
                ForEach(names, id: \.self) { Counter(name: $0, events: events) }
            }
        }

        private struct Holder: View {
            @StateObject var model: Model
            let events: Events

            var body: some View {
                let _ = events.all.append("body")
                Text("\(model.count) \(model.other)")
                Button("twice") {
                    model.count += 1
                    model.other += 1
                }
            }
        }

        private struct Outer: View {
            let events: Events
            @State private var value = 1

            var body: some View {
                let _ = events.all.append("outer")
                Inner(events: events, value: $value)
            }
        }

        private struct Inner: View {
            let events: Events
            @Binding var value: Int

            var body: some View {
                let _ = events.all.append("inner \(value)")
                Button("add") { value += 1 }
            }
        }

        /// A view whose subviews read the same model; the last subview is less deeply nested than the others.
        private struct Shelf: View {
            let events: Events
            @StateObject private var model = Model()

            var body: some View {
                Button("change") { model.count += 1 }
                ForEach(0..<12, id: \.self) { number in
                    VStack {
                        Watcher(name: "\(number)", events: events, model: model)
                    }
                }
                Watcher(name: "above", events: events, model: model)
            }
        }

        private struct Watcher: View {
            let name: String
            let events: Events
            @ObservedObject var model: Model

            var body: some View {
                Text(name)
                    .onChange(of: model.count) { events.all.append(name) }
            }
        }

        @Observable
        final class Basket {
            var apples = 0
            var pears = 0
        }

        private struct Apples: View {
            let basket: Basket
            let events: Events

            var body: some View {
                let _ = events.all.append("body")
                Text("\(basket.apples)")
            }
        }

        private struct Reader: View {
            let events: Events
            @Environment(\.scenePhase) private var phase
            @Environment(\.locale) private var locale

            var body: some View {
                let _ = events.all.append("reader \(phase)")
                Text("\(phase)")
            }
        }

        private struct Beside: View {
            let events: Events

            var body: some View {
                let _ = events.all.append("beside")
                Reader(events: events)
            }
        }

        private struct Twins: View {
            var body: some View {
                let twin = Counter(name: "twin")
                twin
                twin
            }
        }

        private struct Loud: ViewModifier {
            @State private var isLoud = false

            func body(content: Content) -> some View {
                content
                Button(isLoud ? "quiet" : "loud") { isLoud.toggle() }
            }
        }

        @MainActor
        @Suite("The graph of views")
        struct GraphTests {
            private let events = Events()

            @Test(
                "changed nodes are evaluated and their actions are called: parents first, those of one depth as on the screen"
            )
            func order() {
                let stage = Stage(Shelf(events: events))
                let shelf = ["above"] + (0..<12).map { "\($0)" }
                for _ in 0..<3 {
                    events.all = []
                    #expect(stage.screen.press("change"))
                    stage.turn()
                    #expect(events.all == shelf)
                }
            }

            @Test("state stays with a place in the tree, and is new in the other branch of a condition")
            func identity() {
                let stage = Stage(Parent(events: events))
                #expect(stage.screen.lines == ["flip", "insert", "else 0", "a 0", "b 0"])
                #expect(stage.screen.press("else 0") && stage.screen.press("b 0"))
                #expect(stage.screen.lines == ["flip", "insert", "else 1", "a 0", "b 1"])
                #expect(stage.screen.press("insert") && stage.screen.press("flip"))
                #expect(stage.screen.lines == ["flip", "insert", "then 0", "c 0", "a 0", "b 1"])
                #expect(stage.screen.press("flip"))
                #expect(stage.screen.lines[2] == "else 0")
            }

            @Test("two places of one view have states of their own")
            func copies() {
                let stage = Stage(Twins())
                #expect(stage.screen.press("twin 0"))
                #expect(stage.screen.lines == ["twin 1", "twin 0"])
            }

            @Test("another identifier is another view")
            func identifier() {
                struct Numbered: View {
                    @State private var number = 0
                    var body: some View {
                        Button("next") { number += 1 }
                        Counter(name: "n").id(number)
                    }
                }
                let stage = Stage(Numbered())
                #expect(stage.screen.press("n 0"))
                #expect(stage.screen.lines == ["next", "n 1"])
                #expect(stage.screen.press("next"))
                #expect(stage.screen.lines == ["next", "n 0"])
            }

            @Test("a change causes an evaluation of the views that have read the value, and of no others")
            func dependencies() {
                let stage = Stage(Parent(events: events))
                events.all = []
                #expect(stage.screen.press("b 0"))
                #expect(events.all == ["body b"])

                let bound = Stage(Outer(events: events))
                events.all = []
                #expect(bound.screen.press("add"))
                #expect(events.all == ["inner 2"])
            }

            @Test("changes of one turn are one evaluation, in the next turn of the main queue")
            func coalesced() {
                let model = Model()
                let stage = Stage(Holder(model: model, events: events))
                events.all = []
                model.count = 7
                model.other = 8
                model.count = 9
                #expect(stage.screen.lines.first == "0 0" && events.all == [])
                #expect(stage.waitingTurns == 1)
                stage.turn()
                #expect(stage.screen.lines.first == "9 8")
                #expect(events.all == ["body"])
            }

            @Test("an object is created once for its place in the tree")
            func stateObject() {
                final class Made: ObservableObject {
                    @Published var count = 0
                    init(_ events: Events) { MainActor.assumeIsolated { events.all.append("made") } }
                }
                struct Owner: View {
                    @StateObject var made: Made
                    var body: some View { Text("\(made.count)") }
                }
                struct Above: View {
                    let events: Events
                    @State private var turn = 0
                    var body: some View {
                        Button("again \(turn)") { turn += 1 }
                        Owner(made: Made(events))
                    }
                }
                let stage = Stage(Above(events: events))
                #expect(stage.screen.press("again 0") && stage.screen.press("again 1"))
                #expect(stage.screen.lines == ["again 2", "0"])
                #expect(events.all == ["made"])
            }

            @Test("a task that an object begins when it is made depends on nothing", .timeLimit(.minutes(10)))
            func taskOfObject() async {
                final class Loader: ObservableObject, @unchecked Sendable {
                    @Published var text = ""
                    init(_ name: Binding<String>) {
                        let name = UnsafeBox(value: name)
                        Task.detached {
                            let text = name.value.wrappedValue
                            await MainActor.run { self.text = "of \(text)" }
                        }
                    }
                }
                struct UnsafeBox<Value>: @unchecked Sendable { let value: Value }
                struct Loaded: View {
                    @StateObject var loader: Loader
                    var body: some View { Text(loader.text) }
                }
                struct Above: View {
                    @State private var name = "egg"
                    var body: some View { Loaded(loader: Loader($name)) }
                }
                let stage = Stage(Above())
                for _ in 0..<1_000_000 where stage.waitingTurns == 0 { await Task.yield() }
                stage.turn()
                #expect(stage.screen.lines == ["of egg"])
            }

            @Test("an observable object evaluates the readers of the property that has changed")
            func observation() {
                let basket = Basket()
                let stage = Stage(Apples(basket: basket, events: events))
                events.all = []
                basket.pears = 3
                #expect(stage.waitingTurns == 0)
                basket.apples = 2
                stage.turn()
                #expect(stage.screen.lines == ["2"] && events.all == ["body"])
            }

            @Test("a new environment causes an evaluation of the views that have read a changed value")
            func environment() {
                let stage = Stage(Beside(events: events))
                events.all = []
                var environment = EnvironmentValues()
                environment.scenePhase = .active
                stage.graph.setEnvironment(environment)
                #expect(stage.screen.lines == ["active"] && events.all == ["reader active"])
                stage.graph.setEnvironment(environment)
                #expect(events.all == ["reader active"])
            }

            @Test("objects come from the view above that is nearest")
            func environmentObject() {
                struct Count: View {
                    @EnvironmentObject var model: Model
                    var body: some View { Button("\(model.count)") { model.count += 1 } }
                }
                let (outer, inner) = (Model(), Model())
                inner.count = 5
                let stage = Stage(
                    VStack {
                        Count()
                        Count().environmentObject(inner)
                    }.environmentObject(outer))
                #expect(stage.screen.lines == ["0", "5"])
                #expect(stage.screen.press("5"))
                #expect(stage.screen.lines == ["0", "6"] && inner.count == 6)
            }

            @Test("a modifier has state of its own")
            func modifier() {
                let stage = Stage(Text("music").modifier(Loud()))
                #expect(stage.screen.press("loud"))
                #expect(stage.screen.lines == ["music", "quiet"])
            }

            @Test("a switch shows and changes what it is bound to, and a disabled control cannot be pressed")
            func controls() {
                struct Settings: View {
                    @State private var isOn = false
                    var body: some View {
                        Toggle("Sound", isOn: $isOn)
                        Button("Test") {}.disabled(!isOn)
                    }
                }
                let stage = Stage(Form { Settings() })
                #expect(stage.screen.lines == ["Sound: off", "Test"])
                #expect(!stage.screen.press("Test"))
                #expect(stage.screen.press("Sound"))
                #expect(stage.screen.lines == ["Sound: on", "Test"])
                #expect(stage.screen.press("Test") && !stage.screen.press("Sing"))
            }

            @Test("a stored value is shared by all views with its key")
            func appStorage() {
                struct Level: View {
                    @AppStorage("graph tests level") private var level = 1
                    var body: some View { Button("level \(level)") { level += 1 } }
                }
                UserDefaults.standard.removeObject(forKey: "graph tests level")
                defer { UserDefaults.standard.removeObject(forKey: "graph tests level") }
                let stage = Stage(
                    VStack {
                        Level()
                        Level()
                    })
                #expect(stage.screen.press("level 1"))
                #expect(stage.screen.lines == ["level 2", "level 2"])
                #expect(UserDefaults.standard.integer(forKey: "graph tests level") == 2)
            }
        }
    #endif
#endif
