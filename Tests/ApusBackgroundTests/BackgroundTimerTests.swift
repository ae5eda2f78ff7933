import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("Background timers")
struct BackgroundTimerTests {
    private let host = TestHost()
    private let log = Log<BackgroundTimers.Event>()

    private func timers(
        coverage: BackgroundTimers.Coverage = .shared, notifications: (any NotificationScheduler)? = nil
    ) -> BackgroundTimers {
        BackgroundTimers(host: host, coverage: coverage, notificationScheduler: notifications, delegate: log)
    }

    @Test("a one-shot runs once at its deadline on the main loop, and its background task ends then")
    func oneShot() throws {
        let timers = timers()
        let runs = Log<ContinuousInstant>()
        let start = host.time.continuous()
        let id = try timers.schedule(after: .seconds(3)) { [time = host.time] in runs.add(time.continuous()) }
        #expect(timers.pending == [id])
        #expect(host.openTasks.count == 1)
        host.advance(by: .seconds(10))
        #expect(runs.all == [start.advanced(by: .seconds(3))])
        #expect(timers.pending.isEmpty)
        #expect(log.all == [.executed(id, willRepeat: false)])
        #expect(host.openTasks.isEmpty && host.begunTaskCount == 1 && host.faultCount == 0)
        let wasPending = timers.cancel(id)
        #expect(!wasPending)
        #expect(host.time.leaks.isEmpty)
    }

    @Test("a repeating timer can have its own first delay, and reports its next due instant")
    func firstDelay() throws {
        let timers = timers()
        let runs = Log<Duration>()
        let start = host.time.continuous()
        let id = try timers.schedule(after: .seconds(10), every: .seconds(3)) { [time = host.time] in
            runs.add(start.duration(to: time.continuous()))
        }
        #expect(timers.deadline(of: id) == start.advanced(by: .seconds(10)))
        host.advance(by: .seconds(17))
        #expect(runs.all == [.seconds(10), .seconds(13), .seconds(16)])
        #expect(timers.deadline(of: id) == start.advanced(by: .seconds(19)))
        timers.cancel(id)
        #expect(timers.deadline(of: id) == nil)
        let soon = try timers.schedule(after: .zero, every: .seconds(1)) { runs.add(.zero) }
        host.advance(by: .zero)
        #expect(runs.all.last == .zero)
        timers.cancel(soon)
    }

    @Test("repeating work keeps its phase, and a busy main loop gets one run for all missed ticks")
    func repeating() throws {
        let timers = timers()
        let runs = Log<Duration>()
        let start = host.time.continuous()
        let id = try timers.schedule(after: .seconds(1), every: .seconds(1)) { [time = host.time] in
            runs.add(start.duration(to: time.continuous()))
        }
        host.advance(by: .seconds(2))
        #expect(runs.all == [.seconds(1), .seconds(2)])
        // While the main loop is blocked for 3.5 s, the engine fires once, and then waits.
        host.time.advance(by: .milliseconds(3500))
        #expect(host.loop.drain() == 1 + log.all.count - 2)
        #expect(runs.all.suffix(1) == [.milliseconds(5500)])
        host.advance(by: .seconds(1))
        #expect(runs.all.suffix(2) == [.milliseconds(5500), .seconds(6)])
        let wasPending = timers.cancel(id)
        #expect(wasPending)
        host.advance(by: .seconds(5))
        #expect(log.all.count == 5)
        #expect(log.all.last == .cancelled(id))
        #expect(host.begunTaskCount == 1 && host.openTasks.isEmpty)
    }

    @Test("work cancelled on its way to the main loop does not run")
    func cancelledOnItsWay() throws {
        let timers = timers()
        let id = try timers.schedule(after: .seconds(1)) { Issue.record("the work ran") }
        host.time.advance(by: .seconds(2))
        let wasPending = timers.cancel(id)
        #expect(wasPending)
        host.settle()
        #expect(log.all == [.cancelled(id)])
    }

    @Test("a repeating timer that its own work cancels ends with that run")
    func cancelledByItsWork() throws {
        let timers = timers()
        let ids = Log<BackgroundTimers.ID>()
        let results = Log<Bool>()
        let id = try timers.schedule(after: .seconds(1), every: .seconds(1)) { [weak timers] in
            for id in ids.all { results.add(timers?.cancel(id) ?? false) }
            results.add(timers?.cancelAll().isEmpty ?? false)
        }
        ids.add(id)
        host.advance(by: .seconds(5))
        #expect(results.all == [true, true])
        #expect(log.all == [.executed(id, willRepeat: false)])
        #expect(timers.pending.isEmpty && host.openTasks.isEmpty)
    }

    @Test("work in default mode waits while the user scrolls, and work in common mode does not")
    func modes() throws {
        let held = BackgroundTimers(host: host, mode: .default)
        let common = BackgroundTimers(host: host)
        let runs = Log<String>()
        try held.schedule(after: .seconds(1)) { runs.add("default") }
        try held.schedule(after: .seconds(1), every: .seconds(1)) { runs.add("repeating") }
        try common.schedule(after: .seconds(2)) { runs.add("common") }
        host.loop.scroll(true)
        host.advance(by: .seconds(4))
        #expect(runs.all == ["common"])
        host.loop.scroll(false)
        host.settle()
        #expect(runs.all == ["common", "default", "repeating"])
    }

    @Test("timers stay pending after an expiry and are covered again when the app returns")
    func expiry() throws {
        let timers = timers()
        let runs = Log<Int>()
        let soon = try timers.schedule(after: .seconds(10)) { runs.add(1) }
        let later = try timers.schedule(after: .seconds(28)) { runs.add(2) }
        host.pressHome()
        host.advance(by: .seconds(26))
        host.expire()
        host.settle()
        #expect(log.all == [.executed(soon, willRepeat: false), .expired([later])])
        #expect(timers.pending == [later])
        #expect(host.openTasks.isEmpty)
        // This timer is scheduled too late to get a background task.
        let late = try timers.schedule(after: .seconds(60)) { runs.add(3) }
        host.settle()
        #expect(log.all.last == .expired([late]))
        // The app is suspended: time passes and nothing runs.
        host.time.advance(by: .seconds(40))
        host.open()
        host.settle()
        #expect(runs.all == [1, 2])
        #expect(host.openTasks.count == 1)
        host.advance(by: .seconds(60))
        #expect(runs.all == [1, 2, 3])
        #expect(host.openTasks.isEmpty && host.faultCount == 0)
    }

    @Test("a timer due after the background time keeps nothing running, and is covered again on return")
    func leftOut() throws {
        let timers = timers()
        let runs = Log<Int>()
        let soon = try timers.schedule(after: .seconds(10)) { runs.add(1) }
        let later = try timers.schedule(after: .seconds(3_600)) { runs.add(2) }
        host.pressHome()
        host.settle()
        #expect(log.all == [.expired([later])])
        #expect(host.openTasks.count == 1, "for the first one")
        host.advance(by: .seconds(10))
        #expect(log.all == [.expired([later]), .executed(soon, willRepeat: false)])
        #expect(host.openTasks.isEmpty)
        #expect(timers.pending == [later])
        host.open()
        host.settle()
        #expect(host.openTasks.count == 1)
        // The expiry is reported again during the next time in the background.
        host.pressHome()
        host.settle()
        #expect(log.all.last == .expired([later]) && log.all.count == 3)
        #expect(timers.cancel(later))
        host.open()
        host.settle()
        #expect(host.openTasks.isEmpty && host.faultCount == 0 && runs.all == [1])
    }

    @Test("with one background task for each timer, each task ends with its timer")
    func claimForEach() throws {
        let timers = timers(coverage: .each)
        let ids = try [1, 2, 3].map { try timers.schedule(after: .seconds($0)) {} }
        #expect(host.openTasks.count == 3)
        host.advance(by: .seconds(1))
        #expect(host.openTasks.count == 2)
        let cancelled = timers.cancel(ids)
        #expect(cancelled == Set(ids.suffix(2)))
        #expect(host.openTasks.isEmpty && host.begunTaskCount == 3)
    }

    @Test("a refused background task is reported, and the timer still fires while the app runs")
    func refusal() throws {
        host.refuse(true)
        let timers = timers()
        let id = try timers.schedule(after: .seconds(1)) {}
        host.advance(by: .seconds(2))
        #expect(log.all == [.expired([id]), .executed(id, willRepeat: false)])
    }

    @Test("a timer due too late is handed over to a notification or the app on leaving, and taken back on return")
    func handover() throws {
        let center = FakeNotificationCenter(host.time)
        let timers = timers(notifications: center)
        let due = host.time.wall().advanced(by: .seconds(60))
        let submitted = Log<WallInstant>()
        let near = try timers.schedule(after: .seconds(20), handover: .notification(UserNotification(title: "near"))) {}
        let notified = try timers.schedule(after: .seconds(60), handover: .notification(UserNotification(title: "tea")))
        {}
        let given = try timers.schedule(after: .seconds(60), handover: .custom { _, instant in submitted.add(instant) })
        {}
        host.pressHome()
        host.settle()
        #expect(log.all == [.handedOver([notified, given])])
        #expect(Array(center.requests.values) == [due])
        #expect(submitted.all == [due])
        #expect(timers.pending == [near, notified, given])
        // Only the near timer still has a background task. The task of the timer that became a notification has ended.
        #expect(host.openTasks.count == 1)
        host.advance(by: .seconds(10))
        host.open()
        host.settle()
        #expect(center.requests.isEmpty)
        host.advance(by: .seconds(60))
        #expect(timers.pending.isEmpty)
        #expect(center.shown.isEmpty)
        #expect(host.openTasks.isEmpty && host.faultCount == 0)
    }

    @Test(
        "the background task ends when only handed-over timers are left, and their work runs on a late return"
    )
    func handoverEndsClaim() throws {
        let center = FakeNotificationCenter(host.time)
        let timers = timers(notifications: center)
        let id = try timers.schedule(after: .seconds(60), handover: .notification(UserNotification(title: "tea"))) {}
        host.pressHome()
        host.settle()
        #expect(host.openTasks.isEmpty)
        host.time.advance(by: .seconds(90))
        #expect(center.shown.count == 1)
        host.open()
        host.settle()
        #expect(log.all == [.handedOver([id]), .executed(id, willRepeat: false)])
        #expect(center.shown.count == 1)
    }

    @Test("a timer due in time is handed over when the background time ends early")
    func handoverOnExpiry() throws {
        let timers = timers()
        let submitted = Log<BackgroundTimers.ID>()
        let id = try timers.schedule(after: .seconds(28), handover: .custom { id, _ in submitted.add(id) }) {}
        host.pressHome()
        host.advance(by: .seconds(26))
        #expect(submitted.all.isEmpty)
        host.expire()
        host.settle()
        #expect(submitted.all == [id])
        #expect(log.all == [.expired([id]), .handedOver([id])])
        // The app is already in the background, so the timer is handed over at once.
        let late = try timers.schedule(after: .seconds(28), handover: .custom { id, _ in submitted.add(id) }) {}
        host.settle()
        #expect(submitted.all == [id, late])
        #expect(log.all.last == .handedOver([late]))
    }

    @Test("background timers count the device's sleep")
    func deviceSleep() throws {
        let timers = timers()
        let id = try timers.schedule(after: .seconds(60)) {}
        host.time.sleepMachine(for: .seconds(60))
        host.settle()
        #expect(log.all == [.executed(id, willRepeat: false)])
    }

    @Test("the sequence of events ends with the timers")
    func sequence() throws {
        var timers: BackgroundTimers? = timers()
        let events = try #require(timers?.events())
        let first = try #require(try timers?.schedule(after: .seconds(1)) {})
        let second = try #require(try timers?.schedule(after: .seconds(9)) {})
        host.advance(by: .seconds(2))
        timers = nil
        host.settle()
        let seen = try host.time.perform {
            var seen: [BackgroundTimers.Event] = []
            for await event in events { seen.append(event) }
            return seen
        }
        #expect(seen == [.executed(first, willRepeat: false), .cancelled(second)])
        #expect(log.all == seen)
        #expect(host.openTasks.isEmpty && host.faultCount == 0)
        #expect(host.time.leaks.isEmpty)
    }

    @Test("the delegate is held weakly, and a released one is not called")
    func delegateGoes() throws {
        var delegate: Log<BackgroundTimers.Event>? = Log()
        weak let witness = delegate
        let timers = BackgroundTimers(host: host, delegate: delegate)
        try timers.schedule(after: .seconds(1)) {}
        try timers.schedule(after: .seconds(3)) {}
        host.advance(by: .seconds(2))
        #expect(delegate?.all.count == 1)
        delegate = nil
        #expect(witness == nil)
        host.advance(by: .seconds(2))
        #expect(timers.pending.isEmpty)
    }

    @Test("work can release its own timers")
    func droppedByItsWork() throws {
        final class Owner: Sendable { let timers = Locked<BackgroundTimers?>(nil) }
        let owner = Owner()
        owner.timers.withLock { [host, log] in $0 = BackgroundTimers(host: host, delegate: log) }
        let schedule = { (duration: Duration, work: @escaping @MainActor @Sendable () -> Void) in
            try owner.timers.withLock { $0 }?.schedule(after: duration, work)
        }
        let later = try #require(try schedule(.seconds(9)) {})
        let id = try #require(
            try schedule(.seconds(1)) { withExtendedLifetime(owner.timers.withLock { $0.take() }) {} })
        host.advance(by: .seconds(20))
        #expect(log.all == [.cancelled(later), .executed(id, willRepeat: false)])
        #expect(host.openTasks.isEmpty && host.time.leaks.isEmpty)
    }

    @Test("an invalid argument of a background timer is an error that names it")
    func arguments() throws {
        let timers = timers()
        func message(_ body: () throws -> Void) -> String {
            let error = #expect(throws: BackgroundError.self) { try body() }
            #expect(error?.code == .invalidArgument)
            return error?.message ?? ""
        }
        #expect(message { try timers.schedule(after: .seconds(-1)) {} }.contains("`after`"))
        #expect(message { try timers.schedule(after: .zero, every: .zero) {} }.contains("`every`"))
        let tolerant = { try timers.schedule(after: .zero, every: .seconds(1), tolerance: .seconds(1)) {} }
        #expect(message { _ = try tolerant() }.contains("`tolerance`"))
        #expect(message { try timers.schedule(after: .seconds(1), tolerance: .seconds(-1)) {} }.contains("`tolerance`"))
        let handover = BackgroundTimers.Handover.notification(UserNotification(title: "tea"))
        #expect(message { try timers.schedule(after: .seconds(1), handover: handover) {} }.contains("`handover`"))
        #expect(timers.pending.isEmpty && host.begunTaskCount == 0)
    }
}
