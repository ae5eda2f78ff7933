#if SimulatedApple
    #if os(Linux)
        import Foundation
        import SimulatedSwiftUI
        import Testing

        /// A property wrapper of the kind that an app declares itself.
        @propertyWrapper
        private struct Doubled: DynamicProperty {
            @State private var value = 1
            private var updates = 0

            var wrappedValue: Int {
                get { value * 2 }
                nonmutating set { value = newValue / 2 }
            }

            var isUpdated: Bool { updates == 1 }
            var projectedValue: Doubled { self }
            mutating func update() { updates += 1 }
        }

        private struct DoubledView: View {
            @Doubled private var number: Int

            var body: some View {
                Button("\(number) \($number.isUpdated)") { number += 2 }
            }
        }

        @Observable
        private final class Player {
            var isLoud = false
        }

        private struct PlayerView: View {
            @Environment(Player.self) private var player

            var body: some View {
                @Bindable var player = player
                Toggle("Loud", isOn: $player.isLoud)
            }
        }

        private struct Settings {
            var volume = 3
        }

        private struct VolumeView: View {
            @Binding var volume: Int
            var body: some View { Button("volume \(volume)") { volume += 1 } }
        }

        private struct SettingsView: View {
            @State private var settings = Settings()
            @State private var note: String?

            var body: some View {
                VolumeView(volume: $settings.volume)
                if let note { Text(note) }
                Button("note") { note = "loud: \(settings.volume)" }
            }
        }

        private struct LevelKey: EnvironmentKey {
            static let defaultValue = 1
        }

        extension EnvironmentValues {
            fileprivate var level: Int {
                get { self[LevelKey.self] }
                set { self[LevelKey.self] = newValue }
            }
        }

        private struct LevelView: View {
            @Environment(\.level) private var level
            var body: some View { Text("level \(level)") }
        }

        private struct Raised: View {
            @State private var level = 2

            var body: some View {
                LevelView()
                LevelView().environment(\.level, level)
                Button("raise") { level += 1 }
            }
        }

        @MainActor
        @Suite("Properties of views")
        struct PropertyTests {
            @Test("a wrapper of the app's own has state, and is updated before each evaluation")
            func dynamicProperty() {
                let stage = Stage(DoubledView())
                #expect(stage.screen.lines == ["2 true"])
                #expect(stage.screen.press("2 true"))
                #expect(stage.screen.lines == ["4 true"])
            }

            @Test("an observable object of the environment has bindings to its properties")
            func bindable() {
                let player = Player()
                let stage = Stage(PlayerView().environment(player))
                #expect(stage.screen.press("Loud"))
                #expect(player.isLoud && stage.screen.lines == ["Loud: on"])
            }

            @Test("a binding reaches into a value, and a text that depends on an optional appears with it")
            func bindings() {
                let stage = Stage(SettingsView())
                #expect(stage.screen.press("volume 3") && stage.screen.press("note"))
                #expect(stage.screen.lines == ["volume 4", "loud: 4", "note"])
            }

            @Test("a key of the app's own has its default, or what the view above has set")
            func environmentKey() {
                let stage = Stage(Raised())
                #expect(stage.screen.lines == ["level 1", "level 2", "raise"])
                #expect(stage.screen.press("raise"))
                #expect(stage.screen.lines == ["level 1", "level 3", "raise"])
            }

            @Test("texts show values as they are written in them")
            func texts() {
                let (name, seconds) = ("egg", 7)
                let stage = Stage(
                    VStack {
                        Text("The \(name) is done in \(seconds, specifier: "%02d") s")
                        Text(name) + Text(verbatim: "!")
                        ProgressView("Boiling", value: 0.25)
                        Label("Eggs", systemImage: "oval")
                    })
                #expect(stage.screen.lines == ["The egg is done in 07 s", "egg!", "Boiling 25 %", "Eggs"])
            }
        }
    #endif
#endif
