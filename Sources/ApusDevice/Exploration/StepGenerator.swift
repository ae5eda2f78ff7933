import ApusBackground
package import ApusTimers

/// A possible next step of a random user, with its probability relative to the other choices.
package struct StepChoice {
    let weight: Int
    let make: @MainActor (SeededRandom) -> DeviceStep?

    /// Creates a choice whose step is made when the choice is drawn.
    ///
    /// `make` returns `nil` if the step is impossible at that moment.
    package init(_ weight: Int, _ make: @escaping @MainActor (SeededRandom) -> DeviceStep?) {
        self.weight = weight
        self.make = make
    }

    package init(_ weight: Int, _ step: DeviceStep) { self.init(weight) { _ in step } }
}

extension SeededRandom {
    func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
    func isHeads() -> Bool { number(below: 2) == 0 }
    func element<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }
    func seconds(in range: ClosedRange<Int>) -> Duration { .seconds(range.lowerBound + number(below: range.count)) }
}

/// The choice of a random user's next step, which depends on the device's state so that most steps have an effect.
@MainActor
struct StepGenerator {
    private let settings: Exploration
    private let random: SeededRandom

    /// Creates a generator whose random numbers are independent of those of a device with the same seed.
    init(_ settings: Exploration, seed: UInt64) {
        self.settings = settings
        random = SeededRandom(seed: seed ^ 0x5EED_0F_A_05E7)
    }

    func next(on device: SimulatedDevice) -> DeviceStep {
        let choices = choices(on: device)
        // This number of attempts is enough to find a permitted step, if there is any.
        for _ in 0..<200 {
            var point = random.number(below: choices.reduce(0) { $0 + $1.weight })
            for choice in choices {
                point -= choice.weight
                guard point < 0 else { continue }
                if let step = choice.make(random), settings.allows(step) { return step }
                break
            }
        }
        return .advance(.seconds(1))
    }

    // MARK: Possible steps

    private func choices(on device: SimulatedDevice) -> [StepChoice] {
        [StepChoice(30) { [self] _ in advance(on: device) }] + use(device) + happenings(on: device)
            + device.parts.all.flatMap { $0.steps(on: device) }
    }

    private func use(_ device: SimulatedDevice) -> [StepChoice] {
        var choices = [device.isLocked ? StepChoice(6, .unlock) : StepChoice(3, .lock)]
        switch device.showing {
        case .app:
            choices += [
                StepChoice(9, .pressHome), StepChoice(2, .openAppSwitcher),
                StepChoice(3) { .scroll($0.seconds(in: 1...20)) },
            ]
            if device.appPhase == .active { choices.append(StepChoice(25) { [self] _ in action(on: device) }) }
        case .home, .switcher: choices.append(StepChoice(12, device.appPhase == nil ? .launch : .open))
        case .lock: choices.append(StepChoice(2, .open))
        }
        if device.isInSwitcher { choices.append(StepChoice(device.showing == .switcher ? 8 : 1, .swipeAway)) }
        choices.append(device.isInCall ? StepChoice(12, .endCall) : StepChoice(2, .receiveCall))
        if let shown = device.notifications.shown.last {
            choices.append(StepChoice(4, .tapNotification(shown.request.identifier)))
        }
        return choices
    }

    /// Returns changes of the device and of its settings, and events that happen to the app without an action of its
    /// user.
    private func happenings(on device: SimulatedDevice) -> [StepChoice] {
        let isCharging = device.conditions.isOnExternalPower == true
        let isInBackground = device.appPhase == .background || device.appPhase == .suspended
        return [
            StepChoice(1) { .setBattery(percent: 5 * $0.number(below: 21)) },
            StepChoice(2, isCharging ? .unplug : .plugIn),
            StepChoice(1, .setLowPowerMode(device.conditions.isLowPowerMode != true)),
            StepChoice(1) { .setNetwork($0.element(of: DeviceConditions.Network.allCases)) },
            StepChoice(1) { .setThermalState($0.element(of: DeviceConditions.ThermalState.allCases)) },
            StepChoice(1, .setBackgroundRefresh(!device.isBackgroundRefreshOn)),
            StepChoice(2, .applyMemoryPressure), StepChoice(device.appPhase == nil ? 0 : 1, .kill),
            StepChoice(1, .reboot),
            StepChoice(isInBackground ? 1 : 0, .disconnectScene),
            StepChoice(2) { [self] _ in .sleepMachine(longTime()) },
            StepChoice(1) { .moveWallClock($0.seconds(in: 1...120) * ($0.isHeads() ? 60 : -60)) },
        ]
    }

    private func action(on device: SimulatedDevice) -> DeviceStep? {
        let actions = settings.actions(device)
        return actions.isEmpty ? nil : .app(random.element(of: actions))
    }

    // MARK: Waits

    /// Returns a wait whose length depends on the app's state.
    ///
    /// It is short while the app runs, because each tick of the app's timers is performed. In the background, it can be
    /// long enough for the background tasks to expire; in the foreground, it is at most 30 seconds. Waits of hours
    /// occur only while nothing runs.
    private func advance(on device: SimulatedDevice) -> DeviceStep {
        let isAtRest = device.appPhase == nil || device.appPhase == .suspended
        let bound = isAtRest ? 12 : device.appPhase == .background ? 8 : 5
        return switch random.number(below: bound) {
        case 0: .advance(.milliseconds(100 * (1 + random.number(below: 30))))
        case 1, 2, 3: .advance(random.seconds(in: 1...10))
        case 4: .advance(random.seconds(in: 10...30))
        case 5, 6: .advance(random.seconds(in: 10...60))
        case 7: .advance(random.seconds(in: 60...180))
        default: .advance(longTime())
        }
    }

    private func longTime() -> Duration {
        let longest = min(max(.seconds(5 * 60), settings.longestWait), .seconds(30 * 86_400))
        return random.seconds(in: 5...Int(longest.components.seconds / 60)) * 60
    }
}
