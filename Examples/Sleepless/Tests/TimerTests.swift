import ApusBackground
import ApusTesting
import SleeplessApp
import Testing

@MainActor
@Suite("The screen Timer")
struct TimerTests {
    @Test("a row waits, runs, and goes; a repeating one counts; each run vibrates")
    func runs() throws {
        try SimulatedDevice.withSleepless { device in
            let app = try device.sleepless
            try app.timer.go(delay: 3, repeat: nil)
            let repeating = try app.timer.go(delay: 1, repeat: 5)
            #expect(try device.shown.timer.rows.map(\.count) == [0, 0])
            device.advance(seconds: 12)
            let shown = try device.shown.timer
            #expect(shown.rows.map(\.id) == [repeating])
            #expect(shown.rows.first?.count == 3)
            #expect(shown.rows.first?.next == "2026-01-01T00:00:16.000Z")
            #expect(shown.ended.map(\.what) == ["executed"])
            #expect(shown.ended.first?.at == "2026-01-01T00:00:03.000Z")
            #expect(shown.vibrations == 4)
        }
    }

    @Test("a tap cancels a row before it runs, and all rows")
    func cancels() throws {
        try SimulatedDevice.withSleepless { device in
            let app = try device.sleepless
            let first = try app.timer.go(delay: 3, repeat: nil)
            try app.timer.go(delay: 4, repeat: 4)
            try app.timer.go(delay: 5, repeat: nil)
            try app.timer.cancel(first)
            device.advance(seconds: 0)
            #expect(try device.shown.timer.rows.count == 2)
            app.timer.cancelAll()
            device.advance(seconds: 60)
            let shown = try device.shown.timer
            #expect(shown.rows.isEmpty)
            #expect(shown.ended.map(\.what) == ["cancelled", "cancelled", "cancelled"])
            #expect(shown.vibrations == 0)
            #expect(throws: AppError.self) { try app.timer.cancel(first) }
        }
    }

    @Test("in the background a timer runs in time as long as there is time; a later one runs when the app is opened")
    func background() throws {
        try SimulatedDevice.withSleepless { device in
            let app = try device.sleepless
            try app.timer.go(delay: 20, repeat: nil)
            try app.timer.go(delay: 300, repeat: nil)
            device.pressHome()
            device.advance(seconds: 600)
            #expect(device.appPhase == .suspended)
            device.open()
            let ended = try device.shown.timer.ended
            #expect(ended.map(\.id) == [2, 1, 2])
            #expect(ended.map(\.what) == ["expired", "executed", "executed"])
            #expect(ended[1].at == "2026-01-01T00:00:20.000Z")
            #expect(ended[2].at == "2026-01-01T00:10:00.000Z")
        }
    }

    @Test("a repeating timer whose first run came late keeps the phase of its first deadline")
    func late() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.timer.go(delay: 300, repeat: 70)
            device.pressHome()
            device.advance(seconds: 600)
            device.open()
            #expect(try device.shown.timer.rows.first?.next == "2026-01-01T00:10:50.000Z")
            device.advance(seconds: 70)
            #expect(try device.shown.timer.rows.first?.count == 2)
        }
    }

    @Test(
        "what is not a delay or an interval is refused, and the error names it",
        arguments: [(-1.0, nil, "delay"), (86_401, nil, "delay"), (.nan, nil, "delay"), (1, 0.0, "repeat")])
    func refuses(delay: Double, interval: Double?, name: String) throws {
        try SimulatedDevice.withSleepless { device in
            let app = try device.sleepless
            let error = #expect(throws: AppError.self) { try app.timer.go(delay: delay, repeat: interval) }
            #expect(error?.code == .invalid)
            #expect(error?.message.contains("`\(name)`") == true)
            #expect(try device.shown.timer.rows.isEmpty)
        }
    }
}
