/// A view that arranges its subviews in a row or a column; here it only keeps them, because there is no layout.
@preconcurrency @MainActor
open class UIStackView: UIView {
    /// The views that are arranged.
    open private(set) var arrangedSubviews: [UIView] = []
    /// Whether the views form a row or a column; the property has no effect here.
    open var axis = NSLayoutConstraint.Axis.horizontal
    /// The placement of the views across the axis, which has no effect here.
    open var alignment = Alignment.fill
    /// The placement of the views along the axis, which has no effect here.
    open var distribution = Distribution.fill
    /// The space between the views in points, which has no effect here.
    open var spacing: CGFloat = 0

    /// The placement of views across the axis.
    public enum Alignment: Int, Sendable {
        /// The views fill the whole width or height.
        case fill = 0
        /// At the leading edge or the top.
        case leading = 1
        /// In the middle.
        case center = 3
        /// At the trailing edge or the bottom.
        case trailing = 4
    }

    /// The placement of views along the axis.
    public enum Distribution: Int, Sendable {
        /// The views together fill the axis.
        case fill = 0
        /// All views have the same length.
        case fillEqually = 1
        /// The lengths are proportional to the views' natural sizes.
        case fillProportionally = 2
        /// The gaps are equal.
        case equalSpacing = 3
        /// The distances between the views' centers are equal.
        case equalCentering = 4
    }

    /// Creates a stack of these views.
    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        for view in views { addArrangedSubview(view) }
    }

    /// Adds a view to the end of the arrangement, and as a subview.
    open func addArrangedSubview(_ view: UIView) {
        arrangedSubviews.append(view)
        addSubview(view)
    }

    /// Removes a view from the arrangement; it stays a subview.
    open func removeArrangedSubview(_ view: UIView) { arrangedSubviews.removeAll { $0 === view } }
}

/// A rule for the position or size of a view, which has no effect here because there is no layout.
@preconcurrency @MainActor
open class NSLayoutConstraint: NSObject {
    /// The direction of a row or a column.
    public enum Axis: Int, Sendable {
        /// Horizontal, as a row.
        case horizontal = 0
        /// Vertical, as a column.
        case vertical = 1
    }

    /// Whether the rule applies.
    open var isActive = false
    /// The distance or size, in points.
    open var constant: CGFloat

    init(constant: CGFloat) {
        self.constant = constant
        super.init()
    }

    /// Makes rules apply.
    open class func activate(_ constraints: [NSLayoutConstraint]) { for one in constraints { one.isActive = true } }

    /// Makes rules no longer apply.
    open class func deactivate(_ constraints: [NSLayoutConstraint]) { for one in constraints { one.isActive = false } }
}

/// An edge, a center line or a size of a view, from which rules are made.
@preconcurrency @MainActor
open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    override fileprivate init() { super.init() }

    /// Returns a rule for the same position, or for a fixed distance from it.
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0) -> NSLayoutConstraint {
        NSLayoutConstraint(constant: constant)
    }
    /// Returns a rule for the same position or a later one.
    open func constraint(
        greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint(constant: constant) }
    /// Returns a rule for the same position or an earlier one.
    open func constraint(
        lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint(constant: constant) }
}

/// A horizontal position.
public final class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {
    override fileprivate init() { super.init() }
}
/// A vertical position.
public final class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {
    override fileprivate init() { super.init() }
}
/// A width or a height.
public final class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    override fileprivate init() { super.init() }

    /// Returns a rule for a fixed size, in points.
    public func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(constant: constant)
    }
    /// Returns a rule for a multiple of another size.
    public func constraint(equalTo anchor: NSLayoutDimension, multiplier: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(constant: 0)
    }
}

/// A part of a view to which rules of the layout refer; it has no position or size here, because there is no layout.
@preconcurrency @MainActor
open class UILayoutGuide: NSObject {
    override init() { super.init() }
}

extension UILayoutGuide: LayoutAnchors {}
extension UIView: LayoutAnchors {
    /// The part of the view that no bar covers.
    public var safeAreaLayoutGuide: UILayoutGuide { UILayoutGuide() }
    /// The part of the view inside its margins.
    public var layoutMarginsGuide: UILayoutGuide { UILayoutGuide() }
}

/// A view or layout guide, which has edges, center lines and a size.
@preconcurrency @MainActor
public protocol LayoutAnchors {}

extension LayoutAnchors {
    /// The edge where lines of text begin.
    public var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The edge where lines of text end.
    public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The left edge.
    public var leftAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The right edge.
    public var rightAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The horizontal center.
    public var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The top edge.
    public var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    /// The bottom edge.
    public var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    /// The vertical center.
    public var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    /// The width.
    public var widthAnchor: NSLayoutDimension { NSLayoutDimension() }
    /// The height.
    public var heightAnchor: NSLayoutDimension { NSLayoutDimension() }
}
