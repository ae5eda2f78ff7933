import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

/// A notifier that records notifications instead of showing them.
private struct RememberingNotifier: Notifier {
    let titles = Log<String>()
    var fails = false

    func notify(_ notification: UserNotification) async throws {
        if fails { throw BackgroundError(code: .notificationRefused, message: "there is no listener") }
        titles.add(notification.title)
    }
}

@MainActor
@Suite("Notifications that the process keeps")
struct ProcessNotificationSchedulerTests {
    private let host = TestHost()
    private let notifier = RememberingNotifier()
    private let center: ProcessNotificationScheduler

    init() { center = ProcessNotificationScheduler(showing: notifier, on: host) }

    private func schedule(_ identifier: String, _ trigger: NotificationRequest.Trigger) throws {
        let request = NotificationRequest(
            identifier: identifier, notification: UserNotification(title: identifier), trigger: trigger)
        try host.time.perform { [center] in try await center.schedule(request) }
    }

    private func pending() throws -> [String] {
        try host.time.perform { [center] in await center.pending().map(\.identifier) }
    }

    @Test("the process's notifications are pending until their instants and are then shown, the earliest first")
    func instants() throws {
        try schedule("late", .at(host.time.wall().advanced(by: .seconds(90))))
        try schedule("soon", .after(.seconds(10)))
        #expect(try pending() == ["soon", "late"])
        host.advance(by: .seconds(9))
        #expect(notifier.titles.all.isEmpty)
        host.advance(by: .seconds(1))
        #expect(notifier.titles.all == ["soon"])
        host.advance(by: .seconds(80))
        #expect(notifier.titles.all == ["soon", "late"])
        #expect(try pending().isEmpty)
        let delivered = try host.time.perform { [center] in await center.delivered() }
        #expect(delivered == ["soon", "late"])
    }

    @Test("a notification replaces the pending one with its identifier, and a removed one is not shown")
    func replacement() throws {
        try schedule("tea", .after(.seconds(10)))
        try schedule("tea", .after(.seconds(20)))
        try schedule("egg", .after(.seconds(5)))
        try host.time.perform { [center] in await center.removePending(["egg", "nothing"]) }
        host.advance(by: .seconds(19))
        #expect(notifier.titles.all.isEmpty)
        host.advance(by: .seconds(60))
        #expect(notifier.titles.all == ["tea"])
    }

    @Test("a repeating notification keeps its phase, and missed ones are shown as one")
    func repeating() throws {
        try schedule("drink", .after(.seconds(60), repeats: true))
        host.advance(by: .seconds(121))
        #expect(notifier.titles.all.count == 2)
        host.time.sleepMachine(for: .seconds(180))
        host.settle()
        #expect(notifier.titles.all.count == 3)
        host.advance(by: .seconds(59))
        #expect(notifier.titles.all.count == 4)
    }

    @Test("a repeating notification can be removed while it is shown, and is not shown again")
    func removedWhileShown() throws {
        try schedule("drink", .after(.seconds(60), repeats: true))
        host.advance(by: .seconds(60))
        #expect(try pending() == ["drink"])
        try host.time.perform { [center] in await center.removePending(["drink"]) }
        host.advance(by: .seconds(600))
        #expect(notifier.titles.all.count == 1)
        #expect(host.time.pendingTimerCount == 0)
    }

    @Test("the last thousand shown notifications are remembered")
    func remembered() throws {
        for number in 0...1_000 { try schedule("\(number)", .after(.seconds(1))) }
        host.advance(by: .seconds(1))
        let delivered = try host.time.perform { [center] in await center.delivered() }
        #expect(delivered == (1...1_000).map { "\($0)" })
    }

    @Test("setting the wall clock back shows no notification twice, and delays those that wait for an instant")
    func wallClock() throws {
        let instant = host.time.wall().advanced(by: .seconds(10))
        try schedule("first", .at(instant))
        try schedule("second", .at(instant.advanced(by: .seconds(10))))
        host.advance(by: .seconds(11))
        host.time.moveWallClock(by: .seconds(-3_600))
        host.advance(by: .seconds(60))
        #expect(notifier.titles.all == ["first"])
        host.advance(by: .seconds(3_600))
        #expect(notifier.titles.all == ["first", "second"])
    }

    @Test(
        "an interval that no system accepts is refused, and a notification that cannot be shown does not count as shown"
    )
    func refusals() throws {
        #expect(throws: BackgroundError.self) { try schedule("zero", .after(.zero)) }
        #expect(throws: BackgroundError.self) { try schedule("often", .after(.seconds(59), repeats: true)) }
        let deaf = ProcessNotificationScheduler(showing: RememberingNotifier(fails: true), on: host)
        let request = NotificationRequest(
            identifier: "lost", notification: UserNotification(title: "lost"), trigger: .after(.seconds(1)))
        try host.time.perform { try await deaf.schedule(request) }
        host.advance(by: .seconds(2))
        let delivered = try host.time.perform { await deaf.delivered() }
        #expect(delivered.isEmpty)
    }
}
