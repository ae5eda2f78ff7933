import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("Extreme durations in the background")
struct ExtremeDurationTests {
    @Test("clocks show any duration, and a negative one as zero", arguments: Duration.extremes)
    func texts(duration: Duration) {
        let shown = [CountdownText.remaining(duration), CountdownText.elapsed(duration)]
        #expect(shown.allSatisfy { !$0.hasPrefix("-") })
        if duration <= .zero { #expect(shown == ["0:00", "0:00"]) }
        if duration > .zero { #expect(shown[0] != "0:00") }
        if duration >= .seconds(Int64.max) { #expect(shown == [shown[0], shown[0]]) }
    }

    @Test(
        "a countdown of an extreme duration is refused, or can run, pause, be extended and finish",
        arguments: Duration.extremes)
    func countdowns(duration: Duration) throws {
        for longer in Duration.extremes {
            let host = TestHost()
            let countdown = try Countdown(
                host: host, store: MemoryRecordStore(), key: "tea", notification: UserNotification(title: "Tea"),
                notificationScheduler: FakeNotificationCenter(host.time))
            let displays = Log<Duration>()
            let observation = countdown.observeDisplay { displays.add($0) }
            let isStarted = (try? countdown.start(for: duration)) != nil
            #expect(isStarted || duration < .nanoseconds(1), "\(duration)")
            if isStarted { #expect(countdown.remaining > .zero) }
            _ = try? countdown.extend(by: longer)
            #expect(countdown.remaining >= .zero)
            host.settle()
            _ = try countdown.pause()
            _ = try? countdown.extend(by: longer)
            _ = try countdown.resume()
            host.advance(by: .seconds(2))
            #expect(countdown.remaining >= .zero && displays.all.allSatisfy { $0 >= .zero })
            _ = try countdown.cancel()
            observation.cancel()
        }
    }

    @Test("a background timer with an extreme duration is refused or runs", arguments: Duration.extremes)
    func timers(duration: Duration) throws {
        for other in Duration.extremes {
            let host = TestHost()
            let timers = BackgroundTimers(host: host)
            let runs = Log<Duration>()
            let once = try? timers.schedule(after: duration, tolerance: other) { runs.add(duration) }
            #expect((once != nil) == (duration >= .zero && other >= .zero), "\(duration), \(other)")
            let repeating = try? timers.schedule(after: .seconds(5), every: duration, tolerance: other) {}
            if let repeating {
                #expect(duration >= .nanoseconds(1) && other < duration)
                timers.cancel(repeating)
            }
            let laterRepeating = try? timers.schedule(after: duration, every: .seconds(3_600)) {}
            #expect((laterRepeating != nil) == (duration >= .zero))
            host.advance(by: .seconds(1))
            timers.cancelAll()
        }
    }

    @Test("a notification after an extreme interval is refused, or waits and is shown", arguments: Duration.extremes)
    func notifications(duration: Duration) throws {
        struct Silent: Notifier { func notify(_: UserNotification) async throws {} }
        let host = TestHost()
        let center = ProcessNotificationScheduler(showing: Silent(), on: host)
        for repeats in [false, true] {
            let request = NotificationRequest(
                identifier: "tea", notification: UserNotification(title: "Tea"),
                trigger: .after(duration, repeats: repeats))
            let isValid = (try? request.validate()) != nil
            #expect(isValid == (duration > .zero && (!repeats || duration >= .seconds(60))))
            let isTaken = (try? host.time.perform { try await center.schedule(request) }) != nil
            #expect(isTaken == isValid)
        }
        host.advance(by: .seconds(1))
        try host.time.perform { await center.removePending(["tea"]) }
    }

    @Test("jobs run on a host with any spread, spacing and limits", arguments: Duration.extremes)
    func jobs(duration: Duration) throws {
        let bench = try JobsBench {
            $0.spread = min(duration, .seconds(1))
            $0.refreshSpacing = duration
            $0.refreshTimeLimit = duration
            $0.processingTimeLimit = duration
            $0.progressTimeout = duration
        }
        try bench.register("news")
        try bench.submit("news")
        bench.host.advance(by: .seconds(2))
        #expect(bench.diary.first?.hasSuffix("news begins") == true)
        bench.finish("news")
        let spread = try JobsBench { $0.spread = duration }
        try spread.register("news")
        try spread.submit("news")
        spread.host.advance(by: .seconds(1))
    }
}
