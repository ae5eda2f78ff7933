import ApusBackground

/// One run of the app on one device: with steps that are made up on the way, or with given ones.
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
        self.check = check
        source =
            given.map { .given($0[...]) }
            ?? .user(StepGenerator(settings, seed: seed), left: settings.steps)
    }

    /// The next step; nil when there is none, or something is wrong. The caller performs it, and then calls ``judge()``.
    func next() -> DeviceStep? {
        guard problem == nil else { return nil }
        let step: DeviceStep
        switch source {
        case .user(let generator, let left):
            guard left > 0 else { return nil }
            // The first step starts the app: there is nothing to do with a device that has never had it.
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

    /// A wait of hours was made up while nothing ran. Without one of the steps before it the app may be in front, and
    /// each tick of its timers would be worked off.
    private func bounded(_ step: DeviceStep) -> DeviceStep {
        guard case .advance(let duration) = step, let phase = device.appPhase, phase != .suspended else { return step }
        return .advance(min(duration, .seconds(600)))
    }

    /// Looks for what is wrong after a step.
    func judge() {
        guard problem == nil else { return }
        findFault()
        if problem == nil, let text = check(device) { problem = .check(text) }
    }

    /// Looks for what is wrong when the device was switched off: objects of ended processes that are still there.
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
