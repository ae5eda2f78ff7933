/// Where a text lies between its margins. Without effect here.
public enum NSTextAlignment: Int, Sendable {
    /// On the left.
    case left = 0
    /// In the middle.
    case center = 1
    /// On the right.
    case right = 2
    /// On both.
    case justified = 3
    /// As the language has it.
    case natural = 4
}

/// A text that an app shows.
@preconcurrency @MainActor
open class UILabel: UIView {
    /// The text.
    open var text: String?
    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Its font.
    open var font: UIFont! = .systemFont(ofSize: 17)
    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Its color.
    open var textColor: UIColor! = .label
    /// Where it lies.
    open var textAlignment = NSTextAlignment.natural
    /// The most lines; 0 is as many as it takes. Without effect here.
    open var numberOfLines = 1
    /// Whether the font becomes smaller for a long text. Without effect here.
    open var adjustsFontSizeToFitWidth = false
}

/// How far a task is, from 0 to 1.
@preconcurrency @MainActor
open class UIProgressView: UIView {
    /// How far. What is set is held between 0 and 1.
    open var progress: Float {
        get { value }
        set { value = min(max(0, newValue), 1) }
    }

    private var value: Float = 0

    /// Sets how far the task is. Nothing is animated here.
    open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}
