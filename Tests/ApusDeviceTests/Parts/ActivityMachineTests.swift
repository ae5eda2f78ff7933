import ApusTimers
import Foundation
import Testing

@testable import ApusDevice

/// A machine in an object, because `#expect` cannot evaluate an expression that mutates a value.
private final class Activities {
    var machine: ActivityMachine

    init(_ machine: ActivityMachine) { self.machine = machine }

    func update(with request: ActivityRequest) throws(ActivityRefusal) -> DeviceActivity.State? {
        try machine.update("activity-1", with: request)?.0.state
    }

    func end(
        _ dismissal: ActivityDismissal, with request: ActivityRequest? = nil, _ now: ClockReading
    ) throws(ActivityRefusal) -> DeviceActivity.State? {
        try machine.end("activity-1", with: request, dismissal, now: now)?.state
    }

    func dismiss() -> DeviceActivity.State? { machine.dismiss("activity-1")?.state }

    /// Returns the states that activities enter, in order.
    func advance(to now: ClockReading) -> [DeviceActivity.State] { machine.advance(to: now).map(\.state) }
}

/// The rules of Apple, documentation/activitykit/displaying-live-data-with-live-activities.
@Suite("The machine of Live Activities")
struct ActivityMachineTests {
    private let hour: Int64 = 3_600

    /// Returns the readings of all clocks at this number of seconds after the start.
    private func clocks(_ seconds: Int64) -> ClockReading {
        let nanoseconds = UInt64(seconds + 1_000) * 1_000_000_000
        return ClockReading(
            wall: wall(seconds), continuous: ContinuousInstant(nanoseconds: nanoseconds),
            uptime: UptimeInstant(nanoseconds: nanoseconds))
    }

    private func wall(_ seconds: Int64) -> WallInstant { WallInstant(secondsSince1970: 1_767_225_600 + seconds) }

    private func request(bytes: Int = 10, staleAt: Int64? = nil) -> ActivityRequest {
        ActivityRequest(
            kind: "Ride", attributes: Data(count: 10), content: Data(count: bytes),
            staleInstant: staleAt.map { wall($0) })
    }

    private func activities(_ request: ActivityRequest) throws -> Activities {
        var machine = ActivityMachine(limit: 2)
        let activity = try machine.begin(request, isAppActive: true, now: clocks(0))
        #expect(activity.id == "activity-1" && activity.state == .active)
        return Activities(machine)
    }

    @Test("the system ends an activity after eight hours, and removes it after four more")
    func eightHours() throws {
        let activities = try activities(request())
        #expect(activities.advance(to: clocks(8 * hour - 1)).isEmpty)
        #expect(activities.advance(to: clocks(8 * hour)) == [.ended])
        #expect(try activities.update(with: request()) == nil)
        #expect(activities.advance(to: clocks(12 * hour - 1)).isEmpty)
        #expect(activities.advance(to: clocks(12 * hour)) == [.dismissed])
        #expect(activities.machine.nextLimit == nil)
    }

    @Test("what was missed is caught up in order")
    func late() throws {
        let activities = try activities(request(staleAt: 60))
        #expect(activities.advance(to: clocks(30 * hour)) == [.stale, .ended, .dismissed])
    }

    @Test("stale content does not end an activity, and an update makes it active again")
    func stale() throws {
        let activities = try activities(request(staleAt: 60))
        #expect(activities.machine.nextStale == wall(60))
        #expect(activities.advance(to: clocks(60)) == [.stale])
        #expect(try activities.update(with: request()) == .active)
        #expect(activities.machine.nextStale == nil)
    }

    @Test("an activity that the app ends stays for four hours, or until a date within them, or is removed at once")
    func dismissal() throws {
        let policies: [(ActivityDismissal, Int64)] = [
            (.default, 100 + 4 * hour), (.after(wall(1_000)), 1_000), (.after(wall(20 * hour)), 100 + 4 * hour),
            (.after(wall(0)), 100), (.immediate, 100),
        ]
        for (policy, removal) in policies {
            let activities = try activities(request())
            #expect(try activities.end(policy, clocks(100)) == .ended)
            if removal > 100 { #expect(activities.advance(to: clocks(removal - 1)).isEmpty) }
            #expect(activities.advance(to: clocks(removal)) == [.dismissed])
            #expect(try activities.end(policy, clocks(100)) == nil)
        }
    }

    @Test("an app that is not active begins none, nor one of more than 4 KB, nor more than the device allows")
    func refusals() throws {
        let activities = try activities(request(bytes: 4_086))
        for (bytes, isActive, refusal) in [
            (10, false, ActivityRefusal.visibility), (4_087, true, ActivityRefusal.attributesTooLarge),
        ] {
            #expect(throws: refusal) {
                try activities.machine.begin(request(bytes: bytes), isAppActive: isActive, now: clocks(0))
            }
        }
        _ = try activities.machine.begin(request(), isAppActive: true, now: clocks(0))
        #expect(throws: ActivityRefusal.targetMaximumExceeded) {
            try activities.machine.begin(request(), isAppActive: true, now: clocks(0))
        }
        _ = try activities.end(.default, clocks(0))
        let next = try activities.machine.begin(request(), isAppActive: true, now: clocks(0))
        #expect(next.id == "activity-3")
    }

    @Test("an activity with content of more than 4 KB is neither updated nor ended, and keeps its content")
    func largeContent() throws {
        let activities = try activities(request())
        #expect(throws: ActivityRefusal.attributesTooLarge) { try activities.update(with: request(bytes: 4_087)) }
        #expect(throws: ActivityRefusal.attributesTooLarge) {
            try activities.end(.immediate, with: request(bytes: 4_087), clocks(1))
        }
        #expect(activities.machine.all.map(\.state) == [.active])
        #expect(try activities.end(.default, with: request(bytes: 4_086), clocks(1)) == .ended)
        #expect(activities.machine.all.first?.content.count == 4_086)
    }

    @Test("the user removes an activity that runs or has ended, once")
    func user() throws {
        let activities = try activities(request())
        #expect(activities.dismiss() == .dismissed)
        #expect(activities.dismiss() == nil)
        #expect(try activities.update(with: request()) == nil)
    }
}
