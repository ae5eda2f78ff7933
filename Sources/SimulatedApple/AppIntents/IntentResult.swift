/// What an intent returns to its caller.
///
/// Source: Apple, documentation/appintents/intentresult.
public protocol IntentResult: Sendable {}

/// A result with a value, for the next action of a shortcut.
public protocol ReturnsValue<Value>: IntentResult {
    associatedtype Value: IntentParameterValue
    /// The value.
    var value: Value? { get }
}

/// A result with a text that Siri speaks or the user reads.
public protocol ProvidesDialog: IntentResult {}

/// A result with an intent that the system runs next.
public protocol OpensIntent: IntentResult {}

/// A result of an intent, with or without a value, an intent that is run next, and a dialog.
public struct IntentResultContainer<Value: Sendable, Next: Sendable, Dialog: Sendable>: IntentResult {
    /// The value; `nil` without one.
    public let value: Value?
    let next: Next?
    let dialog: Dialog?
}

extension IntentResultContainer: ReturnsValue where Value: IntentParameterValue {}
extension IntentResultContainer: ProvidesDialog where Dialog == IntentDialog {}
extension IntentResultContainer: OpensIntent where Next: AppIntent {}

extension IntentResult where Self == IntentResultContainer<Never, Never, Never> {
    /// Returns a result without content.
    public static func result() -> Self { Self(value: nil, next: nil, dialog: nil) }
}

extension IntentResult {
    /// Returns a result with a value.
    public static func result<Value: IntentParameterValue>(
        value: Value
    ) -> Self where Self == IntentResultContainer<Value, Never, Never> {
        Self(value: value, next: nil, dialog: nil)
    }

    /// Returns a result with a dialog.
    public static func result(
        dialog: IntentDialog
    ) -> Self where Self == IntentResultContainer<Never, Never, IntentDialog> {
        Self(value: nil, next: nil, dialog: dialog)
    }

    /// Returns a result with a value and a dialog.
    public static func result<Value: IntentParameterValue>(
        value: Value, dialog: IntentDialog
    ) -> Self where Self == IntentResultContainer<Value, Never, IntentDialog> {
        Self(value: value, next: nil, dialog: dialog)
    }

    /// Returns a result with an intent that the system runs next.
    public static func result<Next: AppIntent>(
        opensIntent: Next
    ) -> Self where Self == IntentResultContainer<Never, Next, Never> {
        Self(value: nil, next: opensIntent, dialog: nil)
    }

    /// Returns a result with an intent that the system runs next, and a dialog.
    public static func result<Next: AppIntent>(
        opensIntent: Next, dialog: IntentDialog
    ) -> Self where Self == IntentResultContainer<Never, Next, IntentDialog> {
        Self(value: nil, next: opensIntent, dialog: dialog)
    }

    /// Returns a result with a value and an intent that the system runs next.
    public static func result<Value: IntentParameterValue, Next: AppIntent>(
        value: Value, opensIntent: Next
    ) -> Self where Self == IntentResultContainer<Value, Next, Never> {
        Self(value: value, next: opensIntent, dialog: nil)
    }
}

/// The parts of a result, for the device.
protocol ResultParts {
    var valueText: String? { get }
    var dialogText: String? { get }
    var nextIntent: (any AppIntent)? { get }
}

extension IntentResultContainer: ResultParts {
    var valueText: String? { value.map { "\($0)" } }
    var dialogText: String? { (dialog as? IntentDialog)?.text }
    var nextIntent: (any AppIntent)? { next as? any AppIntent }
}

/// A text that Siri speaks or the user reads.
public struct IntentDialog: ExpressibleByStringInterpolation, Hashable, Sendable {
    let text: String

    /// Creates a dialog from a text.
    public init(stringLiteral value: String) { text = value }

    /// Creates a dialog from a text.
    public init(_ dialog: LocalizedStringResource) { text = dialog.key }

    /// Creates a dialog with a text for a device without a screen; the shorter one has no effect here.
    public init(full: LocalizedStringResource, supporting: LocalizedStringResource) { text = full.key }
}
