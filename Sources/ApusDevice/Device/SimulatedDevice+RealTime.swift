import ApusTimers
import ApusVirtualTime

extension SimulatedDevice {
    /// Lets `duration` pass on the device's clocks while real time passes, for apps that wait by means which the device
    /// does not have in its hand: `Thread.sleep`, `DispatchQueue.asyncAfter`, `Task.sleep`.
    ///
    /// The device's clocks follow the machine's with a few milliseconds of delay, `speed` times as fast. Between two
    /// steps the main actor is free, so what other threads hand to the main queue runs.
    ///
    /// The device cannot freeze threads: what an app does on one that is not the device's continues while the app is
    /// suspended, and after it has ended. Such a run is not the same each time.
    ///
    /// - Parameters:
    ///   - duration: How much time passes on the device.
    ///   - speed: How many seconds of the device pass in a real one; zero and less count as 1.
    public func runInRealTime(for duration: Duration, speed: Double = 1) async {
        control("run in real time for \(duration)")
        let speed = speed > 0 ? speed : 1
        let real = SystemTime()
        let begin = real.uptime()
        let start = time.uptime()
        let target = start.advanced(by: max(.zero, duration))
        while time.uptime() < target {
            let due = start.advanced(by: begin.duration(to: real.uptime()) * speed)
            await advance(by: time.uptime().duration(to: min(due, target)))
            guard time.uptime() < target else { return }
            do {
                // The one real sleep: the other threads' work needs real time, and this is what gives it to them.
                try await TimerEngine.shared.sleep(for: Self.realTimeStep)
            } catch {
                // Cancelled, so no task waits for the other threads any more.
                await advance(by: time.uptime().duration(to: target))
            }
        }
        await settle()
    }

    /// Lets the device live beside a person: its clocks follow the machine's until the calling task is cancelled.
    ///
    /// Only what passes between two steps is made up for. So other controls may move the device's time in between, or
    /// skip a day, and the device neither waits for the machine afterwards nor runs after it. A machine that is too slow,
    /// or stood still for long, leaves the device late: a step makes up for a quarter of a second of real time at the
    /// most.
    ///
    /// It is driven synchronously; what the app runs with `Task { @MainActor in … }` runs between the steps.
    ///
    /// - Parameters:
    ///   - speed: Asked before each step: how many seconds of the device pass in a real one. At zero and less the device
    ///     stands still.
    ///   - onStep: Called after each step, on the main actor. It may use the controls that let no time pass.
    public func runInRealTime(speed: @MainActor () -> Double = { 1 }, onStep: @MainActor () -> Void = {}) async {
        control("run in real time")
        let real = SystemTime()
        var last = real.uptime()
        while !Task.isCancelled {
            let now = real.uptime()
            let speed = max(0, speed())
            let passed = min(last.duration(to: now), Self.longestRealStep)
            last = now
            if speed > 0 { time.advance(by: passed * speed) } else { time.settle() }
            onStep()
            // Real time passes here, and the main actor is free for others.
            try? await TimerEngine.shared.sleep(for: pause(speed: speed))
        }
    }

    /// How long real time may pass until something is due, or the device's clocks have to follow the machine's.
    private func pause(speed: Double) -> Duration {
        guard speed > 0, let next = time.untilNextDeadline else { return Self.realFrame }
        return max(.milliseconds(1), min(Self.realFrame, .nanoseconds(Int64(clamping: next)) / speed))
    }

    /// About a frame of a display.
    private static var realFrame: Duration { .milliseconds(16) }
    private static var longestRealStep: Duration { .milliseconds(250) }

    /// How long the main actor is left to others between two steps.
    private static var realTimeStep: Duration { .milliseconds(2) }
}
