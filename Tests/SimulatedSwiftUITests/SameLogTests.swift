#if SimulatedApple
    #if os(Linux)
        import ApusDevice
        import ApusTestTraits
        import Foundation
        import SimulatedSwiftUI
        import Testing

        @testable import SimulatedAppleCore
        @testable import SwiftUITutorials

        /// An app with views beside and below each other, each of which notes the phase.
        private struct FamilyApp: App {
            @Environment(\.scenePhase) private var phase

            var body: some Scene {
                WindowGroup {
                    VStack {
                        ForEach(0..<8, id: \.self) { row in
                            HStack { ForEach(0..<3, id: \.self) { PhaseView(name: "\(row).\($0)") } }
                        }
                    }
                }
                .onChange(of: phase) { SimulatedPhone.note("scene \(phase)") }
            }
        }

        private struct PhaseView: View {
            @Environment(\.scenePhase) private var phase
            let name: String

            var body: some View {
                Text(name).onChange(of: phase) { SimulatedPhone.note("\(name) \(phase)") }
            }
        }

        @MainActor
        @Suite("The logs of apps with SwiftUI in new processes", .simulatedPhone())
        struct SameLogTests {
            private static let apps: [(name: String, program: @convention(c) () -> Void)] = [
                ("family", { FamilyApp.main() }), ("clock", { ClockApp.main() }),
                ("countdown", { CountdownApp.main() }),
                ("download", { DownloadApp.main() }), ("egg timer", { EggTimerApp.main() }),
                ("journal", { JournalApp.main() }), ("logged", { LoggedApp.main() }), ("maps", { MapsApp.main() }),
                ("news", { NewsApp.main() }),
            ]

            private func log(_ program: @escaping @convention(c) () -> Void) throws -> [String] {
                try SimulatedDevice.run(seed: 3) { device in
                    let manifest = AppManifest(
                        backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.refresh"])
                    device.transfers.serve { _ in .file(bytes: 1_000, bytesPerSecond: 100) }
                    device.showsOutput = false
                    SimulatedPhone.install(on: device, manifest: manifest, program: program)
                    device.launch()
                    device.advance(by: .seconds(3))
                    device.pressHome()
                    device.advance(by: .seconds(600))
                    device.open()
                    device.receiveCall()
                    device.endCall()
                    device.kill()
                    device.launch()
                    device.advance(by: .seconds(2))
                    return device.log.map(\.description)
                }
            }

            @Test("each app has the same log in twenty new processes")
            func twenty() throws {
                var first: [[String]] = []
                for run in 0..<20 {
                    // With another environment, the processes are forked from another launcher than in the previous
                    // run, so hashes and addresses differ.
                    let environment = ProcessInfo.processInfo.environment.merging(["APUS_RUN": "\(run)"]) { $1 }
                    _ = try AppLauncher.current(environment)
                    let logs = try Self.apps.map { try log($0.program) }
                    if run == 0 { first = logs }
                    for (index, app) in Self.apps.enumerated() where logs[index] != first[index] {
                        Issue.record("\(app.name), run \(run): \(logs[index].difference(from: first[index]))")
                    }
                }
            }

            @Test("a change of the phase reaches views in the order of the tree")
            func order() throws {
                let notes = try log { FamilyApp.main() }.compactMap { line in
                    line.split(separator: "note: ").dropFirst().first.map(String.init)
                }
                let background = notes.filter { $0.hasSuffix(" background") }
                let views = (0..<8).flatMap { row in (0..<3).map { "\(row).\($0) background" } }
                #expect(background == ["scene background"] + views)
            }
        }
    #endif
#endif
