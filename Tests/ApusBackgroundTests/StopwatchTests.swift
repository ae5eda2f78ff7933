import ApusBackground
import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusTimers

@MainActor
@Suite("Stopwatches")
struct StopwatchTests {
    private let host = TestHost()
    private let store = FailingStore()

    private func stopwatch(on host: TestHost? = nil) throws -> Stopwatch {
        try Stopwatch(host: host ?? self.host, store: store, key: "run")
    }

    @Test("a stopwatch counts up, keeps its time while paused, records laps and resets to zero")
    func life() throws {
        let stopwatch = try stopwatch()
        for change in [stopwatch.pause, stopwatch.resume, stopwatch.lap, stopwatch.reset] { #expect(try !change()) }
        try stopwatch.start()
        host.advance(by: .seconds(10))
        #expect(try stopwatch.lap())
        host.advance(by: .seconds(5))
        #expect(try stopwatch.pause())
        host.advance(by: .seconds(100))
        #expect(stopwatch.state == .paused && stopwatch.elapsed == .seconds(15))
        #expect(try stopwatch.resume())
        host.time.sleepMachine(for: .seconds(5))
        #expect(try stopwatch.lap())
        #expect(stopwatch.elapsed == .seconds(20) && stopwatch.laps == [.seconds(10), .seconds(20)])
        #expect(try stopwatch.reset())
        #expect(stopwatch.state == .idle && stopwatch.elapsed == .zero && stopwatch.laps.isEmpty)
        #expect(store.records.keys.isEmpty && host.time.leaks.isEmpty)
    }

    @Test("a stopwatch survives its process within one boot, whatever the wall clock is set to")
    func survivesTheProcess() throws {
        do {
            let stopwatch = try stopwatch()
            try stopwatch.start()
            host.advance(by: .seconds(10))
            try stopwatch.lap()
        }
        host.time.moveWallClock(by: .seconds(-3600))
        host.time.advance(by: .seconds(20))
        let stopwatch = try stopwatch()
        #expect(stopwatch.state == .running && stopwatch.elapsed == .seconds(30) && stopwatch.laps == [.seconds(10)])
        try stopwatch.pause()
        host.time.advance(by: .seconds(20))
        #expect(try self.stopwatch().elapsed == .seconds(30))
    }

    @Test("a stopwatch survives a restart of the machine, even if the wall clock is set while it runs")
    func survivesTheMachine() throws {
        do {
            let stopwatch = try stopwatch()
            try stopwatch.start()
            host.advance(by: .seconds(10))
            host.time.moveWallClock(by: .seconds(3600))
            host.settle()
            #expect(stopwatch.elapsed == .seconds(10))
        }
        let next = TestHost(
            bootID: "boot 2",
            time: VirtualTime(
                uptime: UptimeInstant(nanoseconds: 1), wall: host.time.wall().advanced(by: .seconds(50))))
        let stopwatch = try stopwatch(on: next)
        #expect(stopwatch.elapsed == .seconds(60))
        // The wall clock is set back during a restart, and the elapsed time does not change.
        let last = TestHost(bootID: "boot 3", time: VirtualTime(wall: WallInstant(secondsSince1970: 0)))
        #expect(try self.stopwatch(on: last).elapsed == .seconds(60))
    }

    @Test("a stopwatch's action that cannot be stored has no effect")
    func storeFails() throws {
        let stopwatch = try stopwatch()
        try stopwatch.start()
        store.fail(true)
        for change in [stopwatch.pause, stopwatch.lap, stopwatch.reset] {
            let error = #expect(throws: BackgroundError.self) { try change() }
            #expect(error?.code == .storeFailed && error?.message.contains("stopwatch “run”") == true)
        }
        host.advance(by: .seconds(3))
        #expect(stopwatch.state == .running && stopwatch.elapsed == .seconds(3) && stopwatch.laps.isEmpty)
    }

    @Test("a stopwatch's display changes on whole seconds after its start")
    func display() throws {
        let stopwatch = try stopwatch()
        let shown = Log<Duration>()
        let observation = stopwatch.observeDisplay { shown.add($0) }
        host.advance(by: .seconds(5))
        #expect(shown.all == [.zero])
        try stopwatch.start()
        host.advance(by: .milliseconds(1500))
        try stopwatch.pause()
        host.advance(by: .seconds(5))
        try stopwatch.resume()
        host.advance(by: .milliseconds(499), step: .milliseconds(499))
        #expect(shown.all == [.zero, .seconds(1)])
        host.advance(by: .milliseconds(1), step: .milliseconds(1))
        #expect(shown.all == [.zero, .seconds(1), .seconds(2)])
        observation.cancel()
        #expect(host.time.leaks.isEmpty)
    }

    @Test("a record that is not a stopwatch's is an error that names the key")
    func corrupt() throws {
        try store.save("nonsense", for: "run")
        let error = #expect(throws: BackgroundError.self) { try stopwatch() }
        #expect(error?.code == .storeFailed && error?.message.contains("“run”") == true)
    }
}
