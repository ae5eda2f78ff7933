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
