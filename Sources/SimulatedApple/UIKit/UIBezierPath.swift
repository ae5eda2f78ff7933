/// Lines and curves. Nothing is drawn here: only how many there are is kept.
@preconcurrency @MainActor
open class UIBezierPath: NSObject {
    /// How wide a line along it is, in points.
    open var lineWidth: CGFloat = 1
    private var count = 0

    /// No lines.
    override public init() { super.init() }

    private init(count: Int) {
        self.count = count
        super.init()
    }

    /// A part of a circle; angles are in radians.
    public convenience init(
        arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) { self.init(count: 1) }

    /// An oval that fills a rectangle.
    public convenience init(ovalIn rect: CGRect) { self.init(count: 1) }

    /// A rectangle.
    public convenience init(rect: CGRect) { self.init(count: 4) }

    /// A rectangle with round corners.
    public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) { self.init(count: 8) }

    /// For a layer.
    open var cgPath: CGPath { CGPath(count: count) }

    /// Continues at a place.
    open func move(to point: CGPoint) {}
    /// A line to a place.
    open func addLine(to point: CGPoint) { count += 1 }
    /// A part of a circle; angles are in radians.
    open func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) { count += 1 }
    /// A line to the beginning.
    open func close() { count += 1 }
}
