import ApusTimers

extension SimulatedDevice {
    /// Lets `duration` pass on the device's clocks while real time passes, for apps that wait by means which the device
    /// does not have in its hand: `Thread.sleep`, `DispatchQueue.asyncAfter`, `Task.sleep`.
    ///
    /// The device's clocks follow the machine's with a few milliseconds of delay, `speed` times as fast. Between two
    /// steps the main actor is free, so what other threads hand to the main queue runs.
    ///
    /// The device cannot freeze threads: what an app does on one that is not the device's goes on while the app is
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
                // Cancelled, so nobody waits for the other threads any more.
                await advance(by: time.uptime().duration(to: target))
            }
        }
        await settle()
    }

    /// How long the main actor is left to others between two steps.
    private static var realTimeStep: Duration { .milliseconds(2) }
}
