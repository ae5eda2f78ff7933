import ApusTimers
import SimulatedAppleCore

/// An intent that reports its progress.
///
/// Source: Apple, documentation/appintents/progressreportingintent.
public protocol ProgressReportingIntent: AppIntent {}

extension ProgressReportingIntent {
    /// The progress, which the user sees.
    ///
    /// Set `totalUnitCount` and `completedUnitCount`. In a task that is detached from `perform()` it is another
    /// progress here, which the system does not see: read it in `perform()`.
    public var progress: IntentProgress { IntentExecution.current?.progress ?? IntentProgress { _, _ in } }
}

/// The progress of an intent.
///
/// On a phone it is a `Progress`, whose texts cannot be set in Foundation on Linux. They have no effect.
///
/// For `@unchecked Sendable`, which subclasses must repeat: the texts are behind a lock.
public final class IntentProgress: ReportingProgress, @unchecked Sendable {
    private let title = Locked("")
    private let subtitle = Locked("")

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    override public var localizedDescription: String! {
        get { title.withLock { $0 } }
        set { title.withLock { $0 = newValue ?? "" } }
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    override public var localizedAdditionalDescription: String! {
        get { subtitle.withLock { $0 } }
        set { subtitle.withLock { $0 = newValue ?? "" } }
    }
}

/// An intent that has time to clean up when it is cancelled.
///
/// Source: Apple, documentation/appintents/cancellableintent.
public protocol CancellableIntent: AppIntent {}

extension CancellableIntent {
    /// Runs an operation, and calls `handler` with the reason if the intent is cancelled meanwhile.
    ///
    /// The task is cancelled too.
    ///
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public func withIntentCancellationHandler<Result>(
        operation: () async throws -> Result, onCancel handler: @Sendable (IntentCancellationReason) -> Void,
        isolation: isolated (any Actor)? = #isolation
    ) async rethrows -> Result {
        let execution = IntentExecution.current
        return try await withTaskCancellationHandler(
            operation: operation, onCancel: { handler(execution?.cancellation ?? .userCancelled) },
            isolation: isolation)
    }
}

/// The reason for which an intent is cancelled.
///
/// Source: Apple, documentation/appintents/intentcancellationreason.
public struct IntentCancellationReason: Hashable, Sendable, CustomDebugStringConvertible {
    /// The name of the reason.
    public let debugDescription: String

    /// The intent took too long, or did not report progress.
    public static let timeout = IntentCancellationReason(debugDescription: "timeout")
    /// The user has cancelled the intent.
    public static let userCancelled = IntentCancellationReason(debugDescription: "userCancelled")
}

/// An intent whose work may take more than half a minute.
///
/// The system shows its progress in a Live Activity of its own, which is not among `device.activities` here.
///
/// Source: Apple, documentation/appintents/longrunningintent.
public protocol LongRunningIntent: ProgressReportingIntent {}

extension LongRunningIntent {
    /// Runs an operation that may take long, as long as it reports ``ProgressReportingIntent/progress``.
    ///
    /// Without progress for half a minute, the intent is cancelled with the reason `timeout`. The options have no
    /// effect. With the policy of iOS 26, the intent gets no more time, and the device's log has a warning.
    ///
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    @discardableResult
    public func performBackgroundTask<Result>(
        options: LongRunningTaskOptions = [], operation: @escaping () async throws -> Result
    ) async throws -> Result {
        let execution = IntentExecution.current
        let isLong = execution?.beginLongTask() ?? false
        defer { if isLong { execution?.endLongTask() } }
        return try await operation()
    }
}

extension LongRunningIntent where Self: CancellableIntent {
    /// Runs an operation that may take long, and calls `onCancel` with the reason if the intent is cancelled meanwhile.
    ///
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    @discardableResult
    public func performBackgroundTask<Result>(
        options: LongRunningTaskOptions = [], operation: @escaping () async throws -> Result,
        onCancel: @escaping @Sendable (IntentCancellationReason) -> Void
    ) async throws -> Result {
        try await performBackgroundTask(options: options) {
            try await withIntentCancellationHandler(operation: operation, onCancel: onCancel)
        }
    }
}

/// What long work needs, which has no effect.
public struct LongRunningTaskOptions: OptionSet, Hashable, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The work needs the graphics processor.
    public static let requiresGPU = LongRunningTaskOptions(rawValue: 1)
}
