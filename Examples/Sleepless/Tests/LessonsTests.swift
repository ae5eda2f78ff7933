import ApusBackground
import ApusTesting
import SleeplessApp
import Testing

@MainActor
@Suite("The screen Lessons")
struct LessonsTests {
    @Test("while the user scrolls, ticks of the default mode wait, and those of the common modes do not")
    func modes() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.lessons.tick(true)
            device.advance(seconds: 5)
            #expect(try counts(device) == [5, 5])
            device.beginScrolling()
            device.advance(seconds: 10)
            #expect(try counts(device) == [5, 15])
            device.endScrolling()
            device.advance(seconds: 1)
            #expect(try counts(device) == [7, 16])
            try device.sleepless.lessons.tick(false)
            device.advance(seconds: 10)
            #expect(try !device.shown.lessons.ticks.isOn)
            #expect(try device.shown.lessons.ticks.inCommonModes == 0)
        }
    }

    private func counts(_ device: SimulatedDevice) throws -> [Int] {
        let ticks = try device.shown.lessons.ticks
        return [ticks.inDefaultMode, ticks.inCommonModes]
    }

    @Test(
        "three timers wake the app eighteen times in a minute, and six times with tolerance",
        arguments: [(0.0, 18), (5, 6)])
    func tolerance(tolerance: Double, wakeUps: Int) throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.lessons.measureWakeUps(tolerance: tolerance)
            device.advance(seconds: 120)
            let shown = try #require(try device.shown.lessons.wakeUps)
            #expect(shown.isOver)
            #expect(shown.firings == 18)
            #expect(shown.wakeUps == wakeUps)
        }
    }

    @Test("what is being counted is not begun again, so that nothing is counted twice or cut off")
    func twice() throws {
        try SimulatedDevice.withSleepless { device in
            let lessons = try device.sleepless.lessons
            try lessons.measureWakeUps(tolerance: 0)
            try lessons.compareFrames()
            device.advance(seconds: 1)
            let first = #expect(throws: AppError.self) { try lessons.measureWakeUps(tolerance: 5) }
            let second = #expect(throws: AppError.self) { try lessons.compareFrames() }
            #expect([first?.code, second?.code] == [.unavailable, .unavailable])
            device.advance(seconds: 120)
            #expect(try device.shown.lessons.wakeUps?.firings == 18)
            try lessons.measureWakeUps(tolerance: 5)
        }
    }

    @Test("a tolerance that is too large is refused, with what is accepted")
    func toleranceTooLarge() throws {
        try SimulatedDevice.withSleepless { device in
            let error = #expect(throws: AppError.self) { try device.sleepless.lessons.measureWakeUps(tolerance: 10) }
            #expect(error?.code == .invalid)
            #expect(error?.message.contains("tolerance") == true)
        }
    }

    @Test("in two seconds a display of 60 Hz has 120 frames, and a timer of 10 ms ticks 200 times")
    func frames() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.lessons.compareFrames()
            device.advance(seconds: 5)
            let shown = try #require(try device.shown.lessons.frames)
            #expect(shown.isOver)
            #expect((119...121).contains(shown.frames))
            #expect((199...200).contains(shown.ticks))
        }
    }

    @Test("an export continues when the user leaves, and ends with success")
    func export() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.lessons.export()
            device.advance(seconds: 10)
            #expect((9...10).contains(try device.shown.lessons.export?.completed ?? 0))
            device.pressHome()
            device.advance(seconds: 60)
            #expect(device.jobs.history.last?.outcome == .succeeded)
            device.open()
            #expect(try device.shown.lessons.export?.outcome == "done")
        }
    }

    @Test("an export that the user cancels says so")
    func cancelledExport() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.lessons.export()
            device.advance(seconds: 10)
            device.cancelJob(LessonsModel.exporting)
            device.advance(seconds: 1)
            #expect(try device.shown.lessons.export?.outcome == "cancelled")
        }
    }

    @Test(
        "each mistake ends the app with its fault",
        arguments: [
            (LessonsModel.Mistake.leakedTask, Fault.Rule.backgroundTaskNotEnded), (.slowHandler, .slowHandlers),
            (.endlessRefresh, .jobNotCompleted),
        ])
    func mistakes(mistake: LessonsModel.Mistake, rule: Fault.Rule) throws {
        try SimulatedDevice.withSleepless { device in
            device.expect(rule)
            try device.sleepless.lessons.make(mistake)
            #expect(try device.shown.lessons.mistakes == [mistake])
            device.advance(seconds: 1)
            device.pressHome()
            device.advance(seconds: 60)
            #expect(device.faults.map(\.rule) == [rule])
            #expect(device.host == nil)
        }
    }
}
