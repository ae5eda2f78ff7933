import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusLinux

@Suite("Changes of the conditions")
@MainActor
struct ConditionChangesTests {
    private let profile = "sys/firmware/acpi/platform_profile"
    private let root: FakeRoot
    private let world: HostInVirtualTime

    init() throws {
        root = try FakeRoot([profile: "balanced"])
        world = HostInVirtualTime(root: root.path)
    }

    /// Listens, and records the elements of the sequence.
    private func listen() -> (Log<Bool?>, Task<Void, any Error>) {
        let heard = Log<Bool?>()
        let changes = world.host.conditionChanges()
        let task = world.time.start {
            for await conditions in changes { heard.add(conditions.isLowPowerMode) }
        }
        world.time.settle()
        return (heard, task)
    }

    @Test("reading the conditions reads the files at once")
    func asking() throws {
        #expect(world.host.conditions.isLowPowerMode == false)
        try root.write("low-power", to: profile)
        #expect(world.host.conditions.isLowPowerMode == true)
        #expect(world.time.pendingTimerCount == 0)
    }

    @Test("a listener gets each change once, at most 45 s later")
    func changes() throws {
        let (heard, task) = listen()
        world.time.advance(by: .seconds(100))
        #expect(heard.all == [])
        try root.write("low-power", to: profile)
        world.time.advance(by: .seconds(45))
        #expect(heard.all == [true])
        world.time.advance(by: .seconds(100))
        #expect(heard.all == [true])
        try root.write("?", to: profile)
        world.time.advance(by: .seconds(45))
        #expect(heard.all == [true, false])
        task.cancel()
        world.time.settle()
    }

    @Test("a listener gets a change that another caller's query found, and the change back after it")
    func foundByAsking() throws {
        let (heard, task) = listen()
        world.time.advance(by: .seconds(5))
        try root.write("low-power", to: profile)
        #expect(world.host.conditions.isLowPowerMode == true)
        world.time.settle()
        #expect(heard.all == [true])
        try root.write("balanced", to: profile)
        world.time.advance(by: .seconds(45))
        #expect(heard.all == [true, false])
        task.cancel()
        world.time.settle()
    }

    @Test("a change before a listener began is not reported to it")
    func lateListener() throws {
        let (first, firstTask) = listen()
        try root.write("low-power", to: profile)
        let (second, secondTask) = listen()
        #expect(first.all == [true])
        world.time.advance(by: .seconds(100))
        #expect(second.all == [])
        firstTask.cancel()
        secondTask.cancel()
        world.time.settle()
    }

    @Test("the files are read by a timer only while there is a listener")
    func onlyWhileListening() throws {
        let (_, task) = listen()
        #expect(world.time.pendingTimerCount == 1)
        world.time.advance(by: .seconds(1_000))
        #expect(world.time.pendingTimerCount == 1)
        task.cancel()
        world.time.advance(by: .seconds(45))
        #expect(world.time.pendingTimerCount == 0)

        let (heard, again) = listen()
        try root.write("low-power", to: profile)
        world.time.advance(by: .seconds(45))
        #expect(heard.all == [true])
        again.cancel()
        world.time.advance(by: .seconds(45))
        #expect(world.time.leaks == [])
    }
}
