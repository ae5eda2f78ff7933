#if SimulatedApple
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
#endif
