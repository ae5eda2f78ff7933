#if SimulatedApple
    #if os(Linux)
        import Foundation
        import SimulatedSwiftUI
        import Testing

        private struct Detail: View {
            let events: Events
            @Environment(\.dismiss) private var dismiss

            var body: some View {
                Text("detail").onAppear { events.all.append("appears") }.onDisappear { events.all.append("disappears") }
                Button("close") { dismiss() }
            }
        }

        private struct Presenting: View {
            let events: Events
            @State private var isShown = false
            @State private var isAlarmed = false
            @State private var isAsked = false

            var body: some View {
                Button("show") { isShown = true }
                    .sheet(isPresented: $isShown) {
                        events.all.append("dismissed")
                    } content: {
                        Detail(events: events)
                    }
                Button("alarm") { isAlarmed = true }
                    .alert("Careful", isPresented: $isAlarmed) {
                        Button("Delete", role: .destructive) { events.all.append("deleted") }
                        Button("Keep", role: .cancel) {}
                    } message: {
                        Text("It is gone then.")
                    }
                Button("ask") { isAsked = true }
                    .alert(isPresented: $isAsked) { Alert(title: Text("Old"), message: Text("style")) }
            }
        }

        /// A view that can be tapped as a whole; its button “Delete” shows an alert with another button “Delete”.
        private struct Deleting: View {
            let events: Events
            @State private var isAsked = false

            var body: some View {
                VStack {
                    Button("Delete") {
                        events.all.append("asked")
                        isAsked = true
                    }
                    Button("other") { events.all.append("other") }
                }.alert("Sure?", isPresented: $isAsked) {
                    Button("Delete") { events.all.append("deleted") }
                }.onTapGesture { events.all.append("tapped") }
            }
        }

        /// Uses declarations that only describe a look; the test is that this compiles, and shows the texts.
        private struct Decorated: View {
            private enum Field { case name }

            @FocusState private var field: Field?
            @Namespace private var namespace
            @ScaledMetric private var margin: CGFloat = 8
            @SceneStorage("tab") private var tab = 1
            @State private var date = Date(timeIntervalSinceReferenceDate: 0)
            @State private var level = 0.5
            @State private var name = ""
            let taps: Events

            var body: some View {
                GeometryReader { _ in
                    ZStack {
                        RoundedRectangle(cornerRadius: margin).fill(Color.accentColor)
                        Circle().trim(from: 0, to: 0.5).stroke(
                            Color.red, style: StrokeStyle(lineWidth: 2, lineCap: .round))
                        LinearGradient(colors: [.red, .blue], startPoint: .top, endPoint: .bottomTrailing)
                        LazyVGrid(columns: [GridItem(.flexible()), GridItem(.adaptive(minimum: 80))], spacing: 4) {
                            Text("grid").minimumScaleFactor(0.5).clipShape(Capsule())
                        }
                    }
                }
                Text("tap me").onTapGesture { taps.all.append("tapped") }
                Picker("unit", selection: $tab) {
                    Text("km").tag(1)
                    Text("mi").tag(2)
                }.pickerStyle(.segmented).labelsHidden()
                DatePicker("day", selection: $date, displayedComponents: .date).datePickerStyle(.graphical)
                Slider(value: $level, in: 0...1)
                Stepper("count", value: $tab, in: 0...9)
                TextField("name", text: $name).focused($field, equals: .name).textFieldStyle(.roundedBorder)
                LabeledContent("size", value: "3 MB")
                Menu("more") { Button("rename") { taps.all.append("renamed") } }
                NavigationLink("next") { Text("second page") }
                Image(systemName: "moon").renderingMode(.template).scaledToFit().accessibilityHidden(true)
                    .matchedGeometryEffect(id: 1, in: namespace)
                    .toolbar { ToolbarItem(placement: .navigationBarTrailing) { Button("edit") {} } }
                    .buttonStyle(PlainButtonStyle()).preferredColorScheme(.dark).navigationBarTitleDisplayMode(.inline)
                    .overlay(alignment: .top) { Text("over") }
                    .gesture(DragGesture().onChanged { _ in }.onEnded { _ in })
            }
        }

        private struct Wheel: UIViewRepresentable {
            let events: Events
            @Binding var speed: Int

            func makeCoordinator() -> String { "coordinator" }
            func makeUIView(context: Context) -> UILabel {
                events.all.append("make with \(context.coordinator)")
                return UILabel()
            }
            func updateUIView(_ uiView: UILabel, context: Context) {
                uiView.text = "\(speed)"
                events.all.append("update \(uiView.text ?? "")")
            }
        }

        private struct Bicycle: View {
            let events: Events
            @State private var speed = 1
            var body: some View {
                Button("faster") { speed += 1 }
                Wheel(events: events, speed: $speed)
            }
        }

        @MainActor
        @Suite("Presented views")
        struct PresentationTests {
            @Test("a sheet is in the graph while it is presented; dismiss() ends it, and onDismiss is called then")
            func sheet() {
                let events = Events()
                let stage = Stage(Presenting(events: events))
                #expect(stage.screen.lines == ["show", "alarm", "ask"])
                #expect(stage.screen.press("show"))
                #expect(stage.screen.lines == ["show", "detail", "close", "alarm", "ask"])
                #expect(events.all == ["appears"])
                #expect(stage.screen.press("close"))
                #expect(stage.screen.lines == ["show", "alarm", "ask"])
                #expect(Set(events.all) == ["appears", "dismissed", "disappears"] && events.all.count == 3)
            }

            @Test("each button of an alert performs its action and dismisses the alert")
            func alert() {
                let events = Events()
                let stage = Stage(Presenting(events: events))
                #expect(stage.screen.press("alarm"))
                #expect(
                    stage.screen.lines == ["show", "alarm", "Careful", "It is gone then.", "Delete", "Keep", "ask"])
                #expect(stage.screen.press("Delete"))
                #expect(events.all == ["deleted"])
                #expect(stage.screen.lines == ["show", "alarm", "ask"])
                #expect(stage.screen.press("ask"))
                #expect(stage.screen.lines == ["show", "alarm", "ask", "Old", "style", "OK"])
                #expect(stage.screen.press("OK"))
                #expect(stage.screen.lines == ["show", "alarm", "ask"])
            }

            @Test("only the controls of the view in front can be pressed, also if a covered one has the same title")
            func covered() {
                let events = Events()
                let stage = Stage(Deleting(events: events))
                #expect(stage.screen.press("Delete"))
                #expect(!stage.screen.press("other") && !stage.screen.press("Sure?"))
                #expect(stage.screen.press("Delete"))
                #expect(stage.screen.press("other"))
                #expect(events.all == ["asked", "deleted", "other"])
            }

            @Test("what only describes a look leaves the texts and the controls, and a text with a gesture is tapped")
            func looks() {
                let taps = Events()
                let stage = Stage(NavigationStack { Decorated(taps: taps) })
                #expect(
                    stage.screen.lines == [
                        "grid", "tap me", "unit", "day", "count", "name", "size", "3 MB", "more", "rename", "next",
                        "edit",
                        "over",
                    ])
                #expect(stage.screen.press("tap me") && stage.screen.press("rename"))
                #expect(taps.all == ["tapped", "renamed"])
                #expect(!stage.screen.press("size"))
                #expect(stage.screen.press("next"))
                #expect(stage.screen.lines.contains("second page"))
            }

            @Test("a view of UIKit in one of SwiftUI is created once, and updated with the values of each evaluation")
            func representable() {
                let events = Events()
                let stage = Stage(Bicycle(events: events))
                #expect(stage.screen.press("faster"))
                #expect(events.all == ["make with coordinator", "update 1", "update 2"])
            }
        }
    #endif
#endif
