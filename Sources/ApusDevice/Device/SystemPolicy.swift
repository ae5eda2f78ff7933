import ApusTimers

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
    /// Whether an app is ended that holds a lock on a file of an app group when it is to be suspended, a lock of SQLite's
    /// among them (Apple, developer.apple.com/documentation/xcode/sigkill, 0xdead10cc). Files of the app's own container
    /// do not count, nor do the shared locks of a database with a write-ahead log. Seen in apps with a process of their own
    /// only.
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

extension SystemPolicy {
    /// The rules for background jobs: refresh, processing and continued work. A change is valid at once, but for the
    /// CPU monitor's, which are those of the process's start.
    ///
    /// "Notes" are notes on Apple's session WWDC20 10063 (github.com/WWDCNotes/Content,
    /// content/notes/wwdc20/10063.md); "BGTask.h", "BGTaskRequest.h" and "BGTaskScheduler.h" are headers of Apple's
    /// SDK. What is called a choice has no number in any source.
    public struct Jobs: Sendable, Hashable {
        // MARK: Requests

        /// How many refresh requests may wait: 1 (BGTaskScheduler.h).
        public var pendingRefreshLimit = 1
        /// How many processing requests may wait: 10 (BGTaskScheduler.h).
        public var pendingProcessingLimit = 10
        /// Whether requests whose runs are in progress are among the pending ones. The header says "not completed",
        /// Apple's web page "unexecuted"; the latter is the default.
        public var listsRunningAsPending = false
        /// Whether the device is a simulator, where each submission is `unavailable` (BGTaskScheduler.h).
        public var isSimulator = false
        /// Whether there is continued work. It came with iOS 26; before, a request for it is `unavailable`.
        public var hasContinuedJobs = true
        /// Whether continued work may use the graphics processor in the background; if not, it is `notPermitted` to ask
        /// for it (BGTaskRequest.h). Few devices allow it, and only with an entitlement.
        public var allowsBackgroundGPU = false

        // MARK: When something runs

        /// How far apart the system's looks at the pending requests are; the seed chooses. A choice.
        public var opportunitySpacing: ClosedRange<Duration> = .seconds(300)...(.seconds(900))
        /// At this charge and below no refresh runs: 20 % (notes).
        public var lowBattery = 0.2
        /// For how long the times of day at which the user opened the app are remembered, and within which the app has
        /// to have been used for anything to run: a week (BGTaskRequest.h, for processing; for refresh a choice).
        public var usageWindow: Duration = .seconds(7 * 86_400)
        /// How long before an expected use a refresh may run (notes: "just before"). A choice.
        public var expectedUseLead: Duration = .seconds(1_800)
        /// How long a refresh that may run waits for an expected use at most; then it runs without one. A choice.
        public var refreshPatience: Duration = .seconds(4 * 3_600)
        /// How long refreshes may run in a day, all together. It is handed out evenly over the day (notes: a budget of
        /// energy and data, which the app's running uses up). A choice.
        public var dailyRefreshBudget: Duration = .seconds(300)
        /// How far apart the launches for refreshes are at least (notes: rate limiting, without a number). A choice.
        public var refreshSpacing: Duration = .seconds(900)
        /// How far apart the launches for processing are at least (notes: rate limiting, without a number). A choice.
        public var processingSpacing: Duration = .seconds(900)
        /// What processing waits for besides a device that is not in use, if the request itself asks for nothing. Apple
        /// describes it as work for periods of low activity, such as overnight while the device charges ("Choosing
        /// Background Strategies for Your App"); that either of the two is enough is a choice.
        public var processingTime = ProcessingTime.chargingOrNight
        /// When the night begins that ``processingTime`` is about, as a time of day in UTC, because the simulation has
        /// no zones. A choice.
        public var nightBegin: Duration = .seconds(22 * 3_600)
        /// When that night ends, as a time of day in UTC; one before ``nightBegin`` is on the next day. A choice.
        public var nightEnd: Duration = .seconds(6 * 3_600)
        /// Whether processing runs though the user has removed the app from the switcher. Since iOS 18 it does, on
        /// purpose (Apple DTS, developer.apple.com/forums/thread/793189); the notes of 2020 say that it does not.
        public var processingRunsAfterForceQuit = true
        /// How many continued jobs run at a time. A choice.
        public var continuedAtOnce = 1

        // MARK: How long it runs

        /// How long a refresh may run: up to 30 s (Apple, "Choosing Background Strategies for Your App").
        public var refreshLimit: Duration = .seconds(30)
        /// How long processing may run: minutes (Apple, documentation/backgroundtasks/bgprocessingtask). The number is
        /// a choice.
        public var processingLimit: Duration = .seconds(600)
        /// How long a run has from its expiration handler to its completion: the handler is called "shortly before" the
        /// end (Apple, documentation/backgroundtasks/bgtask/expirationhandler). The number is that of background tasks.
        public var windUpTime: Duration = .seconds(4)
        /// How long continued work may run without progress before it expires: it has to report some (Apple,
        /// documentation/backgroundtasks/bgcontinuedprocessingtask). The number is a choice.
        public var progressStall: Duration = .seconds(60)
        /// The span of time over which the CPU monitor measures: 60 s
        /// (github.com/transistorsoft/react-native-background-fetch/issues/323, a crash log).
        public var cpuWindow: Duration = .seconds(60)
        /// Which part of that an app may compute in the background: 80 % (the same log), unless a job runs that
        /// requires external power (BGTaskRequest.h).
        public var cpuShare = 0.8

        /// What processing waits for, besides a device that is not in use.
        public enum ProcessingTime: Sendable, Hashable {
            /// The charger, or the night.
            case chargingOrNight
            /// The charger, by day and by night.
            case charging
            /// Nothing: it runs as soon as the screen is locked, on battery too.
            case whenIdle
        }

        /// Apple's rules.
        public init() {}

        /// How long it is to the next opportunity.
        func opportunityDelay(_ random: SeededRandom) -> Duration {
            let lower = opportunitySpacing.lowerBound.nanosecondsFromZero
            let span = opportunitySpacing.upperBound.nanosecondsFromZero - lower
            return .nanoseconds(Int64(clamping: lower + random.next() % (span + 1)))
        }

        /// Whether the time of day is that of the night.
        func isNight(_ now: WallInstant) -> Bool {
            let time = Duration.seconds(now.nanoseconds / 1_000_000_000 % 86_400)
            return nightBegin <= nightEnd
                ? time >= nightBegin && time < nightEnd : time >= nightBegin || time < nightEnd
        }
    }
}

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

    /// The rules of iOS 26: those of iOS 27.
    public static var iOS26: SystemPolicy { iOS27 }

    /// The rules of iOS 27, which are the default. `BGTaskScheduler.submitTaskRequest` is new there, which an app may call
    /// whatever the policy is (Apple, documentation/backgroundtasks/bgtaskscheduler/submittaskrequest(_:completionhandler:)).
    public static var iOS27: SystemPolicy { SystemPolicy() }
}
