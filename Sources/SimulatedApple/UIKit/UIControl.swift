/// A closure that a control or a bar button performs.
@preconcurrency @MainActor
open class UIAction: NSObject {
    /// The name of an action.
    public struct Identifier: RawRepresentable, Hashable, Sendable {
        /// The text of the name.
        public let rawValue: String
        /// Creates an identifier with this text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates an identifier with this text.
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    /// The text that the user reads.
    open var title: String
    /// The name of the action; for each event, a control has at most one action with the same name.
    public let identifier: Identifier
    /// The control or bar button that performed the action last.
    public private(set) weak var sender: AnyObject?

    private let handler: (UIAction) -> Void
    private static var last = 0

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - title: The text that the user reads.
    ///   - identifier: The name; `nil` for a new one.
    ///   - handler: The closure, called on the main actor.
    public init(title: String = "", identifier: Identifier? = nil, handler: @escaping (UIAction) -> Void) {
        Self.last += 1
        self.title = title
        self.identifier = identifier ?? Identifier("action-\(Self.last)")
        self.handler = handler
        super.init()
    }

    func perform(by sender: AnyObject?) {
        self.sender = sender
        handler(self)
    }
}

/// A view that reacts to the user's touches.
///
/// Rules: Apple, documentation/uikit/uicontrol.
@preconcurrency @MainActor
open class UIControl: UIView {
    /// The events of a control.
    public struct Event: OptionSet, Hashable, Sendable {
        /// The raw value, in which each bit stands for one event.
        public let rawValue: UInt
        /// Creates a set of events from its raw value.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A finger touches the control.
        public static let touchDown = Event(rawValue: 1 << 0)
        /// A finger leaves the screen inside the control: the tap of a button.
        public static let touchUpInside = Event(rawValue: 1 << 6)
        /// The user has changed the value.
        public static let valueChanged = Event(rawValue: 1 << 12)
        /// The main event of a control, such as a button's tap or a switch's new value.
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        /// The user changes the text.
        public static let editingChanged = Event(rawValue: 1 << 17)
        /// The user has finished changing the text.
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        /// Every event.
        public static let allEvents = Event(rawValue: .max)
    }

    /// The state of a control.
    ///
    /// If no title or color was set for a combination of states, the one for `normal` is used.
    public struct State: OptionSet, Hashable, Sendable {
        /// The raw value, in which each bit stands for one state.
        public let rawValue: UInt
        /// Creates a combination of states from its raw value.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// None of the other states applies.
        public static let normal: State = []
        /// A finger touches the control.
        public static let highlighted = State(rawValue: 1)
        /// The user cannot use the control.
        public static let disabled = State(rawValue: 2)
        /// The control is selected.
        public static let selected = State(rawValue: 4)
    }

    /// Whether the user can use the control.
    open var isEnabled = true
    /// Whether the control is selected.
    open var isSelected = false
    /// Whether a finger touches the control.
    open var isHighlighted = false

    private var actions: [(action: UIAction, events: Event)] = []
    var targets: [(action: TargetAction, events: Event)] = []

    /// The combination of the three properties above.
    open var state: State {
        (isEnabled ? [] : State.disabled).union(isSelected ? .selected : [])
            .union(isHighlighted ? .highlighted : [])
    }

    /// Creates a control with a frame.
    override public init(frame: CGRect) { super.init(frame: frame) }

    /// Creates a control with an action for its main event: a button's tap, or the new value of a switch or picker.
    public convenience init(frame: CGRect, primaryAction: UIAction?) {
        self.init(frame: frame)
        if let primaryAction { addAction(primaryAction, for: .primaryActionTriggered) }
    }

    /// Creates a control of size zero, because no storyboards are read here.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Adds an action that is performed at these events, in place of any action with the same identifier.
    open func addAction(_ action: UIAction, for controlEvents: Event) {
        removeAction(identifiedBy: action.identifier, for: controlEvents)
        actions.append((action, controlEvents))
    }

    /// Stops performing an action at events.
    open func removeAction(_ action: UIAction, for controlEvents: Event) {
        removeAction(identifiedBy: action.identifier, for: controlEvents)
    }

    /// Stops performing the action with this identifier at events.
    open func removeAction(identifiedBy actionIdentifier: UIAction.Identifier, for controlEvents: Event) {
        for index in actions.indices where actions[index].action.identifier == actionIdentifier {
            actions[index].events.subtract(controlEvents)
        }
        actions.removeAll { $0.events.isEmpty }
    }

    /// Performs the actions for any of these events: closures first, then methods, each in the order in which they were
    /// added.
    ///
    /// A test calls it to act as the user does.
    open func sendActions(for controlEvents: Event) {
        for (action, events) in actions where !events.isDisjoint(with: controlEvents) { action.perform(by: self) }
        for (action, events) in targets where !events.isDisjoint(with: controlEvents) {
            action.perform(by: self, above: self)
        }
    }
}

/// A button with a title.
@preconcurrency @MainActor
open class UIButton: UIControl {
    /// The kind of button, which has no effect here.
    public enum ButtonType: Int, Sendable {
        /// A button that the app draws.
        case custom = 0
        /// The system's plain style.
        case system = 1
        /// A plus sign.
        case contactAdd = 5
        /// A cross.
        case close = 7
    }

    /// The contents of a button, of which only texts and colors are kept.
    public struct Configuration: Sendable {
        /// The text.
        public var title: String?
        /// The text below the title.
        public var subtitle: String?
        /// The color of the text.
        public var baseForegroundColor: UIColor?
        /// The color of the background.
        public var baseBackgroundColor: UIColor?

        /// A configuration with text only.
        public static func plain() -> Configuration { Configuration() }
        /// A configuration filled with the tint color.
        public static func filled() -> Configuration { Configuration() }
        /// A configuration with a gray background.
        public static func gray() -> Configuration { Configuration() }
        /// A configuration with a pale tint color.
        public static func tinted() -> Configuration { Configuration() }
        /// A configuration with a border.
        public static func bordered() -> Configuration { Configuration() }
    }

    /// The kind of button, which has no effect here.
    public private(set) var buttonType = ButtonType.custom
    /// The contents; their title takes precedence over the titles that were set with ``setTitle(_:for:)``.
    open var configuration: Configuration?
    /// A label with the title; setting its text does not change ``currentTitle``.
    open private(set) lazy var titleLabel: UILabel? = UILabel()

    private var titles: [State: String] = [:]
    private var titleColors: [State: UIColor] = [:]

    /// Creates a button of size zero.
    public convenience init(type buttonType: ButtonType) {
        self.init(frame: .zero)
        self.buttonType = buttonType
    }

    /// Creates a button of size zero with an action and the action's title.
    public convenience init(type buttonType: ButtonType = .system, primaryAction: UIAction?) {
        self.init(frame: .zero, primaryAction: primaryAction)
        self.buttonType = buttonType
        setTitle(primaryAction?.title, for: .normal)
    }

    /// Creates a button with contents and an action; the action's title is used if the contents have none.
    public convenience init(configuration: Configuration, primaryAction: UIAction? = nil) {
        self.init(primaryAction: primaryAction)
        self.configuration = configuration
    }

    /// Sets the title for a state.
    open func setTitle(_ title: String?, for state: State) {
        titles[state] = title
        titleLabel?.text = currentTitle
    }

    /// Returns the title that was set for a state, or else the title for `normal`.
    open func title(for state: State) -> String? { titles[state] ?? titles[.normal] }

    /// The title in the present state.
    open var currentTitle: String? { configuration?.title ?? title(for: state) }

    /// Sets the title's color for a state.
    open func setTitleColor(_ color: UIColor?, for state: State) { titleColors[state] = color }

    /// Returns the title's color that was set for a state, or else the color for `normal`.
    open func titleColor(for state: State) -> UIColor? { titleColors[state] ?? titleColors[.normal] }

    /// Performs the actions for these events; a tap also triggers the button's main event.
    override open func sendActions(for controlEvents: Event) {
        super.sendActions(
            for: controlEvents.contains(.touchUpInside) ? controlEvents.union(.primaryActionTriggered) : controlEvents)
    }
}

/// A switch.
@preconcurrency @MainActor
open class UISwitch: UIControl {
    /// Whether the switch is on; setting it sends no event.
    open var isOn = false

    /// Turns the switch on or off without sending an event; the change is not animated here.
    open func setOn(_ on: Bool, animated: Bool) { isOn = on }

    /// Performs the actions for these events; a new value also triggers the switch's main event.
    override open func sendActions(for controlEvents: Event) {
        super.sendActions(
            for: controlEvents.contains(.valueChanged) ? controlEvents.union(.primaryActionTriggered) : controlEvents)
    }
}

/// A line of text that the user can edit.
@preconcurrency @MainActor
open class UITextField: UIControl {
    /// The text; setting it sends no event.
    open var text: String? = ""
    /// The text that is shown while the field is empty.
    open var placeholder: String?
    /// The font of the text.
    open var font: UIFont?
    /// The color of the text.
    open var textColor: UIColor?
    /// The alignment of the text.
    open var textAlignment = NSTextAlignment.natural
    /// The delegate, which is never called, because no text is entered here.
    open weak var delegate: (any UITextFieldDelegate)?
    /// The keys of the keyboard, which have no effect here.
    open var keyboardType = UIKeyboardType.default
    /// Whether the text is hidden; the property has no effect here.
    open var isSecureTextEntry = false
    /// The letters that the keyboard capitalizes; the property has no effect here.
    open var autocapitalizationType = UITextAutocapitalizationType.sentences
}
