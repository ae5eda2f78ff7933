import ApusBackground

extension SimulatedDevice {
    /// Lets a random user explore an app until a problem is found or all seeds have been tried.
    ///
    /// With each seed, the user opens, leaves, locks, scrolls, kills and waits on a new device, changes the settings
    /// and the clock, and lets the system run what is pending. The exploration ends at the first problem: a fault that
    /// was not expected, an app object that outlives its process, or a text from `check`. The steps are then repeated
    /// on other devices, with some of them omitted, until no further step can be omitted.
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
    /// The same seed leads to the same steps for the same app. An app that keeps state in globals must be a program in
    /// its own process; otherwise each seed finds the state that the previous one has left.
    ///
    /// - Parameters:
    ///   - seeds: The seeds of the devices and of the user. A failure names its seed; a range with only this seed
    ///     repeats the search.
    ///   - exploration: The number of steps, the system's rules, and the user's actions in the app.
    ///   - prepare: Installs the app on a new device, and sets the expected faults.
    ///   - check: Called after each step, on the main actor's thread; returns a problem or `nil`. It must not let time
    ///     pass.
    /// - Returns: The counts of the exploration.
    /// - Throws: ``ExplorationFailure`` with a script that leads to the problem, or an error of `prepare`.
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

    /// Lets a random user explore an app that uses `Task { @MainActor in … }`, as the synchronous function does for
    /// other apps.
    ///
    /// See the asynchronous ``advance(by:)-6pb81``.
    ///
    /// - Parameters:
    ///   - seeds: The seeds of the devices and of the user.
    ///   - exploration: The number of steps, the system's rules, and the user's actions in the app.
    ///   - prepare: Installs the app on a new device, and sets the expected faults.
    ///   - check: Called after each step; returns a problem or `nil`. It must not let time pass.
    /// - Returns: The counts of the exploration.
    /// - Throws: ``ExplorationFailure`` with a script that leads to the problem, or an error of `prepare`.
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

/// The repetition of a failing script, first unchanged and then in shorter forms.
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

    /// Returns the steps to perform next on a new device; `nil` when nothing is left to try.
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

/// One run of the app on one device, with generated or given steps.
@MainActor
final class ExplorationTrial {
    typealias Check = @MainActor (SimulatedDevice) -> String?

    let device: SimulatedDevice
    private(set) var steps: [DeviceStep] = []
    private(set) var problem: ExplorationFailure.Problem?
    private let check: Check
    private var source: Source
    private var faultsSeen = 0

    private enum Source {
        case user(StepGenerator, left: Int)
        case given(ArraySlice<DeviceStep>)
    }

    init(_ settings: Exploration, seed: UInt64, given: [DeviceStep]?, check: @escaping Check) {
        device = SimulatedDevice(seed: seed, policy: settings.policy)
        device.showsOutput = false
        self.check = check
        source =
            given.map { .given($0[...]) }
            ?? .user(StepGenerator(settings, seed: seed), left: settings.steps)
    }

    /// Returns the next step; `nil` when there is none, or when a problem was found.
    ///
    /// The caller performs the step, and then calls ``judge()``.
    func next() -> DeviceStep? {
        guard problem == nil else { return nil }
        let step: DeviceStep
        switch source {
        case .user(let generator, let left):
            guard left > 0 else { return nil }
            // The first step launches the app, because most other steps have no effect on an app that has never run.
            step = steps.isEmpty ? .launch : generator.next(on: device)
            source = .user(generator, left: left - 1)
        case .given(var rest):
            guard let first = rest.popFirst() else { return nil }
            step = bounded(first)
            source = .given(rest)
        }
        steps.append(step)
        return step
    }

    /// Returns the step with a shorter wait if the app is running.
    ///
    /// The generator makes waits of hours only while nothing runs. When a step before such a wait is omitted, the app
    /// may be in the foreground during the wait, and each tick of its timers would be performed.
    private func bounded(_ step: DeviceStep) -> DeviceStep {
        guard case .advance(let duration) = step, let phase = device.appPhase, phase != .suspended else { return step }
        return .advance(min(duration, .seconds(600)))
    }

    /// Looks for a problem after a step.
    func judge() {
        guard problem == nil else { return }
        findFault()
        if problem == nil, let text = check(device) { problem = .check(text) }
    }

    /// Looks for objects that have outlived their processes, once the device has been switched off.
    func judgeEnd() {
        guard problem == nil else { return }
        device.reportLeaks()
        findFault()
    }

    private func findFault() {
        let faults = device.faults
        let new = faults[min(faultsSeen, faults.count)...]
        faultsSeen = faults.count
        problem = new.first { !device.expectedRules.contains($0.rule) }.map { .fault($0) }
    }
}
