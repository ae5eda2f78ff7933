/// A button in a bar.
@preconcurrency @MainActor
open class UIBarButtonItem: NSObject {
    /// Buttons that the system has.
    public enum SystemItem: Int, Sendable {
        /// Done.
        case done = 0
        /// Cancel.
        case cancel = 1
        /// Edit.
        case edit = 2
        /// Save.
        case save = 3
        /// A plus sign.
        case add = 4
        /// Play.
        case play = 17
        /// Pause.
        case pause = 18
    }

    /// What it looks like. Without effect here.
    public enum Style: Int, Sendable {
        /// As usual.
        case plain = 0
        /// For what ends an editing.
        case done = 2
    }

    /// What the user reads.
    open var title: String?
    /// What it does.
    open var primaryAction: UIAction?
    /// What it looks like. Without effect here.
    open var style = Style.plain
    /// The object of which a tap calls a method. It is not retained; `nil` is the first responder above the bar's controller
    /// that has the method, or that controller.
    open weak var target: AnyObject?
    /// The method that a tap calls with this button, if there is no ``primaryAction``.
    open var action: Selector?
    /// Whether the user can use it.
    open var isEnabled = true

    /// A button with a text.
    public init(title: String? = nil, primaryAction: UIAction? = nil) {
        self.title = title ?? primaryAction?.title
        self.primaryAction = primaryAction
        super.init()
    }

    /// A button of the system's; its title here is the item's name.
    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil) {
        self.init(title: "\(systemItem)".capitalized, primaryAction: primaryAction)
    }

    /// A button with a text, of which a tap calls a method of an object that is not retained.
    public convenience init(title: String?, style: Style, target: Any?, action: Selector?) {
        self.init(title: title)
        self.style = style
        self.target = target as AnyObject?
        self.action = action
    }

    /// A button of the system's, of which a tap calls a method of an object that is not retained; its title here is the
    /// item's name.
    public convenience init(barButtonSystemItem systemItem: SystemItem, target: Any?, action: Selector?) {
        self.init(title: "\(systemItem)".capitalized, style: .plain, target: target, action: action)
    }

    /// The user taps it, in the bar of a controller.
    func press(above controller: UIViewController) {
        if let primaryAction { return primaryAction.perform(by: self) }
        if let action { TargetAction(target, action).perform(by: self, above: controller) }
    }
}

/// What a navigation controller shows above a controller.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
    /// The title.
    open var title: String?
    /// The first button on the left.
    open var leftBarButtonItem: UIBarButtonItem?
    /// The first button on the right.
    open var rightBarButtonItem: UIBarButtonItem? {
        get { rightBarButtonItems?.first }
        set { rightBarButtonItems = newValue.map { [$0] } }
    }
    /// The buttons on the right.
    open var rightBarButtonItems: [UIBarButtonItem]?

    /// An item.
    public init(title: String) {
        self.title = title
        super.init()
    }
}

/// A stack of controllers, of which the top one is shown.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
    /// The stack, the root first.
    open var viewControllers: [UIViewController] { stack }
    /// The controller that is shown.
    open var topViewController: UIViewController? { stack.last }
    /// The controller that the user sees: the top one, or what it presents.
    open var visibleViewController: UIViewController? {
        presentedViewController ?? topViewController?.presentedViewController ?? topViewController
    }

    private var stack: [UIViewController] = []

    /// A stack of one controller.
    public convenience init(rootViewController: UIViewController) {
        self.init(nibName: nil, bundle: nil)
        pushViewController(rootViewController, animated: false)
    }

    override open func viewDidLoad() {
        super.viewDidLoad()
        // Those that were pushed before there was a view.
        if let top = topViewController { view.addSubview(top.view) }
    }

    /// Puts a controller on the stack.
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        let former = topViewController
        addChild(viewController)
        stack.append(viewController)
        replace(former, by: viewController, animated)
        viewController.didMove(toParent: self)
    }

    /// Takes the top controller off the stack; the root stays.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard stack.count > 1 else { return nil }
        return popToViewController(stack[stack.count - 2], animated: animated)?.last
    }

    /// Takes controllers off the stack until only the root is left.
    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        stack.first.flatMap { popToViewController($0, animated: animated) }
    }

    /// Takes controllers off the stack until that one is on top, and answers with them.
    @discardableResult
    open func popToViewController(_ viewController: UIViewController, animated: Bool) -> [UIViewController]? {
        guard let index = stack.firstIndex(where: { $0 === viewController }), index < stack.count - 1 else {
            return nil
        }
        let popped = Array(stack[(index + 1)...])
        stack.removeSubrange((index + 1)...)
        replace(popped.last, by: viewController, animated)
        for controller in popped { controller.removeFromParent() }
        return popped
    }

    private func replace(_ former: UIViewController?, by new: UIViewController, _ animated: Bool) {
        guard isViewLoaded else { return }
        guard hasAppeared else {
            former?.viewIfLoaded?.removeFromSuperview()
            return view.addSubview(new.view)
        }
        new.loadViewIfNeeded()
        former?.willDisappear(animated)
        new.willAppear(animated)
        former?.viewIfLoaded?.removeFromSuperview()
        view.addSubview(new.view)
        former?.didDisappear(animated)
        new.didAppear(animated)
    }
}
