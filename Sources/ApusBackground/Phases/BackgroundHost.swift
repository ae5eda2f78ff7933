/// What an operating system gives an app: phases, and time to finish its work.
///
/// Linux, Apple's systems and the simulated device are hosts. All members may be used from any thread.
public protocol BackgroundHost: Sendable {
    /// The present phase.
    var phase: Phase { get }

    /// A new sequence of the phases that are entered from now on.
    var phaseChanges: PhaseChanges { get }

    /// How much longer the app may run in the background, on the continuous clock; `nil` while nothing limits it.
    var backgroundTimeRemaining: Duration? { get }

    /// Claims time to finish something. Prefer ``withBackgroundTask(_:on:fileID:line:_:)``.
    ///
    /// - Parameter request: The name, the place and the expiration handler.
    /// - Returns: The claim, which must be ended.
    /// - Throws: ``BackgroundError`` with the code `tooLate` when the host grants nothing more. The expiration
    ///   handler is called then too, because it holds the app's way to wind up.
    func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask
}

extension BackgroundHost {
    /// Claims time to finish something: the host does not suspend or end the app until the claim is ended or expires.
    ///
    /// - Parameters:
    ///   - name: What is being finished, for logs and for the report of what had to be cut.
    ///   - fileID: The place that begins the task, for the fault when it is never ended.
    ///   - line: The line of that place.
    ///   - onExpiration: Called on the main actor when the time is nearly over. The claim ends when it returns.
    /// - Returns: The claim, which must be ended.
    /// - Throws: ``BackgroundError`` with the code `tooLate` when the host grants nothing more; the handler is called
    ///   too.
    public func beginBackgroundTask(
        named name: String,
        fileID: String = #fileID,
        line: Int = #line,
        onExpiration: @escaping @MainActor @Sendable () async -> Void = {}
    ) throws(BackgroundError) -> BackgroundTask {
        try beginBackgroundTask(
            BackgroundTaskRequest(name: name, fileID: fileID, line: line, onExpiration: onExpiration))
    }
}
