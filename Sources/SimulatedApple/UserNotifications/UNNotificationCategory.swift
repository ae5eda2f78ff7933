/// A button of a notification, which the simulated user never presses.
///
/// It can be used on any thread.
open class UNNotificationAction: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    /// The identifier, which the delegate would receive.
    public let identifier: String
    /// The title.
    public let title: String
    /// The options.
    public let options: UNNotificationActionOptions
    /// The image.
    public let icon: UNNotificationActionIcon?

    /// Creates a button.
    public init(
        identifier: String, title: String, options: UNNotificationActionOptions = [],
        icon: UNNotificationActionIcon? = nil
    ) {
        (self.identifier, self.title, self.options, self.icon) = (identifier, title, options, icon)
        super.init()
    }
}

/// A button that asks for a text, which the simulated user never presses.
public final class UNTextInputNotificationAction: UNNotificationAction, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    /// The title of the button that sends the text.
    public let textInputButtonTitle: String
    /// The text in the empty field.
    public let textInputPlaceholder: String

    /// Creates a button.
    public init(
        identifier: String, title: String, options: UNNotificationActionOptions = [],
        icon: UNNotificationActionIcon? = nil, textInputButtonTitle: String, textInputPlaceholder: String
    ) {
        (self.textInputButtonTitle, self.textInputPlaceholder) = (textInputButtonTitle, textInputPlaceholder)
        super.init(identifier: identifier, title: title, options: options, icon: icon)
    }
}

/// The response to a button that asks for a text, which the simulated user never gives.
public final class UNTextInputNotificationResponse: UNNotificationResponse, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    /// The text.
    public let userText = ""
}

/// The options of a notification's button.
public struct UNNotificationActionOptions: OptionSet, Sendable {
    /// The raw value, in which each bit stands for one option.
    public let rawValue: UInt
    /// Creates a set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The phone must be unlocked.
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1)
    /// The button deletes something.
    public static let destructive = UNNotificationActionOptions(rawValue: 2)
    /// The app comes to the foreground.
    public static let foreground = UNNotificationActionOptions(rawValue: 4)
}

/// The image of a notification's button.
public final class UNNotificationActionIcon: NSObject, Sendable {
    /// Creates a symbol of the system.
    public init(systemImageName: String) { super.init() }
    /// Creates an image of the app.
    public init(templateImageName: String) { super.init() }
}

/// A kind of notification with its buttons, which the simulated user never presses.
public final class UNNotificationCategory: NSObject, Sendable {
    /// The identifier, which the content of a notification names.
    public let identifier: String
    /// The buttons.
    public let actions: [UNNotificationAction]
    /// The identifiers of intents.
    public let intentIdentifiers: [String]
    /// The options.
    public let options: UNNotificationCategoryOptions

    /// Creates a kind of notification.
    public init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        (self.identifier, self.actions) = (identifier, actions)
        (self.intentIdentifiers, self.options) = (intentIdentifiers, options)
        super.init()
    }

    /// Creates a kind of notification; the texts for hidden previews and for summaries have no effect.
    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String, categorySummaryFormat: String? = nil,
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers, options: options)
    }
}

/// The options of a kind of notification, which have no effect.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    /// The raw value, in which each bit stands for one option.
    public let rawValue: UInt
    /// Creates a set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The delegate is notified when the user dismisses the notification; this never happens here.
    public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1)
    /// The notification is also shown in a car.
    public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 2)
    /// The title is shown without previews.
    public static let hiddenPreviewsShowTitle = UNNotificationCategoryOptions(rawValue: 4)
    /// The subtitle is shown without previews.
    public static let hiddenPreviewsShowSubtitle = UNNotificationCategoryOptions(rawValue: 8)
}
