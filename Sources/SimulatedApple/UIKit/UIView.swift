import ApusBackground
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore

/// A rectangle that an app shows. Nothing is drawn and nothing is laid out here: a view keeps what the app sets, so
/// that a test can read it.
///
/// Rules: Apple, documentation/uikit/uiview.
@preconcurrency @MainActor
open class UIView: UIResponder {
    /// How contents fit. Without effect here.
    public enum ContentMode: Int, Sendable {
        /// Stretched.
        case scaleToFill = 0
        /// As large as fits.
        case scaleAspectFit = 1
        /// As small as fills.
        case scaleAspectFill = 2
        /// In the middle, as it is.
        case center = 4
    }

    /// The middle, in the superview's coordinates, in points.
    open var center: CGPoint
    /// The size, in the view's own coordinates, in points.
    open var bounds: CGRect
    /// How it is turned and stretched around its middle.
    open var transform = CGAffineTransform.identity
    /// The opacity, from 0 to 1.
    open var alpha: CGFloat = 1
    /// Whether it is not shown.
    open var isHidden = false
    /// Drawn below the contents; `nil` is nothing.
    open var backgroundColor: UIColor?
    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The color of what can be touched.
    open var tintColor: UIColor! = .systemBlue
    /// A number for ``viewWithTag(_:)``.
    open var tag = 0
    /// Whether touches reach it.
    open var isUserInteractionEnabled = true
    /// Whether what lies outside is cut off. Without effect here.
    open var clipsToBounds = false
    /// How contents fit. Without effect here.
    open var contentMode = ContentMode.scaleToFill
    /// Whether it is laid out by its frame. Without effect here: there is no layout.
    open var translatesAutoresizingMaskIntoConstraints = true
    /// Names it for tests: ``SimulatedPhone/SimulatedPhone/tap(_:on:)`` finds it by this, too.
    open var accessibilityIdentifier: String?
    /// What recognizes the touches that reach it.
    open var gestureRecognizers: [UIGestureRecognizer]? { recognizers.isEmpty ? nil : recognizers }
    var recognizers: [UIGestureRecognizer] = []

    /// What it is made of. Its place and size are not those of the view here.
    open private(set) lazy var layer = CALayer()

    /// The view that it lies in.
    open private(set) weak var superview: UIView?
    /// The views that lie in it, the frontmost last.
    open private(set) var subviews: [UIView] = []

    /// The controller of which this is the view.
    weak var controller: UIViewController?

    /// A view at a place, in points.
    public init(frame: CGRect) {
        center = CGPoint(x: frame.midX, y: frame.midY)
        bounds = CGRect(origin: .zero, size: frame.size)
        super.init()
    }

    /// A view of no size.
    override public convenience init() { self.init(frame: .zero) }

    /// There are no storyboards here: a view of no size.
    public required init?(coder: NSCoder) {
        center = .zero
        bounds = .zero
        super.init()
    }

    /// The place in the superview, in points: made of ``center`` and ``bounds``, without the transform.
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

    /// The window that it lies in, however deep.
    open var window: UIWindow? { superview?.window }

    override open var next: UIResponder? { controller ?? superview }

    // MARK: The hierarchy

    /// Puts a view in front of the others, and takes it out of where it was.
    open func addSubview(_ view: UIView) { insert(view, at: subviews.endIndex) }

    /// Puts a view between the others, 0 being the rearmost.
    open func insertSubview(_ view: UIView, at index: Int) { insert(view, at: index) }

    private func insert(_ view: UIView, at index: Int) {
        view.removeFromSuperview()
        subviews.insert(view, at: min(max(0, index), subviews.endIndex))
        view.superview = self
        view.didMoveToSuperview()
    }

    /// Takes it out of its superview.
    open func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        didMoveToSuperview()
    }

    /// Puts a subview in front of the others.
    open func bringSubviewToFront(_ view: UIView) {
        guard let index = subviews.firstIndex(where: { $0 === view }) else { return }
        subviews.append(subviews.remove(at: index))
    }

    /// Called when it was put into another view, or taken out of one.
    open func didMoveToSuperview() {}

    /// Whether it is that view, or lies in it, however deep.
    open func isDescendant(of view: UIView) -> Bool { self === view || superview?.isDescendant(of: view) == true }

    /// The first view with that tag: this one, or one that lies in it.
    open func viewWithTag(_ tag: Int) -> UIView? { firstView { $0.tag == tag } }

    /// This view or the first one in it, however deep, that fits.
    func firstView(_ fits: (UIView) -> Bool) -> UIView? {
        if fits(self) { return self }
        for view in subviews {
            if let found = view.firstView(fits) { return found }
        }
        return nil
    }

    // MARK: Layout and drawing, of which there is none

    /// Has ``layoutSubviews()`` called. On a phone that is before the next frame; here ``layoutIfNeeded()`` does it.
    open func setNeedsLayout() { needsLayout = true }

    /// Calls ``layoutSubviews()``, if it was asked for.
    open func layoutIfNeeded() {
        guard needsLayout else { return }
        needsLayout = false
        layoutSubviews()
    }

    /// For subclasses, to place their subviews.
    open func layoutSubviews() {}

    /// Does nothing.
    open func setNeedsDisplay() {}

    /// Does nothing: there is no layout that could know a size.
    open func sizeToFit() {}

    private var needsLayout = true
}

/// The base class of app delegates, scene delegates, views and view controllers. The simulation has no events that it
/// could respond to.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    /// Whom an event goes to that this one does not handle.
    open var next: UIResponder? { nil }
    /// Whether it has the keyboard. There is none here.
    open var isFirstResponder: Bool { false }
    /// False: there is no keyboard here.
    @discardableResult
    open func becomeFirstResponder() -> Bool { false }
    /// True: there is no keyboard here.
    @discardableResult
    open func resignFirstResponder() -> Bool { true }
}

extension UIView {
    /// How an animation goes. Only the name is here.
    public struct AnimationOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Options with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Touches reach the views meanwhile.
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
        /// It begins where the last one is.
        public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
        /// It repeats without end.
        public static let `repeat` = AnimationOptions(rawValue: 1 << 3)
        /// It goes back, too.
        public static let autoreverse = AnimationOptions(rawValue: 1 << 4)
        /// Slow at both ends.
        public static let curveEaseInOut: AnimationOptions = []
        /// Slow at the beginning.
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        /// Slow at the end.
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        /// At one speed.
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
        /// One view dissolves into another.
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
    }

    /// Makes changes at once, and calls `completion` when the animation is over.
    ///
    /// A view's properties have their new values as soon as `animations` returns; only what the screen shows comes
    /// later, and there is no screen here. `completion` is called on the main loop after `delay` and `duration` of
    /// the device's uptime, with `true`; with both zero in the next pass of the main loop. It is never called for an
    /// animation that repeats, and not in a process that has ended. While the app is suspended no time passes for it.
    ///
    /// Rule: Apple, documentation/uikit/uiview/animate(withduration:delay:options:animations:completion:).
    ///
    /// - Parameters:
    ///   - duration: How long it lasts, in seconds.
    ///   - delay: How long it waits before it begins, in seconds.
    ///   - options: How it goes. Only `repeat` has an effect here.
    ///   - animations: Makes the changes. It is called before this returns, whatever the delay is.
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

    /// The same with a spring, which has no effect here.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, usingSpringWithDamping dampingRatio: CGFloat,
        initialSpringVelocity velocity: CGFloat, options: AnimationOptions = [], animations: @escaping () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animate(withDuration: duration, delay: delay, options: options, animations: animations, completion: completion)
    }

    /// The same for a change of one view's contents.
    public class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {
        animate(
            withDuration: duration, delay: 0, options: options, animations: animations ?? {}, completion: completion)
    }

    /// Makes changes without an animation.
    public class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) { actionsWithoutAnimation() }
}
