#if SimulatedApple
    import SimulatedAppleCore

    /// A controller of UIKit that shows a view of SwiftUI.
    ///
    /// The view exists from the first appearance of the controller on, and is the app's screen for a test from then on.
    /// The scene phase of the view becomes `background` when the app enters the background, and `active` when the app
    /// becomes active.
    ///
    /// Rule: Apple, "UIHostingController".
    @preconcurrency @MainActor
    open class UIHostingController<Content: View>: UIViewController {
        /// The view.
        open var rootView: Content {
            didSet { if isShown { graph.show(rootView, environment: environment) } }
        }

        private let graph = ViewGraph()
        private var isShown = false

        /// Creates a controller of a view.
        public init(rootView: Content) {
            self.rootView = rootView
            super.init(nibName: nil, bundle: nil)
        }

        /// Returns `nil`, because no storyboards are read here.
        public required init?(coder: NSCoder) { return nil }

        private var environment: EnvironmentValues {
            var environment = EnvironmentValues()
            environment.isSceneConnected = true
            environment.scenePhase = UIApplication.shared.applicationState == .background ? .background : .active
            return environment
        }

        override open func viewDidAppear(_ animated: Bool) {
            super.viewDidAppear(animated)
            SimulatedPhone.process.show(HeadlessScreen(graph))
            guard !isShown else { return }
            isShown = true
            graph.show(rootView, environment: environment)
            for name in [UIApplication.didBecomeActiveNotification, UIApplication.didEnterBackgroundNotification] {
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
                    MainActor.assumeIsolated {
                        if let self { self.graph.setEnvironment(self.environment) }
                    }
                }
            }
        }
    }
#endif
