import ApusTimers
import ApusVirtualTime

extension SimulatedDevice {
    /// Lets `duration` pass on the device's clocks while real time passes.
    ///
    /// It is for apps that wait by means that the device does not control: `Thread.sleep`, `DispatchQueue.asyncAfter`,
    /// `Task.sleep`. The device's clocks follow the machine's with a delay of a few milliseconds, `speed` times as
    /// fast. Between two steps the main actor is free, so work that other threads submit to the main queue runs.
    ///
    /// The device cannot suspend threads. Work on threads other than the device's own therefore continues while the app
    /// is suspended, and after the app has ended. Such a run is not reproducible.
    ///
    /// - Parameters:
    ///   - duration: The time that passes on the device.
    ///   - speed: The number of seconds on the device for each real second; zero or less counts as 1.
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
                // This is a real sleep, because the work of other threads needs real time.
                try await TimerEngine.shared.sleep(for: Self.realTimeStep)
            } catch {
                // The calling task was cancelled, so the rest of the duration passes at once, without waiting for other
                // threads.
                await advance(by: time.uptime().duration(to: target))
            }
        }
        await settle()
    }

    /// Lets the device's clocks follow the machine's until the calling task is cancelled, so that a person can use the
    /// device.
    ///
    /// Each step moves the device's clocks by the real time since the previous step, times `speed`. Real time beyond a
    /// quarter of a second does not count, so the device is late if the machine is too slow or does not run for a
    /// while. Other controls may move the device's time between two steps, even by a day; the device then neither waits
    /// for the machine nor catches up with it.
    ///
    /// The device is driven synchronously; work that the app starts with `Task { @MainActor in … }` runs between the
    /// steps.
    ///
    /// - Parameters:
    ///   - speed: Called before each step; returns the number of seconds on the device for each real second. At zero or
    ///     less, the device's time stops.
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
            // Real time passes here, and the main actor is free for other work.
            try? await TimerEngine.shared.sleep(for: pause(speed: speed))
        }
    }

    /// Returns the real time until something is due on the device, at most a frame.
    private func pause(speed: Double) -> Duration {
        guard speed > 0, let next = time.untilNextDeadline else { return Self.realFrame }
        return max(.milliseconds(1), min(Self.realFrame, .nanoseconds(Int64(clamping: next)) / speed))
    }

    /// The approximate duration of one frame of a display.
    private static var realFrame: Duration { .milliseconds(16) }
    private static var longestRealStep: Duration { .milliseconds(250) }

    /// The time for which the main actor is free between two steps.
    private static var realTimeStep: Duration { .milliseconds(2) }
}
