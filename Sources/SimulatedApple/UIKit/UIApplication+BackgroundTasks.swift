import ApusTesting
import SimulatedPhone

/// Names a claim that was begun with `beginBackgroundTask`.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int
    /// An identifier with that number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// No claim.
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

    /// Claims time to finish something; see ``beginBackgroundTask(withName:expirationHandler:)``.
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// Claims time to finish something, about 30 s for all claims together. From any thread.
    ///
    /// On the simulated phone the claim is granted when this returns. The handler is called on the main thread shortly
    /// before the time is over, or soon if it is over; a claim that is not ended in it ends the app, with a fault.
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        UIBackgroundTaskIdentifier(rawValue: host.beginClaim(taskName ?? "unnamed", expirationHandler: handler))
    }

    /// Ends a claim. From any thread. An identifier that is unknown or was ended before is a warning in the device's
    /// log.
    nonisolated public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        host.endClaim(identifier.rawValue)
    }
}
