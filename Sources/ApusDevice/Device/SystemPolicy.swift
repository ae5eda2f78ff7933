/// The rules of the simulated system, each with a name and Apple's value as far as one is known.
///
/// "DTS" is Apple's developer support, "UIApplication Background Task Notes",
/// developer.apple.com/forums/thread/85066. Durations are on the clock that stops in device sleep.
public struct SystemPolicy: Sendable, Hashable {
    // MARK: Background tasks

    /// How long an app with background tasks may run in the background, all background tasks together: about 30 s (DTS;
    /// not guaranteed). Before iOS 13 it was 180 s, before iOS 7 600 s. It is new after a stay in the foreground, and
    /// when the system resumes the suspended app in the background, for a job or a position; the second is a choice of
    /// the simulation, because an app that is launched in the background for the same reason has the whole budget too.
    public var backgroundBudget: Duration = .seconds(30)
    /// How long before the end of the budget the expiration handlers are called: about 4 s, because logs show 26 s of
    /// elapsed time there (github.com/wordpress-mobile/WordPress-iOS/pull/21254,
    /// developer.apple.com/forums/thread/729335).
    public var expirationLead: Duration = .seconds(4)
    /// How long one expiration handler may take without a warning: about a second (DTS).
    public var handlerWarning: Duration = .seconds(1)
    /// How long all expiration handlers together may take; then the app is ended: a few seconds (DTS).
    public var handlerLimit: Duration = .seconds(5)
    /// How many background tasks a process may hold; at one more it is ended with
    /// ``TerminationCode/tooManyBackgroundTasks``: about 1000 since iOS 11 (DTS).
    public var backgroundTaskLimit = 1000
    /// How long a background task may be held without a warning, in the foreground too: 30 s (the system's log line
    /// "was created over 30 seconds ago", github.com/firebase/firebase-ios-sdk/issues/8908).
    public var longBackgroundTaskWarning: Duration = .seconds(30)
    /// What becomes of an app whose background tasks are open when the expiration handlers have returned.
    public var unendedBackgroundTasks = UnendedBackgroundTasks.endsAppAfterHandlers
    /// Whether a background task that is asked for after the handlers were called is refused; its own handler is called
    /// instead (Apple,
    /// developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)). If not,
    /// it is granted, and expires at once.
    public var refusesLateBackgroundTasks = true
    /// An injected fault: no background task is granted, each is answered with ``BackgroundTaskID/invalid``. Apple says
    /// that this can happen and must be handled; DTS adds that it is unlikely on modern systems.
    public var givesInvalidBackgroundTasks = false
    /// The code with which an app is ended that does not end its background tasks. Apple's documents allow the
    /// watchdog's and the task timeout's (developer.apple.com/documentation/xcode/sigkill).
    public var backgroundTaskOverrunCode = TerminationCode.watchdog

    /// What becomes of an app whose background tasks are open when the expiration handlers have returned.
    public enum UnendedBackgroundTasks: Sendable, Hashable {
        /// It is ended there and then. The strictest reading, and the default: on a phone, a background task that is
        /// ended in a later hop is a matter of luck (Apple: the background task has to be ended in the handler).
        case endsAppAfterHandlers
        /// It gets a warning, and is ended when the budget is used up.
        case endsAppAtZero
    }

    // MARK: Background jobs

    /// Refresh, processing and continued work.
    public var jobs = Jobs()

    // MARK: Pushes, positions and transfers. Read when the device is made

    /// How many silent pushes start or resume the app within an hour: Apple advises not to send more than two or three
    /// (documentation/usernotifications/pushing-background-updates-to-your-app), and gives no limit.
    public var pushesPerHour = 3
    /// Whether a significant change of the location starts an app that the user has removed from the switcher: so says
    /// CLLocationManager.h, and so it was up to iOS 18, but no longer with iOS 26
    /// (developer.apple.com/forums/thread/826964).
    public var locationLaunchesAfterForceQuit = false

    /// How long the tasks of a background `URLSession` wait that are begun in the background, after the system has started
    /// or resumed the app for a session. It doubles each time, and is short again when the user opens the app, or when the
    /// app was not resumed for twice that time (DTS, developer.apple.com/forums/thread/14854; "twice" is a choice, and so
    /// is that it ends at a day). A minute: logs, developer.apple.com/forums/thread/128813.
    public var firstTransferDelay: Duration = .seconds(60)

    // MARK: Notifications. Read when the device is made

    /// How many notification requests may wait: 64 (Apple, developer.apple.com/documentation/uikit/uilocalnotification,
    /// for the interface before; tests by others found the same for today's).
    public var pendingNotificationLimit = 64
    /// Which of them are kept when there are more: sources differ.
    public var notificationOverflow = NotificationOverflow.keepsSoonest

    // MARK: Life cycle

    /// How long an app may take to start: about 20 s (Apple, "Addressing watchdog terminations": 19.97 s for a scene).
    public var launchLimit: Duration = .seconds(20)
    /// How long an app may take to do its work when it comes to the front, or is about to leave it: about 10 s (Apple,
    /// "Addressing watchdog terminations": the update of a scene).
    public var sceneUpdateLimit: Duration = .seconds(10)
    /// How long an app may take to do its work when it enters the background: about 5 s (Apple,
    /// developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationdidenterbackground(_:)).
    public var enterBackgroundLimit: Duration = .seconds(5)
    /// How long after that, or after its last background task was ended, an app is suspended; the seed chooses. The
    /// sources say "shortly after" and no number.
    public var suspensionDelay: ClosedRange<Duration> = .milliseconds(50)...(.seconds(2))
    /// Whether an app is ended that holds an exclusive lock on a file of its home when it is to be suspended, a lock of
    /// SQLite's among them (Apple, developer.apple.com/documentation/xcode/sigkill, 0xdead10cc). Seen in apps with a
    /// process of their own only. Shared locks do not count, which is a choice: an idle connection of SQLite with a
    /// write-ahead log has one for as long as it is open.
    public var endsAppForFileLocks = true
    /// How long an app may take when it is notified of its end: about 5 s (Apple,
    /// developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationwillterminate(_:)).
    public var willTerminateTime: Duration = .seconds(5)
    /// Whether what raises an exception on a phone ends the app there and then, as an uncaught one does. The
    /// faults are those of which the rule's name begins with “NSInternalInconsistencyException”. If not, they are in
    /// the log, and the app continues: for tests that look at several of them in one process.
    public var endsAppAtExceptions = true
    /// How long after the screen was locked files of the protection class "complete" can still be read: 10 s (Apple
    /// Platform Security, "Data Protection classes", support.apple.com/guide/security/secb010e978a).
    public var dataProtectionDelay: Duration = .seconds(10)
    /// How long a restart of the device takes. A choice of the simulation.
    public var rebootTime: Duration = .seconds(30)

    /// Apple's rules.
    public init() {}
}
