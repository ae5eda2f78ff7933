#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusTimers
    import ApusVirtualTime
    import Dispatch
    import Foundation
    import SimulatedAppleCore
    import Testing

    /// Notes the seconds since the start of the app, to the millisecond.
    private func noteTime(_ name: String, since start: Date) {
        SimulatedPhone.note("\(name) \(Int((Date().timeIntervalSince(start) * 1000).rounded()))")
    }

    private struct Fire: Equatable, CustomStringConvertible {
        let name: String
        let milliseconds: Int

        var description: String { "\(name) \(milliseconds)" }

        init?(_ note: String) {
            let words = note.split(separator: " ")
            guard words.count == 2, let milliseconds = Int(words[1]) else { return nil }
            (name, self.milliseconds) = (String(words[0]), milliseconds)
        }
    }

    /// Returns the times that an app notes with `noteTime` within this number of seconds.
    @MainActor
    private func fires(for seconds: Int, _ program: @escaping @convention(c) () -> Void) throws -> [Fire] {
        try SimulatedDevice.run { device in
            SimulatedPhone.install(on: device, program: program)
            device.launch()
            device.advance(by: .seconds(seconds))
            return device.notes.compactMap(Fire.init)
        }
    }

    @MainActor
    @Suite("Timers of run loops in a process of a simulated app")
    struct TimerToleranceTests {
        @Test("a tolerance reads as it was set, not negative, and at most half of the interval of a timer that repeats")
        func readsBack() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device,
                    program: {
                        let repeating = Timer.scheduledTimer(withTimeInterval: 10, repeats: true) { _ in }
                        let once = Timer.scheduledTimer(withTimeInterval: 10, repeats: false) { _ in }
                        for tolerance in [0, 2, 4.5, 20, -1, .nan] {
                            (repeating.tolerance, once.tolerance) = (tolerance, tolerance)
                            SimulatedPhone.note("\(repeating.tolerance) \(once.tolerance)")
                        }
                        repeating.tolerance = 1
                        repeating.tolerance += 1.5
                        SimulatedPhone.note("\(repeating.tolerance) \(repeating.isValid)")
                    })
                device.launch()
                #expect(
                    device.notes == ["0.0 0.0", "2.0 2.0", "4.5 4.5", "5.0 20.0", "0.0 0.0", "0.0 0.0", "2.5 true"])
            }
        }

        @Test(
            "a timer with a tolerance fires with another one that is due within it, and its dates stay where they are")
        func sharesWakeUps() throws {
            let fires = try fires(
                for: 60,
                {
                    let start = Date()
                    _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in noteTime("exact", since: start)
                    }
                    let lenient = Timer(fire: start + 0.7, interval: 1, repeats: true) { timer in
                        noteTime("lenient", since: start)
                        noteTime("next", since: start - timer.fireDate.timeIntervalSinceNow)
                    }
                    lenient.tolerance = 0.5
                    RunLoop.main.add(lenient, forMode: .common)
                })
            let exact = fires.filter { $0.name == "exact" }.map(\.milliseconds)
            #expect(exact == (1...60).map { $0 * 1_000 })
            // The lenient timer is due at 0.7, 1.7, …, and fires at 1, 2, … with the exact one.
            #expect(fires.filter { $0.name == "lenient" }.map(\.milliseconds) == exact)
            // Without the tolerance, there would be twice as many wake-ups.
            #expect(Set(fires.filter { $0.name != "next" }.map(\.milliseconds)).count == 60)
        }

        @Test("a timer fires at the end of its tolerance if nothing else wakes the app, and never later or earlier")
        func bounds() throws {
            let fires = try fires(
                for: 3_600,
                {
                    let start = Date()
                    for (name, interval, tolerance) in [("a", 7.0, 3.0), ("b", 11, 0.5), ("c", 13, 6.5), ("d", 17, 0)] {
                        let timer = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { _ in
                            noteTime(name, since: start)
                        }
                        timer.tolerance = tolerance
                    }
                })
            for (name, interval, tolerance) in [
                ("a", 7000, 3000), ("b", 11000, 500), ("c", 13000, 6500), ("d", 17000, 0),
            ] {
                let times = fires.filter { $0.name == name }.map(\.milliseconds)
                let late = times.enumerated().map { $0.element - ($0.offset + 1) * interval }
                #expect(late.allSatisfy { (0...tolerance).contains($0) })
                #expect(abs(times.count - 3_600_000 / interval) <= 1)
                // Each timer with a tolerance is late at least once, and a timer without one never is.
                #expect(late.contains { $0 > 0 } == (tolerance > 0))
            }
            let wakeUps = Set(fires.map(\.milliseconds)).count
            // This is the least possible number of wake-ups.
            #expect(wakeUps == leastWakeUps([(7000, 3000), (11000, 500), (13000, 6500), (17000, 0)], until: 3_600_000))
        }

        /// Returns the least possible number of wake-ups.
        ///
        /// An optimal schedule sleeps until the earliest end of a tolerance, and then fires all timers that are due.
        private func leastWakeUps(_ timers: [(interval: Int, tolerance: Int)], until end: Int) -> Int {
            var dates = timers.map(\.interval)
            var count = 0
            while let now = zip(dates, timers).map({ $0 + $1.tolerance }).min(), now <= end {
                count += 1
                for (index, timer) in timers.enumerated() {
                    while dates[index] <= now { dates[index] += timer.interval }
                }
            }
            return count
        }

        @Test(
            "a timer with a tolerance fires when something else wakes the app: a queue, a thread, a task",
            arguments: ["queue", "thread", "task"])
        func wokenByOthers(_ other: String) throws {
            let programs: [String: @convention(c) () -> Void] = [
                "queue": {
                    lenient()
                    DispatchQueue.global().asyncAfter(deadline: .now() + 2) { SimulatedPhone.note("woken") }
                },
                "thread": {
                    lenient()
                    Thread.detachNewThread {
                        Thread.sleep(forTimeInterval: 2)
                        SimulatedPhone.note("woken")
                    }
                },
                "task": {
                    lenient()
                    Task {
                        try await Task.sleep(for: .seconds(2))
                        SimulatedPhone.note("woken")
                    }
                },
            ]
            let found = try fires(for: 10, #require(programs[other])).map(\.milliseconds)
            #expect(found == [2_000])
        }

        @Test("a timer with a tolerance fires when the user does something")
        func wokenByEvent() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { lenient() })
                device.launch()
                device.advance(by: .seconds(2))
                #expect(device.notes == [])
                device.receiveCall()
                #expect(device.notes == ["lenient 2000"])
            }
        }

        @Test(
            "in a suspended app, a timer that came due fires as soon as the app continues, however long its tolerance is"
        )
        func suspended() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device,
                    program: {
                        let start = Date()
                        let timer = Timer.scheduledTimer(withTimeInterval: 60, repeats: false) { _ in
                            noteTime("lenient", since: start)
                        }
                        timer.tolerance = 3_600
                    })
                device.launch()
                device.pressHome()
                device.advance(by: .seconds(600))
                #expect(device.appPhase == .suspended)
                device.open()
                device.advance(by: .zero)
                #expect(device.notes == ["lenient 600000"])
            }
        }

        @Test("setting the wall clock back moves neither the date of a timer nor the end of its tolerance")
        func wallClockSet() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device,
                    program: {
                        lenient()
                        // This makes the process run after the clock was set and before the timer is due.
                        DispatchQueue.main.asyncAfter(deadline: .now() + 0.7) {}
                    })
                device.launch()
                device.advance(by: .milliseconds(500))
                device.setWallClock(device.time.wall().advanced(by: .seconds(-3_600)))
                device.advance(by: .seconds(10))
                #expect(device.notes == [])
                device.advance(by: .milliseconds(500))
                #expect(device.notes.count == 1)
            }
        }

        @Test("a timer that is made with an interval fires for the first time after it", arguments: [true, false])
        func intervalInitializer(_ repeats: Bool) throws {
            let repeating: @convention(c) () -> Void = { addTimer(repeats: true) }
            let once: @convention(c) () -> Void = { addTimer(repeats: false) }
            let times = try fires(for: 20, repeats ? repeating : once).map(\.milliseconds)
            #expect(times == (repeats ? [5_000, 10_000, 15_000, 20_000] : [5_000]))
        }

        @Test("a subclass of Timer has the initializer too, and its own of the other form is called")
        func subclass() throws {
            #expect(try fires(for: 20, { addLateTimer() }).map(\.milliseconds) == [6_000])
        }

        @Test("a timer that fires at once because its code was optimized is a warning")
        func optimized() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { addOptimizedTimer() })
                device.launch()
                device.advance(by: .seconds(1))
                let firesAtOnce = device.notes == ["timer"]
                #expect(firesAtOnce == !_isDebugAssertConfiguration(), "\(device.notes)")
                #expect(device.warnings.contains { $0.contains("compile the app's target with -Onone") } == firesAtOnce)
            }
        }
    }

    /// Starts a timer that is due after a second, with a tolerance of ten seconds.
    private func lenient() {
        let start = Date()
        let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in noteTime("lenient", since: start) }
        timer.tolerance = 10
    }

    // Apps are compiled without optimization, which would replace `Timer(timeInterval:repeats:block:)` by its body.

    @_optimize(none)
    private func addTimer(repeats: Bool) {
        let start = Date()
        let timer = Timer(timeInterval: 5, repeats: repeats) { _ in noteTime("timer", since: start) }
        RunLoop.main.add(timer, forMode: .default)
    }

    @_optimize(none)
    private func addLateTimer() {
        let start = Date()
        let timer = LateTimer(timeInterval: 5, repeats: false) { _ in noteTime("late", since: start) }
        SimulatedPhone.note("\(type(of: timer))")
        RunLoop.main.add(timer, forMode: .default)
    }

    private func addOptimizedTimer() {
        let timer = Timer(timeInterval: 5, repeats: true) { _ in SimulatedPhone.note("timer") }
        RunLoop.main.add(timer, forMode: .default)
    }

    /// A timer that fires a second after its date.
    private final class LateTimer: Timer {
        override init(
            fire date: Date, interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void
        ) { super.init(fire: date + 1, interval: interval, repeats: repeats, block: block) }
    }

    @Suite("Timers of run loops in other processes")
    struct OrdinaryTimerTests {
        @Test("in a process without a phone, Foundation's timers are as Foundation has them")
        func unchanged() {
            let timer = Timer(timeInterval: 100, repeats: true) { _ in }
            timer.tolerance = 5
            #expect(timer.tolerance == 0)
            #expect(timer.fireDate.timeIntervalSinceNow <= 0)
            timer.invalidate()
        }
    }
#endif
