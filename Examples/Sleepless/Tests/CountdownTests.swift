import ApusBackground
import ApusTesting
import ApusTimers
import SleeplessApp
import Testing

@MainActor
@Suite("The screen Countdown")
struct CountdownTests {
    @Test("it is shown running, paused and resumed, and lengthened")
    func shown() throws {
        try SimulatedDevice.withSleepless { device in
            let countdown = try device.sleepless.countdown
            try countdown.start(seconds: 300)
            device.advance(seconds: 0.5)
            #expect(try device.shown.countdown.text == "5:00")
            #expect(try device.shown.countdown.stop == "2026-01-01T00:05:00.000Z")
            device.advance(seconds: 59.5)
            try countdown.pause()
            device.advance(seconds: 60)
            #expect(try device.shown.countdown.state == "paused")
            #expect(try device.shown.countdown.remaining == 240)
            try countdown.resume()
            try countdown.add(seconds: 60)
            #expect(try device.shown.countdown.remaining == 300)
            #expect(try device.shown.countdown.total == 360)
            try countdown.cancel()
            #expect(try device.shown.countdown.state == "idle")
        }
    }

    @Test("it finishes while the app is killed: the notification comes in time, and the next launch says how long ago")
    func unseen() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.countdown.start(seconds: 300)
            device.pressHome()
            device.advance(seconds: 10)
            device.kill()
            device.advance(seconds: 470)
            let notification = try #require(device.notifications.shown.first)
            #expect(notification.request.notification.title == "Time is up")
            #expect(notification.instant == WallInstant(secondsSince1970: 1_767_225_600 + 300))
            device.open()
            let shown = try device.shown.countdown
            #expect(shown.state == "finished")
            #expect(shown.wasUnseen)
            #expect(shown.finishedAt == "2026-01-01T00:05:00.000Z")
            #expect(shown.ago == "3 min")
            #expect(shown.total == 300)
            try device.sleepless.countdown.acknowledge()
            #expect(try device.shown.countdown.state == "idle")
        }
    }

    @Test("a finish in suspension was not seen either, one in front was")
    func suspended() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.countdown.start(seconds: 60)
            device.pressHome()
            device.advance(seconds: 90)
            #expect(device.appPhase == .suspended)
            device.open()
            #expect(try device.shown.countdown.wasUnseen)
            try device.sleepless.countdown.start(seconds: 60)
            device.advance(seconds: 90)
            #expect(try device.shown.countdown.state == "finished")
            #expect(try !device.shown.countdown.wasUnseen)
        }
    }

    @Test("it continues when the process is killed, and ends at an instant of the clock")
    func survives() throws {
        try SimulatedDevice.withSleepless { device in
            let stop = device.time.wall().advanced(by: .seconds(1_000))
            try device.sleepless.countdown.start(until: stop)
            device.kill()
            device.advance(seconds: 100)
            device.open()
            #expect(try device.shown.countdown.remaining == 900)
            #expect(try device.shown.countdown.total == 1_000)
            #expect(throws: AppError.self) {
                try device.sleepless.countdown.start(until: device.time.wall())
            }
        }
    }
}
