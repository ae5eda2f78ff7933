#if os(Linux)
    import ApusDevice
    import ApusTimers
    import Foundation
    import SimulatedAppleCore
    import Testing
    import Tutorials

    /// The apps of the tutorials, each of which does what its `main` would do.
    private enum Apps {
        static func threads(count: Int) {
            final class Delegate: BackgroundTimerDelegate {
                func backgroundTimer(_ timer: BackgroundTimer, didFire id: Int) { SimulatedPhone.note("\(id)") }
            }
            let (timer, delegate) = (BackgroundTimer(), Delegate())
            timer.delegate = delegate
            kept.append(delegate)
            for id in 0..<count { timer.executeAfterDelay(5, id: id) }
        }

        static func repeating() {
            let timer = RepeatingTimer(timeInterval: 5)
            timer.eventHandler = { SimulatedPhone.note("tick") }
            timer.resume()
            timer.resume()
            timer.suspend()
            timer.suspend()
            timer.resume()
            kept.append(timer)
            // This timer is released while it is suspended.
            RepeatingTimer(timeInterval: 1).suspend()
        }

        static func naive() {
            let timer = NaiveRepeatingTimer(timeInterval: 5) { SimulatedPhone.note("tick") }
            timer.resume()
            timer.resume()
            kept.append(timer)
        }

        static func ticking() {
            let countdown = TickingCountdown(seconds: 1500)
            countdown.onTick = { SimulatedPhone.note("\($0)") }
            countdown.start()
            kept.append(countdown)
        }

        static func dated() {
            let countdown = DatedCountdown(seconds: 1500)
            countdown.onTick = { SimulatedPhone.note("\($0)") }
            countdown.start()
            kept.append(countdown)
        }

        static func feed() {
            let timer = FeedTimer()
            timer.start(in: .default) { SimulatedPhone.note("default") }
            timer.start(in: .common) { SimulatedPhone.note("common") }
            kept.append(timer)
        }

        /// The objects that an app would keep in its delegate.
        nonisolated(unsafe) private static var kept: [AnyObject] = []  // on the main thread
    }

    @MainActor
    @Suite("The timers of tutorials, on a simulated phone")
    struct TutorialTests {
        private func notes(_ device: SimulatedDevice) -> [(seconds: Int, text: String)] {
            let start = WallInstant(secondsSince1970: 1_767_225_600)
            return device.log.compactMap { event in
                guard case .note(let text) = event.what else { return nil }
                return (Int(start.duration(to: event.wall).components.seconds), text)
            }
        }

        @Test("timers on threads starve each other: the twentieth of twenty is late by far")
        func starvation() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Apps.threads(count: 1) })
                device.launch()
                device.advance(by: .seconds(6))
                #expect(notes(device).map(\.seconds) == [5])
            }
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Apps.threads(count: 20) })
                device.launch()
                device.advance(by: .seconds(600))
                let late = notes(device).map(\.seconds)
                #expect(late.count == 20)
                #expect((late.max() ?? 0) >= 10, "all \(late.count) fired by \(late.max() ?? 0) s")
            }
        }

        @Test("a timer on threads does not fire while the app is suspended, and is late afterwards")
        func threadsInTheBackground() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Apps.threads(count: 1) })
                device.launch()
                device.pressHome()
                device.advance(by: .seconds(600))
                #expect(notes(device).isEmpty)
                device.open()
                device.advance(by: .seconds(1))
                #expect(notes(device).map(\.seconds) == [600])
            }
        }

        @Test(
            "a timer on a dispatch source with a state survives each order of calls, and stands still in the background"
        )
        func repeatingTimer() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Apps.repeating() })
                device.launch()
                device.advance(by: .seconds(21))
                #expect(notes(device).map(\.seconds) == [5, 10, 15, 20])
                device.pressHome()
                device.advance(by: .seconds(600))
                #expect(notes(device).count == 4)
                device.open()
                device.advance(by: .seconds(10))
                // Dispatch delivers the missed ticks as one tick.
                #expect(notes(device).map(\.seconds).dropFirst(4) == [621, 625, 630])
            }
        }

        @Test("a timer on a dispatch source without a state ends the app when it is resumed twice")
        func unbalancedResume() throws {
            let error = #expect(throws: DeviceError.self) {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { Apps.naive() })
                    device.launch()
                }
            }
            #expect(error?.unexpectedFaults.map(\.rule) == [.appProcessCrash])
        }

        @Test("a countdown of ticks is paused in the background, and continues where it was after a kill")
        func tickingCountdown() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Apps.ticking() })
                device.launch()
                device.advance(by: .seconds(10))
                #expect(notes(device).last?.text == "1490")
                device.pressHome()
                device.advance(by: .seconds(600))
                device.open()
                device.advance(by: .seconds(1))
                // The right number would be 889.
                let afterBackground = try #require(notes(device).last.flatMap { Int($0.text) })
                #expect((1480...1490).contains(afterBackground))
                device.kill()
                device.advance(by: .seconds(3600))
                device.launch()
                device.advance(by: .seconds(1))
                // By the clock, the countdown was over long ago.
                #expect(notes(device).last?.text == "\(afterBackground - 1)")
            }
        }

        @Test("a countdown with a date is right after the background, after a kill, and when it is over")
        func datedCountdown() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Apps.dated() })
                device.launch()
                device.advance(by: .seconds(10))
                #expect(notes(device).last?.text == "1490")
                device.pressHome()
                device.advance(by: .seconds(600))
                device.open()
                device.advance(by: .seconds(1))
                #expect(notes(device).last?.text == "889")
                device.kill()
                device.advance(by: .seconds(289))
                device.launch()
                device.advance(by: .seconds(1))
                #expect(notes(device).last?.text == "599")
                device.kill()
                device.advance(by: .seconds(3600))
                device.launch()
                device.advance(by: .seconds(1))
                #expect(notes(device).last?.text == "0")
            }
        }

        @Test("while the user scrolls, a timer of the default mode waits, and a timer of the common modes continues")
        func scrolling() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Apps.feed() })
                device.launch()
                device.advance(by: .milliseconds(3500))
                device.beginScrolling()
                device.advance(by: .seconds(5))
                device.endScrolling()
                device.advance(by: .seconds(2))
                let ticks = Dictionary(grouping: notes(device), by: \.text).mapValues { $0.map(\.seconds) }
                #expect(ticks["common"] == Array(1...10))
                // The ticks that were missed while the user scrolled are delivered as one tick at the end.
                #expect(ticks["default"] == [1, 2, 3, 8, 9, 10])
            }
        }
    }
#endif
