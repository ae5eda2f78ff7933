import ApusVirtualTime
import SimulatedAppleCore

/// An object that manages a view, and is notified of its appearance.
///
/// Nothing is drawn, and transitions take no time: when ``present(_:animated:completion:)``, `dismiss` or a navigation
/// controller's `pushViewController` returns, the views have appeared and the completion handler was called. The calls
/// have the same order as on a phone: `viewDidLoad` once; `viewWillAppear`, `viewIsAppearing` and `viewDidAppear` each
/// time. As on a phone, none of them is called when the app enters the background or returns from it.
///
/// Rules: Apple, documentation/uikit/uiviewcontroller.
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// The title in the navigation bar.
    open var title: String?
    /// The contents of the navigation bar for this controller.
    open private(set) lazy var navigationItem = UINavigationItem(title: title ?? "")
    /// The style of the presentation.
    open var modalPresentationStyle = UIModalPresentationStyle.automatic
    /// Whether the user is prevented from dismissing the controller; the property has no effect here.
    open var isModalInPresentation = false

    /// The controller that this one presents, or else the controller that its nearest presenting ancestor presents.
    open var presentedViewController: UIViewController? { presented ?? parent?.presentedViewController }
    /// The controller that presents this one, or else the controller that presents its nearest presented ancestor.
    open var presentingViewController: UIViewController? { presenter ?? parent?.presentingViewController }
    /// The controller that contains this one.
    open private(set) weak var parent: UIViewController?
    /// The controllers that this one contains.
    open private(set) var children: [UIViewController] = []

    /// The appearance that the app has chosen, which has no effect here.
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    /// The properties of the interface: those of the phone.
    open var traitCollection: UITraitCollection { .current }
    /// The orientations that the controller supports, which have no effect here.
    open var supportedInterfaceOrientations: UIInterfaceOrientationMask { .allButUpsideDown }
    /// Whether the interface follows the phone's orientation; the property has no effect here.
    open var shouldAutorotate: Bool { true }
    /// The style of the status bar, which has no effect here.
    open var preferredStatusBarStyle: UIStatusBarStyle { .default }
    /// Whether the status bar is hidden; the property has no effect here.
    open var prefersStatusBarHidden: Bool { false }
    /// Does nothing.
    open func setNeedsStatusBarAppearanceUpdate() {}

    private var presented: UIViewController?
    private weak var presenter: UIViewController?
    private var loaded: UIView?
    private var appearance = Appearance.disappeared
    /// The children that were visible when this controller began to disappear.
    private var leavingChildren: [UIViewController] = []

    private enum Appearance { case disappeared, appearing, appeared, disappearing }

    /// Whether the view has appeared, and has not disappeared since then.
    var hasAppeared: Bool { appearance == .appeared || appearance == .disappearing }

    /// Creates a controller; no nib files are read here, so the arguments have no effect.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

    /// Creates a controller.
    override public convenience init() { self.init(nibName: nil, bundle: nil) }

    /// Creates a controller that makes its view itself, because no storyboards are read here.
    public required init?(coder: NSCoder) { super.init() }

    // MARK: The view

    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The view, which is loaded at its first use: ``loadView()`` is called, then ``viewDidLoad()``.
    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return loaded
        }
        set {
            loaded?.controller = nil
            loaded = newValue
            newValue?.controller = self
        }
    }

    /// The view, if it has been loaded.
    open var viewIfLoaded: UIView? { loaded }

    /// Whether the view has been loaded.
    open var isViewLoaded: Bool { loaded != nil }

    /// Loads the view, unless it has been loaded.
    open func loadViewIfNeeded() {
        guard loaded == nil else { return }
        loadView()
        guard loaded != nil else {
            fatalError("\(Self.self).loadView() has not set `view`; set it there, without a call of super")
        }
        viewDidLoad()
    }

    /// Sets `view` to an empty view of the screen's size.
    ///
    /// A subclass that overrides this sets `view` to its own, and does not call `super`.
    open func loadView() { view = UIView(frame: UIScreen.main.bounds) }

    /// Called once, after the view was loaded.
    open func viewDidLoad() {}
    /// Called before the view appears.
    open func viewWillAppear(_ animated: Bool) {}
    /// Called when the view is in its window and has its size, before the user sees it.
    open func viewIsAppearing(_ animated: Bool) {}
    /// Called when the view has appeared.
    open func viewDidAppear(_ animated: Bool) {}
    /// Called before the view disappears.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Called when the view has disappeared.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Called before subviews are placed, which never happens here.
    open func viewWillLayoutSubviews() {}
    /// Called after subviews were placed, which never happens here.
    open func viewDidLayoutSubviews() {}
    /// Called on a phone when memory is low; here, only the application's delegate and observers are notified.
    open func didReceiveMemoryWarning() {}

    override open var next: UIResponder? { viewIfLoaded?.superview ?? presentingViewController }

    /// Adds the view to another one, and calls the methods about its appearance, such as `viewWillAppear`.
    package func appear(in container: UIView?, animated: Bool) {
        loadViewIfNeeded()
        willAppear(animated)
        if let container, let view = loaded, view !== container { container.addSubview(view) }
        didAppear(animated)
    }

    /// Removes the view from its superview, and calls the methods about its disappearance.
    package func disappear(animated: Bool) {
        willDisappear(animated)
        loaded?.removeFromSuperview()
        didDisappear(animated)
    }

    /// Makes the view appear or disappear; called after the view, or a view around it, was added to another view or
    /// removed from one.
    ///
    /// It does nothing while the parent itself appears or disappears. The parent then calls its children's methods.
    func hierarchyChanged() {
        guard let parent else {
            // The controller was taken from its parent earlier, and the app has now removed its view.
            if appearance == .appeared, loaded?.window == nil { disappearAlone() }
            return
        }
        guard parent.appearance == .appeared else { return }
        if appearance == .disappeared, isInParent {
            willAppear(false)
            didAppear(false)
        } else if appearance == .appeared, !isInParent {
            disappearAlone()
        }
    }

    private func disappearAlone() {
        willDisappear(false)
        didDisappear(false)
    }

    /// Whether the view is in the parent's view, at any depth.
    private var isInParent: Bool {
        guard let view = viewIfLoaded, let outer = parent?.viewIfLoaded else { return false }
        return view !== outer && view.isDescendant(of: outer)
    }

    func willAppear(_ animated: Bool) {
        appearance = .appearing
        viewWillAppear(animated)
        for child in visibleChildren { child.willAppear(animated) }
    }

    func didAppear(_ animated: Bool) {
        appearance = .appeared
        viewIsAppearing(animated)
        viewDidAppear(animated)
        for child in children {
            if child.isInParent, child.appearance == .disappeared { child.willAppear(animated) }
            guard child.appearance == .appearing else { continue }
            child.didAppear(animated)
            // The parent's own `viewIsAppearing` or `viewDidAppear` may have removed the child's view.
            if !child.isInParent { child.disappearAlone() }
        }
    }

    func willDisappear(_ animated: Bool) {
        appearance = .disappearing
        // The children are noted first, because the app's `viewWillDisappear` may remove some of them.
        leavingChildren = visibleChildren
        viewWillDisappear(animated)
        for child in leavingChildren where child.appearance == .appeared { child.willDisappear(animated) }
    }

    func didDisappear(_ animated: Bool) {
        appearance = .disappeared
        viewDidDisappear(animated)
        for child in leavingChildren where child.appearance == .disappearing { child.didDisappear(animated) }
        leavingChildren = []
    }

    /// The children whose views appear and disappear with this one's.
    var visibleChildren: [UIViewController] { children.filter(\.isInParent) }

    // MARK: Children

    /// Makes a controller a child of this one.
    ///
    /// The caller then adds the child's view to its own, and calls the child's ``didMove(toParent:)``.
    open func addChild(_ childController: UIViewController) {
        childController.removeFromParent()
        childController.parent = self
        children.append(childController)
        childController.hierarchyChanged()
    }

    /// Removes the controller from its parent.
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }

    /// Called before the controller gets another parent, or none.
    open func willMove(toParent parent: UIViewController?) {}
    /// Called after the controller got another parent, or none.
    open func didMove(toParent parent: UIViewController?) {}

    /// The navigation controller that contains this one, at any depth.
    open var navigationController: UINavigationController? {
        (parent as? UINavigationController) ?? parent?.navigationController
    }

    // MARK: Presentation

    /// Presents a controller in front of this one.
    ///
    /// If this controller has a parent, its outermost ancestor presents the new controller.
    ///
    /// With the styles `fullScreen` and `currentContext`, the view of the presenting controller disappears. With the
    /// others, such as `automatic` (a sheet), the view stays, and the presenting controller gets no calls.
    ///
    /// If this controller already presents one, or its view is not in a window yet (as in `viewDidLoad`), nothing is
    /// presented, and the device's log gets a warning, as on a phone.
    ///
    /// - Parameters:
    ///   - viewControllerToPresent: The controller.
    ///   - flag: The argument with which methods such as `viewWillAppear` are called; nothing is animated here.
    ///   - completion: Called when the view has appeared; not called if the presentation is refused.
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {
        let new = viewControllerToPresent
        guard presentedViewController == nil else {
            return warn("present \(type(of: new)) on \(type(of: self)), which presents another controller")
        }
        guard let window = viewIfLoaded?.window else {
            return warn("present \(type(of: new)) on \(type(of: self)), whose view is not in a window")
        }
        outermost.show(new, in: window, animated: flag)
        completion?()
    }

    private var outermost: UIViewController { parent?.outermost ?? self }

    private func show(_ new: UIViewController, in window: UIWindow, animated: Bool) {
        let covers = new.modalPresentationStyle.coversPresenter
        presented = new
        new.presenter = self
        if covers { willDisappear(animated) }
        new.appear(in: window, animated: animated)
        if covers { didDisappear(animated) }
    }

    /// Dismisses the controller that this one presents, and all controllers that are presented in front of it.
    ///
    /// If this controller presents none, its own presenter dismisses this controller.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        guard let presented = outermost.presented else {
            guard let presenter = outermost.presenter else { return }
            return presenter.dismiss(animated: flag, completion: completion)
        }
        if presented.presented != nil { presented.dismiss(animated: false) }
        outermost.hide(presented, animated: flag)
        completion?()
    }

    private func hide(_ old: UIViewController, animated: Bool) {
        let covers = old.modalPresentationStyle.coversPresenter
        if covers { willAppear(animated) }
        old.disappear(animated: animated)
        presented = nil
        old.presenter = nil
        if covers { didAppear(animated) }
    }

    private func warn(_ attempt: String) {
        SimulatedPhone.process.host.warn("refused to \(attempt)")
    }
}

/// The style of a presentation.
public enum UIModalPresentationStyle: Int, Sendable {
    /// The style that suits the phone: a sheet.
    case automatic = -2
    /// No presentation.
    case none = -1
    /// The new view covers the screen, and the presenting one disappears.
    case fullScreen = 0
    /// A sheet.
    case pageSheet = 1
    /// A small sheet.
    case formSheet = 2
    /// The new view covers the presenting one, which disappears.
    case currentContext = 3
    /// The new view is in front of the presenting one, which stays.
    case overFullScreen = 5
    /// A bubble.
    case popover = 7

    var coversPresenter: Bool { self == .fullScreen || self == .currentContext }
}
