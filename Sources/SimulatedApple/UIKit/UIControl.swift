/// What a control or a bar button does: a closure.
@preconcurrency @MainActor
open class UIAction: NSObject {
    /// Names an action of a control.
    public struct Identifier: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// An identifier with that name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// An identifier with that name.
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    /// What the user reads.
    open var title: String
    /// Names it: a control has one action of a name.
    public let identifier: Identifier
    /// What has called it last: the control.
    public private(set) weak var sender: AnyObject?

    private let handler: (UIAction) -> Void
    private static var last = 0

    /// An action.
    ///
    /// - Parameters:
    ///   - title: What the user reads.
    ///   - identifier: Its name; `nil` makes a new one.
    ///   - handler: Called on the main actor.
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

/// A view that does something when the user touches it.
///
/// Rules: Apple, documentation/uikit/uicontrol.
@preconcurrency @MainActor
open class UIControl: UIView {
    /// What happens to a control.
    public struct Event: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Events with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A finger touches it.
        public static let touchDown = Event(rawValue: 1 << 0)
        /// A finger leaves the screen inside of it: what a button waits for.
        public static let touchUpInside = Event(rawValue: 1 << 6)
        /// The user has changed the value.
        public static let valueChanged = Event(rawValue: 1 << 12)
        /// What a control is mainly for.
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        /// The user types.
        public static let editingChanged = Event(rawValue: 1 << 17)
        /// The user has typed.
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        /// Every event.
        public static let allEvents = Event(rawValue: .max)
    }

    /// How a control is. Combinations have what was set for `normal`.
    public struct State: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// States with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// As usual.
        public static let normal: State = []
        /// Touched.
        public static let highlighted = State(rawValue: 1)
        /// Not enabled.
        public static let disabled = State(rawValue: 2)
        /// Selected.
        public static let selected = State(rawValue: 4)
    }

    /// Whether the user can use it.
    open var isEnabled = true
    /// Whether it is selected.
    open var isSelected = false
    /// Whether it is touched.
    open var isHighlighted = false

    private var actions: [(action: UIAction, events: Event)] = []
    var targets: [(action: TargetAction, events: Event)] = []

    /// How it is.
    open var state: State {
        (isEnabled ? [] : State.disabled).union(isSelected ? .selected : [])
            .union(isHighlighted ? .highlighted : [])
    }

    /// A control at a place.
    override public init(frame: CGRect) { super.init(frame: frame) }

    /// A control that has an action for its primary event: of a button, a tap; of a switch or a picker, a new value.
    public convenience init(frame: CGRect, primaryAction: UIAction?) {
        self.init(frame: frame)
        if let primaryAction { addAction(primaryAction, for: .primaryActionTriggered) }
    }

    /// There are no storyboards here: a control of no size.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Has an action performed for events, in place of one with the same identifier for the same events.
    open func addAction(_ action: UIAction, for controlEvents: Event) {
        removeAction(identifiedBy: action.identifier, for: controlEvents)
        actions.append((action, controlEvents))
    }

    /// Ends that an action is performed for events.
    open func removeAction(_ action: UIAction, for controlEvents: Event) {
        removeAction(identifiedBy: action.identifier, for: controlEvents)
    }

    /// Ends that an action is performed for events.
    open func removeAction(identifiedBy actionIdentifier: UIAction.Identifier, for controlEvents: Event) {
        for index in actions.indices where actions[index].action.identifier == actionIdentifier {
            actions[index].events.subtract(controlEvents)
        }
        actions.removeAll { $0.events.isEmpty }
    }

    /// Performs the actions that were added for any of these events, closures first, in the order in which they were added.
    /// For a test, this is the user.
    open func sendActions(for controlEvents: Event) {
        for (action, events) in actions where !events.isDisjoint(with: controlEvents) { action.perform(by: self) }
        for (action, events) in targets where !events.isDisjoint(with: controlEvents) {
            action.perform(by: self, above: self)
        }
    }
}

/// A button.
@preconcurrency @MainActor
open class UIButton: UIControl {
    /// What it looks like. Without effect here.
    public enum ButtonType: Int, Sendable {
        /// As the app says.
        case custom = 0
        /// As the system has it.
        case system = 1
        /// A plus sign.
        case contactAdd = 5
        /// A cross.
        case close = 7
    }

    /// What it shows. Only the texts and colors are kept.
    public struct Configuration: Sendable {
        /// The text.
        public var title: String?
        /// The text below.
        public var subtitle: String?
        /// The text's color.
        public var baseForegroundColor: UIColor?
        /// The color below the contents.
        public var baseBackgroundColor: UIColor?

        /// Text only.
        public static func plain() -> Configuration { Configuration() }
        /// In the tint color.
        public static func filled() -> Configuration { Configuration() }
        /// In gray.
        public static func gray() -> Configuration { Configuration() }
        /// In a weak tint color.
        public static func tinted() -> Configuration { Configuration() }
        /// With a border.
        public static func bordered() -> Configuration { Configuration() }
    }

    /// What it looks like.
    public private(set) var buttonType = ButtonType.custom
    /// What it shows; its title goes before those of ``setTitle(_:for:)``.
    open var configuration: Configuration?
    /// The label with the title. What is set in it has no effect on ``currentTitle``.
    open private(set) lazy var titleLabel: UILabel? = UILabel()

    private var titles: [State: String] = [:]
    private var titleColors: [State: UIColor] = [:]

    /// A button of no size.
    public convenience init(type buttonType: ButtonType) {
        self.init(frame: .zero)
        self.buttonType = buttonType
    }

    /// A button with an action, of which it has the title.
    public convenience init(type buttonType: ButtonType = .system, primaryAction: UIAction?) {
        self.init(frame: .zero, primaryAction: primaryAction)
        self.buttonType = buttonType
        setTitle(primaryAction?.title, for: .normal)
    }

    /// A button with a configuration and an action. The action's title is that of the button, if there is none.
    public convenience init(configuration: Configuration, primaryAction: UIAction? = nil) {
        self.init(primaryAction: primaryAction)
        self.configuration = configuration
    }

    /// Sets the text for a state.
    open func setTitle(_ title: String?, for state: State) {
        titles[state] = title
        titleLabel?.text = currentTitle
    }

    /// The text for a state: that of `normal`, if there is none.
    open func title(for state: State) -> String? { titles[state] ?? titles[.normal] }

    /// The text for the present state.
    open var currentTitle: String? { configuration?.title ?? title(for: state) }

    /// Sets the text's color for a state.
    open func setTitleColor(_ color: UIColor?, for state: State) { titleColors[state] = color }

    /// The text's color for a state: that of `normal`, if there is none.
    open func titleColor(for state: State) -> UIColor? { titleColors[state] ?? titleColors[.normal] }

    /// A button's primary event is a tap.
    override open func sendActions(for controlEvents: Event) {
        super.sendActions(
            for: controlEvents.contains(.touchUpInside) ? controlEvents.union(.primaryActionTriggered) : controlEvents)
    }
}

/// A switch.
@preconcurrency @MainActor
open class UISwitch: UIControl {
    /// Whether it is on. To set it sends no event.
    open var isOn = false

    /// Sets whether it is on, and sends no event. Nothing is animated here.
    open func setOn(_ on: Bool, animated: Bool) { isOn = on }

    /// A switch's primary event is a new value.
    override open func sendActions(for controlEvents: Event) {
        super.sendActions(
            for: controlEvents.contains(.valueChanged) ? controlEvents.union(.primaryActionTriggered) : controlEvents)
    }
}

/// A line of text that the user can change.
@preconcurrency @MainActor
open class UITextField: UIControl {
    /// The text. To set it sends no event.
    open var text: String? = ""
    /// What is shown while there is no text.
    open var placeholder: String?
    /// The text's font.
    open var font: UIFont?
    /// The text's color.
    open var textColor: UIColor?
    /// Where the text lies.
    open var textAlignment = NSTextAlignment.natural
}
