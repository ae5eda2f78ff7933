/// The alignment of a text between its margins, which has no effect here.
public enum NSTextAlignment: Int, Sendable {
    /// At the left margin.
    case left = 0
    /// In the middle.
    case center = 1
    /// At the right margin.
    case right = 2
    /// At both margins.
    case justified = 3
    /// At the margin at which lines of the user's language begin.
    case natural = 4
}

/// A view that shows a text.
@preconcurrency @MainActor
open class UILabel: UIView {
    /// The text.
    open var text: String?
    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The font.
    open var font: UIFont! = .systemFont(ofSize: 17)
    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The color.
    open var textColor: UIColor! = .label
    /// The alignment, which has no effect here.
    open var textAlignment = NSTextAlignment.natural
    /// The largest number of lines, 0 for no limit; it has no effect here.
    open var numberOfLines = 1
    /// Whether the font shrinks to fit a long text; the property has no effect here.
    open var adjustsFontSizeToFitWidth = false
}

/// A view that shows the progress of a task.
@preconcurrency @MainActor
open class UIProgressView: UIView {
    /// The progress, from 0 to 1; other values are limited to that range.
    open var progress: Float {
        get { value }
        set { value = min(max(0, newValue), 1) }
    }

    private var value: Float = 0

    /// Sets the progress; the change is not animated here.
    open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}
