#if SimulatedApple
    #if os(Linux)
        import ApusDevice
        import CoreLocation
        import SimulatedAppleCore
        import SimulatedSwiftUI
        import Testing
        import UIKit

        private enum Field { case name }

        private struct NameField: View {
            let focus: FocusState<Field?>.Binding
            @FocusState.Binding var isSearching: Bool
            @State private var name = ""

            var body: some View {
                TextField(String("name"), text: $name).focused(focus, equals: .name).focused($isSearching)
                Button("next") { (focus.wrappedValue, isSearching) = (.name, true) }
            }
        }

        /// Uses titles that are texts at run time, as published code does.
        private struct Titled: View {
            let titles: [String]
            let url: URL
            @FocusState private var focus: Field?
            @FocusState private var isSearching: Bool
            @State private var date = Date(timeIntervalSinceReferenceDate: 0)
            @State private var text = ""
            @State private var isAsking = false

            var body: some View {
                NavigationStack {
                    NavigationLink(titles[0]) { Text("first") }
                    NavigationLink(titles[1], destination: Text("second"))
                    Link(titles[2], destination: url)
                    Menu(titles[3]) { Text("command") }
                    SecureField(titles[4], text: $text)
                    DatePicker(titles[5], selection: $date, displayedComponents: .date)
                    DatePicker(titles[5], selection: $date, in: Date()..., displayedComponents: .date)
                    DatePicker(titles[5], selection: $date, in: ...Date())
                    DatePicker(titles[5], selection: $date, in: date...date)
                    LabeledContent(titles[6], value: titles[7])
                    GroupBox(titles[8]) { EmptyView() }
                    DisclosureGroup(titles[9]) { EmptyView() }
                    ProgressView(titles[10])
                    Button(titles[11], systemImage: "moon") { isAsking = true }
                        .confirmationDialog(titles[12], isPresented: $isAsking) { Button("yes") {} }
                        .toolbar {
                            ToolbarSpacer(.fixed)
                            ToolbarSpacer(.flexible, placement: .bottomBar)
                        }
                    NameField(focus: $focus, isSearching: $isSearching)
                    Text(focus == .name && isSearching ? "focused" : "not focused")
                }
            }
        }

        private final class AskingApp: UIResponder, UIApplicationDelegate {
            func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                Task {
                    for text in ["https://example.org", "unknown:"] {
                        if let url = URL(string: text) { SimulatedPhone.note("\(await application.open(url))") }
                    }
                    do {
                        _ = try await CLGeocoder().geocodeAddressString("1 Main Street")
                    } catch {
                        SimulatedPhone.note("\((error as? CLError)?.code == .network)")
                    }
                }
                return true
            }
        }

        @MainActor
        @Suite("Forms that published code uses")
        struct OverloadTests {
            @Test("controls have titles that are texts at run time, and a field's focus is passed to another view")
            func titles() throws {
                let titles = (0...12).map { "title \($0)" }
                let stage = Stage(Titled(titles: titles, url: try #require(URL(string: "https://example.org"))))
                var lines = Array(titles.dropLast()) + ["name", "next", "not focused"]
                lines.insert(contentsOf: ["title 5", "title 5", "title 5"], at: 6)
                lines.insert("command", at: 4)
                #expect(stage.screen.lines == lines)
                #expect(stage.screen.press("next"))
                #expect(stage.screen.lines.last == "focused")
                #expect(stage.screen.press("title 11"))
                #expect(stage.screen.lines.contains("title 12"))
            }

            @Test("an app waits for a URL that is opened, and for an address")
            func waiting() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(usesScenes: false),
                        program: { SimulatedPhone.run(AskingApp()) })
                    device.launch()
                    device.advance(by: .seconds(1))
                    #expect(
                        device.notes == ["opens https://example.org", "true", "opens unknown:", "false", "true"])
                }
            }
        }
    #endif
#endif
