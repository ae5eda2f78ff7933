import ApusBackground
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore

/// A color for layers, which is not drawn here.
public final class CGColor: Hashable, Sendable {
    /// The red, green and blue components and the opacity, each from 0 to 1.
    public let components: [CGFloat]?

    /// Creates a color from three components and an opacity, each from 0 to 1.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { components = [red, green, blue, alpha] }

    /// Returns whether the components are equal.
    public static func == (lhs: CGColor, rhs: CGColor) -> Bool { lhs.components == rhs.components }
    /// Hashes the components.
    public func hash(into hasher: inout Hasher) { hasher.combine(components) }
}

/// A path of lines and curves, of which only the number of parts is kept here.
public final class CGPath: Sendable {
    private let count: Int

    package init(count: Int) { self.count = count }

    /// Whether the path has no parts.
    public var isEmpty: Bool { count == 0 }
}

/// The layer of a view, which keeps the values that the app sets; nothing is drawn here.
///
/// Its animations take as much time as on a phone.
///
/// Rules: Apple, documentation/quartzcore/calayer.
open class CALayer: NSObject {
    /// The rectangle in the superlayer's coordinates.
    open var frame = CGRect.zero
    /// The rectangle in the layer's own coordinates.
    open var bounds = CGRect.zero
    /// The center in the superlayer's coordinates.
    open var position = CGPoint.zero
    /// The radius of the corners, in points.
    open var cornerRadius: CGFloat = 0
    /// The width of the border, in points.
    open var borderWidth: CGFloat = 0
    /// The color of the border.
    open var borderColor: CGColor?
    /// The color of the background.
    open var backgroundColor: CGColor?
    /// Whether contents outside the layer are cut off.
    open var masksToBounds = false
    /// The opacity, from 0 to 1.
    open var opacity: Float = 1
    /// Whether the layer is hidden.
    open var isHidden = false
    /// The speed of the layer's time, which has no effect on animations here.
    open var speed: Float = 1
    /// The offset of the layer's time, which has no effect here.
    open var timeOffset: CFTimeInterval = 0
    /// The beginning of the layer's time, which has no effect here.
    open var beginTime: CFTimeInterval = 0

    /// The layers in this one.
    open private(set) var sublayers: [CALayer]?
    /// The layer that contains this one.
    open private(set) weak var superlayer: CALayer?

    private var animations: [(key: String, animation: CAAnimation, timer: ScheduledTimer?)] = []

    /// Creates a layer of size zero.
    override public init() { super.init() }

    /// Adds a layer in front of the others.
    open func addSublayer(_ layer: CALayer) {
        layer.removeFromSuperlayer()
        sublayers = (sublayers ?? []) + [layer]
        layer.superlayer = self
    }

    /// Removes the layer from its superlayer.
    open func removeFromSuperlayer() {
        superlayer?.sublayers?.removeAll { $0 === self }
        superlayer = nil
    }

    /// Starts an animation, which replaces one with the same key; call it on the main actor.
    ///
    /// The layer's properties stay as they are. When the animation's length has passed in the device's uptime, the
    /// animation's delegate is called on the main loop. The delegate of a suspended app is called only after the app
    /// has been resumed.
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

    /// Returns the animation with this key, unless it has been removed.
    open func animation(forKey key: String) -> CAAnimation? { animations.first { $0.key == key }?.animation }

    /// Returns the keys of the animations; `nil` if there are none.
    open func animationKeys() -> [String]? { animations.isEmpty ? nil : animations.map(\.key) }

    /// Removes an animation.
    ///
    /// If the animation has not ended, its delegate is notified that it did not finish.
    open func removeAnimation(forKey key: String) {
        guard let index = animations.firstIndex(where: { $0.key == key }) else { return }
        let removed = animations.remove(at: index)
        // An animation that has ended may still be in the layer. Its timer has fired, so `cancel` returns false, and
        // its delegate is not called with `finished: false`.
        let isRunning = removed.timer.map { $0.cancel() } ?? true
        if isRunning { removed.animation.delegate?.animationDidStop(removed.animation, finished: false) }
    }

    /// Removes all animations.
    open func removeAllAnimations() { for key in animations.map(\.key) { removeAnimation(forKey: key) } }
}

/// A layer that draws a path, such as the ring of a countdown; nothing is drawn here.
open class CAShapeLayer: CALayer {
    /// The path.
    open var path: CGPath?
    /// The color of the area inside the path.
    open var fillColor: CGColor? = CGColor(red: 0, green: 0, blue: 0, alpha: 1)
    /// The color of the line.
    open var strokeColor: CGColor?
    /// The width of the line, in points.
    open var lineWidth: CGFloat = 1
    /// The position on the path at which the line begins, from 0 to 1.
    open var strokeStart: CGFloat = 0
    /// The position on the path at which the line ends, from 0 to 1.
    open var strokeEnd: CGFloat = 1
    /// The shape of the line's ends.
    open var lineCap = CAShapeLayerLineCap.butt
}

/// The shape of a line's ends.
public struct CAShapeLayerLineCap: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// Creates a shape with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A straight edge at the end of the line.
    public static let butt = CAShapeLayerLineCap(rawValue: "butt")
    /// A half circle around the end of the line.
    public static let round = CAShapeLayerLineCap(rawValue: "round")
    /// A straight edge half a line width after the end.
    public static let square = CAShapeLayerLineCap(rawValue: "square")
}
