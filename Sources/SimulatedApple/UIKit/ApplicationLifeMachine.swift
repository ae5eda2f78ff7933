import ApusBackground

/// What UIKit says to an app when its process enters a phase: a pure state machine.
///
/// Source of the order: Apple, developer.apple.com/documentation/uikit/managing-your-app-s-life-cycle and
/// …/about-the-background-execution-sequence.
struct ApplicationLifeMachine {
    enum Call: Hashable {
        case didFinishLaunching
        case connectScene
        case willEnterForeground
        case didBecomeActive
        case willResignActive
        case didEnterBackground
        case willTerminate

        /// The delegate's method in words; that of the scene's delegate, if there is a scene.
        func method(ofScene hasScene: Bool) -> String {
            switch self {
            case .didFinishLaunching: "application(_:didFinishLaunchingWithOptions:)"
            case .connectScene: "scene(_:willConnectTo:options:)"
            case .willTerminate: "applicationWillTerminate(_:)"
            case .willEnterForeground, .didBecomeActive, .willResignActive, .didEnterBackground:
                (hasScene ? "scene" : "application") + "\(self)".prefix(1).uppercased() + "\(self)".dropFirst() + "(_:)"
            }
        }
    }

    enum Action: Hashable {
        case call(Call)
        /// From now on, the application says that it is in this state.
        case become(UIApplication.State)
    }

    private let usesScenes: Bool
    private var hasScene = false
    /// Launched in the background: it is notified once of its phase. With scenes there is none to notify.
    private var owesBackground: Bool
    private(set) var state: UIApplication.State

    /// A process that begins in `phase`.
    init(phase: Phase, usesScenes: Bool) {
        self.usesScenes = usesScenes
        state = phase == .background ? .background : .inactive
        owesBackground = phase == .background && !usesScenes
    }

    /// The scene was taken away; another one is connected on the next way to the front.
    mutating func disconnectScene() { hasScene = false }

    mutating func enter(_ phase: Phase) -> [Action] {
        defer { owesBackground = false }
        switch (phase, state) {
        case (.inactive, .background):
            state = .inactive
            let connection: [Action] = usesScenes && !hasScene ? [.call(.connectScene)] : []
            hasScene = true
            return connection + [.call(.willEnterForeground), .become(.inactive)]
        case (.inactive, .active):
            state = .inactive
            return [.call(.willResignActive), .become(.inactive)]
        case (.active, .inactive), (.active, .background):
            state = .active
            return [.become(.active), .call(.didBecomeActive)]
        case (.background, .inactive), (.background, .active):
            state = .background
            return [.become(.background), .call(.didEnterBackground)]
        case (.terminated, _):
            return [.call(.willTerminate)]
        case (.background, .background) where owesBackground:
            return [.call(.didEnterBackground)]
        // An app that was suspended is not notified of it, nor that it runs again in the background.
        case (.suspended, _), (.background, .background), (.inactive, .inactive), (.active, .active):
            return []
        }
    }
}
