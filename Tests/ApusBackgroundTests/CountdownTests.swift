import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusBackground
@testable import ApusTimers

/// A store that fails on demand.
final class FailingStore: RecordStore {
    struct Failure: Error {}
    let records = MemoryRecordStore()
    private let isFailing = Locked(false)

    func fail(_ isFailing: Bool) { self.isFailing.withLock { $0 = isFailing } }

    func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        try records.load(type, for: key)
    }

    func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        if isFailing.withLock({ $0 }) { throw Failure() }
        try records.save(record, for: key)
    }
}

@MainActor
@Suite("Countdowns")
struct CountdownTests {
    private let host = TestHost()
    private let store = FailingStore()
    private let center: FakeNotificationCenter
    private let identifier = "apus.countdown.tea"

    init() { center = FakeNotificationCenter(host.time) }

    private func countdown() throws -> Countdown {
        try Countdown(
            host: host, store: store, key: "tea", notification: UserNotification(title: "Tea"),
            notificationScheduler: center)
    }

    private var now: WallInstant { host.time.wall() }

    @Test("a countdown finishes once at its instant, and is idle after the acknowledgement")
    func life() throws {
        let countdown = try countdown()
        let finishes = Log<WallInstant>()
        let observation = countdown.observeFinish { finishes.add($0) }
        #expect(countdown.state == .idle && countdown.remaining == .zero && countdown.stopInstant == nil)
        try countdown.start(for: .seconds(60))
        let stop = now.advanced(by: .seconds(60))
        host.advance(by: .seconds(20))
        #expect(countdown.state == .running && countdown.remaining == .seconds(40))
        #expect(countdown.stopInstant == stop)
        #expect(center.requests == [identifier: stop])
        host.advance(by: .seconds(100))
        #expect(countdown.state == .finished(at: stop, unseen: false))
        #expect(finishes.all == [stop])
        #expect(center.shown == [identifier])
        let changed = try countdown.acknowledge()
        #expect(changed && countdown.state == .idle)
        #expect(store.records.keys.isEmpty)
        host.settle()
        #expect(host.time.leaks.isEmpty && host.openTasks.isEmpty)
        observation.cancel()
    }

    @Test("a paused countdown keeps its remaining time, and an action that its state does not allow does nothing")
    func pause() throws {
        let countdown = try countdown()
        for change in [countdown.pause, countdown.resume, countdown.cancel, countdown.acknowledge] {
            #expect(try !change())
        }
        #expect(try !countdown.extend(by: .seconds(1)))
        try countdown.start(for: .seconds(60))
        #expect(try !countdown.resume())
        host.advance(by: .seconds(20))
        #expect(try countdown.pause())
        #expect(try !countdown.pause())
        host.advance(by: .seconds(1000))
        #expect(countdown.state == .paused && countdown.remaining == .seconds(40))
        #expect(countdown.stopInstant == nil && center.requests.isEmpty)
        #expect(try countdown.extend(by: .seconds(-10)))
        #expect(try countdown.resume())
        host.settle()
        #expect(countdown.remaining == .seconds(30))
        #expect(center.requests == [identifier: now.advanced(by: .seconds(30))])
        #expect(try countdown.extend(by: .seconds(30)))
        host.advance(by: .seconds(59))
        #expect(countdown.state == .running)
        host.advance(by: .seconds(1))
        #expect(countdown.state == .finished(at: now, unseen: true))
    }

    @Test("an observer may start the countdown again")
    func again() throws {
        let countdown = try countdown()
        let finishes = Log<WallInstant>()
        let observation = countdown.observeFinish { [weak countdown] instant in
            finishes.add(instant)
            do { try countdown?.start(for: .seconds(10)) } catch { Issue.record(error) }
        }
        try countdown.start(for: .seconds(10))
        let start = now
        host.advance(by: .seconds(35))
        #expect(finishes.all == [10, 20, 30].map { start.advanced(by: .seconds($0)) })
        #expect(countdown.state == .running && countdown.remaining == .seconds(5))
        // The store contains the record of the running countdown, not that of the last finish.
        #expect(try self.countdown().remaining == .seconds(5))
        observation.cancel()
    }

    @Test("a busy main loop is notified of a finish late but once, with the right instant")
    func busyMainLoop() throws {
        let countdown = try countdown()
        let finishes = Log<WallInstant>()
        let observation = countdown.observeFinish { finishes.add($0) }
        try countdown.start(for: .seconds(10))
        let stop = now.advanced(by: .seconds(10))
        host.settle()
        host.time.advance(by: .seconds(30))
        // The finish is on its way to the main loop.
        #expect(countdown.remaining == .zero)
        #expect(try !countdown.pause())
        #expect(try !countdown.extend(by: .seconds(5)))
        host.settle()
        #expect(finishes.all == [stop])
        #expect(countdown.state == .finished(at: stop, unseen: false))
        observation.cancel()
    }

    @Test("a finish on its way to the main loop does not end a countdown started meanwhile")
    func startedOnItsWay() throws {
        let countdown = try countdown()
        let finishes = Log<WallInstant>()
        let observation = countdown.observeFinish { finishes.add($0) }
        try countdown.start(for: .seconds(10))
        host.settle()
        host.time.advance(by: .seconds(10))
        try countdown.start(for: .seconds(60))
        host.settle()
        #expect(countdown.state == .running && finishes.all.isEmpty)
        host.advance(by: .seconds(60))
        #expect(finishes.all == [now])
        observation.cancel()
    }

    @Test("an invalid argument of a countdown is an error that names it and changes nothing")
    func arguments() throws {
        let countdown = try countdown()
        try countdown.start(for: .seconds(60))
        func message(_ body: () throws -> Void) -> String {
            let error = #expect(throws: BackgroundError.self) { try body() }
            #expect(error?.code == .invalidArgument)
            return error?.message ?? ""
        }
        #expect(message { try countdown.start(for: .zero) }.contains("`for`"))
        #expect(message { try countdown.start(for: .seconds(-5)) }.contains("`for`"))
        #expect(message { try countdown.start(until: now) }.contains("`until`"))
        #expect(
            message { try countdown.start(until: now.advanced(by: .seconds(-5))) }.contains("`until` is 5.0 seconds"))
        #expect(message { try countdown.extend(by: .seconds(-60)) }.contains("`duration`"))
        #expect(countdown.remaining == .seconds(60))
        try countdown.start(until: now.advanced(by: .seconds(90)))
        #expect(countdown.remaining == .seconds(90))
        try countdown.start(for: .seconds(Int64.max))
        try countdown.extend(by: .seconds(Int64.max))
        #expect(countdown.state == .running)
    }

    @Test("an action that cannot be stored has no effect, and the error names the countdown")
    func storeFails() throws {
        let countdown = try countdown()
        try countdown.start(for: .seconds(60))
        host.settle()
        let requests = center.requests
        store.fail(true)
        for change: () throws -> Void in [
            { try countdown.start(for: .seconds(5)) }, { try countdown.pause() },
            { try countdown.extend(by: .seconds(5)) },
            { try countdown.cancel() },
        ] {
            let error = #expect(throws: BackgroundError.self) { try change() }
            #expect(error?.code == .storeFailed && error?.cause is FailingStore.Failure)
            #expect(error?.message.contains("“tea”") == true)
        }
        host.settle()
        #expect(countdown.state == .running && countdown.remaining == .seconds(60) && center.requests == requests)
        // A finish needs no change of the store, because the stored record implies it.
        host.advance(by: .seconds(60))
        #expect(countdown.state == .finished(at: now, unseen: true))
        store.fail(false)
        #expect(try self.countdown().state == .finished(at: now, unseen: true))
    }

    @Test(
        "setting the wall clock changes how the finish's instant is named, not when it comes", arguments: [-3600, 3600])
    func wallClock(seconds: Int64) throws {
        let countdown = try countdown()
        let finishes = Log<ContinuousInstant>()
        let observation = countdown.observeFinish { [time = host.time] _ in finishes.add(time.continuous()) }
        try countdown.start(for: .seconds(60))
        let stop = host.time.continuous().advanced(by: .seconds(60))
        host.advance(by: .seconds(20))
        host.time.moveWallClock(by: .seconds(seconds))
        host.settle()
        #expect(countdown.state == .running && countdown.remaining == .seconds(40))
        #expect(countdown.stopInstant == now.advanced(by: .seconds(40)))
        // With the wall clock set forward, the center has shown the notification early and does not show it again.
        let isEarly = seconds > 0
        #expect(center.requests == (isEarly ? [:] : [identifier: now.advanced(by: .seconds(40))]))
        let stored = try store.load(CountdownRecord.self, for: "tea")
        #expect(
            stored?.state
                == .running(
                    stop: StoredInstant(wall: now.advanced(by: .seconds(40)), boot: "boot 1", continuous: stop)))
        host.advance(by: .seconds(60))
        #expect(finishes.all == [stop])
        #expect(center.shown == [identifier])
        observation.cancel()
    }

    @Test("a countdown counts the device's sleep")
    func deviceSleep() throws {
        let countdown = try countdown()
        try countdown.start(for: .seconds(60))
        host.settle()
        host.time.sleepMachine(for: .seconds(45))
        #expect(countdown.remaining == .seconds(15))
        host.time.sleepMachine(for: .seconds(45))
        host.settle()
        #expect(countdown.state == .finished(at: now.advanced(by: .seconds(-30)), unseen: true))
    }

    @Test("a countdown's display changes on whole seconds before its end, stops while paused, and ends at zero")
    func display() throws {
        let countdown = try countdown()
        let shown = Log<Duration>()
        let instants = Log<Duration>()
        try countdown.start(for: .milliseconds(3500))
        let start = host.time.continuous()
        let observation = countdown.observeDisplay { [time = host.time] remaining in
            shown.add(remaining)
            instants.add(start.duration(to: time.continuous()))
        }
        host.advance(by: .milliseconds(1500), step: .milliseconds(100))
        #expect(shown.all == [.seconds(4), .seconds(3), .seconds(2)])
        #expect(instants.all == [.zero, .milliseconds(500), .milliseconds(1500)])
        try countdown.pause()
        host.advance(by: .seconds(60))
        #expect(shown.all.count == 3)
        try countdown.resume()
        // The main loop is busy while two changes happen, so the observer is called once for both.
        host.settle()
        host.time.advance(by: .milliseconds(1900))
        host.settle()
        #expect(shown.all.suffix(1) == [.seconds(1)])
        host.advance(by: .seconds(5), step: .milliseconds(100))
        #expect(shown.all == [4, 3, 2, 1, 0].map { .seconds($0) })
        #expect(host.time.leaks.isEmpty)
        try countdown.start(for: .seconds(5))
        host.settle()
        #expect(shown.all.last == .seconds(5))
        observation.cancel()
        host.advance(by: .seconds(2))
        #expect(shown.all.last == .seconds(5))
    }

    @Test("a countdown's changes come as a sequence")
    func changes() throws {
        let countdown = try countdown()
        let changes = countdown.stateChanges()
        try countdown.start(for: .seconds(5))
        try countdown.pause()
        try countdown.resume()
        host.advance(by: .seconds(5))
        try countdown.acknowledge()
        let stop = now
        let seen = try host.time.perform {
            var seen: [Countdown.State] = []
            for await state in changes.prefix(5) { seen.append(state) }
            return seen
        }
        #expect(seen == [.running, .paused, .running, .finished(at: stop, unseen: true), .idle])
    }

    @Test("a record that is not a countdown's is an error with the key and a remedy")
    func corrupt() throws {
        try store.save("nonsense", for: "tea")
        let error = #expect(throws: BackgroundError.self) { try countdown() }
        #expect(error?.code == .storeFailed)
        #expect(error?.message.contains("“tea”") == true && error?.message.contains("save(nil, for: \"tea\")") == true)
        try store.save(String?.none, for: "tea")
        #expect(try countdown().state == .idle)
    }

    @Test("a refused notification does not stop the countdown")
    func refusedNotification() throws {
        center.refuse()
        let countdown = try countdown()
        try countdown.start(for: .seconds(5))
        host.advance(by: .seconds(5))
        #expect(countdown.state == .finished(at: now, unseen: true))
        #expect(host.openTasks.isEmpty && host.faultCount == 0)
    }

    @Test(
        "remaining time is shown rounded up, so that 0:00 means done",
        arguments: [
            (Duration.zero, "0:00"), (.milliseconds(1), "0:01"), (.milliseconds(6001), "0:07"), (.seconds(7), "0:07"),
            (.seconds(754), "12:34"), (.milliseconds(59_999), "1:00"), (.seconds(3600 + 309), "1:05:09"),
            (.milliseconds(3_599_999), "1:00:00"), (.seconds(123 * 3600), "123:00:00"), (.seconds(-3), "0:00"),
            (.milliseconds(-300), "0:00"), (.seconds(Int64.max), "2562047788015215:30:07"),
        ])
    func remainingText(duration: Duration, text: String) {
        #expect(CountdownText.remaining(duration) == text)
    }

    @Test(
        "elapsed time is shown rounded down",
        arguments: [
            (Duration.zero, "0:00"), (.milliseconds(999), "0:00"), (.milliseconds(7999), "0:07"),
            (.milliseconds(3_599_999), "59:59"), (.seconds(3600 + 309), "1:05:09"), (.seconds(-3), "0:00"),
        ])
    func elapsedText(duration: Duration, text: String) {
        #expect(CountdownText.elapsed(duration) == text)
    }
}
