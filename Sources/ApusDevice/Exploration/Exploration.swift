import ApusBackground
import ApusTimers

/// The settings of an exploration of an app by a random user; see
/// ``SimulatedDevice/explore(seeds:_:prepare:check:)-8i0cr``.
public struct Exploration: Sendable {
    /// The number of steps with each seed.
    public var steps = 30
    /// The longest wait or sleep in one step; a value is limited to the range from five minutes to 30 days.
    ///
    /// Waits of this length occur while the app does not run; sleeps of the device occur at any time. Some jobs and
    /// notifications come only after hours.
    public var longestWait: Duration = .seconds(6 * 3_600)
    /// The maximum number of additional runs that try to shorten a failing script.
    public var shorteningAttempts = 500
    /// The system's rules.
    public var policy = SystemPolicy()
    /// Returns whether a step may be performed.
    ///
    /// For example, `{ if case .moveWallClock = $0 { false } else { true } }` leaves out the changes of the wall clock.
    public var allows: @Sendable (DeviceStep) -> Bool = { _ in true }
    /// Returns the possible actions of the user in the active app, one of which is chosen.
    public var actions: @MainActor @Sendable (SimulatedDevice) -> [AppAction]

    /// Creates settings with thirty steps for each seed and Apple's rules.
    ///
    /// - Parameter actions: Returns the possible actions of the user in the active app.
    public init(actions: @escaping @MainActor @Sendable (SimulatedDevice) -> [AppAction] = { _ in [] }) {
        self.actions = actions
    }
}

/// The counts of an exploration that found no problem; a count of zero shows that something was not tried.
public struct ExplorationReport: Sendable, Hashable, CustomStringConvertible {
    /// The number of seeds that were tried.
    public internal(set) var seedCount = 0
    /// The number of steps that were performed.
    public internal(set) var stepCount = 0
    /// The total time from the first to the last event of each device's log, on the wall clock.
    ///
    /// Steps that set the wall clock change this time too.
    public internal(set) var time = Duration.zero
    /// The number of times that the app was launched.
    public internal(set) var launchCount = 0
    /// The number of times that the app was suspended.
    public internal(set) var suspensionCount = 0
    /// The number of times that the app was ended.
    public internal(set) var endCount = 0
    /// The number of times that expiration handlers of background tasks were called.
    public internal(set) var expirationCount = 0
    /// The number of background jobs that were run.
    public internal(set) var jobCount = 0
    /// The number of notifications that were shown.
    public internal(set) var notificationCount = 0

    /// The counts in one line.
    public var description: String {
        "\(seedCount) seeds, \(stepCount) steps, \(time.components.seconds / 3_600) hours: \(launchCount) launches, "
            + "\(suspensionCount) suspensions, \(endCount) ends, \(expirationCount) expirations of background tasks, "
            + "\(jobCount) background jobs, \(notificationCount) notifications"
    }

    @MainActor
    mutating func add(_ trial: ExplorationTrial) {
        seedCount += 1
        stepCount += trial.steps.count
        launchCount += trial.device.launchCount
        jobCount += trial.device.jobs.history.count
        let log = trial.device.log
        if let first = log.first, let last = log.last { time += first.wall.duration(to: last.wall) }
        for event in log {
            switch event.what {
            case .phase(.suspended): suspensionCount += 1
            case .terminated: endCount += 1
            case .backgroundTasksExpired: expirationCount += 1
            case .notificationDelivered: notificationCount += 1
            default: break
            }
        }
    }
}

/// The problem that an exploration found, with a short script that leads to it.
public struct ExplorationFailure: Error, Sendable, CustomStringConvertible {
    /// The kinds of problems.
    public enum Problem: Sendable, Hashable, CustomStringConvertible {
        /// The app broke a rule of the system.
        case fault(Fault)
        /// The test's own check returned this text.
        case check(String)

        /// The problem in one line.
        public var description: String {
            switch self {
            case .fault(let fault): "fault \(fault)"
            case .check(let text): text
            }
        }

        /// Returns whether both problems are faults of the same rule, or both were found by the test's check.
        func isSameKind(as other: Problem) -> Bool {
            switch (self, other) {
            case (.fault(let fault), .fault(let other)): fault.rule == other.rule
            case (.check, .check): true
            case (.fault, .check), (.check, .fault): false
            }
        }
    }

    /// The seed of the device.
    public let seed: UInt64
    /// The problem at the end of the script.
    public let problem: Problem
    /// The shortest list of steps that was found to lead to the problem.
    public let steps: [DeviceStep]
    /// The number of the random user's steps up to the problem, before the script was shortened.
    public let stepsBeforeShortening: Int
    /// Whether the problem occurred again when the same steps were performed on a new device.
    ///
    /// If this is false, the problem depends on something that no seed controls: threads of the app, a clock of the
    /// machine, or state that outlives the app's process. The steps are then those of the random user.
    public let isReproducible: Bool
    /// The device's log after these steps.
    public let log: [DeviceEvent]

    /// The steps as the body of a test, except the line that installs the app.
    public var script: String {
        """
        try SimulatedDevice.run(seed: \(seed)) { device in
            // Install the app here.
        \(steps.map { "    \($0)\n" }.joined())}
        """
    }

    /// The seed, the problem, the script, and the end of the log.
    public var description: String {
        let origin =
            isReproducible
            ? "\(steps.count) of \(stepsBeforeShortening) steps lead to the problem:"
            : "the problem did not occur again with the same \(steps.count) steps, so they were not shortened:"
        let end = log.suffix(12).map { "\n  \($0)" }.joined()
        return "seed \(seed): \(problem)\n\(origin)\n\n\(script)\n\nthe end of the log:\(end)"
    }
}
