import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("Countdown and stopwatch when the clock of the simulated device is set")
struct WallClockTests {
    enum Situation: CaseIterable {
        case inFront, suspended, killed

        @MainActor
        func begin(on device: SimulatedDevice) {
            switch self {
            case .inFront: break
            case .suspended: device.pressHome()
            case .killed: device.kill()
            }
        }
    }

    /// The minutes after which the user opens the app again.
    ///
    /// The countdown finishes after 30 minutes, so the user comes back once before the finish and twice after it.
    private static let returns: [Int64] = [20, 40, 100]

    @Test("setting the wall clock moves no countdown, and shows no notification twice")
    func countdown() throws {
        for situation in Situation.allCases {
            for hours in [-1, 1] as [Int64] {
                for minutes in Self.returns {
                    try SimulatedDevice.run { device in
                        let comment: Comment = "\(situation), \(hours) h, back after \(minutes) min"
                        try device.launchCountdown()
                        let stop = device.time.uptime().advanced(by: .seconds(1_800))
                        try device.countdown.start(for: .seconds(1_800))
                        device.advance(by: .seconds(300))
                        situation.begin(on: device)
                        device.advance(by: .seconds(300))
                        device.moveWallClock(by: .seconds(hours * 3_600))
                        device.advance(by: .seconds((minutes - 10) * 60))
                        device.open()
                        let left = device.time.uptime().duration(to: stop)
                        if left > .zero {
                            #expect(try device.countdown.state == .running, comment)
                            #expect(try device.countdown.remaining == left, comment)
                        }
                        device.advance(by: max(.zero, left))
                        let finish = device.time.wall().advanced(by: device.time.uptime().duration(to: stop))
                        let wasSeen = device.ownNotes.contains("finished")
                        #expect(try device.countdown.state == .finished(at: finish, unseen: !wasSeen), comment)
                        device.advance(by: .seconds(3 * 3_600))
                        #expect(device.timesShown <= 1, comment)
                        // The center shows the notification at its instant on the wall clock. If the wall clock was set
                        // back, the app removes the notification when it finds that the finish has passed.
                        if minutes < 30 || hours > 0 { #expect(device.timesShown == 1, comment) }
                        #expect(try device.requests().pending.isEmpty, comment)
                    }
                }
            }
        }
    }

    @Test("a notification that a set clock has shown too early is shown again for a new or a longer countdown")
    func newCountdown() throws {
        for isNew in [true, false] {
            try SimulatedDevice.run { device in
                try device.launchCountdown()
                try device.countdown.start(for: .seconds(1_800))
                device.advance(by: .seconds(300))
                device.moveWallClock(by: .seconds(3_600))
                #expect(device.timesShown == 1)
                if isNew {
                    try device.countdown.start(for: .seconds(60))
                } else {
                    try device.countdown.extend(by: .seconds(60))
                }
                device.advance(by: .seconds(1_800))
                #expect(device.timesShown == 2)
            }
        }
    }

    @Test("a stopwatch continues when its process ends, the device restarts, or the clock is set")
    func stopwatch() throws {
        for end in ProcessEnd.allCases {
            for hours in [-1, 0, 1] as [Int64] where end != .reboot || hours == 0 {
                try SimulatedDevice.run { device in
                    let comment: Comment = "\(end), \(hours) h"
                    try device.launchCountdown()
                    let start = device.time.continuous()
                    try device.stopwatch.start()
                    device.advance(by: .seconds(10))
                    try device.stopwatch.lap()
                    end.happen(to: device)
                    device.advance(by: .seconds(100))
                    device.moveWallClock(by: .seconds(hours * 3_600))
                    device.open()
                    #expect(try device.stopwatch.state == .running, comment)
                    #expect(try device.stopwatch.elapsed == start.duration(to: device.time.continuous()), comment)
                    #expect(try device.stopwatch.laps == [.seconds(10)], comment)
                    try device.stopwatch.pause()
                    let elapsed = try device.stopwatch.elapsed
                    end.happen(to: device)
                    device.moveWallClock(by: .seconds(-hours * 3_600))
                    device.advance(by: .seconds(100))
                    device.open()
                    #expect(try device.stopwatch.state == .paused, comment)
                    #expect(try device.stopwatch.elapsed == elapsed, comment)
                }
            }
        }
    }
}
