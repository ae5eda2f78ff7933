import ApusTimers

/// The rules of the simulated system, each with a name, and with Apple's value where one is known.
///
/// "DTS" is Apple's developer support, "UIApplication Background Task Notes", developer.apple.com/forums/thread/85066.
/// "A choice" means that no source gives a value. Durations are on the clock that stops while the device sleeps.
///
/// A device accepts every duration, and limits it: a negative duration counts as zero, a duration of more than 366 days
/// counts as 366 days, and ``Jobs/opportunitySpacing`` is at least a second.
public struct SystemPolicy: Sendable, Hashable {
    // MARK: Background tasks

    /// The time for which an app may run in the background with background tasks, in total: about 30 s.
    ///
    /// The source is DTS, which does not guarantee the value; before iOS 13 it was 180 s, before iOS 7 600 s. The app
    /// has the whole budget again after it was in the foreground, and when the system resumes it in the background for
    /// a job or a location. The rule for a resumption is a choice, which follows the rule for an app that is launched
    /// in the background for such an event.
    public var backgroundBudget: Duration = .seconds(30)
    /// The time between the expiration handlers and the end of the budget: about 4 s.
    ///
    /// Logs show the handlers after 26 s (github.com/wordpress-mobile/WordPress-iOS/pull/21254,
    /// developer.apple.com/forums/thread/729335).
    public var expirationLead: Duration = .seconds(4)
    /// The time that one expiration handler may take without a warning: about a second (DTS).
    public var handlerWarning: Duration = .seconds(1)
    /// The time that all expiration handlers together may take before the app is ended: a few seconds (DTS).
    public var handlerLimit: Duration = .seconds(5)
    /// The number of background tasks that a process may hold: about 1000 since iOS 11 (DTS).
    ///
    /// A process that begins one more is ended with ``TerminationCode/tooManyBackgroundTasks``.
    public var backgroundTaskLimit = 1000
    /// The time for which a background task may be held without a warning, in the foreground too: 30 s.
    ///
    /// The system's log line is "was created over 30 seconds ago" (github.com/firebase/firebase-ios-sdk/issues/8908).
    public var longBackgroundTaskWarning: Duration = .seconds(30)
    /// The consequence for an app whose background tasks are open when the expiration handlers have returned.
    public var unendedBackgroundTasks = UnendedBackgroundTasks.endsAppAfterHandlers
    /// Whether a background task is refused if it is requested after the expiration handlers were called.
    ///
    /// The handler of the request is called instead. This is Apple's rule
    /// (developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)). If
    /// this is false, the task is granted, and expires at once.
    public var refusesLateBackgroundTasks = true
    /// Whether no background task is granted and each request returns ``BackgroundTaskID/invalid``, as an injected
    /// error.
    ///
    /// Apple says that this can happen and must be handled; DTS adds that it is unlikely on modern systems.
    public var givesInvalidBackgroundTasks = false
    /// The code with which an app that does not end its background tasks is ended.
    ///
    /// Apple's documents fit both the code of the watchdog and that of the task timeout
    /// (developer.apple.com/documentation/xcode/sigkill).
    public var backgroundTaskOverrunCode = TerminationCode.watchdog

    /// The consequence for an app whose background tasks are open when the expiration handlers have returned.
    public enum UnendedBackgroundTasks: Sendable, Hashable {
        /// The app is ended at once.
        ///
        /// This is the default, and the strictest interpretation: Apple says that a background task must be ended in
        /// the handler. A phone may already have ended an app that would end it later.
        case endsAppAfterHandlers
        /// The app is warned, and is ended when the budget is used up.
        case endsAppAtZero
    }

    // MARK: Background jobs

    /// The rules for refresh, processing and continued work.
    public var jobs = Jobs()

    // MARK: Pushes, locations and transfers, read when the device is created

    /// The number of silent pushes that start or resume the app within an hour.
    ///
    /// Apple advises against more than two or three
    /// (documentation/usernotifications/pushing-background-updates-to-your-app), and gives no limit.
    public var pushesPerHour = 3
    /// Whether a significant change of the location starts an app that the user has removed from the switcher.
    ///
    /// CLLocationManager.h says that it does. Phones did so up to iOS 18, but no longer do with iOS 26
    /// (developer.apple.com/forums/thread/826964).
    public var locationLaunchesAfterForceQuit = false

    /// The first delay of `URLSession` tasks that an app in the background begins in a background session.
    ///
    /// Tasks are delayed after the system has started or resumed the app for a session. The delay doubles each time, up
    /// to a day. It has this first value again when the user has opened the app, or when the app was not resumed for
    /// twice the delay. The source is DTS (developer.apple.com/forums/thread/14854), but "twice" and the maximum of a
    /// day are choices. The value of a minute is from logs (developer.apple.com/forums/thread/128813).
    public var firstTransferDelay: Duration = .seconds(60)

    // MARK: Notifications, read when the device is created

    /// The number of notification requests that may be pending: 64.
    ///
    /// Apple gives this number for the earlier interface (developer.apple.com/documentation/uikit/uilocalnotification);
    /// tests by others found the same number for the current interface.
    public var pendingNotificationLimit = 64
    /// The requests that are kept if there are more than ``pendingNotificationLimit``; sources differ.
    public var notificationOverflow = NotificationOverflow.keepsSoonest

    // MARK: Alarms and Live Activities, read when the device is created

    /// The number of alarms that the system keeps for an app: a choice.
    ///
    /// The number depends on the device (Apple, developer.apple.com/forums/thread/797158).
    public var alarmLimit = 64
    /// The number of Live Activities that an app may have at a time: a choice.
    ///
    /// The number depends on the device (Apple,
    /// developer.apple.com/documentation/activitykit/activityauthorizationerror/targetmaximumexceeded).
    public var liveActivityLimit = 5

    // MARK: App Intents, read when the device is created

    /// The rules for App Intents.
    public var intents = Intents()

    // MARK: Life cycle

    /// The time that an app may take to start: about 20 s (Apple, "Addressing watchdog terminations": 19.97 s for a
    /// scene).
    public var launchLimit: Duration = .seconds(20)
    /// The time that an app may take for its work when it comes to the foreground, or is about to leave it: about 10 s.
    ///
    /// This is Apple's limit for the update of a scene ("Addressing watchdog terminations").
    public var sceneUpdateLimit: Duration = .seconds(10)
    /// The time that an app may take for its work when it enters the background: about 5 s.
    ///
    /// Apple, developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationdidenterbackground(_:).
    public var enterBackgroundLimit: Duration = .seconds(5)
    /// The range from which the seed chooses the time until an app in the background is suspended.
    ///
    /// The time begins when the app has done its work for the background and its last background task has ended. The
    /// sources say "shortly after", without a number.
    public var suspensionDelay: ClosedRange<Duration> = .milliseconds(50)...(.seconds(2))
    /// Whether an app that holds a lock on a file of an app group is ended when it is about to be suspended.
    ///
    /// Locks of SQLite count too (Apple, developer.apple.com/documentation/xcode/sigkill, 0xdead10cc). Files of the
    /// app's own container do not count, nor do the shared locks of a database with a write-ahead log. The device sees
    /// the locks only of apps with their own process.
    public var endsAppForFileLocks = true
    /// The time that an app may take when it is notified of its end: about 5 s.
    ///
    /// Apple, developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationwillterminate(_:).
    public var willTerminateTime: Duration = .seconds(5)
    /// Whether a fault for which a phone raises an exception ends the app at once, as an uncaught exception does.
    ///
    /// These are the faults of the rules whose names begin with "NSInternalInconsistencyException". If false, they are
    /// only logged and the app continues, for tests that cause several of them in one process.
    public var endsAppAtExceptions = true
    /// The time after the lock of the screen in which files of the protection class "complete" can still be read: 10 s.
    ///
    /// Apple Platform Security, "Data Protection classes", support.apple.com/guide/security/secb010e978a.
    public var dataProtectionDelay: Duration = .seconds(10)
    /// Whether the keychain hides an unreadable item until the first unlock (`errSecItemNotFound`), also from queries
    /// without its secret.
    ///
    /// This was seen in prewarmed processes (github.com/kylebshr/luka-ios/pull/134). If false, only a request for the
    /// secret is refused (`errSecInteractionNotAllowed`), as Apple documents it. The value is read when the device is
    /// created.
    public var hidesKeychainBeforeFirstUnlock = false
    /// The duration of a restart of the device: a choice.
    public var rebootTime: Duration = .seconds(30)

    /// Creates the rules of Apple's systems, with the default values above.
    public init() {}
}

extension SystemPolicy {
    /// The rules for background jobs: refresh, processing and continued work.
    ///
    /// A change is effective at once, except in the rules of the CPU monitor, which are read when a process is started.
    ///
    /// "Notes" are notes on Apple's session WWDC20 10063 (github.com/WWDCNotes/Content, content/notes/wwdc20/10063.md);
    /// "BGTask.h", "BGTaskRequest.h" and "BGTaskScheduler.h" are headers of Apple's SDK. "A choice" means that no
    /// source gives a value.
    public struct Jobs: Sendable, Hashable {
        // MARK: Requests

        /// The number of refresh requests that may be pending: 1 (BGTaskScheduler.h).
        public var pendingRefreshLimit = 1
        /// The number of processing requests that may be pending: 10 (BGTaskScheduler.h).
        public var pendingProcessingLimit = 10
        /// Whether requests with a run in progress are listed as pending.
        ///
        /// The header says "not completed", and Apple's web page says "unexecuted"; the default follows the web page.
        public var listsRunningAsPending = false
        /// Whether the device is a simulator, on which each submission is `unavailable` (BGTaskScheduler.h).
        public var isSimulator = false
        /// Whether the system has continued work, as iOS 26 and later do; if not, a request for it is `unavailable`.
        public var hasContinuedJobs = true
        /// Whether continued work may use the graphics processor in the background (BGTaskRequest.h).
        ///
        /// If not, a request for it is `notPermitted`. Few devices allow it, and only with an entitlement.
        public var allowsBackgroundGPU = false

        // MARK: When jobs run

        /// The range of the time between two examinations of the pending requests, from which the seed chooses.
        ///
        /// The range is a choice.
        public var opportunitySpacing: ClosedRange<Duration> = .seconds(300)...(.seconds(900))
        /// The charge at or below which no refresh runs: 20 % (notes).
        public var lowBattery = 0.2
        /// The time for which the system remembers when the user opened the app: a week.
        ///
        /// A refresh or processing runs only if the app was used within this time (BGTaskRequest.h, for processing; a
        /// choice for refresh).
        public var usageWindow: Duration = .seconds(7 * 86_400)
        /// How long before an expected use of the app a refresh may run, at most: a choice (notes: "just before").
        public var expectedUseLead: Duration = .seconds(1_800)
        /// The longest time that a refresh waits for an expected use before it runs without one: a choice.
        public var refreshPatience: Duration = .seconds(4 * 3_600)
        /// The total time for which refreshes may run in a day: a choice.
        ///
        /// Used time becomes available again evenly over a day (notes: a budget of energy and data, which the app's
        /// runs use up).
        public var dailyRefreshBudget: Duration = .seconds(300)
        /// The shortest time between two launches for refreshes: a choice (notes: rate limiting, without a number).
        public var refreshSpacing: Duration = .seconds(900)
        /// The shortest time between two launches for processing: a choice (notes: rate limiting, without a number).
        public var processingSpacing: Duration = .seconds(900)
        /// The condition for processing whose request does not require external power.
        ///
        /// It applies in addition to the condition that the device is not in use.
        ///
        /// Apple describes processing as work for periods of low activity, such as overnight while the device charges
        /// ("Choosing Background Strategies for Your App"). By default, either the night or the charging is enough,
        /// which is a choice.
        public var processingTime = ProcessingTime.chargingOrNight
        /// The beginning of the night of ``processingTime``, as a time of day in UTC: a choice.
        ///
        /// It is in UTC because the simulation has no time zones.
        public var nightBegin: Duration = .seconds(22 * 3_600)
        /// The end of the night of ``processingTime``, as a time of day in UTC: a choice.
        ///
        /// An end before ``nightBegin`` is on the next day.
        public var nightEnd: Duration = .seconds(6 * 3_600)
        /// Whether processing runs even if the user has removed the app from the switcher.
        ///
        /// Since iOS 18 it does, on purpose (Apple DTS, developer.apple.com/forums/thread/793189); the notes of 2020
        /// say that it does not.
        public var processingRunsAfterForceQuit = true
        /// The number of continued jobs that run at a time: a choice.
        public var continuedAtOnce = 1

        // MARK: How long jobs run

        /// The longest run of a refresh: 30 s (Apple, "Choosing Background Strategies for Your App").
        public var refreshLimit: Duration = .seconds(30)
        /// The longest run of processing: minutes (Apple, documentation/backgroundtasks/bgprocessingtask); the number
        /// is a choice.
        public var processingLimit: Duration = .seconds(600)
        /// The time from a run's expiration handler to the end of the run.
        ///
        /// The handler is called "shortly before" the end (Apple,
        /// documentation/backgroundtasks/bgtask/expirationhandler). The number is the default of
        /// ``SystemPolicy/expirationLead``.
        public var windUpTime: Duration = .seconds(4)
        /// The time for which continued work may run without progress before it expires.
        ///
        /// Continued work must report progress (Apple, documentation/backgroundtasks/bgcontinuedprocessingtask). The
        /// number is a choice.
        public var progressStall: Duration = .seconds(60)
        /// The window in which the CPU monitor measures an app's use of the processor: 60 s.
        ///
        /// A crash log shows it (github.com/transistorsoft/react-native-background-fetch/issues/323).
        public var cpuWindow: Duration = .seconds(60)
        /// The part of the window for which an app may compute in the background: 80 % (the crash log of
        /// ``cpuWindow``).
        ///
        /// There is no limit while a job that requires external power is running (BGTaskRequest.h).
        public var cpuShare = 0.8

        /// A condition for processing, in addition to the condition that the device is not in use.
        public enum ProcessingTime: Sendable, Hashable {
            /// The device charges, or it is night.
            case chargingOrNight
            /// The device charges, by day or by night.
            case charging
            /// There is no other condition: processing runs as soon as the screen is locked, on battery too.
            case whenIdle
        }

        /// Creates the rules of Apple's systems, with the default values above.
        public init() {}

        /// Returns a random time to the next opportunity, within ``opportunitySpacing``.
        func opportunityDelay(_ random: SeededRandom) -> Duration {
            let lower = opportunitySpacing.lowerBound.nanosecondsFromZero
            let span = opportunitySpacing.upperBound.nanosecondsFromZero - lower
            return .nanoseconds(Int64(clamping: lower + random.next() % (span + 1)))
        }

        /// Returns whether an instant is in the night, by its time of day in UTC.
        func isNight(_ now: WallInstant) -> Bool {
            let time = Duration.seconds(now.nanoseconds / 1_000_000_000 % 86_400)
            return nightBegin <= nightEnd
                ? time >= nightBegin && time < nightEnd : time >= nightBegin || time < nightEnd
        }
    }
}

extension SystemPolicy {
    /// The rules for App Intents.
    ///
    /// "A choice" means that no source gives a value.
    public struct Intents: Sendable, Hashable {
        /// The time that an intent has for `perform()`: about 30 s.
        ///
        /// It begins when the app is there to perform it (a choice), and is the same in the foreground (Apple,
        /// documentation/appintents/intentcancellationreason/timeout). An engineer of Apple has called it time of the
        /// processor (developer.apple.com/forums/thread/832170); the simulation measures time that passes.
        public var timeLimit: Duration = .seconds(30)
        /// The time for which a background task of a `LongRunningIntent` may run without progress.
        ///
        /// Apple demands regular updates (documentation/appintents/longrunningintent), without a number. The default
        /// is that of documentation/appintents/intentcancellationreason/timeout.
        public var progressStall: Duration = .seconds(30)
        /// The time after its cancellation in which an intent must return: a choice.
        ///
        /// The system can suspend the process "shortly after" it (Apple, documentation/appintents/cancellableintent).
        public var windUpTime: Duration = .seconds(1)
        /// The same time for a `CancellableIntent`: a choice; Apple says "additional time".
        public var cleanupTime: Duration = .seconds(5)
        /// Whether an intent starts an app that the user has removed from the switcher: a choice.
        ///
        /// The buttons of an alarm do (developer.apple.com/forums/thread/797158: an alarm outlives a force quit, and
        /// its end runs the `stopIntent`). For other intents no source was found; the user runs them, as the user opens
        /// the app.
        public var launchesAfterForceQuit = true
        /// Whether there is `LongRunningIntent`, as in iOS 27 and later; if not, an intent gets no more time.
        public var hasLongRunning = true

        /// Creates the rules of Apple's systems, with the default values above.
        public init() {}
    }
}

extension SystemPolicy {
    private static var durations: [WritableKeyPath<SystemPolicy, Duration>] {
        [
            \.backgroundBudget, \.expirationLead, \.handlerWarning, \.handlerLimit, \.longBackgroundTaskWarning,
            \.firstTransferDelay, \.launchLimit, \.sceneUpdateLimit, \.enterBackgroundLimit, \.willTerminateTime,
            \.dataProtectionDelay, \.rebootTime, \.jobs.usageWindow, \.jobs.expectedUseLead, \.jobs.refreshPatience,
            \.jobs.dailyRefreshBudget, \.jobs.refreshSpacing, \.jobs.processingSpacing, \.jobs.nightBegin,
            \.jobs.nightEnd, \.jobs.refreshLimit, \.jobs.processingLimit, \.jobs.windUpTime, \.jobs.progressStall,
            \.jobs.cpuWindow, \.intents.timeLimit, \.intents.progressStall, \.intents.windUpTime, \.intents.cleanupTime,
        ]
    }

    /// The same rules, with all durations limited so that a simulation ends.
    ///
    /// Without the limits, a simulation could take too long, because the device examines the jobs at each opportunity
    /// between two events, however far apart the events are.
    var bounded: SystemPolicy {
        let longest = Duration.seconds(366 * 86_400)
        var policy = self
        for duration in Self.durations { policy[keyPath: duration].clamp(to: .zero...longest) }
        policy.suspensionDelay = suspensionDelay.clamped(to: .zero...longest)
        policy.jobs.opportunitySpacing = jobs.opportunitySpacing.clamped(to: .seconds(1)...longest)
        return policy
    }
}

extension Duration {
    fileprivate mutating func clamp(to range: ClosedRange<Duration>) {
        self = min(max(range.lowerBound, self), range.upperBound)
    }
}

extension SystemPolicy {
    /// The rules of iOS 17: no continued work, and no processing after the user has removed the app from the switcher.
    ///
    /// The rule for processing is from notes on Apple's session WWDC20 10063 (github.com/WWDCNotes/Content,
    /// content/notes/wwdc20/10063.md). Continued work came with iOS 26 (Apple,
    /// documentation/backgroundtasks/bgcontinuedprocessingtask), so a request for it is refused as `unavailable`.
    public static var iOS17: SystemPolicy {
        var policy = iOS18
        policy.jobs.processingRunsAfterForceQuit = false
        return policy
    }

    /// The rules of iOS 18: those of iOS 26 without continued work.
    ///
    /// If the user has removed the app from the switcher, processing runs all the same (Apple DTS,
    /// developer.apple.com/forums/thread/793189), and a significant change of the location starts the app
    /// (developer.apple.com/forums/thread/826964).
    public static var iOS18: SystemPolicy {
        var policy = iOS26
        policy.jobs.hasContinuedJobs = false
        policy.locationLaunchesAfterForceQuit = true
        return policy
    }

    /// The rules of iOS 26: those of iOS 27 without `LongRunningIntent`.
    public static var iOS26: SystemPolicy {
        var policy = iOS27
        policy.intents.hasLongRunning = false
        return policy
    }

    /// The rules of iOS 27, which are the default.
    ///
    /// `BGTaskScheduler.submitTaskRequest` is new in iOS 27, but an app may call it with every policy (Apple,
    /// documentation/backgroundtasks/bgtaskscheduler/submittaskrequest(_:completionhandler:)).
    public static var iOS27: SystemPolicy { SystemPolicy() }
}
