/// A choice in an alert.
@preconcurrency @MainActor
open class UIAlertAction: NSObject {
    /// The effect of a choice on the user's work.
    public enum Style: Int, Sendable {
        /// An ordinary choice.
        case `default` = 0
        /// Changes nothing; an alert has at most one such choice.
        case cancel = 1
        /// Deletes something.
        case destructive = 2
    }

    /// The text that the user reads.
    public let title: String?
    /// The effect of the choice on the user's work.
    public let style: Style
    /// Whether the user can choose it.
    open var isEnabled = true

    let handler: ((UIAlertAction) -> Void)?

    /// Creates a choice; `handler` is called on the main thread when the user has made the choice.
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
        self.handler = handler
        super.init()
    }
}

/// A message with choices.
///
/// A test makes a choice with ``SimulatedPhone/SimulatedPhone/tap(_:on:)``.
///
/// Rules: Apple, documentation/uikit/uialertcontroller.
@preconcurrency @MainActor
open class UIAlertController: UIViewController {
    /// The way in which a message appears on the screen.
    public enum Style: Int, Sendable {
        /// Slides in from the bottom.
        case actionSheet = 0
        /// Appears in the middle.
        case alert = 1
    }

    /// The text below the title.
    open var message: String?
    /// The way in which the message appears on the screen.
    public private(set) var preferredStyle = Style.actionSheet
    /// The choices, in the order in which they were added.
    public private(set) var actions: [UIAlertAction] = []
    /// The choice that is highlighted.
    open var preferredAction: UIAlertAction?
    /// The text fields, in the order in which they were added; `nil` if there are none.
    public private(set) var textFields: [UITextField]?

    /// Creates a message without choices.
    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
        self.title = title
        self.message = message
        self.preferredStyle = preferredStyle
    }

    /// Adds a choice.
    ///
    /// A second choice of the style `cancel` stops the app, as the exception on a phone does.
    open func addAction(_ action: UIAlertAction) {
        if action.style == .cancel, actions.contains(where: { $0.style == .cancel }) {
            fatalError("“\(action.title ?? "")” is a second action of the style cancel; an alert has at most one")
        }
        actions.append(action)
    }

    /// Adds a text field, which only the style `alert` allows.
    ///
    /// With the style `actionSheet`, this call stops the app.
    open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
        guard preferredStyle == .alert else {
            fatalError("an action sheet cannot have text fields; use the style alert")
        }
        let field = UITextField()
        textFields = (textFields ?? []) + [field]
        configurationHandler?(field)
    }

    /// Makes a choice as the user does: the message is dismissed, then the choice's handler is called.
    func tap(_ action: UIAlertAction) { dismiss(animated: true) { action.handler?(action) } }
}
