import ApusVirtualTime
import SimulatedAppleCore

/// Names a background task that was begun with `beginBackgroundTask`. No two background tasks have the same one: so an
/// identifier that outlives its process, in a variable or thread of the test's process, ends no background task of the
/// next one.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int
    /// An identifier with that number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// No background task.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// Whether the user lets an app refresh in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// The user cannot allow it. The simulation does not give this.
    case restricted = 0
    /// The user has switched it off.
    case denied = 1
    /// It is on.
    case available = 2
}

extension UIApplication {
    /// How long the app may still run in the background, in seconds; `greatestFiniteMagnitude` in the foreground, and
    /// while audio or location keeps it running. From any thread.
    nonisolated public var backgroundTimeRemaining: TimeInterval {
        host.backgroundTimeRemaining?.inSeconds ?? .greatestFiniteMagnitude
    }

    /// Asks for time to finish something; see ``beginBackgroundTask(withName:expirationHandler:fileID:function:)``.
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil, fileID: String = #fileID,
        function: String = #function
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler, fileID: fileID, function: function)
    }

    /// Asks for time to finish something, about 30 s for all background tasks together. From any thread.
    ///
    /// On the simulated phone the background task is granted when this returns. The handler is called on the main
    /// thread shortly before the time is over, or soon if it is over; a background task that is not ended in it ends
    /// the app, with a fault.
    ///
    /// Apple, documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
    ///
    /// - Parameters:
    ///   - taskName: What is being finished; `nil` gives a name with the module and the function of the caller.
    ///   - handler: Called when the time is nearly over; it has to end the background task.
    ///   - fileID: The calling file, for the generated name.
    ///   - function: The calling function, for the generated name.
    /// - Returns: The identifier, which has to be ended; `invalid` when there is no background task.
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil,
        fileID: String = #fileID, function: String = #function
    ) -> UIBackgroundTaskIdentifier {
        let caller = "Called by \(fileID.prefix { $0 != "/" }), from \(function)"
        return UIBackgroundTaskIdentifier(
            rawValue: host.beginBackgroundTask(taskName ?? caller, expirationHandler: handler))
    }

    /// The method with exactly Apple's parameters, for protocols and function values; calls prefer the one above.
    @_disfavoredOverload
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(
            withName: nil, expirationHandler: handler, fileID: "the app", function: "a protocol or a function value")
    }

    /// The method with exactly Apple's parameters, for protocols and function values; calls prefer the one above.
    @_disfavoredOverload
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(
            withName: taskName, expirationHandler: handler, fileID: "the app",
            function: "a protocol or a function value")
    }

    /// Ends a background task. From any thread. An identifier that is unknown, was ended before, or belongs to another
    /// process is a warning in the device's log.
    nonisolated public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        host.endBackgroundTask(identifier.rawValue)
    }
}
