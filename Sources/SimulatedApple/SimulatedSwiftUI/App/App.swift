#if SimulatedApple
    import SimulatedAppleCore

    /// An app, which consists of its scenes and the state that they share.
    ///
    /// Rule: Apple, "App".
    @MainActor @preconcurrency
    public protocol App {
        /// The type of the app's body.
        associatedtype Body: Scene

        /// The scenes of the app.
        @SceneBuilder @MainActor @preconcurrency
        var body: Body { get }

        /// Creates the app; called once in each process, before anything else.
        @MainActor @preconcurrency
        init()
    }

    /// A part of the app's interface with its own life cycle.
    ///
    /// The simulated phone has one window. Rule: Apple, "Scene".
    @MainActor @preconcurrency
    public protocol Scene {
        /// The type of the scene's body.
        associatedtype Body: Scene

        /// The content of the scene.
        @SceneBuilder @MainActor @preconcurrency
        var body: Body { get }
    }

    extension Scene where Body == Never {
        /// Traps, because the graph does not evaluate the body of this scene.
        public var body: Never { fatalError("\(Self.self) has no body") }
    }

    extension Never: Scene {}

    /// The result builder that makes one scene of the scenes in a closure.
    ///
    /// Rule: Apple, "SceneBuilder".
    @resultBuilder
    public enum SceneBuilder {
        /// Returns the scene.
        public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
        /// Returns the only scene of the block.
        public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
        /// Returns several scenes as one.
        public static func buildBlock<each Content: Scene>(_ content: repeat each Content) -> some Scene {
            var parts: [Any] = []
            repeat parts.append(each content)
            return SceneGroup(elements: parts)
        }
    }

    private struct SceneGroup: Scene, Primitive {
        typealias Body = Never
        let elements: [Any]

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            elements.enumerated().map { ViewNode.Part(key: .index($0.offset), element: $0.element) }
        }
    }

    /// The app's window.
    ///
    /// Rule: Apple, "WindowGroup".
    ///
    /// Its views exist from the time when the app first comes to the foreground, and stay when it goes to the
    /// background. An app that was launched in the background has no views.
    public struct WindowGroup<Content: View>: Scene, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        private let content: () -> Content

        /// Creates a window with these views.
        public init(@ViewBuilder content: @escaping () -> Content) { self.content = content }
        /// Creates a window with these views; the identifier has no effect.
        public init(id: String, @ViewBuilder content: @escaping () -> Content) { self.content = content }
        /// Creates a window with these views; the title has no effect.
        public init(_ title: LocalizedStringKey, @ViewBuilder content: @escaping () -> Content) {
            self.content = content
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            node.dependOnEnvironment { $0.isSceneConnected != $1.isSceneConnected }
            return node.environment.isSceneConnected ? [ViewNode.Part(element: content())] : []
        }
    }

    extension App {
        /// Runs the app in a process of the simulated phone; `@main` calls this method.
        ///
        /// Without a phone, it stops the program with a message that says what to write.
        ///
        /// ```swift
        /// SimulatedPhone.install(on: device, program: { MyApp.main() })
        /// ```
        ///
        /// First the app is created with its delegate, and the delegate's launch method is called. Then the scenes are
        /// evaluated, and handlers of background tasks are registered. The views are created when the app first comes
        /// to the foreground. The app has scenes even if the manifest declares none. Its delegate is therefore notified
        /// of the launch and the end, but not of the other events of the life cycle.
        nonisolated public static func main() {
            guard SimulatedPhone.isAppProcess else { SimulatedPhone.stopWithoutPhone("\(Self.self).main()") }
            MainActor.assumeIsolated { AppHost.run(Self.self) }
        }
    }

    /// The connection between an app's graph and the phone.
    @MainActor
    private enum AppHost {
        static func run<A: App>(_ type: A.Type) {
            let graph = SimulatedPhone.process.shared.object(of: ViewGraph.self) { ViewGraph() }
            graph.warn = SimulatedPhone.process.host.warn
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

    /// The delegate of an app that has none of its own.
    private final class PlainDelegate: UIResponder, UIApplicationDelegate {}

    /// The scene delegate, which sets the scene's phase in the window's environment.
    ///
    /// When the delegate method for a phase returns, the views have been evaluated. What they do on the way to the
    /// background is therefore done within the time that the system allows for it.
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

    /// A property of a SwiftUI app that creates and holds the app's UIKit delegate.
    ///
    /// Rule: Apple, "UIApplicationDelegateAdaptor": the delegate is created with the app. A delegate that is an
    /// `ObservableObject` or `@Observable` is also an object of the environment.
    @MainActor @preconcurrency @propertyWrapper
    public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate>: DelegateAdaptor {
        /// The delegate.
        public let wrappedValue: DelegateType

        /// Creates the delegate, with its `init()`.
        public init(_ delegateType: DelegateType.Type = DelegateType.self) {
            let object = Creatable.make(delegateType)
            guard let delegate = object as? DelegateType else {
                fatalError("\(delegateType) cannot be created with init()")
            }
            wrappedValue = delegate
        }

        var delegate: any UIApplicationDelegate { wrappedValue }

        func addObject(to environment: inout EnvironmentValues) {
            if wrappedValue is any ObservableObject || wrappedValue is any Observable {
                environment.set(wrappedValue, for: DelegateType.self)
            }
        }
    }

    extension UIApplicationDelegateAdaptor where DelegateType: ObservableObject {
        /// Bindings to the delegate's properties.
        public var projectedValue: ObservedObject<DelegateType>.Wrapper { ObservedObject.Wrapper(object: wrappedValue) }
    }

    /// An adaptor with any type of delegate.
    @MainActor
    protocol DelegateAdaptor {
        var delegate: any UIApplicationDelegate { get }
        func addObject(to environment: inout EnvironmentValues)
    }
#endif
