extension SystemPolicy {
    /// The rules of iOS 17: processing does not run when the user has removed the app from the switcher (notes on Apple's
    /// session WWDC20 10063, github.com/WWDCNotes/Content, content/notes/wwdc20/10063.md), and there is no continued
    /// work, which came with iOS 26 (Apple, documentation/backgroundtasks/bgcontinuedprocessingtask): a request for it is
    /// `unavailable`.
    public static var iOS17: SystemPolicy {
        var policy = iOS18
        policy.jobs.processingRunsAfterForceQuit = false
        return policy
    }

    /// The rules of iOS 18: those of iOS 26 without continued work. Processing runs though the user has removed the app
    /// from the switcher (Apple DTS, developer.apple.com/forums/thread/793189), and so does a significant change of the
    /// location start it (developer.apple.com/forums/thread/826964).
    public static var iOS18: SystemPolicy {
        var policy = iOS26
        policy.jobs.hasContinuedJobs = false
        policy.locationLaunchesAfterForceQuit = true
        return policy
    }

    /// The rules of iOS 26, which are the default.
    public static var iOS26: SystemPolicy { SystemPolicy() }
}
