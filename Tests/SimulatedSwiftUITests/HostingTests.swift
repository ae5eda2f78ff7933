#if SimulatedApple
    #if os(Linux)
        import ApusDevice
        import ApusTestTraits
        import Foundation
        import SimulatedAppleCore
        import SimulatedSwiftUI
        import Testing
        import UIKit

        /// Counts seconds, and notes its appearances and its task.
        private struct Seconds: View {
            let close: () -> Void
            @State private var count = 0
            private let timer = Timer.publish(every: 1, on: .main, in: .common).autoconnect()

            init(close: @escaping () -> Void) { self.close = close }

            var body: some View {
                Text("\(count) s")
                    .onReceive(timer) { _ in
                        count += 1
                        SimulatedPhone.note("tick")
                    }
                    .onAppear { SimulatedPhone.note("appears") }
                    .onDisappear { SimulatedPhone.note("disappears") }
                    .task {
                        // The app's time is virtual, and the task is cancelled.
                        try? await Task.sleep(for: .seconds(1_000))
                        SimulatedPhone.note(Task.isCancelled ? "cancelled" : "ended")
                    }
                Button("Close", action: close)
            }
        }

        /// Notes its appearances, and calls an action in the update that its button causes.
        private struct Covered: View {
            let cover: () -> Void
            @State private var count = 0

            var body: some View {
                Button("Cover") { count += 1 }
                    .onAppear { SimulatedPhone.note("appears") }
                    .onDisappear { SimulatedPhone.note("disappears") }
                    .onChange(of: count) { cover() }
            }
        }

        /// Shows views of SwiftUI in the ways of UIKit.
        private final class Entrance: UIViewController {
            private var kept: UIViewController?

            override func viewDidLoad() {
                super.viewDidLoad()
                add("Push") { entrance in
                    let navigation = entrance.navigationController
                    navigation?.pushViewController(
                        UIHostingController(
                            rootView: Seconds { [weak navigation] in navigation?.popViewController(animated: true) }),
                        animated: true)
                }
                add("Present") { entrance in
                    entrance.present(
                        UIHostingController(
                            rootView: Seconds { [weak entrance] in entrance?.dismiss(animated: true) }), animated: true)
                }
                add("Keep") { $0.present($0.keptController, animated: true) }
                add("Push kept") { $0.navigationController?.pushViewController($0.keptController, animated: true) }
                add("Push covered") { entrance in
                    let navigation = entrance.navigationController
                    let covered = Covered { [weak navigation] in
                        navigation?.pushViewController(UIViewController(), animated: false)
                        navigation?.popViewController(animated: false)
                    }
                    navigation?.pushViewController(UIHostingController(rootView: covered), animated: true)
                }
                add("Embed") { entrance in
                    let child = UIHostingController(rootView: Text("embedded"))
                    entrance.addChild(child)
                    entrance.view.addSubview(child.view)
                    child.didMove(toParent: entrance)
                }
            }

            private var keptController: UIViewController {
                let controller =
                    kept
                    ?? UIHostingController(rootView: Seconds { [weak self] in self?.dismiss(animated: true) })
                kept = controller
                return controller
            }

            private func add(_ title: String, _ action: @escaping (Entrance) -> Void) {
                view.addSubview(
                    UIButton(
                        primaryAction: UIAction(title: title) { [weak self] _ in if let self { action(self) } }))
            }
        }

        private final class EntranceApp: UIResponder, UIApplicationDelegate {
            var window: UIWindow?

            func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                window = UIWindow()
                window?.rootViewController = UINavigationController(rootViewController: Entrance())
                window?.makeKeyAndVisible()
                return true
            }
        }

        @MainActor
        @Suite("Views of SwiftUI in controllers of UIKit", .simulatedPhone())
        struct HostingTests {
            private static let entrance = ["Push", "Present", "Keep", "Push kept", "Push covered", "Embed"]
            private let device: SimulatedDevice

            init() throws {
                device = try #require(SimulatedDevice.current)
                SimulatedPhone.install(
                    on: device, manifest: AppManifest(usesScenes: false),
                    program: { SimulatedPhone.run(EntranceApp()) })
                device.launch()
            }

            private func tap(_ title: String) throws {
                try SimulatedPhone.tap(title, on: device)
                device.advance(by: .milliseconds(100))
            }

            @Test(
                "a view disappears with its controller, whose timers and tasks end then",
                arguments: ["Push", "Present"])
            func gone(_ way: String) throws {
                try tap(way)
                #expect(try SimulatedPhone.screen(on: device) == ["0 s", "Close"])
                device.advance(by: .milliseconds(1_500))
                #expect(try SimulatedPhone.screen(on: device) == ["1 s", "Close"])
                try tap("Close")
                #expect(try SimulatedPhone.screen(on: device) == Self.entrance)
                #expect(device.notes.prefix(2) == ["appears", "tick"])
                #expect(Set(device.notes.dropFirst(2)) == ["disappears", "cancelled"])
                let count = device.notes.count
                device.advance(by: .seconds(10))
                #expect(device.notes.count == count)
            }

            @Test("a controller that the app keeps and shows again has its state, and its view appears again")
            func kept() throws {
                try tap("Keep")
                device.advance(by: .milliseconds(1_500))
                try tap("Close")
                try tap("Keep")
                #expect(device.notes.filter { $0 == "appears" }.count == 2)
                #expect(try SimulatedPhone.screen(on: device).first != "0 s")
            }

            @Test("a controller that moves into a stack keeps the state of its view")
            func moved() throws {
                try tap("Keep")
                device.advance(by: .milliseconds(1_500))
                try tap("Close")
                try tap("Push kept")
                #expect(device.notes.filter { $0 == "appears" }.count == 2)
                #expect(try SimulatedPhone.screen(on: device) == ["1 s", "Close"])
            }

            @Test("a view whose controller is covered and uncovered in one action disappears, and then appears")
            func coveredAndUncovered() throws {
                try tap("Push covered")
                try tap("Cover")
                #expect(device.notes == ["appears", "disappears", "appears"])
            }

            @Test("a view in a child controller is a part of the screen of its parent")
            func embedded() throws {
                try tap("Embed")
                #expect(try SimulatedPhone.screen(on: device) == Self.entrance + ["embedded"])
                try tap("Push")
                #expect(try SimulatedPhone.screen(on: device) == ["0 s", "Close"])
            }
        }
    #endif
#endif
