#if SimulatedApple
    #if os(Linux)
        import ApusTimers
        import Foundation
        import SimulatedSwiftUI
        import Testing

        private struct Switch<Content: View>: View {
            @State private var isShown = true
            @ViewBuilder var content: () -> Content

            var body: some View {
                Button("switch") { isShown.toggle() }
                if isShown { content() }
            }
        }

        private struct Watcher: View {
            let events: Events
            @State private var value = 0

            var body: some View {
                Button("add") { value += 1 }
                    .onChange(of: value) { [value] new in events.all.append("one \(value) \(new)") }
                    .onChange(of: value) { old, new in events.all.append("two \(old) \(new) \(value)") }
                    .onChange(of: value) { events.all.append("none \(value)") }
                    .onChange(of: value, initial: true) { old, new in events.all.append("initial \(old) \(new)") }
            }
        }

        private struct Chain: View {
            let events: Events
            @State private var first = 0
            @State private var second = 0

            var body: some View {
                let _ = events.all.append("body \(first) \(second)")
                Button("add") { first += 1 }
                    .onChange(of: first) { second = first * 10 }
            }
        }

        private struct Endless: View {
            @State private var count = 0

            var body: some View {
                Text("\(count)").onAppear { count = 1 }.onChange(of: count) { count += 1 }
            }
        }

        private struct Loader: View {
            let events: Events
            @State private var page = 1

            var body: some View {
                Button("page \(page)") { page += 1 }
                    .task(id: page) {
                        events.all.append("begin \(page)")
                        while !Task.isCancelled { await Task.yield() }
                        events.all.append("end")
                    }
            }
        }

        private struct Listener: View {
            let subject: PassthroughSubject<Int, Never>
            @State private var sum = 0

            var body: some View {
                Text("sum \(sum)").onReceive(subject) { sum += $0 }
            }
        }

        /// Creates a publisher in each evaluation of its body.
        private struct Renewer: View {
            let events: Events
            @State private var count = 0

            var body: some View {
                Button("count \(count)") { count += 1 }
                    .onReceive(
                        Deferred {
                            MainActor.assumeIsolated { events.all.append("subscribed") }
                            return Empty<Int, Never>(completeImmediately: false)
                        }
                    ) { _ in }
            }
        }

        /// Receives from the same publisher in each evaluation of its body.
        private struct Keeper<P: Publisher>: View where P.Failure == Never {
            let publisher: P
            @State private var count = 0

            var body: some View {
                Button("count \(count)") { count += 1 }.onReceive(publisher) { _ in }
            }
        }

        @MainActor
        @Suite("What views say of changes, appearances and publishers")
        struct EventTests {
            private let events = Events()

            @Test("a change has three forms: with the new value, with both, and without")
            func onChange() {
                let stage = Stage(Watcher(events: events))
                #expect(events.all == ["initial 0 0"])
                events.all = []
                #expect(stage.screen.press("add"))
                #expect(events.all.sorted() == ["initial 0 1", "none 1", "one 0 1", "two 0 1 1"])
            }

            @Test("a change by an action is evaluated in the same turn")
            func chain() {
                let stage = Stage(Chain(events: events))
                events.all = []
                #expect(stage.screen.press("add"))
                #expect(events.all == ["body 1 0", "body 1 10"])
            }

            @Test(
                "an action that changes the value that it is called for continues in the next turn, not in an endless one"
            )
            func endless() {
                let stage = Stage(Endless())
                let first = stage.screen.lines
                #expect(stage.waitingTurns == 1)
                stage.turn()
                #expect(stage.screen.lines != first)
            }

            @Test("a view appears once, and disappears when it is not there any more")
            func appearance() {
                let events = events
                let stage = Stage(
                    Switch {
                        Text("in").onAppear { events.all.append("in") }.onDisappear { events.all.append("out") }
                    }
                    .onAppear { events.all.append("outer") })
                #expect(events.all == ["in", "outer"])
                #expect(stage.screen.press("switch"))
                #expect(stage.screen.lines == ["switch"])
                #expect(events.all == ["in", "outer", "out"])
                #expect(stage.screen.press("switch"))
                #expect(events.all == ["in", "outer", "out", "in"])
            }

            /// Lets tasks of the main actor run until `isDone` returns `true`.
            private func wait(until isDone: () -> Bool) async {
                for _ in 0..<1_000_000 where !isDone() { await Task.yield() }
            }

            @Test("a task is cancelled when its view disappears", .timeLimit(.minutes(10)))
            func task() async {
                let events = events
                let stage = Stage(
                    Switch {
                        Text("in").task {
                            await MainActor.run { events.all.append("begin") }
                            while !Task.isCancelled { await Task.yield() }
                            await MainActor.run { events.all.append("end") }
                        }
                    })
                await wait { events.all == ["begin"] }
                #expect(events.all == ["begin"])
                #expect(stage.screen.press("switch"))
                await wait { events.all == ["begin", "end"] }
                #expect(events.all == ["begin", "end"])
            }

            @Test(
                "a task with an identifier is cancelled and begun anew when that has changed", .timeLimit(.minutes(10)))
            func taskWithIdentifier() async {
                let stage = Stage(Loader(events: events))
                await wait { events.all == ["begin 1"] }
                #expect(stage.screen.press("page 1"))
                await wait { events.all.count == 3 }
                #expect(Set(events.all) == ["begin 1", "end", "begin 2"])
            }

            @Test("a publisher is received while the view is there, by the action of its last evaluation")
            func receive() async {
                let subject = PassthroughSubject<Int, Never>()
                let stage = Stage(Switch { Listener(subject: subject) })
                subject.send(2)
                await wait { stage.waitingTurns > 0 }
                stage.turn()
                #expect(stage.screen.lines == ["switch", "sum 2"])
                subject.send(3)
                await wait { stage.waitingTurns > 0 }
                stage.turn()
                #expect(stage.screen.lines == ["switch", "sum 5"])
                #expect(stage.screen.press("switch"))
                subject.send(4)
                #expect(stage.screen.press("switch"))
                #expect(stage.screen.lines == ["switch", "sum 0"])
            }

            @Test("a publisher that the view has is subscribed to once, whatever else has changed")
            func kept() {
                let events = events
                let stage = Stage(
                    Keeper(
                        publisher: Deferred {
                            MainActor.assumeIsolated { events.all.append("subscribed") }
                            return Empty<Int, Never>(completeImmediately: false)
                        }))
                #expect(stage.screen.press("count 0") && stage.screen.press("count 1"))
                #expect(events.all == ["subscribed"])
            }

            @Test("a publisher that is made in the body is subscribed to again in each evaluation")
            func renewed() {
                let stage = Stage(Renewer(events: events))
                #expect(events.all == ["subscribed"])
                #expect(stage.screen.press("count 0"))
                #expect(events.all == ["subscribed", "subscribed"])
            }
        }
    #endif
#endif
