/// An object that recognizes touches of a view and then calls methods; only taps are recognized here.
///
/// Rules: Apple, documentation/uikit/uigesturerecognizer.
@preconcurrency @MainActor
open class UIGestureRecognizer: NSObject {
    /// The progress of a gesture.
    public enum State: Int, Sendable {
        /// No gesture has begun.
        case possible = 0
        /// The gesture has begun.
        case began = 1
        /// The gesture continues.
        case changed = 2
        /// The gesture has ended; a tap has this state when it is recognized.
        case ended = 3
        /// The gesture was interrupted.
        case cancelled = 4
        /// The touches turned out not to be this gesture.
        case failed = 5
        /// The gesture was recognized; the same value as ``ended``.
        public static let recognized = State.ended
    }

    /// The progress of the gesture.
    open private(set) var state = State.possible
    /// Whether gestures are recognized.
    open var isEnabled = true
    /// The view whose touches are examined.
    open internal(set) weak var view: UIView?

    private var targets: [TargetAction] = []

    /// Creates a recognizer that calls a method of an object without retaining the object.
    public init(target: Any?, action: Selector?) {
        super.init()
        if let target, let action { addTarget(target, action: action) }
    }

    /// Creates a recognizer that calls no method yet.
    override public convenience init() { self.init(target: nil, action: nil) }

    /// Adds a method to be called.
    ///
    /// The method receives the recognizer if it has a parameter. The object is not retained.
    open func addTarget(_ target: Any, action: Selector) {
        if targets.contains(where: { $0.isSame(as: target, action) }) { return }
        targets.append(TargetAction(target, action))
    }

    /// Stops calling a method of an object; `nil` stands for all objects, or for all methods.
    open func removeTarget(_ target: Any?, action: Selector?) { targets.removeAll { $0.isOne(of: target, action) } }

    /// Recognizes the gesture, and calls the methods.
    func recognize() {
        state = .ended
        for target in targets { target.perform(by: self, above: view) }
        state = .possible
    }
}

/// A recognizer of taps; each tap of a test counts as the required number of taps and fingers.
@preconcurrency @MainActor
open class UITapGestureRecognizer: UIGestureRecognizer {
    /// The number of taps that make the gesture.
    open var numberOfTapsRequired = 1
    /// The number of fingers that make the gesture.
    open var numberOfTouchesRequired = 1
}

extension UIView {
    /// Adds a recognizer, and removes it from its former view.
    public func addGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizer.view?.removeGestureRecognizer(gestureRecognizer)
        gestureRecognizer.view = self
        recognizers.append(gestureRecognizer)
    }

    /// Removes a recognizer.
    public func removeGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        recognizers.removeAll { $0 === gestureRecognizer }
        gestureRecognizer.view = nil
    }

    /// The recognizers that a tap triggers.
    var tapRecognizers: [UITapGestureRecognizer] {
        recognizers.compactMap { $0 as? UITapGestureRecognizer }.filter(\.isEnabled)
    }
}
