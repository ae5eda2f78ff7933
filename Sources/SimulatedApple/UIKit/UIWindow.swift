import SimulatedAppleCore

/// What an app's views lie in.
///
/// Rules: Apple, documentation/uikit/uiwindow.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// The scene that it belongs to.
    open weak var windowScene: UIWindowScene?
    /// Whether the user types into it.
    open var isKeyWindow: Bool { UIApplication.shared.keyWindow === self }
    /// The controller whose view fills the window. When the window is visible, its view appears at once.
    open var rootViewController: UIViewController? {
        didSet {
            guard rootViewController !== oldValue else { return }
            if isShown { oldValue?.disappear(animated: false) }
            showRoot()
        }
    }

    private var isShown = false

    /// A window at a place.
    override public init(frame: CGRect) {
        super.init(frame: frame)
        isHidden = true
    }

    /// A window of a scene, of the screen's size.
    public convenience init(windowScene: UIWindowScene) {
        self.init(frame: UIScreen.main.bounds)
        self.windowScene = windowScene
    }

    /// There are no storyboards here: a window of no size.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        isHidden = true
    }

    override open var window: UIWindow? { self }

    /// Shows the window, and lets the user type into it: the root controller loads its view, and the
    /// view appears. On a phone it appears with the next frame.
    open func makeKeyAndVisible() {
        let application = UIApplication.shared
        application.keyWindow = self
        SimulatedPhone.process.show(UIKitScreen(application))
        isHidden = false
        showRoot()
    }

    private func showRoot() {
        guard !isHidden, let rootViewController, rootViewController.viewIfLoaded?.superview !== self else { return }
        isShown = true
        rootViewController.appear(in: self, animated: false)
    }
}

/// The phone's screen: 390 × 844 points and 60 frames per second, as ``CADisplayLink`` here has it.
@preconcurrency @MainActor
open class UIScreen: NSObject {
    /// The screen.
    public class var main: UIScreen { SimulatedPhone.process.shared.object(of: UIScreen.self) { UIScreen() } }

    /// The size, in points, from the origin.
    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 390, height: 844) }
    /// Pixels for each point.
    open var scale: CGFloat { 3 }
    /// The most frames in a second.
    open var maximumFramesPerSecond: Int { 60 }
    /// How bright it is, from 0 to 1. Without effect here.
    open var brightness: CGFloat = 0.5

    override fileprivate init() { super.init() }
}
