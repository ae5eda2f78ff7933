import ApusTimers
import Testing

@testable import ApusDevice

@Suite("The machine of significant location changes")
struct SignificantChangeMachineTests {
    private func instant(_ seconds: UInt64) -> ContinuousInstant {
        ContinuousInstant(nanoseconds: seconds * 1_000_000_000)
    }
    private let home = LocationRoute.Place(latitude: 50, longitude: 8)
    private let away = LocationRoute.Place(latitude: 51, longitude: 8)

    @Test("the place of a moving phone is examined every five minutes, even if the user does not allow it")
    func looks() {
        var machine = SignificantChangeMachine()
        #expect(machine.nextLook(reading: instant(1)) == nil)
        _ = machine.start(at: home, now: instant(0))
        #expect(machine.nextLook(reading: instant(1)) == instant(300))
        let isReported = machine.look(at: away, isAllowed: false, now: instant(300))
        #expect(!isReported)
        #expect(machine.nextLook(reading: instant(301)) == instant(600))
        let isReportedThen = machine.look(at: away, isAllowed: true, now: instant(600))
        #expect(isReportedThen)
    }

    @Test("a report that no process has received waits for the next process that starts the service")
    func waits() {
        var machine = SignificantChangeMachine()
        _ = machine.start(at: home, now: instant(0))
        machine.processEnded()
        let isReported = machine.look(at: away, isAllowed: true, now: instant(300))
        #expect(isReported)
        let early = machine.takeReport()
        #expect(early == nil)
        let fix = machine.start(at: home, now: instant(1_000))
        #expect(fix == SignificantChangeMachine.Fix(place: away, at: instant(300)))
    }
}
