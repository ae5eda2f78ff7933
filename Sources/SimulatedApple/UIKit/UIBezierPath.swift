/// A path of lines and curves, of which only the number of parts is kept; nothing is drawn here.
@preconcurrency @MainActor
open class UIBezierPath: NSObject {
    /// The width of the line, in points.
    open var lineWidth: CGFloat = 1
    private var count = 0

    /// Creates an empty path.
    override public init() { super.init() }

    private init(count: Int) {
        self.count = count
        super.init()
    }

    /// Creates an arc; angles are in radians.
    public convenience init(
        arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) { self.init(count: 1) }

    /// Creates an oval that fills a rectangle.
    public convenience init(ovalIn rect: CGRect) { self.init(count: 1) }

    /// Creates a rectangle.
    public convenience init(rect: CGRect) { self.init(count: 4) }

    /// Creates a rectangle with rounded corners.
    public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) { self.init(count: 8) }

    /// The path in the form that layers use.
    open var cgPath: CGPath { CGPath(count: count) }

    /// Moves to a point without drawing a line.
    open func move(to point: CGPoint) {}
    /// Adds a line to a point.
    open func addLine(to point: CGPoint) { count += 1 }
    /// Adds an arc; angles are in radians.
    open func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) { count += 1 }
    /// Adds a line to the beginning.
    open func close() { count += 1 }
}
