import ApusBackground
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore

/// A color for layers. Nothing is drawn here.
public final class CGColor: Hashable, Sendable {
    /// Red, green, blue and the opacity, from 0 to 1.
    public let components: [CGFloat]?

    /// A color of three parts and an opacity, each from 0 to 1.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { components = [red, green, blue, alpha] }

    /// Equal by their parts.
    public static func == (lhs: CGColor, rhs: CGColor) -> Bool { lhs.components == rhs.components }
    /// By the parts.
    public func hash(into hasher: inout Hasher) { hasher.combine(components) }
}

/// Lines and curves. Only how many there are is kept here.
public final class CGPath: Sendable {
    private let count: Int

    package init(count: Int) { self.count = count }

    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }
}

/// What a view is made of. Nothing is drawn here: a layer keeps what the app sets, and its animations take the time
/// that they would.
///
/// Rules: Apple, documentation/quartzcore/calayer.
open class CALayer: NSObject {
    /// The place, in the superlayer's coordinates.
    open var frame = CGRect.zero
    /// The size.
    open var bounds = CGRect.zero
    /// The middle.
    open var position = CGPoint.zero
    /// How round the corners are, in points.
    open var cornerRadius: CGFloat = 0
    /// How wide the border is, in points.
    open var borderWidth: CGFloat = 0
    /// The border's color.
    open var borderColor: CGColor?
    /// Drawn below the contents.
    open var backgroundColor: CGColor?
    /// Whether what lies outside is cut off.
    open var masksToBounds = false
    /// The opacity, from 0 to 1.
    open var opacity: Float = 1
    /// Whether it is not shown.
    open var isHidden = false
    /// How fast its time is. Animations that are added do not heed it here.
    open var speed: Float = 1
    /// How far its time is moved. Without effect here.
    open var timeOffset: CFTimeInterval = 0
    /// When its time begins. Without effect here.
    open var beginTime: CFTimeInterval = 0

    /// The layers in it.
    open private(set) var sublayers: [CALayer]?
    /// The layer that it lies in.
    open private(set) weak var superlayer: CALayer?

    private var animations: [(key: String, animation: CAAnimation, timer: ScheduledTimer?)] = []

    /// A layer of no size.
    override public init() { super.init() }

    /// Puts a layer in front of the others.
    open func addSublayer(_ layer: CALayer) {
        layer.removeFromSuperlayer()
        sublayers = (sublayers ?? []) + [layer]
        layer.superlayer = self
    }

    /// Takes it out of its superlayer.
    open func removeFromSuperlayer() {
        superlayer?.sublayers?.removeAll { $0 === self }
        superlayer = nil
    }

    /// Begins an animation, in place of one with that key. On the main actor.
    ///
    /// The layer's properties stay as they are; when the animation's time on the device is over, its delegate is
    /// notified of it on the main loop. While the app is suspended no time passes for it.
    ///
    /// Rule: Apple, documentation/quartzcore/caanimationdelegate/animationdidstop(_:finished:).
    open func add(_ anim: CAAnimation, forKey key: String?) {
        let key = key ?? "animation-\(ObjectIdentifier(anim).hashValue)"
        removeAnimation(forKey: key)
        let duration = anim.activeDuration
        let host = SimulatedPhone.process.host
        let this = Handover((layer: self, animation: anim))
        let timer = duration.map {
            host.engine.schedule(after: .seconds($0), clock: .uptime) {
                host.mainLoop.run(in: .common) { this.value.layer.end(this.value.animation, key) }
            }
        }
        animations.append((key, anim, timer))
        anim.delegate?.animationDidStart(anim)
    }

    private func end(_ animation: CAAnimation, _ key: String) {
        guard animations.contains(where: { $0.animation === animation }) else { return }
        if animation.isRemovedOnCompletion { animations.removeAll { $0.animation === animation } }
        animation.delegate?.animationDidStop(animation, finished: true)
    }

    /// The animation with that key, until it has ended and is removed.
    open func animation(forKey key: String) -> CAAnimation? { animations.first { $0.key == key }?.animation }

    /// The keys of the animations.
    open func animationKeys() -> [String]? { animations.isEmpty ? nil : animations.map(\.key) }

    /// Ends an animation; its delegate is notified that it was not finished.
    open func removeAnimation(forKey key: String) {
        guard let index = animations.firstIndex(where: { $0.key == key }) else { return }
        let removed = animations.remove(at: index)
        // One that has ended, and stays for its looks, was finished.
        let isRunning = removed.timer.map { $0.cancel() } ?? true
        if isRunning { removed.animation.delegate?.animationDidStop(removed.animation, finished: false) }
    }

    /// Ends all animations.
    open func removeAllAnimations() { for key in animations.map(\.key) { removeAnimation(forKey: key) } }
}

/// A layer that draws a path: the ring of many countdowns. Nothing is drawn here.
open class CAShapeLayer: CALayer {
    /// The path.
    open var path: CGPath?
    /// The color within.
    open var fillColor: CGColor? = CGColor(red: 0, green: 0, blue: 0, alpha: 1)
    /// The color of the line.
    open var strokeColor: CGColor?
    /// How wide the line is, in points.
    open var lineWidth: CGFloat = 1
    /// Where on the path the line begins, from 0 to 1.
    open var strokeStart: CGFloat = 0
    /// Where on the path the line ends, from 0 to 1.
    open var strokeEnd: CGFloat = 1
    /// What the line's ends look like.
    open var lineCap = CAShapeLayerLineCap.butt
}

/// What a line's ends look like.
public struct CAShapeLayerLineCap: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// A form with that name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Straight, at the end.
    public static let butt = CAShapeLayerLineCap(rawValue: "butt")
    /// Round.
    public static let round = CAShapeLayerLineCap(rawValue: "round")
    /// Straight, after the end.
    public static let square = CAShapeLayerLineCap(rawValue: "square")
}
