/// Gets the events of an animation, on the main loop. Both methods are optional, as on a phone.
public protocol CAAnimationDelegate: NSObjectProtocol {
    /// It has begun.
    func animationDidStart(_ anim: CAAnimation)
    /// It has reached its end, or was removed before: then `flag` is false.
    func animationDidStop(_ anim: CAAnimation, finished flag: Bool)
}

extension CAAnimationDelegate {
    /// Does nothing.
    public func animationDidStart(_ anim: CAAnimation) {}
    /// Does nothing.
    public func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {}
}

/// What a layer shows before and after an animation. Without effect here.
public struct CAMediaTimingFillMode: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// A mode with that name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Nothing of it.
    public static let removed = CAMediaTimingFillMode(rawValue: "removed")
    /// Its end, afterwards.
    public static let forwards = CAMediaTimingFillMode(rawValue: "forwards")
    /// Its beginning, before.
    public static let backwards = CAMediaTimingFillMode(rawValue: "backwards")
    /// Both.
    public static let both = CAMediaTimingFillMode(rawValue: "both")
}

/// An animation of a layer.
///
/// Rules: Apple, documentation/quartzcore/caanimation and …/camediatiming.
open class CAAnimation: NSObject {
    /// Gets its events, and is retained by it, as on a phone.
    open var delegate: (any CAAnimationDelegate)? {
        didSet {
            OptionalMethods.check(delegate, of: (any CAAnimationDelegate).self) { $0 is any CAAnimationDelegate.Type }
        }
    }
    /// How long it lasts once, in seconds; 0 is a quarter of a second.
    open var duration: CFTimeInterval = 0
    /// How often it is made; 0 is once, and infinity has no end.
    open var repeatCount: Float = 0
    /// Whether it goes back, too, each time.
    open var autoreverses = false
    /// How fast it is.
    open var speed: Float = 1
    /// What is shown before and after. Without effect here.
    open var fillMode = CAMediaTimingFillMode.removed
    /// Whether the layer forgets it at its end.
    open var isRemovedOnCompletion = true

    /// An animation.
    override public init() { super.init() }

    /// How long it lasts in all; `nil` when it has no end.
    var activeDuration: CFTimeInterval? {
        let once = (duration > 0 ? duration : 0.25) * (autoreverses ? 2 : 1)
        let all = once * CFTimeInterval(repeatCount > 0 ? repeatCount : 1) / CFTimeInterval(speed)
        return speed > 0 && all.isFinite ? all : nil
    }
}

/// An animation from one value of a property to another.
open class CABasicAnimation: CAAnimation {
    /// The property.
    public let keyPath: String?
    /// The value at the beginning.
    open var fromValue: Any?
    /// The value at the end.
    open var toValue: Any?

    /// An animation of a property.
    public init(keyPath path: String?) {
        keyPath = path
        super.init()
    }
}
