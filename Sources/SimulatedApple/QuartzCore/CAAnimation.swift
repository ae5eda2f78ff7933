/// The receiver of an animation's events, whose methods are optional and called on the main loop.
public protocol CAAnimationDelegate: NSObjectProtocol {
    /// Called when the animation has begun.
    func animationDidStart(_ anim: CAAnimation)
    /// Called when the animation has ended; `flag` is false if it was removed before its end.
    func animationDidStop(_ anim: CAAnimation, finished flag: Bool)
}

extension CAAnimationDelegate {
    /// Does nothing.
    public func animationDidStart(_ anim: CAAnimation) {}
    /// Does nothing.
    public func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {}
}

/// The appearance of a layer before and after an animation, which has no effect here.
public struct CAMediaTimingFillMode: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// Creates a mode with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The layer shows the animation neither before its beginning nor after its end.
    public static let removed = CAMediaTimingFillMode(rawValue: "removed")
    /// The end of the animation stays visible afterwards.
    public static let forwards = CAMediaTimingFillMode(rawValue: "forwards")
    /// The beginning is visible before the animation.
    public static let backwards = CAMediaTimingFillMode(rawValue: "backwards")
    /// The beginning is visible before the animation, and the end after it.
    public static let both = CAMediaTimingFillMode(rawValue: "both")
}

/// An animation of a layer.
///
/// Rules: Apple, documentation/quartzcore/caanimation and …/camediatiming.
open class CAAnimation: NSObject {
    /// The delegate, which the animation retains, as on a phone.
    open var delegate: (any CAAnimationDelegate)? {
        didSet {
            OptionalMethods.check(delegate, of: (any CAAnimationDelegate).self) { $0 is any CAAnimationDelegate.Type }
        }
    }
    /// The length of one pass, in seconds; 0 means a quarter of a second.
    open var duration: CFTimeInterval = 0
    /// The number of passes; 0 means one pass, and infinity means that the animation has no end.
    open var repeatCount: Float = 0
    /// Whether each pass is followed by a pass in the reverse direction.
    open var autoreverses = false
    /// The factor by which the animation's length is divided; at 0 or below, the animation has no end.
    open var speed: Float = 1
    /// The appearance of the layer before and after the animation, which has no effect here.
    open var fillMode = CAMediaTimingFillMode.removed
    /// Whether the layer removes the animation at its end.
    open var isRemovedOnCompletion = true

    /// Creates an animation.
    override public init() { super.init() }

    /// The whole length, in seconds; `nil` if the animation has no end.
    var activeDuration: CFTimeInterval? {
        let once = (duration > 0 ? duration : 0.25) * (autoreverses ? 2 : 1)
        let all = once * CFTimeInterval(repeatCount > 0 ? repeatCount : 1) / CFTimeInterval(speed)
        return speed > 0 && all.isFinite ? all : nil
    }
}

/// An animation of a property from one value to another.
open class CABasicAnimation: CAAnimation {
    /// The path of the property.
    public let keyPath: String?
    /// The value at the beginning.
    open var fromValue: Any?
    /// The value at the end.
    open var toValue: Any?

    /// Creates an animation of a property.
    public init(keyPath path: String?) {
        keyPath = path
        super.init()
    }
}
