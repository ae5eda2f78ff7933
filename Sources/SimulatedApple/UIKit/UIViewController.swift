import ApusVirtualTime
import SimulatedAppleCore

/// Manages a view, and is called when the view appears.
///
/// Nothing is drawn, and transitions take no time: when ``present(_:animated:completion:)``, `dismiss` or a navigation
/// controller's `pushViewController` returns, the views have appeared and the completion was called. The calls have the
/// order of a phone: `viewDidLoad` once, and `viewWillAppear`, `viewIsAppearing`, `viewDidAppear` each time. Like a
/// phone, it makes none of these calls when the app goes to the background or comes back.
///
/// Rules: Apple, documentation/uikit/uiviewcontroller.
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// What the user reads above it.
    open var title: String?
    /// What a navigation controller shows above it.
    open private(set) lazy var navigationItem = UINavigationItem(title: title ?? "")
    /// How it is presented.
    open var modalPresentationStyle = UIModalPresentationStyle.automatic
    /// Whether the user cannot dismiss it. Without effect here.
    open var isModalInPresentation = false

    /// The controller that this one presents, or its parent.
    open var presentedViewController: UIViewController? { presented ?? parent?.presentedViewController }
    /// The controller that presents this one, or its parent.
    open var presentingViewController: UIViewController? { presenter ?? parent?.presentingViewController }
    /// The controller that this one is a child of.
    open private(set) weak var parent: UIViewController?
    /// The controllers that are part of this one.
    open private(set) var children: [UIViewController] = []

    private var presented: UIViewController?
    private weak var presenter: UIViewController?
    private var loaded: UIView?
    private(set) var hasAppeared = false

    /// A controller. There are no nib files here: the names have no effect.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

    /// A controller.
    override public convenience init() { self.init(nibName: nil, bundle: nil) }

    /// There are no storyboards here: a controller that makes its view itself.
    public required init?(coder: NSCoder) { super.init() }

    // MARK: The view

    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The view. The first use loads it: ``loadView()``, then ``viewDidLoad()``.
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

    /// The view, if it was loaded.
    open var viewIfLoaded: UIView? { loaded }

    /// Whether the view was loaded.
    open var isViewLoaded: Bool { loaded != nil }

    /// Loads the view, if it was not.
    open func loadViewIfNeeded() {
        guard loaded == nil else { return }
        loadView()
        precondition(loaded != nil, "\(Self.self).loadView() has to set `view`, and does not call super")
        viewDidLoad()
    }

    /// Makes the view: an empty one of the screen's size. A subclass that makes another one sets `view`, and does not
    /// call `super`.
    open func loadView() { view = UIView(frame: UIScreen.main.bounds) }

    /// The view was loaded: once.
    open func viewDidLoad() {}
    /// The view is about to appear.
    open func viewWillAppear(_ animated: Bool) {}
    /// The view is in its window and has its size, but is not seen.
    open func viewIsAppearing(_ animated: Bool) {}
    /// The view has appeared.
    open func viewDidAppear(_ animated: Bool) {}
    /// The view is about to disappear.
    open func viewWillDisappear(_ animated: Bool) {}
    /// The view has disappeared.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Subviews are about to be placed. It is not called here: there is no layout.
    open func viewWillLayoutSubviews() {}
    /// Subviews were placed. It is not called here: there is no layout.
    open func viewDidLayoutSubviews() {}
    /// Memory is low. Here the application's delegate is called, and its notification is posted.
    open func didReceiveMemoryWarning() {}

    override open var next: UIResponder? { viewIfLoaded?.superview ?? presentingViewController }

    /// Puts the view into another one, with the calls of its appearance.
    func appear(in container: UIView?, animated: Bool) {
        loadViewIfNeeded()
        willAppear(animated)
        if let container, let view = loaded, view !== container { container.addSubview(view) }
        didAppear(animated)
    }

    /// Takes the view away, with the calls of its disappearance.
    func disappear(animated: Bool) {
        willDisappear(animated)
        loaded?.removeFromSuperview()
        didDisappear(animated)
    }

    func willAppear(_ animated: Bool) {
        viewWillAppear(animated)
        for child in visibleChildren { child.willAppear(animated) }
    }

    func didAppear(_ animated: Bool) {
        viewIsAppearing(animated)
        viewDidAppear(animated)
        hasAppeared = true
        for child in visibleChildren { child.didAppear(animated) }
    }

    func willDisappear(_ animated: Bool) {
        viewWillDisappear(animated)
        for child in visibleChildren { child.willDisappear(animated) }
    }

    func didDisappear(_ animated: Bool) {
        hasAppeared = false
        viewDidDisappear(animated)
        for child in visibleChildren { child.didDisappear(animated) }
    }

    /// The children whose views appear and disappear with this one.
    var visibleChildren: [UIViewController] { children.filter { $0.viewIfLoaded?.superview != nil } }

    // MARK: Children

    /// Makes a controller part of this one. The caller adds its view, and calls ``didMove(toParent:)``.
    open func addChild(_ childController: UIViewController) {
        childController.removeFromParent()
        childController.parent = self
        children.append(childController)
    }

    /// Ends that it is part of another one.
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }

    /// It is about to become part of another one, or of none.
    open func willMove(toParent parent: UIViewController?) {}
    /// It has become part of another one, or of none.
    open func didMove(toParent parent: UIViewController?) {}

    /// The navigation controller that it is in.
    open var navigationController: UINavigationController? {
        (parent as? UINavigationController) ?? parent?.navigationController
    }

    // MARK: Presentation

    /// Shows a controller in front of this one. Of a child, the outermost parent presents it.
    ///
    /// With the styles `fullScreen` and `currentContext` the presenting view disappears; with the others, of which
    /// `automatic` (a sheet) is one, it stays and gets no call. What a phone refuses with a line in its log is a
    /// warning in the device's log here, and nothing else happens: a controller that presents one already, and one
    /// whose view is not in a window, as in `viewDidLoad`.
    ///
    /// - Parameters:
    ///   - viewControllerToPresent: The controller.
    ///   - flag: Passed to the calls of the appearance.
    ///   - completion: Called when the view has appeared.
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {
        let new = viewControllerToPresent
        guard presentedViewController == nil else {
            return warn("present \(type(of: new)) on \(type(of: self)), which presents a controller already")
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

    /// Takes away the controller that this one presents, with all that it presents itself; without one, this
    /// controller, as if the presenting one had been asked.
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

/// How a controller is presented.
public enum UIModalPresentationStyle: Int, Sendable {
    /// As suits the phone: a sheet.
    case automatic = -2
    /// Nothing is presented.
    case none = -1
    /// Covers the screen.
    case fullScreen = 0
    /// A sheet.
    case pageSheet = 1
    /// A small sheet.
    case formSheet = 2
    /// Covers the presenting controller.
    case currentContext = 3
    /// In front of the screen, which stays.
    case overFullScreen = 5
    /// A bubble.
    case popover = 7

    var coversPresenter: Bool { self == .fullScreen || self == .currentContext }
}
