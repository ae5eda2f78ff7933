import ApusTimers

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
