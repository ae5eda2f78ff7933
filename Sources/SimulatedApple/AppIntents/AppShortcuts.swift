import SimulatedAppleCore

/// The app's shortcuts, which have no effect: a test runs their intents.
///
/// Source: Apple, documentation/appintents/appshortcutsprovider.
public protocol AppShortcutsProvider: Sendable {
    /// The shortcuts.
    @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get }
    /// The color of the tiles in Shortcuts, which has no effect.
    static var shortcutTileColor: ShortcutTileColor { get }
}

extension AppShortcutsProvider {
    /// Navy, unless the app says otherwise.
    public static var shortcutTileColor: ShortcutTileColor { .navy }
    /// Notifies the system of new values of parameters, which does nothing.
    public static func updateAppShortcutParameters() {}
}

/// A shortcut of the app, which has no effect.
public struct AppShortcut: Sendable {
    /// Creates a shortcut of an intent.
    public init<Intent: AppIntent>(
        intent: Intent, phrases: [AppShortcutPhrase<Intent>], shortTitle: LocalizedStringResource? = nil,
        systemImageName: String? = nil
    ) {}
}

/// Makes a list of shortcuts.
@resultBuilder
public enum AppShortcutsBuilder {
    /// Returns the list.
    public static func buildBlock(_ shortcuts: AppShortcut...) -> [AppShortcut] { shortcuts }
}

/// A phrase to Siri that runs a shortcut, which has no effect.
public struct AppShortcutPhrase<Intent: AppIntent>: ExpressibleByStringInterpolation, Sendable {
    /// The parts of a phrase.
    public struct StringInterpolation: StringInterpolationProtocol {
        /// Creates an empty phrase.
        public init(literalCapacity: Int, interpolationCount: Int) {}
        /// Adds a text.
        public mutating func appendLiteral(_ literal: String) {}
        /// Adds the app's name.
        public mutating func appendInterpolation(_ token: AppShortcutPhraseToken) {}
        /// Adds the value of a parameter.
        public mutating func appendInterpolation<Value>(_ parameter: KeyPath<Intent, IntentParameter<Value>>) {}
    }

    /// Creates a phrase from a text.
    public init(stringLiteral value: String) {}
    /// Creates a phrase from its parts.
    public init(stringInterpolation: StringInterpolation) {}
}

/// A part of a phrase that the system knows.
public enum AppShortcutPhraseToken: Hashable, Sendable {
    /// The app's name.
    case applicationName
}

/// A color of Shortcuts, which has no effect.
public enum ShortcutTileColor: Hashable, Sendable {
    case blue, grape, grayBlue, grayBrown, grayGreen, lightBlue, lime, navy, orange, pink, purple, red, tangerine, teal
    case yellow
}

// MARK: Sentences with parameters

/// A sentence with the parameters of an intent, which has no effect.
public protocol ParameterSummary: Sendable {}

/// No sentence.
public struct EmptyParameterSummary: ParameterSummary {}

/// A sentence with the parameters of an intent, which has no effect.
public struct IntentParameterSummary<Intent: AppIntent>: ParameterSummary {
    /// Creates a sentence.
    public init(_ sentence: ParameterSummaryString<Intent>, table: String? = nil) {}
    /// Creates a sentence, with parameters below it.
    public init(
        _ sentence: ParameterSummaryString<Intent>, table: String? = nil,
        @ParameterListBuilder<Intent> _ others: () -> ParameterList
    ) {}
}

/// The text of a sentence with parameters.
public struct ParameterSummaryString<Intent: AppIntent>: ExpressibleByStringInterpolation, Sendable {
    /// The parts of a sentence.
    public struct StringInterpolation: StringInterpolationProtocol {
        /// Creates an empty sentence.
        public init(literalCapacity: Int, interpolationCount: Int) {}
        /// Adds a text.
        public mutating func appendLiteral(_ literal: String) {}
        /// Adds a parameter.
        public mutating func appendInterpolation<Value>(_ parameter: KeyPath<Intent, IntentParameter<Value>>) {}
    }

    /// Creates a sentence from a text.
    public init(stringLiteral value: String) {}
    /// Creates a sentence from its parts.
    public init(stringInterpolation: StringInterpolation) {}
}

/// Parameters below a sentence, which have no effect.
public struct ParameterList: Sendable {}

/// Makes a list of parameters.
@resultBuilder
public enum ParameterListBuilder<Intent: AppIntent> {
    /// Returns the parameter.
    public static func buildExpression<Value>(_ parameter: KeyPath<Intent, IntentParameter<Value>>) -> ParameterList {
        ParameterList()
    }

    /// Returns the list.
    public static func buildBlock(_ parameters: ParameterList...) -> ParameterList { ParameterList() }
}
