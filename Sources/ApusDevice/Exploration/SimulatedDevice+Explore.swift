extension SimulatedDevice {
    /// Lets a random user explore an app: with each seed, a new device on which the user opens, leaves, locks, scrolls,
    /// kills, waits, changes the settings and the clock, and lets the system run what is pending. It ends at the first
    /// problem: a fault that was not expected, an app object that outlives its process, or what `check` says. The steps
    /// are then done again on other devices, with some of them left out, until nothing more can be.
    ///
    /// ```swift
    /// let report = try SimulatedDevice.explore(seeds: 1...200) { device in
    ///     device.install { host in MyApp(host: host) }
    /// } check: { device in
    ///     (device.app as? MyApp)?.isConsistent == false ? "the app is inconsistent" : nil
    /// }
    /// print(report)
    /// ```
    ///
    /// The same seed makes the same steps for the same app. An app that keeps state in globals must be a program of its
    /// own process, or each seed finds what the one before has left.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, of the devices and of the user. A failure names its seed: with it alone as the range, the
    ///     search is repeated.
    ///   - exploration: How long, under which rules, and what can be done in the app.
    ///   - prepare: Installs the app on a new device, and says which faults are expected.
    ///   - check: Called after each step, on the main actor's thread: what is wrong, or nil. It must let no time pass.
    /// - Returns: What was reached.
    /// - Throws: ``ExplorationFailure`` with a script that leads to the problem; what `prepare` throws.
    @discardableResult
    public static func explore(
        seeds: ClosedRange<UInt64>, _ exploration: Exploration = Exploration(),
        prepare: (SimulatedDevice) throws -> Void,
        check: @escaping @MainActor (SimulatedDevice) -> String? = { _ in nil }
    ) throws -> ExplorationReport {
        func attempt(_ seed: UInt64, _ given: [DeviceStep]? = nil) throws -> ExplorationTrial {
            let trial = ExplorationTrial(exploration, seed: seed, given: given, check: check)
            try prepare(trial.device)
            while let step = trial.next() {
                step.perform(on: trial.device)
                trial.judge()
            }
            trial.device.switchOff()
            trial.judgeEnd()
            return trial
        }
        var report = ExplorationReport()
        for seed in seeds {
            let trial = try attempt(seed)
            report.add(trial)
            guard let problem = trial.problem else { continue }
            var search = FailureSearch(trial, problem, attempts: exploration.shorteningAttempts)
            while let steps = search.next() { search.report(try attempt(seed, steps)) }
            throw search.failure
        }
        return report
    }

    /// Like the synchronous form, for apps that use `Task { @MainActor in … }`; see the asynchronous ``advance(by:)-6pb81``.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, of the devices and of the user.
    ///   - exploration: How long, under which rules, and what can be done in the app.
    ///   - prepare: Installs the app on a new device, and says which faults are expected.
    ///   - check: Called after each step: what is wrong, or nil. It must let no time pass.
    /// - Returns: What was reached.
    /// - Throws: ``ExplorationFailure`` with a script that leads to the problem; what `prepare` throws.
    @discardableResult
    public static func explore(
        seeds: ClosedRange<UInt64>, _ exploration: Exploration = Exploration(),
        prepare: (SimulatedDevice) throws -> Void,
        check: @escaping @MainActor (SimulatedDevice) -> String? = { _ in nil }
    ) async throws -> ExplorationReport {
        func attempt(_ seed: UInt64, _ given: [DeviceStep]? = nil) async throws -> ExplorationTrial {
            let trial = ExplorationTrial(exploration, seed: seed, given: given, check: check)
            try prepare(trial.device)
            while let step = trial.next() {
                await step.performAsynchronously(on: trial.device)
                trial.judge()
            }
            await trial.device.settle()
            trial.device.switchOff()
            await trial.device.settle()
            trial.judgeEnd()
            return trial
        }
        var report = ExplorationReport()
        for seed in seeds {
            let trial = try await attempt(seed)
            report.add(trial)
            guard let problem = trial.problem else { continue }
            var search = FailureSearch(trial, problem, attempts: exploration.shorteningAttempts)
            while let steps = search.next() { search.report(try await attempt(seed, steps)) }
            throw search.failure
        }
        return report
    }
}

/// Does a failing script once more as it is, and then in shorter forms.
@MainActor
private struct FailureSearch {
    private(set) var failure: ExplorationFailure
    private var shortener: StepShortener?
    private let attempts: Int

    init(_ trial: ExplorationTrial, _ problem: ExplorationFailure.Problem, attempts: Int) {
        failure = ExplorationFailure(
            seed: trial.device.seed, problem: problem, steps: trial.steps, stepsBeforeShortening: trial.steps.count,
            isReproducible: false, log: trial.device.log)
        self.attempts = attempts
    }

    /// The steps to do next on a new device; nil when nothing is left to try.
    mutating func next() -> [DeviceStep]? { shortener == nil ? failure.steps : shortener?.next() }

    mutating func report(_ trial: ExplorationTrial) {
        let problem = trial.problem.flatMap { $0.isSameKind(as: failure.problem) ? $0 : nil }
        if let problem {
            failure = ExplorationFailure(
                seed: failure.seed, problem: problem, steps: trial.steps,
                stepsBeforeShortening: failure.stepsBeforeShortening, isReproducible: true, log: trial.device.log)
        }
        if shortener == nil {
            shortener = StepShortener(trial.steps, attempts: problem == nil ? 0 : attempts)
        } else {
            shortener?.report(failedAfter: problem.map { _ in trial.steps })
        }
    }
}
