import ApusTimers
import Testing

@testable import ApusJobs

@Suite("The life of a scheduler")
struct SchedulerLifeTests {
    private func at(_ seconds: UInt64) -> UptimeInstant { SchedulerReading(milliseconds: seconds * 1_000).uptime }

    private var running: SchedulerLife {
        var life = SchedulerLife()
        life.recovered(through: nil)
        return life
    }

    private func step(
        _ life: inout SchedulerLife, running: Int = 0, unwritten: Int = 0, at seconds: UInt64
    ) -> SchedulerLife.StopStep {
        life.continueStop(running: running, unwritten: unwritten, cancellationGrace: .seconds(1), at(seconds))
    }

    @Test("a scheduler runs after the last page of interrupted runs; a stop before that closes it at once")
    func recovering() {
        var life = SchedulerLife()
        life.recovered(through: 5)
        #expect(!life.isRunning && life.acceptsCommands)
        var other = life
        #expect(other.stop(1, grace: nil, at(0)) == .close)
        life.recovered(through: nil)
        #expect(life.isRunning)
    }

    @Test("a stop waits for handlers until the grace ends, cancels them, waits another second, and closes")
    func grace() {
        var life = running
        #expect(life.stop(1, grace: .seconds(5), at(0)) == .begin)
        #expect(life.isStopping && !life.acceptsCommands && life.deadline == at(5))
        #expect(step(&life, running: 1, at: 4) == .wait)
        #expect(step(&life, running: 1, at: 5) == .cancelHandlers)
        #expect(life.deadline == at(6))
        #expect(step(&life, running: 1, at: 5) == .wait)
        #expect(step(&life, running: 1, at: 6) == .close)
    }

    @Test("a stop without a grace waits until handlers return; the shortest of several graces counts")
    func several() {
        var life = running
        #expect(life.stop(1, grace: nil, at(0)) == .begin)
        #expect(step(&life, running: 1, at: 999) == .wait)
        #expect(life.stop(2, grace: .seconds(9), at(1_000)) == .waits)
        #expect(life.stop(3, grace: .seconds(20), at(1_000)) == .waits)
        #expect(life.deadline == at(1_009))
        #expect(step(&life, at: 1_001) == .close)
    }

    @Test("a stop retries writing results three times, and begins counting again when a handler ends")
    func unwritten() {
        var life = running
        _ = life.stop(1, grace: nil, at(0))
        for _ in 1...2 { life.storeFailed() }
        #expect(step(&life, unwritten: 1, at: 1) == .wait)
        life.handlerEnded()
        for _ in 1...2 { life.storeFailed() }
        #expect(step(&life, unwritten: 1, at: 1) == .wait)
        life.storeFailed()
        #expect(step(&life, unwritten: 1, at: 1) == .close)
    }

    @Test("all callers of stop are answered in their order when the store is closed, and later ones at once")
    func answers() {
        var life = running
        _ = life.stop(1, grace: nil, at(0))
        _ = life.stop(2, grace: nil, at(0))
        var effects: [SchedulerEffect] = []
        life.closed(&effects)
        #expect(effects.isEmpty)
        life.close(nil)
        #expect(life.stop(3, grace: nil, at(0)) == .waits)
        life.closed(&effects)
        let answered = effects.compactMap { if case .answer(let call, _) = $0 { call } else { nil } }
        #expect(answered == [1, 2, 3] && effects.count == 4)
        #expect(life.stop(4, grace: nil, at(0)) == .done)
    }
}
