#if SimulatedApple
    import SimulatedAppleCore

    extension App {
        /// Runs the app in a process of the simulated phone; what `@main` calls. Without a phone it stops with a
        /// message that says what to write.
        ///
        /// ```swift
        /// SimulatedPhone.install(on: device, program: { MyApp.main() })
        /// ```
        ///
        /// The order: the app is made with its delegate, the delegate's launch method is called, the scenes are
        /// evaluated, and handlers of background tasks are registered; with the first way to the front come the views.
        /// The app has scenes, whatever the manifest says: of the life cycle, its delegate gets the launch and the end
        /// only.
        nonisolated public static func main() {
            guard SimulatedPhone.isAppProcess else { SimulatedPhone.stopWithoutPhone("\(Self.self).main()") }
            MainActor.assumeIsolated { AppHost.run(Self.self) }
        }
    }

    /// Connects an app's graph with the phone.
    @MainActor
    private enum AppHost {
        static func run<A: App>(_ type: A.Type) {
            let graph = SimulatedPhone.process.shared.object(of: ViewGraph.self) { ViewGraph() }
            SimulatedPhone.process.show(HeadlessScreen(graph))
            var environment = EnvironmentValues()
            SimulatedPhone.launchApp {
                let app = A()
                let adaptor = Mirror(reflecting: app).children.lazy.compactMap { $0.value as? any DelegateAdaptor }
                    .first
                adaptor?.addObject(to: &environment)
                return (adaptor?.delegate ?? PlainDelegate(), { graph.show(app, environment: environment) })
            } sceneDelegate: {
                WindowDelegate(graph, environment)
            }
        }
    }

    /// The delegate of an app that has none.
    private final class PlainDelegate: UIResponder, UIApplicationDelegate {}

    /// Puts the phase of the window into the environment. Views are evaluated before the call returns: so what they
    /// do on the way to the background is done in the time that the system gives for that.
    private final class WindowDelegate: UIResponder, UIWindowSceneDelegate {
        private let graph: ViewGraph
        private var environment: EnvironmentValues

        init(_ graph: ViewGraph, _ environment: EnvironmentValues) {
            (self.graph, self.environment) = (graph, environment)
            super.init()
        }

        func scene(
            _ scene: UIScene, willConnectTo session: UISceneSession,
            options connectionOptions: UIScene.ConnectionOptions
        ) { environment.isSceneConnected = true }

        func sceneDidDisconnect(_ scene: UIScene) {
            environment.isSceneConnected = false
            graph.setEnvironment(environment)
        }

        func sceneWillEnterForeground(_ scene: UIScene) { enter(.inactive) }
        func sceneDidBecomeActive(_ scene: UIScene) { enter(.active) }
        func sceneWillResignActive(_ scene: UIScene) { enter(.inactive) }
        func sceneDidEnterBackground(_ scene: UIScene) { enter(.background) }

        private func enter(_ phase: ScenePhase) {
            environment.scenePhase = phase
            graph.setEnvironment(environment)
        }
    }
#endif
