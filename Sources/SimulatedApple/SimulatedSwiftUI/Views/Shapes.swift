#if SimulatedApple
    // Shapes and the styles that fill them. Nothing is drawn, so most of these types store nothing. Rules: Apple, the
    // pages of the same names.

    /// An outline that is filled or stroked.
    public protocol Shape: View, Sendable {
        /// Returns the outline in a rectangle.
        func path(in rect: CGRect) -> Path
    }

    extension Shape {
        /// Returns an empty view, because shapes are not drawn.
        public var body: EmptyView { EmptyView() }
        /// Returns the shape unchanged, because fills are not drawn.
        public func fill(_ content: some ShapeStyle = .foreground, style: FillStyle = FillStyle()) -> some View { self }
        /// Returns the shape unchanged, because lines are not drawn.
        public func stroke(_ content: some ShapeStyle, lineWidth: CGFloat = 1) -> some View { self }
        /// Returns the shape unchanged, because lines are not drawn.
        public func stroke(_ content: some ShapeStyle, style: StrokeStyle) -> some View { self }
        /// Returns the shape unchanged, because lines are not drawn.
        public func stroke(lineWidth: CGFloat = 1) -> some Shape { self }
        /// Returns the shape unchanged, because lines are not drawn.
        public func stroke(style: StrokeStyle) -> some Shape { self }
        /// Returns the shape unchanged, because lines are not drawn.
        public func strokeBorder(_ content: some ShapeStyle, lineWidth: CGFloat = 1) -> some View { self }
        /// Returns the shape unchanged, because nothing is drawn.
        public func trim(from startFraction: CGFloat = 0, to endFraction: CGFloat = 1) -> some Shape { self }
        /// Returns the shape unchanged, because nothing is drawn.
        public func rotation(_ angle: Angle, anchor: UnitPoint = .center) -> some Shape { self }
    }

    /// The outline of a shape, which keeps no points, because shapes are not drawn.
    public struct Path: Shape, Equatable {
        /// Creates an empty outline.
        public init() {}
        /// Creates an outline, and calls a closure that may add to it.
        public init(_ callback: (inout Path) -> Void) { callback(&self) }
        /// Creates a rectangle.
        public init(_ rect: CGRect) {}
        /// Creates an ellipse.
        public init(ellipseIn rect: CGRect) {}
        /// Creates a rectangle with rounded corners.
        public init(roundedRect rect: CGRect, cornerRadius: CGFloat) {}
        /// Returns the outline itself.
        public func path(in rect: CGRect) -> Path { self }
        /// Does nothing.
        public mutating func move(to end: CGPoint) {}
        /// Does nothing.
        public mutating func addLine(to end: CGPoint) {}
        /// Does nothing.
        public mutating func addLines(_ lines: [CGPoint]) {}
        /// Does nothing.
        public mutating func addRect(_ rect: CGRect) {}
        /// Does nothing.
        public mutating func addEllipse(in rect: CGRect) {}
        /// Does nothing.
        public mutating func addArc(
            center: CGPoint, radius: CGFloat, startAngle: Angle, endAngle: Angle, clockwise: Bool
        ) {}
        /// Does nothing.
        public mutating func addQuadCurve(to end: CGPoint, control: CGPoint) {}
        /// Does nothing.
        public mutating func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {}
        /// Does nothing.
        public mutating func closeSubpath() {}
    }

    /// A rectangle.
    public struct Rectangle: Shape {
        /// Creates a rectangle.
        public init() {}
        /// Returns an empty outline.
        public func path(in rect: CGRect) -> Path { Path() }
    }

    /// A rectangle with rounded corners.
    public struct RoundedRectangle: Shape {
        /// Creates a rectangle with rounded corners.
        public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) {}
        /// Returns an empty outline.
        public func path(in rect: CGRect) -> Path { Path() }
    }

    /// A circle.
    public struct Circle: Shape {
        /// Creates a circle.
        public init() {}
        /// Returns an empty outline.
        public func path(in rect: CGRect) -> Path { Path() }
    }

    /// An ellipse.
    public struct Ellipse: Shape {
        /// Creates an ellipse.
        public init() {}
        /// Returns an empty outline.
        public func path(in rect: CGRect) -> Path { Path() }
    }

    /// A rectangle whose shorter sides are half circles.
    public struct Capsule: Shape {
        /// Creates a capsule.
        public init(style: RoundedCornerStyle = .continuous) {}
        /// Returns an empty outline.
        public func path(in rect: CGRect) -> Path { Path() }
    }

    extension Shape where Self == Rectangle {
        /// A rectangle.
        public static var rect: Rectangle { Rectangle() }
    }
    extension Shape where Self == Circle {
        /// A circle.
        public static var circle: Circle { Circle() }
    }
    extension Shape where Self == Capsule {
        /// A capsule.
        public static var capsule: Capsule { Capsule() }
    }
    extension Shape where Self == RoundedRectangle {
        /// Returns a rectangle with rounded corners.
        public static func rect(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) -> RoundedRectangle {
            RoundedRectangle(cornerRadius: cornerRadius)
        }
    }

    /// The form of a rounded corner.
    public enum RoundedCornerStyle: Sendable {
        /// A quarter of a circle, or a curve that merges smoothly into the sides.
        case circular, continuous
    }

    /// The way in which a shape is filled.
    public struct FillStyle: Equatable, Sendable {
        /// Creates a style of filling.
        public init(eoFill: Bool = false, antialiased: Bool = true) {}
    }

    /// The form of a line.
    public struct StrokeStyle: Equatable, Sendable {
        /// Creates the form of a line.
        public init(
            lineWidth: CGFloat = 1, lineCap: CGLineCap = .butt, lineJoin: CGLineJoin = .miter, miterLimit: CGFloat = 10,
            dash: [CGFloat] = [], dashPhase: CGFloat = 0
        ) {}
    }

    /// The form of the end of a line.
    public enum CGLineCap: Int32, Sendable {
        /// An end at the last point, or one that goes beyond it.
        case butt, round, square
    }

    /// The form of the corner where two lines meet.
    public enum CGLineJoin: Int32, Sendable {
        /// The form of the corner.
        case miter, round, bevel
    }

    /// A point in a rectangle, as fractions of its width and height.
    public struct UnitPoint: Hashable, Sendable {
        /// The fraction of the width.
        public var x: CGFloat
        /// The fraction of the height.
        public var y: CGFloat
        /// Creates a point.
        public init(x: CGFloat, y: CGFloat) { (self.x, self.y) = (x, y) }
        /// The top leading corner, or the middle.
        public static let zero = UnitPoint(x: 0, y: 0), center = UnitPoint(x: 0.5, y: 0.5)
        /// The middle of an edge.
        public static let leading = UnitPoint(x: 0, y: 0.5), trailing = UnitPoint(x: 1, y: 0.5)
        /// The middle of an edge.
        public static let top = UnitPoint(x: 0.5, y: 0), bottom = UnitPoint(x: 0.5, y: 1)
        /// A corner.
        public static let topLeading = UnitPoint(x: 0, y: 0), topTrailing = UnitPoint(x: 1, y: 0)
        /// A corner.
        public static let bottomLeading = UnitPoint(x: 0, y: 1), bottomTrailing = UnitPoint(x: 1, y: 1)
    }

    /// An angle.
    public struct Angle: Hashable, Comparable, Sendable {
        /// The angle in radians.
        public var radians: Double
        /// The angle in degrees.
        public var degrees: Double {
            get { radians * 180 / .pi }
            set { radians = newValue * .pi / 180 }
        }
        /// Creates an angle of zero.
        public init() { radians = 0 }
        /// Creates an angle in radians.
        public init(radians: Double) { self.radians = radians }
        /// Creates an angle in degrees.
        public init(degrees: Double) { radians = degrees * .pi / 180 }
        /// The angle zero.
        public static let zero = Angle()
        /// Returns an angle in radians.
        public static func radians(_ radians: Double) -> Angle { Angle(radians: radians) }
        /// Returns an angle in degrees.
        public static func degrees(_ degrees: Double) -> Angle { Angle(degrees: degrees) }
        /// Orders angles by their size.
        public static func < (first: Angle, second: Angle) -> Bool { first.radians < second.radians }
    }

    /// The colors of a gradient.
    public struct Gradient: Hashable, Sendable {
        /// A color and its position in the gradient.
        public struct Stop: Hashable, Sendable {
            /// Creates a color with its position in the gradient.
            public init(color: Color, location: CGFloat) {}
        }
        /// Creates a gradient of colors.
        public init(colors: [Color]) {}
        /// Creates a gradient of colors at their positions.
        public init(stops: [Stop]) {}
    }

    /// A gradient along a line.
    public struct LinearGradient: ShapeStyle, View {
        /// Creates a gradient.
        public init(gradient: Gradient, startPoint: UnitPoint, endPoint: UnitPoint) {}
        /// Creates a gradient.
        public init(colors: [Color], startPoint: UnitPoint, endPoint: UnitPoint) {}
        /// Creates a gradient.
        public init(stops: [Gradient.Stop], startPoint: UnitPoint, endPoint: UnitPoint) {}
        /// An empty view, because gradients are not drawn.
        public var body: some View { EmptyView() }
    }

    /// A gradient whose color depends on the distance from a point.
    public struct RadialGradient: ShapeStyle, View {
        /// Creates a gradient.
        public init(gradient: Gradient, center: UnitPoint, startRadius: CGFloat, endRadius: CGFloat) {}
        /// Creates a gradient.
        public init(colors: [Color], center: UnitPoint, startRadius: CGFloat, endRadius: CGFloat) {}
        /// An empty view, because gradients are not drawn.
        public var body: some View { EmptyView() }
    }

    /// A gradient whose color depends on the angle around a point.
    public struct AngularGradient: ShapeStyle, View {
        /// Creates a gradient.
        public init(gradient: Gradient, center: UnitPoint, startAngle: Angle = .zero, endAngle: Angle = .zero) {}
        /// Creates a gradient.
        public init(colors: [Color], center: UnitPoint, startAngle: Angle = .zero, endAngle: Angle = .zero) {}
        /// An empty view, because gradients are not drawn.
        public var body: some View { EmptyView() }
    }

    /// A translucent background.
    public struct Material: ShapeStyle {}
    extension ShapeStyle where Self == Material {
        /// A material, without effect.
        public static var ultraThinMaterial: Material { Material() }
        /// A material, without effect.
        public static var thinMaterial: Material { Material() }
        /// A material, without effect.
        public static var regularMaterial: Material { Material() }
        /// A material, without effect.
        public static var thickMaterial: Material { Material() }
        /// A material, without effect.
        public static var ultraThickMaterial: Material { Material() }
        /// A material, without effect.
        public static var bar: Material { Material() }
    }

    /// A style of the system, such as that of the foreground or of selected content.
    public struct NamedShapeStyle: ShapeStyle {}
    extension ShapeStyle where Self == NamedShapeStyle {
        /// The style of the foreground.
        public static var foreground: NamedShapeStyle { NamedShapeStyle() }
        /// The style of the background.
        public static var background: NamedShapeStyle { NamedShapeStyle() }
        /// The style of the accent.
        public static var tint: NamedShapeStyle { NamedShapeStyle() }
        /// The style of selected content.
        public static var selection: NamedShapeStyle { NamedShapeStyle() }
    }

    extension View {
        /// Returns the view unchanged.
        public func clipShape(_ shape: some Shape, style: FillStyle = FillStyle()) -> some View { self }
        /// Returns the view unchanged.
        public func contentShape(_ shape: some Shape) -> some View { self }
        /// Returns the view unchanged.
        public func background(_ style: some ShapeStyle, in shape: some Shape) -> some View { self }
        /// Returns the view unchanged.
        public func rotationEffect(_ angle: Angle, anchor: UnitPoint = .center) -> some View { self }
        /// Returns the view unchanged.
        public func border(_ content: some ShapeStyle, width: CGFloat = 1) -> some View { self }
        /// Returns the view unchanged.
        public func mask(@ViewBuilder _ mask: () -> some View) -> some View { self }
    }
#endif
