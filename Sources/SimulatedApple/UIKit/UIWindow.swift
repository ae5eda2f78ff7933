import ApusBackground
public import ApusTesting
public import SimulatedPhone

/// What an app's views lie in.
///
/// Rules: Apple, documentation/uikit/uiwindow.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// The scene that it belongs to.
    open weak var windowScene: UIWindowScene?
    /// Whether it is the one that the user types into.
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

    /// Shows the window, and makes it the one that the user types into: the root controller loads its view, and the
    /// view appears. On a phone it appears with the next frame.
    open func makeKeyAndVisible() {
        UIApplication.shared.keyWindow = self
        isHidden = false
        showRoot()
    }

    private func showRoot() {
        guard !isHidden, let rootViewController, rootViewController.viewIfLoaded?.superview !== self else { return }
        isShown = true
        rootViewController.appear(in: self, animated: false)
    }
}

extension SimulatedPhone {
    /// The user taps what has that title in front of everything else: an action of an alert, a button, or a button in
    /// a navigation bar. A view's `accessibilityIdentifier` is good for a title. The work of the main loop that this
    /// makes is done when this returns.
    ///
    /// - Returns: Whether there was one, it is enabled and not hidden, and the app is in front.
    @discardableResult
    public static func tap(_ title: String, on device: SimulatedDevice) -> Bool {
        guard device.host?.phase == .active, let root = UIApplication.shared.keyWindow?.rootViewController else {
            return false
        }
        var front = root
        while let presented = front.presentedViewController { front = presented }
        guard let tap = front.tap(for: title) else { return false }
        tap()
        device.advance(by: .zero)
        return true
    }
}

extension UIViewController {
    /// What a tap on that title does, if there is such a thing here.
    fileprivate func tap(for title: String) -> (() -> Void)? {
        if let alert = self as? UIAlertController {
            return alert.actions.first { $0.title == title && $0.isEnabled }.map { action in { alert.tap(action) } }
        }
        let button = view.firstVisibleView { view in
            view.accessibilityIdentifier == title || (view as? UIButton)?.currentTitle == title
        }
        if let control = button as? UIControl, control.isEnabled { return { control.sendActions(for: .touchUpInside) } }
        let controller = (self as? UINavigationController)?.topViewController ?? self
        let items =
            [controller.navigationItem.leftBarButtonItem] + (controller.navigationItem.rightBarButtonItems ?? [])
        guard let item = items.compactMap({ $0 }).first(where: { $0.title == title && $0.isEnabled }) else {
            return nil
        }
        return { item.primaryAction?.perform(by: item) }
    }
}

extension UIView {
    /// The first view that fits, however deep, and that is not hidden.
    fileprivate func firstVisibleView(_ fits: (UIView) -> Bool) -> UIView? {
        if isHidden || !isUserInteractionEnabled { return nil }
        if fits(self) { return self }
        for view in subviews.reversed() {
            if let found = view.firstVisibleView(fits) { return found }
        }
        return nil
    }
}
