import ApusTestSupport
import ApusTimers
import Foundation
import Testing

@testable import ApusDevice

/// A machine in an object, so that a call within `#expect` can change it.
private final class Alarms {
    var machine: AlarmMachine

    init(_ machine: AlarmMachine) { self.machine = machine }

    func all(_ now: ClockReading) -> [DeviceAlarm] { machine.alarms(now: now) }

    /// Returns for each event whether it is an alert; every other event is the beginning of a countdown.
    func advance(to now: ClockReading) -> [Bool] { machine.advance(to: now).map(\.alerts) }
}

/// The rules of Apple, documentation/alarmkit/alarmmanager.
@Suite("The machine of alarms")
struct AlarmMachineTests {
    /// 2026-03-28T05:30:00Z, a Saturday; the clocks of Berlin are set forward on the next day at 2:00.
    private static let start: Int64 = 1_774_675_800
    private let berlin = TimeZone(identifier: "Europe/Berlin")!

    private func instant(_ seconds: Int64) -> WallInstant { WallInstant(secondsSince1970: Self.start + seconds) }

    /// Returns the readings of all clocks at this number of seconds after the start.
    private func clocks(_ seconds: Int64) -> ClockReading {
        let nanoseconds = UInt64(seconds + 1_000) * 1_000_000_000
        return ClockReading(
            wall: instant(seconds), continuous: ContinuousInstant(nanoseconds: nanoseconds),
            uptime: UptimeInstant(nanoseconds: nanoseconds))
    }

    private func alarm(
        _ schedule: AlarmSchedule? = nil, before: Duration? = nil, after: Duration? = nil, id: String = "1"
    ) -> AlarmRequest {
        AlarmRequest(
            id: id, title: "Tea", schedule: schedule, preAlert: before, postAlert: after, isSnoozable: after != nil)
    }

    private func alarms(_ requests: AlarmRequest..., limit: Int = 9) throws -> Alarms {
        var machine = AlarmMachine(limit: limit, zone: berlin)
        for request in requests { try machine.schedule(request, now: clocks(0)) }
        return Alarms(machine)
    }

    private func states(_ alarms: Alarms, _ seconds: Int64) -> [DeviceAlarm.State] {
        alarms.all(clocks(seconds)).map(\.state)
    }

    @Test("an alarm without a schedule counts down from the call, and alerts until it is stopped and deleted")
    func timer() throws {
        let alarms = try alarms(alarm(before: .seconds(300)))
        #expect(alarms.all(clocks(100)).map(\.alertInstant) == [instant(300)])
        #expect(alarms.advance(to: clocks(299)).isEmpty)
        #expect(alarms.advance(to: clocks(300)) == [true])
        #expect(alarms.advance(to: clocks(90_000)).isEmpty)
        #expect(states(alarms, 90_000) == [.alerting])
        let title = try alarms.machine.stop("1", now: clocks(90_000))
        #expect(title == "Tea" && alarms.all(clocks(90_000)).isEmpty)
    }

    @Test("with a schedule and a countdown, the countdown ends at the scheduled time")
    func both() throws {
        let alarms = try alarms(alarm(.fixed(instant(1_000)), before: .seconds(300)))
        #expect(states(alarms, 0) == [.scheduled] && alarms.machine.nextBegin == instant(700))
        #expect(alarms.advance(to: clocks(700)) == [false])
        #expect(alarms.all(clocks(700)).map(\.alertInstant) == [instant(1_000)])
        #expect(alarms.advance(to: clocks(1_000)) == [true])
    }

    @Test("a snoozed alarm counts down again; an alert without such a countdown is not snoozed")
    func snooze() throws {
        let alarms = try alarms(alarm(before: .seconds(60), after: .seconds(540)), alarm(before: .seconds(60), id: "2"))
        _ = alarms.advance(to: clocks(60))
        _ = try alarms.machine.snooze("1", now: clocks(100))
        #expect(throws: AlarmRefusal.self) { try alarms.machine.snooze("2", now: clocks(100)) }
        #expect(states(alarms, 100) == [.countdown, .alerting])
        #expect(alarms.advance(to: clocks(639)).isEmpty)
        #expect(alarms.advance(to: clocks(640)) == [true])
    }

    @Test("a paused countdown keeps its remaining time")
    func pause() throws {
        let alarms = try alarms(alarm(before: .seconds(300)))
        _ = try alarms.machine.pause("1", now: clocks(100))
        #expect(alarms.machine.nextEnd == nil && alarms.all(clocks(100)).map(\.alertInstant) == [nil])
        _ = try alarms.machine.resume("1", now: clocks(5_000))
        #expect(alarms.advance(to: clocks(5_199)).isEmpty)
        #expect(alarms.advance(to: clocks(5_200)) == [true])
    }

    @Test("a call that the state of the alarm does not allow is refused, and so is an unknown identifier")
    func refusals() throws {
        let alarms = try alarms(
            alarm(.fixed(instant(1_000))), alarm(before: .seconds(2_000), after: .seconds(60), id: "2"))
        _ = alarms.advance(to: clocks(1_000))
        let calls: [(inout AlarmMachine) throws -> String] = [
            { try $0.pause("1", now: clocks(1_000)) }, { try $0.resume("1", now: clocks(1_000)) },
            { try $0.resume("2", now: clocks(1_000)) }, { try $0.snooze("2", now: clocks(1_000)) },
            { try $0.stop("3", now: clocks(1_000)) }, { try $0.cancel("3") },
        ]
        for call in calls { #expect(throws: AlarmRefusal.self) { try call(&alarms.machine) } }
        #expect(states(alarms, 1_000) == [.alerting, .countdown])
    }

    @Test("an alarm that would never alert is refused: of the past, or with neither a schedule nor a countdown")
    func never() throws {
        let alarms = try alarms()
        for request in [alarm(.fixed(instant(0))), alarm(after: .seconds(60))] {
            #expect(throws: AlarmRefusal.self) { try alarms.machine.schedule(request, now: clocks(0)) }
        }
        #expect(alarms.all(clocks(0)).isEmpty)
    }

    @Test("the device keeps a number of alarms; another one with the identifier of a kept one replaces it")
    func limit() throws {
        let alarms = try alarms(alarm(before: .seconds(60)), alarm(before: .seconds(60), id: "2"), limit: 2)
        let refusal = #expect(throws: AlarmRefusal.self) {
            try alarms.machine.schedule(alarm(before: .seconds(60), id: "3"), now: clocks(0))
        }
        #expect(refusal?.isLimit == true)
        try alarms.machine.schedule(alarm(before: .seconds(90)), now: clocks(0))
        #expect(alarms.all(clocks(0)).map(\.alertInstant) == [instant(90), instant(60)])
    }

    @Test("a weekly alarm waits for its next day when it is stopped, and is deleted when it is cancelled")
    func weekly() throws {
        // The alarm is due on Saturday and Monday at 7:00 in Berlin: half an hour after the start, and after the change
        // of the clocks.
        let schedule = AlarmSchedule.relative(hour: 7, minute: 0, weekdays: [2, 7])
        let alarms = try alarms(alarm(schedule))
        #expect(alarms.machine.nextBegin == instant(1_800))
        _ = alarms.advance(to: clocks(1_800))
        _ = try alarms.machine.stop("1", now: clocks(1_900))
        #expect(states(alarms, 1_900) == [.scheduled])
        #expect(alarms.machine.nextBegin == instant(1_800 + 2 * 86_400 - 3_600))
        _ = try alarms.machine.cancel("1")
        #expect(alarms.all(clocks(1_900)).isEmpty)
    }

    @Test("a countdown of a weekly alarm that is stopped does not begin again for the same alert")
    func stoppedCountdown() throws {
        let schedule = AlarmSchedule.relative(hour: 7, minute: 0, weekdays: [2, 7])
        let alarms = try alarms(alarm(schedule, before: .seconds(3_600)))
        #expect(states(alarms, 0) == [.countdown])
        _ = try alarms.machine.stop("1", now: clocks(60))
        #expect(alarms.all(clocks(60)).map(\.alertInstant) == [instant(1_800 + 2 * 86_400 - 3_600)])
    }

    @Test("a time of day that the clock skips is the first instant after the gap, and of a repeated time the first")
    func clockChanges() {
        let skipped = AlarmSchedule.relative(hour: 2, minute: 30, weekdays: [1])
        // 3:00 in Berlin is 1:00 UTC.
        #expect(skipped.next(after: instant(0), in: berlin) == WallInstant(secondsSince1970: 1_774_746_000))
        // On 2026-10-25 the clocks are set back from 3:00 to 2:00; the first 2:30 is 0:30 UTC.
        let before = WallInstant(secondsSince1970: 1_792_886_400 - 86_400)
        let repeated = AlarmSchedule.relative(hour: 2, minute: 30, weekdays: [1])
        let first = WallInstant(secondsSince1970: 1_792_888_200)
        #expect(repeated.next(after: before, in: berlin) == first)
        #expect(
            repeated.next(after: first, in: berlin) == WallInstant(secondsSince1970: 1_792_888_200 + 7 * 86_400 + 3_600)
        )
    }

    @Test("a time of day follows the time zone of the device, and a fixed date does not")
    func zones() throws {
        let schedule = AlarmSchedule.relative(hour: 7, minute: 0, weekdays: [])
        let alarms = try alarms(alarm(schedule), alarm(.fixed(instant(1_800)), id: "2"))
        alarms.machine.setZone(TimeZone(identifier: "America/New_York")!, now: clocks(0))
        // 7:00 in New York is 11:00 UTC.
        #expect(alarms.all(clocks(0)).map(\.alertInstant) == [instant(5 * 3_600 + 1_800), instant(1_800)])
    }

    @Test("a wall clock that is set moves alarms that wait, and no countdown; one that is passed over alerts at once")
    func wallClock() throws {
        let alarms = try alarms(
            alarm(.fixed(instant(1_000))), alarm(before: .seconds(600), id: "2"),
            alarm(.fixed(instant(9_000)), before: .seconds(600), id: "3"))
        var set = clocks(10)
        set.wall = instant(8_700)
        #expect(alarms.advance(to: set) == [true, false])
        #expect(alarms.all(set).map(\.state) == [.alerting, .countdown, .countdown])
        #expect(alarms.all(set).map(\.alertInstant) == [instant(8_700), instant(8_700 + 590), instant(9_000)])
    }

    @Test("a wall clock that is set back has a daily alarm alert again on that day")
    func setBack() throws {
        let daily = AlarmSchedule.relative(hour: 7, minute: 0, weekdays: [1, 2, 3, 4, 5, 6, 7])
        let alarms = try alarms(alarm(daily))
        _ = alarms.advance(to: clocks(1_800))
        _ = try alarms.machine.stop("1", now: clocks(1_800))
        #expect(alarms.machine.nextBegin == instant(1_800 + 86_400 - 3_600))
        alarms.machine.wallClockChanged(now: clocks(0))
        #expect(alarms.machine.nextBegin == instant(1_800))
    }

    @Test("countdowns of any duration alert, or count on", arguments: Duration.extremes)
    func extremes(duration: Duration) throws {
        let alarms = try alarms(alarm(before: duration), alarm(.fixed(instant(60)), before: duration, id: "2"))
        #expect(alarms.advance(to: clocks(1)).contains(true) == (duration <= .seconds(1)), "\(duration)")
        #expect(alarms.advance(to: clocks(61)).contains(true))
    }
}
