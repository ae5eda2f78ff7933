import ApusTimers
import Testing

@testable import ApusJobs

@Suite("The record of the clocks")
struct StoredClockTests {
    private let now = SchedulerReading(milliseconds: 5_000)

    private func session(_ clock: StoreClock?, isShared: Bool = false) -> StoreSession {
        var session = StoreSession.sample(isShared: isShared)
        session.clock = clock
        return session
    }

    @Test("a new store's record is written once")
    func new() {
        var clock = StoredClock(session(nil), bootID: "boot", at: now)
        #expect(clock.isChanged)
        #expect(clock.committed().isEmpty && !clock.isChanged)
        #expect(!StoredClock(session(clock.record), bootID: "boot", at: now).isChanged)
        #expect(!StoredClock(session(nil, isShared: true), bootID: "boot", at: now).isChanged)
    }

    @Test("a clock step of a second moves elapsed time and is reported when written; a smaller one is ignored")
    func step() {
        var clock = StoredClock(session(nil), bootID: "boot", at: now)
        _ = clock.committed()
        #expect(clock.notice(now.set(by: .milliseconds(999))) == nil && !clock.isChanged)
        let noticed = clock.notice(now.set(by: .seconds(-1)))
        #expect(noticed?.step == .seconds(-1) && noticed?.moved == .seconds(-1))
        #expect(clock.record.elapsedOffset == .seconds(-1) && clock.isChanged)
        #expect(clock.notice(now.set(by: .seconds(-1))) == nil)
        // The clock is set back before the first step is stored; both steps are then reported.
        _ = clock.notice(now)
        #expect(clock.isChanged && clock.committed() == [.seconds(-1), .seconds(1)] && !clock.isChanged)
    }

    @Test("a scheduler that shares its store does not move elapsed time")
    func shared() {
        var clock = StoredClock(session(nil, isShared: true), bootID: "boot", at: now)
        #expect(clock.notice(now.set(by: .seconds(60)))?.moved == .zero)
        #expect(clock.record.elapsedOffset == .zero && clock.isChanged)
    }

    @Test("a clock step while no scheduler ran is detected within one boot and accepted across boots")
    func boots() {
        let record = StoredClock(session(nil), bootID: "boot", at: now).record
        let later = now.set(by: .seconds(60))
        var same = StoredClock(session(record), bootID: "boot", at: later)
        #expect(same.asRecorded(later).wall == now.wall)
        #expect(same.notice(later)?.step == .seconds(60))
        var other = StoredClock(session(record), bootID: "other", at: later)
        #expect(other.notice(later) == nil && other.isChanged)
    }
}
