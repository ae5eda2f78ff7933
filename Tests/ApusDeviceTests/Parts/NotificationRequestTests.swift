import ApusBackground
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusDevice

@Suite("Notification requests on a simulated phone")
struct NotificationRequestTests {
    let device = PartsHarness()

    private func identifiers(_ center: SimulatedNotificationCenter) throws -> [String] {
        try device.run { await center.pending().map(\.identifier) }
    }

    @Test(
        "an interval becomes an instant when its request is added, and pending requests are listed earliest first"
    )
    func pending() throws {
        let center = device.center()
        let start = device.time.wall()
        center.add(NotificationRequest("late", .after(.seconds(30))))
        center.add(NotificationRequest("early", .at(start.advanced(by: .seconds(10)))))
        device.time.advance(by: .seconds(5))
        #expect(try identifiers(center) == ["early", "late"])
        #expect(center.nextInstant(of: "late") == start.advanced(by: .seconds(30)))
        #expect(center.nextInstant(of: "unknown") == nil)
        // This request has the same interval, but is added five seconds later.
        center.add(NotificationRequest("later", .after(.seconds(30))))
        #expect(try identifiers(center) == ["early", "late", "later"])
    }

    @Test("a repeating request has a next instant, and keeps the interval that was given")
    func nextInstant() throws {
        let center = device.center()
        let start = device.time.wall()
        let request = NotificationRequest("again", .after(.seconds(90), repeats: true))
        center.add(request)
        device.time.advance(by: .seconds(100))
        #expect(center.nextInstant(of: "again") == start.advanced(by: .seconds(180)))
        #expect(try device.run { await center.pending() } == [request])
    }

    @Test("a request with the identifier of a pending one takes its place")
    func replacement() throws {
        let center = device.center()
        center.add(NotificationRequest("tea", .after(.seconds(10))))
        center.add(NotificationRequest("tea", .after(.seconds(20))))
        #expect(try identifiers(center) == ["tea"])
        device.time.advance(by: .seconds(60))
        #expect(device.deliveries == ["20 system notification delivered: tea"])
        #expect(
            device.log.prefix(3) == [
                "0 app notification scheduled: tea", "0 app notification dropped: tea",
                "0 app notification scheduled: tea",
            ])
    }

    @Test("a notification takes the place of a shown one with its identifier when it is shown, not before")
    func replacementOfDelivered() throws {
        let center = device.center()
        center.add(NotificationRequest("tea", .after(.seconds(1))))
        center.add(NotificationRequest("egg", .after(.seconds(2))))
        device.time.advance(by: .seconds(2))
        center.add(NotificationRequest("tea", .after(.seconds(10))))
        #expect(try device.run { await center.delivered() } == ["tea", "egg"])
        device.time.advance(by: .seconds(10))
        #expect(try device.run { await center.delivered() } == ["egg", "tea"])
        #expect(device.deliveries.count == 3)
    }

    @Test(
        "by the policy keepsSoonest, a 65th request drops the latest one, without an error")
    func keepsSoonest() throws {
        let center = device.center(overflow: .keepsSoonest)
        for second in 1...64 { center.add(NotificationRequest("n\(second)", .after(.seconds(second * 10)))) }
        center.add(NotificationRequest("early", .after(.seconds(5))))
        #expect(try identifiers(center) == ["early"] + (1...63).map { "n\($0)" })
        #expect(device.log.last == "0 system notification dropped: n64")
        // A new request that is later than all others is dropped itself.
        center.add(NotificationRequest("late", .after(.seconds(5000))))
        #expect(try identifiers(center).count == 64)
        #expect(device.log.suffix(2) == ["0 app notification scheduled: late", "0 system notification dropped: late"])
        #expect(device.faults == [])
    }

    @Test("by the policy keepsLast, a 65th request drops the oldest one")
    func keepsLast() throws {
        let center = device.center(overflow: .keepsLast)
        for second in 1...64 { center.add(NotificationRequest("n\(second)", .after(.seconds(second * 10)))) }
        // Adding a request again makes it the latest one; as it replaces itself, no other one is dropped.
        center.add(NotificationRequest("n1", .after(.seconds(10))))
        center.add(NotificationRequest("late", .after(.seconds(5000))))
        #expect(try identifiers(center) == ["n1"] + (3...64).map { "n\($0)" } + ["late"])
        #expect(device.log.last == "0 system notification dropped: n2")
    }

    @Test("a repeating request counts as one of the 64")
    func repeatingCountsOnce() throws {
        let center = device.center()
        center.add(NotificationRequest("hourly", .after(.seconds(3600), repeats: true)))
        device.time.advance(by: .seconds(3600 * 100))
        #expect(try identifiers(center) == ["hourly"])
    }

    @Test("Apus refuses a 65th notification before anything is dropped; a replacement is accepted")
    func tooMany() throws {
        let center = device.center()
        try device.run {
            for second in 1...64 {
                try await center.schedule(NotificationRequest("n\(second)", .after(.seconds(second))))
            }
            let error = await #expect(throws: BackgroundError.self) {
                try await center.schedule(NotificationRequest("one more", .after(.seconds(1))))
            }
            #expect(error?.code == .tooManyNotifications)
            try await center.schedule(NotificationRequest("n64", .after(.seconds(2))))
        }
        #expect(try identifiers(center).count == 64)
        #expect(!device.log.contains("0 system notification dropped: n64"))
    }

    @Test(
        "an interval of zero or less, or a repeating one under 60 s, is an error for Apus, and else a fault",
        arguments: [
            (Duration.zero, false), (.seconds(-1), false), (.zero, true), (.nanoseconds(59_999_999_999), true),
        ])
    func refusedIntervals(interval: Duration, repeats: Bool) throws {
        let center = device.center()
        let request = NotificationRequest("tea", .after(interval, repeats: repeats))
        try device.run {
            let error = await #expect(throws: BackgroundError.self) { try await center.schedule(request) }
            #expect(error?.code == .invalidArgument)
        }
        #expect(device.faults == [])
        center.add(request, fileID: "App/Tea.swift", line: 7)
        #expect(device.faults.map(\.rule) == [.notificationInterval])
        #expect(device.faults.first?.place == "App/Tea.swift:7")
        #expect(Fault.Rule.notificationInterval.name.hasPrefix("NSInternalInconsistencyException"))
        #expect(try identifiers(center) == [])
        #expect(device.log == [])
    }

    @Test("a repeating interval of 60 s and a single one of a nanosecond are accepted")
    func acceptedIntervals() throws {
        let center = device.center()
        center.add(NotificationRequest("minute", .after(.seconds(60), repeats: true)))
        center.add(NotificationRequest("now", .after(.nanoseconds(1))))
        #expect(device.faults == [])
        device.time.advance(by: .seconds(120))
        #expect(device.deliveries.map { $0.split(separator: " ").last } == ["now", "minute", "minute"])
    }

    @Test("a removed request is not delivered any more, even if it repeats")
    func removal() throws {
        let center = device.center()
        center.add(NotificationRequest("once", .after(.seconds(10))))
        center.add(NotificationRequest("again", .after(.seconds(60), repeats: true)))
        device.time.advance(by: .seconds(60))
        try device.run { await center.removePending(["again", "unknown"]) }
        device.time.advance(by: .seconds(600))
        #expect(
            device.deliveries == ["10 system notification delivered: once", "60 system notification delivered: again"])
        #expect(device.log.last == "60 app notification dropped: again")
        #expect(device.time.pendingTimerCount == 0)
    }

    @Test("removing a pending request does not remove its delivered notification from the screen")
    func removalAfterDelivery() throws {
        let center = device.center()
        center.add(NotificationRequest("tea", .after(.seconds(10))))
        device.time.advance(by: .seconds(10))
        let lines = device.log.count
        try device.run { await center.removePending(["tea"]) }
        #expect(try device.run { await center.delivered() } == ["tea"])
        #expect(device.log.count == lines)
        center.removeDelivered(["tea"])
        #expect(try device.run { await center.delivered() } == [])
    }

    @Test("a request with the longest interval is never delivered")
    func farAway() {
        let center = device.center()
        center.add(NotificationRequest("never", .after(.seconds(Int64.max))))
        device.time.advance(by: .seconds(1_000_000_000))
        #expect(device.deliveries == [])
    }
}
