import ApusBackground

/// The calls that UIKit makes to an app when its process enters a phase, as a pure state machine.
///
/// The source of the order is Apple, developer.apple.com/documentation/uikit/managing-your-app-s-life-cycle and
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

        /// Returns the name of the method that is called: the scene delegate's, if there is a scene, or else the app
        /// delegate's.
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
        /// Makes the application report this state from now on.
        case become(UIApplication.State)
    }

    private let usesScenes: Bool
    private var hasScene = false
    /// Whether an app without scenes was launched in the background, and has not been notified of that yet.
    private var owesBackground: Bool
    private(set) var state: UIApplication.State

    /// Creates the machine of a process that begins in `phase`.
    init(phase: Phase, usesScenes: Bool) {
        self.usesScenes = usesScenes
        state = phase == .background ? .background : .inactive
        owesBackground = phase == .background && !usesScenes
    }

    /// Disconnects the scene; another one is connected when the app next comes to the foreground.
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
        // UIKit notifies an app neither of its suspension nor of its resumption in the background.
        case (.suspended, _), (.background, .background), (.inactive, .inactive), (.active, .active):
            return []
        }
    }
}
