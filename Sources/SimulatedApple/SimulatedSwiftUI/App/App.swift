#if SimulatedApple
    import SimulatedAppleCore

    /// An app: its scenes, and what belongs to all of them. Rule: Apple, "App".
    @MainActor @preconcurrency
    public protocol App {
        /// What the app consists of.
        associatedtype Body: Scene

        /// What the app consists of now.
        @SceneBuilder @MainActor @preconcurrency
        var body: Body { get }

        /// Made once in each process, first of all.
        @MainActor @preconcurrency
        init()
    }

    /// A part of the app's interface with a life of its own. The simulated phone has one window. Rule: Apple, "Scene".
    @MainActor @preconcurrency
    public protocol Scene {
        /// What the scene consists of.
        associatedtype Body: Scene

        /// What the scene consists of now.
        @SceneBuilder @MainActor @preconcurrency
        var body: Body { get }
    }

    extension Scene where Body == Never {
        /// Never asked for: the graph knows this scene itself.
        public var body: Never { preconditionFailure("\(Self.self) has no body") }
    }

    extension Never: Scene {}

    /// Makes one scene of the scenes in a closure. Rule: Apple, "SceneBuilder".
    @resultBuilder
    public enum SceneBuilder {
        /// Takes any scene.
        public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
        /// One scene.
        public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
        /// Several scenes.
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

    /// The app's window. Rule: Apple, "WindowGroup".
    ///
    /// Its views are there from when the app first comes to the front, and stay when it goes to the background. An app
    /// that was started in the background has none.
    public struct WindowGroup<Content: View>: Scene, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        private let content: () -> Content

        /// A window with these views.
        public init(@ViewBuilder content: @escaping () -> Content) { self.content = content }
        /// A window with these views; the identifier has no effect.
        public init(id: String, @ViewBuilder content: @escaping () -> Content) { self.content = content }
        /// A window with these views; the title has no effect.
        public init(_ title: LocalizedStringKey, @ViewBuilder content: @escaping () -> Content) {
            self.content = content
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            node.dependOnEnvironment { $0.isSceneConnected != $1.isSceneConnected }
            return node.environment.isSceneConnected ? [ViewNode.Part(element: content())] : []
        }
    }

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

    /// Gives an app a delegate of UIKit. Rule: Apple, "UIApplicationDelegateAdaptor": the delegate is made with the
    /// app. One that is an `ObservableObject`, or `@Observable`, is in the environment too.
    @MainActor @preconcurrency @propertyWrapper
    public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate>: DelegateAdaptor {
        /// The delegate.
        public let wrappedValue: DelegateType

        /// Makes the delegate, with its `init()`.
        public init(_ delegateType: DelegateType.Type = DelegateType.self) {
            // Objective-C can do this with any class. Here the initializer would have to be `required`; the slot of
            // NSObject's is the same in all of its subclasses.
            let object = Creatable.make(unsafeBitCast(delegateType as AnyObject.Type, to: Creatable.Type.self))
            guard let delegate = object as? DelegateType else {
                preconditionFailure("\(delegateType) cannot be made with init()")
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

    /// An adaptor with any delegate.
    @MainActor
    protocol DelegateAdaptor {
        var delegate: any UIApplicationDelegate { get }
        func addObject(to environment: inout EnvironmentValues)
    }

    /// Has the initializer of `NSObject` as one that may be called on any subclass.
    private class Creatable: NSObject {
        override required init() { super.init() }

        /// Not optimized: the optimizer sees that this class has no subclasses, and would make an object of it.
        @_optimize(none)
        static func make(_ type: Creatable.Type) -> AnyObject { type.init() }
    }
#endif
