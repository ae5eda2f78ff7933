/// Recognizes touches of a view, and calls methods then. The simulation recognizes taps only.
///
/// Rules: Apple, documentation/uikit/uigesturerecognizer.
@preconcurrency @MainActor
open class UIGestureRecognizer: NSObject {
    /// How far a gesture is.
    public enum State: Int, Sendable {
        /// There is none.
        case possible = 0
        /// It has begun.
        case began = 1
        /// It continues.
        case changed = 2
        /// It has ended: what a tap is when it is recognized.
        case ended = 3
        /// It was interrupted.
        case cancelled = 4
        /// It was another one.
        case failed = 5
        /// It was recognized.
        public static let recognized = State.ended
    }

    /// How far the gesture is.
    open private(set) var state = State.possible
    /// Whether it recognizes anything.
    open var isEnabled = true
    /// The view whose touches it gets.
    open internal(set) weak var view: UIView?

    private var targets: [TargetAction] = []

    /// A recognizer that calls a method of an object, which is not retained.
    public init(target: Any?, action: Selector?) {
        super.init()
        if let target, let action { addTarget(target, action: action) }
    }

    /// A recognizer that calls nothing yet.
    override public convenience init() { self.init(target: nil, action: nil) }

    /// Calls a method of an object, which is not retained, with the recognizer if it has a parameter.
    open func addTarget(_ target: Any, action: Selector) {
        if targets.contains(where: { $0.isSame(as: target, action) }) { return }
        targets.append(TargetAction(target, action))
    }

    /// Ends that methods are called: those of `target`, or of any object; `action`, or any method.
    open func removeTarget(_ target: Any?, action: Selector?) { targets.removeAll { $0.isOne(of: target, action) } }

    /// The gesture takes place.
    func recognize() {
        state = .ended
        for target in targets { target.perform(by: self, above: view) }
        state = .possible
    }
}

/// Recognizes taps. Each tap of a test is as many as it needs, by as many fingers.
@preconcurrency @MainActor
open class UITapGestureRecognizer: UIGestureRecognizer {
    /// How many taps it takes.
    open var numberOfTapsRequired = 1
    /// How many fingers it takes.
    open var numberOfTouchesRequired = 1
}

extension UIView {
    /// Has touches of this view recognized.
    public func addGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizer.view?.removeGestureRecognizer(gestureRecognizer)
        gestureRecognizer.view = self
        recognizers.append(gestureRecognizer)
    }

    /// Ends that touches of this view are recognized.
    public func removeGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        recognizers.removeAll { $0 === gestureRecognizer }
        gestureRecognizer.view = nil
    }

    /// What recognizes a tap now.
    var tapRecognizers: [UITapGestureRecognizer] {
        recognizers.compactMap { $0 as? UITapGestureRecognizer }.filter(\.isEnabled)
    }
}
