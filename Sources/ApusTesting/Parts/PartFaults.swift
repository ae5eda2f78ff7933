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
}
