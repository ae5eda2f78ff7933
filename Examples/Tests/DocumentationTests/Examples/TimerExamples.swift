import Apus
import Dispatch

/// The documents' examples of timers; the documents contain the marked regions word for word.
enum TimerExamples {
    static func schedule() {
        // Shown: schedule
        let engine = TimerEngine.shared

        let timer = engine.schedule(after: .seconds(3)) { print("three seconds later") }
        timer.cancel()  // true: it will never fire

        // At an instant of the wall clock, up to 30 s later if that saves a wake-up, on the main actor.
        let tomorrow = engine.time.wall().advanced(by: .seconds(86_400))
        engine.schedule(at: tomorrow, tolerance: .seconds(30), on: .mainActor) { print("a day later") }
        // Shown: end
    }

    static func repeating() throws {
        // Shown: repeating
        let queue = DispatchQueue(label: "samples")
        let timer = try RepeatingTimer(every: .seconds(5), missedTicks: .coalesce, on: .queue(queue)) { tick in
            print("tick \(tick.number), \(tick.missedCount) missed before it, \(tick.lateness) late")
        }
        timer.resume()
        timer.pause()  // keeps what is left of the five seconds
        timer.resume()  // continues with it
        timer.cancel()
        // Shown: end
    }

    static func draw(at instant: ClockInstant) {}

    static func frames() throws {
        // Shown: frames
        let link = try FrameTimer(maximumFramesPerSecond: 60, preferredFramesPerSecond: 30) { frame in
            draw(at: frame.targetTimestamp)  // on the main actor, unless `on:` says otherwise
            if frame.droppedFrameCount > 0 { print("\(frame.droppedFrameCount) frames came too late to be drawn") }
        }
        link.isPaused = false  // a new one is paused, and causes no wake-ups
        link.preferredFramesPerSecond = 20  // may be changed while it runs
        link.cancel()
        // Shown: end
    }

    static func ticks() async throws {
        // Shown: ticks
        for await tick in try TimerEngine.shared.ticks(every: .seconds(1), missedTicks: .skip) {
            print(tick.number)
            if tick.number >= 10 { break }
        }

        let clock = TimerClock.continuous()  // continues while the machine sleeps; there are .uptime() and .wall() too
        try await clock.sleep(for: .seconds(2), tolerance: .milliseconds(200))
        // Shown: end
    }
}
