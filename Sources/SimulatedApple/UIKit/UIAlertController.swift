/// A choice that an alert gives.
@preconcurrency @MainActor
open class UIAlertAction: NSObject {
    /// What the choice does to the user.
    public enum Style: Int, Sendable {
        /// As usual.
        case `default` = 0
        /// Leaves everything as it is. An alert has one of these at most.
        case cancel = 1
        /// Destroys something.
        case destructive = 2
    }

    /// What the user reads.
    public let title: String?
    /// What it does to the user.
    public let style: Style
    /// Whether the user can choose it.
    open var isEnabled = true

    let handler: ((UIAlertAction) -> Void)?

    /// A choice.
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
        self.handler = handler
        super.init()
    }
}

/// A message with choices. The user of the simulated phone chooses with ``SimulatedPhone/SimulatedPhone/tap(_:on:)``.
///
/// Rules: Apple, documentation/uikit/uialertcontroller.
@preconcurrency @MainActor
open class UIAlertController: UIViewController {
    /// Where it is shown.
    public enum Style: Int, Sendable {
        /// From below.
        case actionSheet = 0
        /// In the middle.
        case alert = 1
    }

    /// What it says.
    open var message: String?
    /// Where it is shown.
    public private(set) var preferredStyle = Style.actionSheet
    /// The choices, in the order in which they were added.
    public private(set) var actions: [UIAlertAction] = []
    /// The choice that stands out.
    open var preferredAction: UIAlertAction?
    /// The lines of text that the user can change.
    public private(set) var textFields: [UITextField]?

    /// A message.
    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
        self.title = title
        self.message = message
        self.preferredStyle = preferredStyle
    }

    /// Adds a choice. A second one of the style `cancel` is the program's mistake, as on a phone, where it raises an
    /// exception.
    open func addAction(_ action: UIAlertAction) {
        precondition(
            action.style != .cancel || !actions.contains { $0.style == .cancel },
            "an alert has one action of the style cancel at most (“\(action.title ?? "")” is another one)")
        actions.append(action)
    }

    /// Adds a line of text. Only alerts have them, not action sheets.
    open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
        precondition(preferredStyle == .alert, "an action sheet has no text fields; use the style alert")
        let field = UITextField()
        textFields = (textFields ?? []) + [field]
        configurationHandler?(field)
    }

    /// The user chooses: the message goes, then the choice's handler is called.
    func tap(_ action: UIAlertAction) { dismiss(animated: true) { action.handler?(action) } }
}
