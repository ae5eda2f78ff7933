import ApusBackground
import ApusTimers

/// How a random user explores an app; see ``SimulatedDevice/explore(seeds:_:prepare:check:)-8i0cr``.
public struct Exploration: Sendable {
    /// How many steps the user does with each seed.
    public var steps = 30
    /// How long the device is left alone at most, in one step, while the app does not run: some jobs and notifications
    /// come after hours only.
    public var longestWait: Duration = .seconds(6 * 3_600)
    /// How often a failing script is performed again at most, to make it shorter.
    public var shorteningAttempts = 500
    /// The system's rules.
    public var policy = SystemPolicy()
    /// Steps for which this is false are left out: for an app of which it is known that a clock that is set back harms
    /// it, `{ if case .moveWallClock = $0 { false } else { true } }`.
    public var allows: @Sendable (DeviceStep) -> Bool = { _ in true }
    /// What the user can do in the app, asked for when the app is active. One of them is chosen.
    public var actions: @MainActor @Sendable (SimulatedDevice) -> [AppAction]

    /// Thirty steps with each seed, under Apple's rules.
    ///
    /// - Parameter actions: What the user can do in the app, asked for when the app is active.
    public init(actions: @escaping @MainActor @Sendable (SimulatedDevice) -> [AppAction] = { _ in [] }) {
        self.actions = actions
    }
}

/// What an exploration reached, if nothing was wrong. A count of zero says what it did not try.
public struct ExplorationReport: Sendable, Hashable, CustomStringConvertible {
    /// How many seeds were tried.
    public internal(set) var seedCount = 0
    /// How many steps were done.
    public internal(set) var stepCount = 0
    /// How much time has passed on the devices, all together.
    public internal(set) var time = Duration.zero
    /// How often the app was started.
    public internal(set) var launchCount = 0
    /// How often it was suspended.
    public internal(set) var suspensionCount = 0
    /// How often it was ended.
    public internal(set) var endCount = 0
    /// How often the expiration handlers of background tasks were called.
    public internal(set) var expirationCount = 0
    /// How many background jobs were run.
    public internal(set) var jobCount = 0
    /// How many notifications were shown.
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

/// What an exploration found: a short script that leads to it.
public struct ExplorationFailure: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Problem: Sendable, Hashable, CustomStringConvertible {
        /// The app broke a rule of the system's.
        case fault(Fault)
        /// What the test's own check said.
        case check(String)

        /// What is wrong, in a line.
        public var description: String {
            switch self {
            case .fault(let fault): "fault \(fault)"
            case .check(let text): text
            }
        }

        /// Whether the other one is the same kind of problem: a fault of the same rule, or one that the check found
        /// too.
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
    /// What is wrong at the end of the script.
    public let problem: Problem
    /// The shortest steps that were found to lead there.
    public let steps: [DeviceStep]
    /// How many steps it took the random user.
    public let stepsBeforeShortening: Int
    /// Whether the problem came again when the same steps were done on a new device. If not, chance has a part in it
    /// that no seed decides: threads of the app, a clock of the machine, or state that outlives the app's process. Then
    /// the steps are those of the random user.
    public let isReproducible: Bool
    /// The end of the device's log, after these steps.
    public let log: [DeviceEvent]

    /// The steps as the body of a test, to be put after the line that installs the app.
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
            ? "\(steps.count) of \(stepsBeforeShortening) steps lead to it:"
            : "it did not come again with the same \(steps.count) steps, so they were not shortened:"
        let end = log.suffix(12).map { "\n  \($0)" }.joined()
        return "seed \(seed): \(problem)\n\(origin)\n\n\(script)\n\nthe end of the log:\(end)"
    }
}
