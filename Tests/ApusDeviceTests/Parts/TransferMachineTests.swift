import ApusBackground
import ApusTimers
import Testing

@testable import ApusDevice
@testable import ApusVirtualTime

@Suite("The machine of transfers")
struct TransferMachineTests {
    /// One machine with its clocks, and a device that executes its actions.
    private struct World {
        let time = VirtualTime()
        let random: SeededRandom
        var machine = TransferMachine(firstDelay: .seconds(60))
        var scene = DeviceScene()
        var begun: Set<Int> = []
        var completed: [Int] = []
        var wakes = 0
        var log: [String] = []

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            (scene.conditions.network, scene.conditions.isOnExternalPower) = (.available, true)
            (scene.isAppInFront, scene.isAppAtRest, scene.isAppStopped) = (true, true, false)
        }

        var now: ClockReading { ClockReading(time.clocks) }

        mutating func look() {
            var isAgain = true
            while isAgain {
                isAgain = false
                for action in machine.update(scene, now: now) {
                    switch action {
                    case .ask(let key, _):
                        isAgain = true
                        machine.answered(key, .file(bytes: 1_000, bytesPerSecond: 100), now: now)
                    case .log(let key, let text): log.append("\(key.number) \(text)")
                    case .wake(let session):
                        isAgain = true
                        wakes += 1
                        machine.begin(session, isWake: true, now: now)
                        (scene.isAppAtRest, scene.isAppStopped) = (true, false)
                        _ = machine.open(session, TransferSettings())
                        takeNotices()
                    case .notify(let session):
                        isAgain = true
                        machine.begin(session, isWake: false, now: now)
                        takeNotices()
                    case .deliver(let session):
                        while let event = machine.takeEvent(session, scene) {
                            if case .completed(let record) = event { completed.append(record.number) }
                        }
                    }
                }
            }
        }

        mutating func takeNotices() {
            for notice in machine.takeNotices() { _ = machine.complete(notice.number) }
        }

        mutating func begin(in session: String = "s") {
            let record = machine.add(TransferRequest(.download, url: "https://example.com"), to: session)
            begun.insert(record.number)
            change(record.number, .resume)
        }

        mutating func change(_ number: Int, _ change: TransferChange) {
            machine.change(TransferMachine.Key(session: "s", number: number), change, scene, now: now)
        }

        mutating func advance(seconds: UInt64) {
            for _ in 0..<seconds {
                time.pass(1_000_000_000)
                look()
            }
        }

        mutating func stopApp() { (scene.isAppInFront, scene.isAppAtRest, scene.isAppStopped) = (false, false, true) }

        mutating func endApp() {
            machine.processEnded()
            stopApp()
        }

        mutating func openApp() {
            (scene.isAppInFront, scene.isAppAtRest, scene.isAppStopped, scene.wasForceQuit) = (true, true, false, false)
            _ = machine.open("s", TransferSettings())
        }

        func received() -> Int64 {
            var copy = machine
            return copy.records(of: "s", now: now).map(\.received).reduce(0, +)
        }
    }

    @Test(
        "whatever the app and the network do, each task ends once, and no bytes move without a network",
        arguments: 1...40)
    func random(seed: UInt64) {
        var world = World(seed: seed)
        world.openApp()
        for _ in 0..<200 {
            switch world.random.next() % 10 {
            case 0: if !world.scene.isAppStopped { world.begin() }
            case 1: world.scene.conditions.network = DeviceConditions.Network.none
            case 2, 3: world.scene.conditions.network = .available
            case 4: world.stopApp()
            case 5: world.endApp()
            case 6: world.openApp()
            case 7: if !world.scene.isAppStopped { world.change(Int(world.random.next() % 20) + 1, .cancel) }
            default: break
            }
            world.look()
            let before = world.received()
            let isOff = world.scene.conditions.network == DeviceConditions.Network.none
            world.time.pass(world.random.next() % 5_000_000_000)
            if isOff { #expect(world.received() == before) }
            world.look()
        }
        world.scene.conditions.network = .available
        world.openApp()
        world.advance(seconds: 30)
        #expect(world.completed.count == Set(world.completed).count)
        #expect(Set(world.completed) == world.begun)
        #expect(!world.begun.isEmpty)
    }

    @Test("the app is notified of a finished download even if a data task of the session fails after it")
    func cutOffAfterEnd() {
        var world = World(seed: 0)
        world.openApp()
        world.begin()
        world.look()
        world.advance(seconds: 5)
        let data = world.machine.add(TransferRequest(.data, url: "https://example.com"), to: "s")
        world.change(data.number, .resume)
        world.look()
        // An app on its way to the background is not notified.
        (world.scene.isAppInFront, world.scene.isAppAtRest) = (false, false)
        world.advance(seconds: 6)
        world.stopApp()
        world.look()
        #expect(world.wakes == 1 && world.completed == [1, 2])
    }

    @Test("the app is resumed once, when the last task of a session has ended")
    func onceForAll() {
        var world = World(seed: 0)
        world.openApp()
        world.begin()
        world.look()
        world.advance(seconds: 5)
        world.begin()
        world.look()
        world.stopApp()
        world.advance(seconds: 9)
        #expect((world.wakes, world.completed.isEmpty) == (0, true))
        world.advance(seconds: 3)
        #expect(world.wakes == 1)
        #expect(world.completed == [1, 2])
    }

    @Test("the number of bytes is exact, however often a transfer was interrupted")
    func bytes() {
        var world = World(seed: 0)
        world.openApp()
        world.begin()
        world.look()
        for _ in 0..<7 {
            world.time.pass(333_333_333)
            world.scene.conditions.network = DeviceConditions.Network.none
            world.look()
            world.time.pass(1_000_000_000)
            world.scene.conditions.network = .available
            world.look()
        }
        #expect(world.received() == 233)
        world.advance(seconds: 8)
        #expect(world.log.suffix(1) == ["1 done"])
    }

    @Test("a task that begins in the background waits for at most a day, however often the app was resumed")
    func longestDelay() {
        var world = World(seed: 0)
        world.openApp()
        world.stopApp()
        for _ in 0..<100 { world.machine.begin("s", isWake: true, now: world.now) }
        let now = world.now
        world.begin()
        world.look()
        #expect(world.log == ["1 waits: the app was resumed too often"])
        let wait = world.machine.wakeups(now: now).continuous.map { now.continuous.duration(to: $0) }
        #expect(wait == .seconds(86_400))
    }

    @Test("a suspended task keeps its bytes, and cancelling a task that has ended does nothing")
    func suspension() {
        var world = World(seed: 0)
        world.openApp()
        world.begin()
        world.look()
        world.advance(seconds: 4)
        world.change(1, .suspend)
        world.advance(seconds: 100)
        #expect(world.received() == 400)
        world.change(1, .resume)
        world.advance(seconds: 7)
        #expect(world.completed == [1])
        world.change(1, .cancel)
        world.advance(seconds: 1)
        #expect(world.completed == [1])
    }
}
