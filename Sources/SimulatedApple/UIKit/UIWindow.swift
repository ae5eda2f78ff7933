import SimulatedAppleCore

/// The root of the app's views.
///
/// Rules: Apple, documentation/uikit/uiwindow.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// The scene that contains the window.
    open weak var windowScene: UIWindowScene?
    /// Whether this is the key window, which the user types into.
    open var isKeyWindow: Bool { UIApplication.shared.keyWindow === self }
    /// The controller whose view fills the window; if the window is visible, the view appears at once.
    open var rootViewController: UIViewController? {
        didSet {
            guard rootViewController !== oldValue else { return }
            if isShown { oldValue?.disappear(animated: false) }
            showRoot()
        }
    }

    private var isShown = false

    /// Creates a window with a frame; it is hidden.
    override public init(frame: CGRect) {
        super.init(frame: frame)
        isHidden = true
    }

    /// Creates a window of a scene, of the screen's size; it is hidden.
    public convenience init(windowScene: UIWindowScene) {
        self.init(frame: UIScreen.main.bounds)
        self.windowScene = windowScene
    }

    /// Creates a window of size zero, because no storyboards are read here.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        isHidden = true
    }

    override open var window: UIWindow? { self }

    /// Shows the window, makes it the key window, and adds the root controller's view to it.
    ///
    /// On a phone the view appears with the next frame; here it appears at once.
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

/// The phone's screen: 390 × 844 points, and 60 frames per second like ``CADisplayLink`` here.
@preconcurrency @MainActor
open class UIScreen: NSObject {
    /// The screen.
    public class var main: UIScreen { SimulatedPhone.process.shared.object(of: UIScreen.self) { UIScreen() } }

    /// The rectangle of the screen, in points; its origin is zero.
    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 390, height: 844) }
    /// The number of pixels per point.
    open var scale: CGFloat { 3 }
    /// The largest number of frames per second.
    open var maximumFramesPerSecond: Int { 60 }
    /// The brightness, from 0 to 1, which has no effect here.
    open var brightness: CGFloat = 0.5

    override fileprivate init() { super.init() }
}
