extension Fault.Rule {
    /// A notification's interval that the system raises an exception for.
    ///
    /// Apple, documentation/usernotifications/untimeintervalnotificationtrigger/init(timeinterval:repeats:)
    public static let notificationInterval = Fault.Rule("NSInternalInconsistencyException.notificationInterval")

    /// Positions in the background were asked for by an app that did not declare the `location` mode.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/allowsbackgroundlocationupdates: a fatal error
    public static let undeclaredLocationMode = Fault.Rule("NSInternalInconsistencyException.undeclaredLocationMode")

    /// A silent push was not handled in time.
    ///
    /// Apple, documentation/usernotifications/pushing-background-updates-to-your-app: within 30 seconds
    public static let pushNotCompleted = Fault.Rule("pushNotCompleted")

    /// The events of a background session were not handled in time.
    ///
    /// Apple, documentation/foundation/downloading-files-in-the-background: the completion handler has to be called. That it
    /// is a fault, and the time of 30 seconds, are choices of the simulation.
    public static let transferEventsNotCompleted = Fault.Rule("transferEventsNotCompleted")
}
