import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("Countdown on the simulated device")
struct CountdownLifeTests {
    /// What the user has done with the countdown, or how far it has run, before the process ends.
    enum Life: CaseIterable {
        case nothing, started, paused, resumed, lengthened, cancelled, almostFinished, justFinished

        enum Outcome: Equatable {
            case idle
            case paused(Duration)
            case stops(WallInstant)
        }

        @MainActor
        func live(on device: SimulatedDevice) throws -> Outcome {
            let countdown = try device.countdown
            let start = device.time.wall()
            guard self != .nothing else { return .idle }
            try countdown.start(for: .seconds(100))
            switch self {
            case .nothing: break
            case .started: device.advance(by: .zero)
            case .paused:
                device.advance(by: .seconds(30))
                try countdown.pause()
                device.advance(by: .zero)
                return .paused(.seconds(70))
            case .resumed:
                device.advance(by: .seconds(30))
                try countdown.pause()
                device.advance(by: .seconds(500))
                try countdown.resume()
                device.advance(by: .zero)
                return .stops(start.advanced(by: .seconds(600)))
            case .lengthened:
                device.advance(by: .seconds(30))
                try countdown.extend(by: .seconds(50))
                device.advance(by: .zero)
                return .stops(start.advanced(by: .seconds(150)))
            case .cancelled:
                device.advance(by: .seconds(30))
                try countdown.cancel()
                device.advance(by: .zero)
                return .idle
            case .almostFinished: device.advance(by: .milliseconds(99_999))
            case .justFinished: device.advance(by: .milliseconds(100_001))
            }
            return .stops(start.advanced(by: .seconds(100)))
        }
    }

    @Test("a countdown is correct after a relaunch, whenever and however its process ended")
    func everyEnd() throws {
        for life in Life.allCases {
            for end in ProcessEnd.allCases {
                for delay in [0, 20, 65, 100, 120, 1_000, 86_400] as [Int64] {
                    try SimulatedDevice.run { device in
                        try device.launchCountdown()
                        let outcome = try life.live(on: device)
                        end.happen(to: device)
                        #expect(device.app == nil)
                        device.advance(by: .seconds(delay))
                        device.open()
                        try check(outcome, on: device, "\(life), \(end), \(delay) s")
                    }
                }
            }
        }
    }

    private func check(
        _ outcome: Life.Outcome, on device: SimulatedDevice, _ comment: Comment
    ) throws {
        let identifier = try device.countdown.notificationIdentifier
        let requests = try device.requests()
        switch outcome {
        case .idle:
            #expect(try device.countdown.state == .idle, comment)
            #expect(requests == Requests(pending: [], delivered: []), comment)
            device.advance(by: .seconds(1_000))
            #expect(device.timesShown == 0, comment)
        case .paused(let remaining):
            #expect(try device.countdown.state == .paused, comment)
            #expect(try device.countdown.remaining == remaining, comment)
            #expect(requests == Requests(pending: [], delivered: []), comment)
            device.advance(by: .seconds(1_000))
            #expect(device.timesShown == 0, comment)
        case .stops(let stop):
            let left = device.time.wall().duration(to: stop)
            if left > .zero {
                #expect(try device.countdown.state == .running, comment)
                #expect(try device.countdown.remaining == left, comment)
                #expect(try device.countdown.stopInstant == stop, comment)
                #expect(requests == Requests(pending: [identifier], delivered: []), comment)
            }
            device.advance(by: max(.zero, left))
            let wasSeen = device.ownNotes.contains("finished")
            #expect(try device.countdown.state == .finished(at: stop, unseen: !wasSeen), comment)
            #expect(left <= .zero || wasSeen, comment)
            #expect(try device.requests() == Requests(pending: [], delivered: [identifier]), comment)
            device.advance(by: .seconds(1_000))
            #expect(device.timesShown == 1, comment)
            #expect(device.ownNotes.filter { $0 == "finished" }.count <= 1, comment)
        }
    }

    @Test("an unseen finish is reported after the relaunch, until it is acknowledged")
    func unseen() throws {
        try SimulatedDevice.run { device in
            try device.launchCountdown()
            try device.countdown.start(for: .seconds(100))
            let stop = try #require(try device.countdown.stopInstant)
            device.advance(by: .zero)
            for _ in 0..<2 {
                device.kill()
                device.advance(by: .seconds(200))
                device.open()
                #expect(try device.countdown.state == .finished(at: stop, unseen: true))
            }
            try device.countdown.acknowledge()
            device.kill()
            device.open()
            #expect(try device.countdown.state == .idle)
            #expect(device.timesShown == 1)
        }
    }
}
