import ApusBackground
import ApusTimers

/// What a random user does next. It looks at the device, so that most of what it does has an effect.
@MainActor
struct StepGenerator {
    private struct Choice {
        let weight: Int
        let make: (inout StepGenerator) -> DeviceStep?

        init(_ weight: Int, _ make: @escaping (inout StepGenerator) -> DeviceStep?) {
            self.weight = weight
            self.make = make
        }

        init(_ weight: Int, _ step: DeviceStep) { self.init(weight) { _ in step } }
    }

    private let settings: Exploration
    private let random: SeededRandom
    private var hasInterruptedSound = false

    /// The user draws from a sequence of its own, and the device of that seed from another.
    init(_ settings: Exploration, seed: UInt64) {
        self.settings = settings
        random = SeededRandom(seed: seed ^ 0x5EED_0F_A_05E7)
    }

    /// The next step.
    mutating func next(on device: SimulatedDevice) -> DeviceStep {
        let choices = choices(on: device)
        // Enough to find what may be done, if anything else may.
        for _ in 0..<200 {
            var point = number(below: choices.reduce(0) { $0 + $1.weight })
            for choice in choices {
                point -= choice.weight
                guard point < 0 else { continue }
                if let step = choice.make(&self), settings.allows(step) { return step }
                break
            }
        }
        return .advance(.seconds(1))
    }

    // MARK: What can be done

    private func choices(on device: SimulatedDevice) -> [Choice] {
        var choices = [Choice(30) { $0.advance(on: device) }]
        choices += use(device)
        choices += happenings(on: device)
        choices += system(of: device)
        return choices
    }

    private func use(_ device: SimulatedDevice) -> [Choice] {
        var choices = [device.isLocked ? Choice(6, .unlock) : Choice(3, .lock)]
        switch device.showing {
        case .app:
            choices += [
                Choice(9, .pressHome), Choice(2, .openAppSwitcher), Choice(3) { .scroll($0.seconds(in: 1...20)) },
            ]
            if device.appPhase == .active { choices.append(Choice(25) { $0.action(on: device) }) }
        case .home, .switcher: choices.append(Choice(12, device.appPhase == nil ? .launch : .open))
        case .lock: choices.append(Choice(2, .open))
        }
        if device.isInSwitcher { choices.append(Choice(device.showing == .switcher ? 8 : 1, .swipeAway)) }
        choices.append(device.isInCall ? Choice(12, .endCall) : Choice(2, .receiveCall))
        if let shown = device.notifications.shown.last {
            choices.append(Choice(4, .tapNotification(shown.request.identifier)))
        }
        return choices
    }

    /// What happens to the device, and to the app without the user.
    private func happenings(on device: SimulatedDevice) -> [Choice] {
        let isCharging = device.conditions.isOnExternalPower == true
        let isInBackground = device.appPhase == .background || device.appPhase == .suspended
        return [
            Choice(1) { .setBattery(percent: 5 * $0.number(below: 21)) },
            Choice(2, isCharging ? .unplug : .plugIn),
            Choice(1, .setLowPowerMode(device.conditions.isLowPowerMode != true)),
            Choice(1) { .setNetwork($0.element(of: DeviceConditions.Network.allCases)) },
            Choice(1) { .setThermalState($0.element(of: DeviceConditions.ThermalState.allCases)) },
            Choice(1, .setBackgroundRefresh(!device.isBackgroundRefreshOn)),
            Choice(2, .applyMemoryPressure), Choice(device.appPhase == nil ? 0 : 1, .kill), Choice(1, .reboot),
            Choice(isInBackground ? 1 : 0, .disconnectScene), Choice(2) { .sleepDevice($0.longTime()) },
            Choice(1) { .moveWallClock($0.seconds(in: 1...120) * ($0.number(below: 2) == 0 ? 60 : -60)) },
        ]
    }

    /// What the app has to do with the system.
    private func system(of device: SimulatedDevice) -> [Choice] {
        var choices: [Choice] = []
        for request in device.jobs.pendingRequests() { choices.append(Choice(4, .launchJob(request.identifier))) }
        for task in device.jobs.running { choices.append(Choice(4, .expireJob(task.identifier))) }
        if hasInterruptedSound {
            choices.append(
                Choice(8) { generator in
                    generator.hasInterruptedSound = false
                    return .endAudioInterruption(shouldResume: generator.number(below: 2) == 0)
                })
        } else if device.audio.isSessionActive {
            choices.append(
                Choice(2) { generator in
                    generator.hasInterruptedSound = true
                    return .beginAudioInterruption
                })
        }
        if device.pushes.isRegistered { choices.append(Choice(3, .receivePush)) }
        if device.notifications.authorization != .notDetermined {
            choices.append(
                Choice(1) { .setNotificationAuthorization($0.element(of: [.authorized, .denied, .provisional])) })
        }
        if device.location.authorization != .notDetermined {
            choices.append(Choice(1) { .setLocationAuthorization($0.element(of: [.always, .whenInUse, .denied])) })
        }
        return choices
    }

    private mutating func action(on device: SimulatedDevice) -> DeviceStep? {
        let actions = settings.actions(device)
        return actions.isEmpty ? nil : .app(element(of: actions))
    }

    // MARK: How long

    /// Short while the app runs, whose timers are worked off tick by tick; in the background long enough for what it
    /// begins there to expire, in front rarely more than some seconds. Hours only while nothing runs.
    private mutating func advance(on device: SimulatedDevice) -> DeviceStep {
        let isAtRest = device.appPhase == nil || device.appPhase == .suspended
        let bound = isAtRest ? 12 : device.appPhase == .background ? 8 : 5
        return switch number(below: bound) {
        case 0: .advance(.milliseconds(100 * (1 + number(below: 30))))
        case 1, 2, 3: .advance(seconds(in: 1...10))
        case 4: .advance(seconds(in: 10...30))
        case 5, 6: .advance(seconds(in: 10...60))
        case 7: .advance(seconds(in: 60...180))
        default: .advance(longTime())
        }
    }

    private mutating func longTime() -> Duration {
        let longest = max(300, settings.longestWait.components.seconds)
        return seconds(in: 5...Int(longest / 60)) * 60
    }

    // MARK: Chance

    private mutating func seconds(in range: ClosedRange<Int>) -> Duration {
        .seconds(range.lowerBound + number(below: range.count))
    }

    private mutating func element<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    private mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}
