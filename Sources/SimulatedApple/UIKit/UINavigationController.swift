/// A button in a bar.
@preconcurrency @MainActor
open class UIBarButtonItem: NSObject {
    /// The system's standard buttons.
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

    /// The appearance of a button, which has no effect here.
    public enum Style: Int, Sendable {
        /// An ordinary button.
        case plain = 0
        /// A button that finishes an action, such as editing.
        case done = 2
    }

    /// The text that the user reads.
    open var title: String?
    /// The action that a tap performs.
    open var primaryAction: UIAction?
    /// The appearance, which has no effect here.
    open var style = Style.plain
    /// The object whose method a tap calls; the object is not retained.
    ///
    /// With `nil`, the method is called on the first responder that has it, from the bar's controller upward.
    open weak var target: AnyObject?
    /// The method that a tap calls with this button if there is no ``primaryAction``.
    open var action: Selector?
    /// Whether the user can use the button.
    open var isEnabled = true

    /// Creates a button with a text and an action.
    public init(title: String? = nil, primaryAction: UIAction? = nil) {
        self.title = title ?? primaryAction?.title
        self.primaryAction = primaryAction
        super.init()
    }

    /// Creates a standard button; here its title is the name of the item.
    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil) {
        self.init(title: "\(systemItem)".capitalized, primaryAction: primaryAction)
    }

    /// Creates a button that calls a method of an object without retaining the object.
    public convenience init(title: String?, style: Style, target: Any?, action: Selector?) {
        self.init(title: title)
        self.style = style
        self.target = target as AnyObject?
        self.action = action
    }

    /// Creates a standard button that calls a method of an object without retaining the object; here the button's title
    /// is the name of the item.
    public convenience init(barButtonSystemItem systemItem: SystemItem, target: Any?, action: Selector?) {
        self.init(title: "\(systemItem)".capitalized, style: .plain, target: target, action: action)
    }

    /// Taps the button as the user does, in the bar of a controller.
    func press(above controller: UIViewController) {
        if let primaryAction { return primaryAction.perform(by: self) }
        if let action { TargetAction(target, action).perform(by: self, above: controller) }
    }
}

/// The contents of the navigation bar for one controller.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
    /// The title.
    open var title: String?
    /// The button on the left.
    open var leftBarButtonItem: UIBarButtonItem?
    /// The first button on the right.
    open var rightBarButtonItem: UIBarButtonItem? {
        get { rightBarButtonItems?.first }
        set { rightBarButtonItems = newValue.map { [$0] } }
    }
    /// The buttons on the right.
    open var rightBarButtonItems: [UIBarButtonItem]?

    /// Creates an item with a title.
    public init(title: String) {
        self.title = title
        super.init()
    }
}

/// A stack of controllers, of which the topmost is shown.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
    /// The controllers, from the root to the topmost.
    open var viewControllers: [UIViewController] { stack }
    /// The topmost controller, which is shown.
    open var topViewController: UIViewController? { stack.last }
    /// The controller that the user sees: a presented one, or else the topmost.
    open var visibleViewController: UIViewController? {
        presentedViewController ?? topViewController?.presentedViewController ?? topViewController
    }

    private var stack: [UIViewController] = []

    /// Creates a stack with one controller.
    public convenience init(rootViewController: UIViewController) {
        self.init(nibName: nil, bundle: nil)
        pushViewController(rootViewController, animated: false)
    }

    override open func viewDidLoad() {
        super.viewDidLoad()
        // If controllers were pushed before the view was loaded, the topmost one is shown now.
        if let top = topViewController { view.addSubview(top.view) }
    }

    /// Pushes a controller onto the stack.
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        let former = topViewController
        addChild(viewController)
        stack.append(viewController)
        replace(former, by: viewController, animated)
        viewController.didMove(toParent: self)
    }

    /// Removes the topmost controller and returns it; the root stays.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard stack.count > 1 else { return nil }
        return popToViewController(stack[stack.count - 2], animated: animated)?.last
    }

    /// Removes all controllers but the root, and returns them.
    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        stack.first.flatMap { popToViewController($0, animated: animated) }
    }

    /// Removes the controllers above this one, and returns them.
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
