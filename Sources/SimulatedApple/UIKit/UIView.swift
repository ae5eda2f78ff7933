import ApusBackground
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore

/// A rectangle of an app's interface, which is neither drawn nor laid out here.
///
/// A view keeps the values that the app sets, so that a test can read them.
///
/// Rules: Apple, documentation/uikit/uiview.
@preconcurrency @MainActor
open class UIView: UIResponder {
    /// The placement of contents in a view, which has no effect here.
    public enum ContentMode: Int, Sendable {
        /// Stretched to fill the view.
        case scaleToFill = 0
        /// Scaled to fit into the view, in the original proportions.
        case scaleAspectFit = 1
        /// Scaled to fill the view, in the original proportions; parts may be cut off.
        case scaleAspectFill = 2
        /// In the middle, in the original size.
        case center = 4
    }

    /// The center in the superview's coordinates, in points.
    open var center: CGPoint
    /// The size, in the view's own coordinates, in points.
    open var bounds: CGRect
    /// The rotation and scale around the center.
    open var transform = CGAffineTransform.identity
    /// The opacity, from 0 to 1.
    open var alpha: CGFloat = 1
    /// Whether the view is hidden.
    open var isHidden = false
    /// The color of the background; `nil` for none.
    open var backgroundColor: UIColor?
    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The color of parts that can be touched.
    open var tintColor: UIColor! = .systemBlue
    /// A number by which ``viewWithTag(_:)`` finds the view.
    open var tag = 0
    /// Whether the user can touch the view.
    open var isUserInteractionEnabled = true
    /// Whether contents outside the view are cut off; the property has no effect here.
    open var clipsToBounds = false
    /// The placement of contents, which has no effect here.
    open var contentMode = ContentMode.scaleToFill
    /// Whether the frame determines the layout; the property has no effect here.
    open var translatesAutoresizingMaskIntoConstraints = true
    /// The appearance that the app has chosen, which has no effect here.
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    /// The properties of the interface: those of the phone.
    open var traitCollection: UITraitCollection { .current }
    /// The view's name in tests, by which ``SimulatedPhone/SimulatedPhone/tap(_:on:)`` finds it too.
    open var accessibilityIdentifier: String?
    /// The recognizers of the view's touches; `nil` if there are none.
    open var gestureRecognizers: [UIGestureRecognizer]? { recognizers.isEmpty ? nil : recognizers }
    var recognizers: [UIGestureRecognizer] = []

    /// The view's layer, whose position and size do not follow the view's here.
    open private(set) lazy var layer = CALayer()

    /// The view that contains this one.
    open private(set) weak var superview: UIView?
    /// The views in this one, from back to front.
    open private(set) var subviews: [UIView] = []

    /// The controller whose view this is.
    weak var controller: UIViewController?
    /// The texts and controls of another framework in the view.
    package var contents: (any PhoneScreen)?

    /// Creates a view with a frame, in points.
    public init(frame: CGRect) {
        center = CGPoint(x: frame.midX, y: frame.midY)
        bounds = CGRect(origin: .zero, size: frame.size)
        super.init()
    }

    /// Creates a view of size zero.
    override public convenience init() { self.init(frame: .zero) }

    /// Creates a view of size zero, because no storyboards are read here.
    public required init?(coder: NSCoder) {
        center = .zero
        bounds = .zero
        super.init()
    }

    /// The rectangle in the superview, in points: ``center`` and ``bounds`` without the transform.
    open var frame: CGRect {
        get {
            CGRect(
                x: center.x - bounds.width / 2, y: center.y - bounds.height / 2, width: bounds.width,
                height: bounds.height)
        }
        set {
            center = CGPoint(x: newValue.midX, y: newValue.midY)
            bounds.size = newValue.size
        }
    }

    /// The window that contains the view, at any depth.
    open var window: UIWindow? { superview?.window }

    override open var next: UIResponder? { controller ?? superview }

    // MARK: The hierarchy

    /// Adds a view in front of the other subviews, and removes it from its former superview.
    open func addSubview(_ view: UIView) { insert(view, at: subviews.endIndex) }

    /// Adds a view at this index of the subviews; 0 is the rearmost.
    open func insertSubview(_ view: UIView, at index: Int) { insert(view, at: index) }

    private func insert(_ view: UIView, at index: Int) {
        // Controllers are not told of the removal, because their views may stay in the same window.
        view.superview?.subviews.removeAll { $0 === view }
        subviews.insert(view, at: min(max(0, index), subviews.endIndex))
        view.superview = self
        view.didMoveToSuperview()
        view.tellControllers()
    }

    /// Removes the view from its superview.
    open func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        didMoveToSuperview()
        tellControllers()
    }

    /// Lets the controllers of this view, and of all views in it, appear or disappear after the view was moved.
    private func tellControllers() {
        controller?.hierarchyChanged()
        for view in subviews { view.tellControllers() }
    }

    /// Moves a subview in front of the others.
    open func bringSubviewToFront(_ view: UIView) {
        guard let index = subviews.firstIndex(where: { $0 === view }) else { return }
        subviews.append(subviews.remove(at: index))
    }

    /// Called when the view was added to another view, or removed from one.
    open func didMoveToSuperview() {}

    /// Whether this is the other view, or is in it at any depth.
    open func isDescendant(of view: UIView) -> Bool { self === view || superview?.isDescendant(of: view) == true }

    /// Returns the first view with the tag: this one, or one in it at any depth.
    open func viewWithTag(_ tag: Int) -> UIView? { firstView { $0.tag == tag } }

    /// Returns the first view that fulfills the condition: this one, or one in it at any depth.
    func firstView(_ fits: (UIView) -> Bool) -> UIView? {
        if fits(self) { return self }
        for view in subviews {
            if let found = view.firstView(fits) { return found }
        }
        return nil
    }

    // MARK: Layout and drawing, which do not happen here

    /// Requests a call of ``layoutSubviews()``, which ``layoutIfNeeded()`` makes.
    ///
    /// On a phone, ``layoutSubviews()`` is also called before the next frame.
    open func setNeedsLayout() { needsLayout = true }

    /// Calls ``layoutSubviews()`` if that was requested.
    open func layoutIfNeeded() {
        guard needsLayout else { return }
        needsLayout = false
        layoutSubviews()
    }

    /// Called so that a subclass can place its subviews.
    open func layoutSubviews() {}

    /// Does nothing.
    open func setNeedsDisplay() {}

    /// Does nothing, because there is no layout that could compute a size.
    open func sizeToFit() {}

    private var needsLayout = true
}

/// The base class of app delegates, scene delegates, views and view controllers.
///
/// Only actions without a target travel along the chain of responders here.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    /// The responder to which this one passes what it does not handle.
    open var next: UIResponder? { nil }
    /// Whether the keyboard belongs to this responder; always false, because there is no keyboard here.
    open var isFirstResponder: Bool { false }
    /// Returns false, because there is no keyboard here.
    @discardableResult
    open func becomeFirstResponder() -> Bool { false }
    /// Returns true, because there is no keyboard here.
    @discardableResult
    open func resignFirstResponder() -> Bool { true }
}

extension UIView {
    /// The options of an animation, of which only `repeat` has an effect here.
    public struct AnimationOptions: OptionSet, Sendable {
        /// The raw value, in which each bit stands for one option or for a part of one.
        public let rawValue: UInt
        /// Creates a set of options from its raw value.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The user can touch the views during the animation.
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
        /// The animation begins at the position that the previous one has reached.
        public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
        /// The animation repeats without end.
        public static let `repeat` = AnimationOptions(rawValue: 1 << 3)
        /// The animation also runs backward.
        public static let autoreverse = AnimationOptions(rawValue: 1 << 4)
        /// Slow at the beginning and the end.
        public static let curveEaseInOut: AnimationOptions = []
        /// Slow at the beginning.
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        /// Slow at the end.
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        /// At a constant speed.
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
        /// One view dissolves into another.
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
    }

    /// Makes changes at once, and calls `completion` when the animation is over.
    ///
    /// As on a phone, the properties of views have their new values when `animations` returns; only the screen, which
    /// does not exist here, would follow later. `completion` is called with `true` on the main loop, after `delay` plus
    /// `duration` of the device's uptime, or in the next pass of the main loop if both are zero. It is never called for
    /// a repeating animation, or after the process has ended. Uptime does not pass while the device sleeps, and
    /// `completion` of a suspended app is called only after the app has been resumed.
    ///
    /// Rule: Apple, documentation/uikit/uiview/animate(withduration:delay:options:animations:completion:).
    ///
    /// - Parameters:
    ///   - duration: The length of the animation, in seconds.
    ///   - delay: The time before the animation begins, in seconds.
    ///   - options: The options, of which only `repeat` has an effect here.
    ///   - animations: Makes the changes. It is called before this method returns, even if there is a delay.
    ///   - completion: Called at the end.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [],
        animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        guard let completion, !options.contains(.repeat) else { return }
        let host = SimulatedPhone.process.host
        let handler = Handover(completion)
        host.engine.schedule(after: .seconds(max(0, delay) + max(0, duration)), clock: .uptime) {
            host.mainLoop.run(in: .common) { handler.value(true) }
        }
    }

    /// Makes changes at once, and calls `completion` when the animation is over; see
    /// ``animate(withDuration:delay:options:animations:completion:)``.
    public class func animate(
        withDuration duration: TimeInterval, animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) { animate(withDuration: duration, delay: 0, animations: animations, completion: completion) }

    /// Makes changes like ``animate(withDuration:delay:options:animations:completion:)``; the spring has no effect
    /// here.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, usingSpringWithDamping dampingRatio: CGFloat,
        initialSpringVelocity velocity: CGFloat, options: AnimationOptions = [], animations: @escaping () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animate(withDuration: duration, delay: delay, options: options, animations: animations, completion: completion)
    }

    /// Changes the contents of one view like ``animate(withDuration:delay:options:animations:completion:)``.
    public class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {
        animate(
            withDuration: duration, delay: 0, options: options, animations: animations ?? {}, completion: completion)
    }

    /// Makes changes without an animation, like all changes here.
    public class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) { actionsWithoutAnimation() }
}
