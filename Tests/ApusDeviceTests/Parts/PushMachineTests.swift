import ApusBackground
import ApusTimers
import Testing

@testable import ApusDevice
@testable import ApusVirtualTime

@Suite("The machine of silent pushes")
struct PushMachineTests {
    /// A machine, with a record of what it has done.
    private struct History {
        var machine: PushMachine
        var handedOver: [Int] = []
        var wakes: [ContinuousInstant] = []
        var received = 0

        init() {
            machine = PushMachine(hourlyLimit: 3, lowBattery: 0.2)
            machine.isRegistered = true
            machine.appInstalled(isModeDeclared: true)
        }

        mutating func carryOut(_ action: PushMachine.Action?, now: ClockReading) {
            switch action {
            case .wake:
                machine.begin(countsAsWake: true, now: now)
                wakes.append(now.continuous)
            case .deliver: machine.begin(countsAsWake: false, now: now)
            case .hold, .discard, nil: break
            }
        }
    }

    @Test(
        "at most three pushes start the app within an hour, and each push is handed over at most once",
        arguments: 1...20)
    func random(seed: UInt64) {
        let time = VirtualTime()
        let random = SeededRandom(seed: seed)
        var history = History()
        var scene = DeviceScene()
        for _ in 0..<2_000 {
            let now = ClockReading(time.clocks)
            switch random.next() % 8 {
            case 0, 1:
                history.received += 1
                let action = history.machine.receive([:], scene, now: now)
                history.carryOut(action, now: now)
            case 2: scene.isAppInFront = random.next() % 3 == 0
            case 3: scene.conditions.isLowPowerMode = random.next() % 2 == 0
            case 4: history.handedOver += history.machine.handOver().map(\.number)
            case 5:
                if let run = history.machine.runs.first {
                    let isKnown = history.machine.complete(run.push.number)
                    #expect(isKnown)
                }
                let isUnknown = !history.machine.complete(history.received + 1)
                #expect(isUnknown)
            case 6:
                time.advance(by: .seconds(Int64(random.next() % 1_800)))
                _ = history.machine.takeOverdue(now: ClockReading(time.clocks))
            default: history.carryOut(history.machine.next(scene, now: now), now: now)
            }
            if random.next() % 100 == 0 { _ = history.machine.processEnded() }
            if let last = history.wakes.last {
                let recent = history.wakes.filter { $0.duration(to: last) < .seconds(3_600) }
                #expect(recent.count <= 3)
            }
        }
        #expect(Set(history.handedOver).count == history.handedOver.count)
        #expect(history.handedOver == history.handedOver.sorted())
        #expect(history.wakes.count > 10)
        #expect(history.handedOver.count > 50)
    }

    @Test("with a limit of zero, no push starts the app, but an app in front receives all")
    func noLimit() {
        let time = VirtualTime()
        var machine = PushMachine(hourlyLimit: 0, lowBattery: 0.2)
        machine.isRegistered = true
        machine.appInstalled(isModeDeclared: true)
        var scene = DeviceScene()
        let now = ClockReading(time.clocks)
        let action = machine.receive([:], scene, now: now)
        #expect(action == .hold(reasons: ["too many pushes within an hour"], replacesOther: false))
        #expect(machine.freeAgain(now: now) == nil)
        scene.isAppInFront = true
        #expect(machine.next(scene, now: now) == .deliver)
    }
}
