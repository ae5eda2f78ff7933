import SimulatedAppleCore

/// An action of the app that the user runs outside of it: from Shortcuts, Siri, a widget and other places.
///
/// On the simulated phone a test runs it, with `SimulatedPhone.perform(_:from:on:)`. `perform()` is called on the
/// executor of its isolation, or, without one, on any thread.
///
/// Source: Apple, documentation/appintents/appintent.
public protocol AppIntent: Sendable {
    associatedtype PerformResult: IntentResult
    associatedtype SummaryContent: ParameterSummary

    /// The name that the user reads.
    static var title: LocalizedStringResource { get }
    /// The description that the user reads, which has no effect.
    static var description: IntentDescription? { get }
    /// Whether the app comes to the foreground before the action.
    static var openAppWhenRun: Bool { get }
    /// Where the action can be performed: with the app in the background, in the foreground, or in both.
    static var supportedModes: IntentModes { get }
    /// Whether Shortcuts lists the intent, which has no effect.
    static var isDiscoverable: Bool { get }
    /// Whether the user must have unlocked the device.
    static var authenticationPolicy: IntentAuthenticationPolicy { get }
    /// The sentence with the parameters that Shortcuts shows, which has no effect.
    static var parameterSummary: SummaryContent { get }

    /// Creates the intent; the system then sets its parameters.
    init()
    /// Performs the action.
    ///
    /// - Returns: What the caller gets.
    /// - Throws: An error that the caller gets.
    func perform() async throws -> PerformResult
}

extension AppIntent {
    /// A parameter of the intent.
    public typealias Parameter = IntentParameter
    /// An object that the app adds to `AppDependencyManager`.
    public typealias Dependency = AppDependency
    /// A sentence with the parameters of the intent.
    public typealias Summary = IntentParameterSummary<Self>

    /// None, unless the intent says otherwise.
    public static var description: IntentDescription? { nil }
    /// False, unless the intent says otherwise.
    public static var openAppWhenRun: Bool { false }
    /// The mode that follows from ``openAppWhenRun``.
    public static var supportedModes: IntentModes { openAppWhenRun ? .foreground(.immediate) : .background }
    /// True, unless the intent says otherwise.
    public static var isDiscoverable: Bool { true }
    /// Always allowed, unless the intent says otherwise.
    public static var authenticationPolicy: IntentAuthenticationPolicy { .alwaysAllowed }

    /// The situation in which the intent is performed.
    public var systemContext: IntentSystemContext { IntentSystemContext(modes: Self.supportedModes) }

    /// Brings the app to the foreground, if the user allows it; `alwaysConfirm` has no effect.
    ///
    /// - Throws: ``AppIntentError`` if the user does not allow it, if ``supportedModes`` has no foreground, or if the
    ///   intent is not performed by the system.
    public func continueInForeground(_ dialog: IntentDialog? = nil, alwaysConfirm: Bool = true) async throws {
        guard let run = IntentExecution.current else { throw AppIntentError.notPerformedBySystem }
        let mode = systemContext.currentMode
        guard mode == .foreground || mode.canContinueInForeground else { throw AppIntentError.foregroundRefused }
        try await run.continueInForeground(dialog?.text)
    }

    /// Tells the system that the user may want to run the intent, which does nothing.
    ///
    /// - Throws: Nothing here.
    public func donate() async throws {}
}

extension AppIntent where SummaryContent == EmptyParameterSummary {
    /// No sentence.
    public static var parameterSummary: EmptyParameterSummary { EmptyParameterSummary() }
}

/// Whether an intent runs on a locked device.
public enum IntentAuthenticationPolicy: Hashable, Sendable {
    /// It does.
    case alwaysAllowed
    /// The user must unlock the device first.
    case requiresAuthentication
    /// The user must unlock the device on which the intent runs first.
    case requiresLocalDeviceAuthentication
}

/// A description of an intent, which has no effect.
public struct IntentDescription: ExpressibleByStringInterpolation, Sendable {
    /// Creates a description.
    public init(stringLiteral value: String) {}
    /// Creates a description.
    public init(
        _ description: LocalizedStringResource, categoryName: LocalizedStringResource? = nil,
        searchKeywords: [LocalizedStringResource] = [], resultValueName: LocalizedStringResource? = nil
    ) {}
}

/// An error of the framework.
public enum AppIntentError: Error, Hashable, Sendable {
    /// The user did not let the intent continue in the foreground.
    case foregroundRefused
    /// The app has called `perform()` itself, so the system cannot help.
    case notPerformedBySystem
    /// A required value of a parameter is missing, with this dialog.
    case needsValue(String?)
    /// The app has no entity with this identifier.
    case entityNotFound(String)
}

// MARK: Kinds of intents

/// An intent with a meaning for the system.
public protocol SystemIntent: AppIntent {}

/// An intent that may begin a Live Activity while the app is in the background.
///
/// Source: Apple, documentation/appintents/liveactivityintent.
public protocol LiveActivityIntent: SystemIntent {}

/// An intent that plays or pauses audio.
public protocol AudioPlaybackIntent: SystemIntent {}

/// An intent that opens something in the app, and therefore brings the app to the foreground.
public protocol OpenIntent: SystemIntent {
    associatedtype Value: IntentParameterValue
    /// What the intent opens.
    var target: Value { get set }
}

extension OpenIntent {
    /// True, because the app shows the target.
    public static var openAppWhenRun: Bool { true }
}

/// The configuration of a widget, which is never performed.
public protocol WidgetConfigurationIntent: SystemIntent {}

extension WidgetConfigurationIntent where PerformResult == IntentResultContainer<Never, Never, Never> {
    /// Returns a result without content.
    ///
    /// - Returns: The result.
    /// - Throws: Nothing.
    public func perform() async throws -> IntentResultContainer<Never, Never, Never> { .result() }
}

/// An intent that may continue in the foreground.
public protocol ForegroundContinuableIntent: SystemIntent {}

extension ForegroundContinuableIntent {
    /// The background, and the foreground if the action asks for it; only the foreground if ``AppIntent/openAppWhenRun``
    /// is true.
    public static var supportedModes: IntentModes {
        openAppWhenRun ? .foreground(.immediate) : [.background, .foreground(.dynamic)]
    }

    /// Brings the app to the foreground, if the user allows it.
    ///
    /// - Throws: ``AppIntentError`` if the user does not allow it, or if the intent is not performed by the system.
    public func requestToContinueInForeground(_ dialog: IntentDialog? = nil) async throws {
        try await continueInForeground(dialog)
    }
}
