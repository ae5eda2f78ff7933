extension Fault.Rule {
    /// A background task was not ended in its expiration handler, or not before the time was over.
    public static let backgroundTaskNotEnded = Fault.Rule("backgroundTaskNotEnded")
    /// The last reference to a background task was released before it was ended.
    public static let backgroundTaskDropped = Fault.Rule("backgroundTaskDropped")
    /// A process began more background tasks than the system keeps.
    public static let tooManyBackgroundTasks = Fault.Rule("tooManyBackgroundTasks")
    /// The expiration handlers took too long.
    public static let slowHandlers = Fault.Rule("slowHandlers")
    /// What makes the app threw an error.
    public static let crashAtLaunch = Fault.Rule("crashAtLaunch")
    /// The app took too long to start.
    public static let slowLaunch = Fault.Rule("slowLaunch")
    /// The app took too long to do its work when it came to the front, or was about to leave it.
    public static let slowSceneUpdate = Fault.Rule("slowSceneUpdate")
    /// The app took too long to do its work on the way to the background.
    public static let slowBackgroundEntry = Fault.Rule("slowBackgroundEntry")
    /// The app held an exclusive lock on one of its files when it was to be suspended.
    ///
    /// Apple, documentation/xcode/sigkill, 0xdead10cc
    public static let fileLockHeld = Fault.Rule("fileLockHeld")
    /// The app took too long to do its work at the end.
    public static let slowTermination = Fault.Rule("slowTermination")
    /// The app object is still there although its process has ended.
    public static let leakedApp = Fault.Rule("leakedApp")
    /// A test wanted to start an app that it had not installed.
    public static let noApp = Fault.Rule("noApp")
}
