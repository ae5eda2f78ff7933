/// A view that places views in a row or a column. Nothing is placed here.
@preconcurrency @MainActor
open class UIStackView: UIView {
    /// The views that it places.
    open private(set) var arrangedSubviews: [UIView] = []
    /// Whether it is a row or a column. Without effect here.
    open var axis = NSLayoutConstraint.Axis.horizontal
    /// How the views are placed across. Without effect here.
    open var alignment = Alignment.fill
    /// How the views are placed along. Without effect here.
    open var distribution = Distribution.fill
    /// Points between the views. Without effect here.
    open var spacing: CGFloat = 0

    /// How views are placed across.
    public enum Alignment: Int, Sendable {
        /// From one side to the other.
        case fill = 0
        /// At the beginning.
        case leading = 1
        /// In the middle.
        case center = 3
        /// At the end.
        case trailing = 4
    }

    /// How views are placed along.
    public enum Distribution: Int, Sendable {
        /// From one side to the other.
        case fill = 0
        /// All equally long.
        case fillEqually = 1
        /// By their sizes.
        case fillProportionally = 2
        /// With equal gaps.
        case equalSpacing = 3
        /// With equal distances of their middles.
        case equalCentering = 4
    }

    /// A stack of these views.
    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        for view in views { addArrangedSubview(view) }
    }

    /// Places another view.
    open func addArrangedSubview(_ view: UIView) {
        arrangedSubviews.append(view)
        addSubview(view)
    }

    /// No longer places a view, which stays a subview.
    open func removeArrangedSubview(_ view: UIView) { arrangedSubviews.removeAll { $0 === view } }
}

/// A rule for where a view lies. Without effect here: there is no layout.
@preconcurrency @MainActor
open class NSLayoutConstraint: NSObject {
    /// A direction.
    public enum Axis: Int, Sendable {
        /// A row.
        case horizontal = 0
        /// A column.
        case vertical = 1
    }

    /// Whether it is in force.
    open var isActive = false
    /// How far from the other place, in points.
    open var constant: CGFloat

    init(constant: CGFloat) {
        self.constant = constant
        super.init()
    }

    /// Puts rules in force.
    open class func activate(_ constraints: [NSLayoutConstraint]) { for one in constraints { one.isActive = true } }

    /// Ends that rules are in force.
    open class func deactivate(_ constraints: [NSLayoutConstraint]) { for one in constraints { one.isActive = false } }
}

/// A side, the middle or the size of a view, to make rules of.
@preconcurrency @MainActor
open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    override fileprivate init() { super.init() }

    /// At the same place, or that far from it.
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0) -> NSLayoutConstraint {
        NSLayoutConstraint(constant: constant)
    }
    /// At the same place or after it.
    open func constraint(
        greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint(constant: constant) }
    /// At the same place or before it.
    open func constraint(
        lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint(constant: constant) }
}

/// A place from left to right.
public final class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {
    override fileprivate init() { super.init() }
}
/// A place from top to bottom.
public final class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {
    override fileprivate init() { super.init() }
}
/// A size.
public final class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    override fileprivate init() { super.init() }

    /// That many points.
    public func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(constant: constant)
    }
    /// As long as another one, or so many times as long.
    public func constraint(equalTo anchor: NSLayoutDimension, multiplier: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(constant: 0)
    }
}

/// The part of a view that nothing covers: all of it here.
@preconcurrency @MainActor
open class UILayoutGuide: NSObject {
    override init() { super.init() }
}

extension UILayoutGuide: LayoutAnchors {}
extension UIView: LayoutAnchors {
    /// The part that no bar covers.
    public var safeAreaLayoutGuide: UILayoutGuide { UILayoutGuide() }
    /// The part within the margins.
    public var layoutMarginsGuide: UILayoutGuide { UILayoutGuide() }
}

/// What has sides, a middle and a size.
@preconcurrency @MainActor
public protocol LayoutAnchors {}

extension LayoutAnchors {
    /// The side where text begins.
    public var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The side where text ends.
    public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The left side.
    public var leftAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The right side.
    public var rightAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The middle from left to right.
    public var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    /// The upper side.
    public var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    /// The lower side.
    public var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    /// The middle from top to bottom.
    public var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    /// The width.
    public var widthAnchor: NSLayoutDimension { NSLayoutDimension() }
    /// The height.
    public var heightAnchor: NSLayoutDimension { NSLayoutDimension() }
}
