import ApusBackground
import ApusTimers
import Logging

// The loop of a run, which handles one event at a time.
extension LinuxHost {
    /// The additional time for which each message asks the service manager to wait.
    ///
    /// It is longer than ``extensionInterval``, because a message may be seconds late on a busy machine.
    private static let timeoutExtension: Duration = .seconds(5)
    private static let extensionInterval: Duration = .seconds(2)

    /// The state of the loop during one run.
    private struct Run {
        var machine = LinuxHostMachine()
        var sleep: MachineSleep
        var timers: [ScheduledTimer] = []
        var renewal: ScheduledTimer?
        /// The status that the service manager shows now.
        var status = ""
    }

    func loop() async -> Outcome {
        var run = Run(sleep: MachineSleep(engine.time))
        let observation = engine.observeWallClock { [post] in post.yield(.wallClockMoved) }
        defer {
            observation.cancel()
            for timer in run.timers { timer.cancel() }
            run.renewal?.cancel()
        }
        for await event in events {
            // If the process was asked to suspend itself or has just been resumed, the phase is restored when SIGCONT
            // is handled.
            if run.sleep.happened(engine.time), !run.machine.standsStill, event != .continued { restorePhase(&run) }
            if handle(event, &run) { return finish() }
        }
        // The calling task was cancelled.
        registry.expireAll()
        return finish()
    }

    /// Handles an event, and returns whether the run is over.
    private func handle(_ event: Event, _ run: inout Run) -> Bool {
        switch event {
        case .stopRequested:
            switch run.machine.stopRequested() {
            case .enterBackground:
                enterBackground(&run)
                // Whether to wait is decided only here. A task that was begun since the signal must be awaited, and
                // reported to the service manager.
                if finishesIdle(&run) {
                    notify([.stopping])
                    return true
                }
                extendTimeout(&run, first: [.stopping])
            case .expire: expire(&run)
            case .finish: return true
            case .ignore: break
            }
        case .becameIdle:
            return run.machine.phase == .background && finishesIdle(&run)
        case .expirationDue:
            if run.machine.expirationDue() == .expire { expire(&run) }
        case .extensionDue:
            if run.machine.extensionDue() == .extend { extendTimeout(&run) }
        case .timeIsOver:
            return run.machine.timeIsOver() == .finish
        case .standStillRequested:
            if run.machine.standStillRequested() == .standStill {
                phases.set(.suspended)
                stopProcess()
            }
        case .continued:
            restorePhase(&run)
        case .wallClockMoved:
            // If the machine slept, the loop has already detected it. Otherwise the clock was set, which changes
            // nothing here.
            break
        }
        return false
    }

    private func enterBackground(_ run: inout Run) {
        let grace = max(.zero, configuration.gracePeriod)
        let wait = grace - min(max(.zero, configuration.expirationMargin), grace)
        deadline.withLock { $0 = engine.time.uptime().advanced(by: grace) }
        run.timers = [
            engine.schedule(after: wait, clock: .uptime) { [post] in post.yield(.expirationDue) },
            engine.schedule(after: grace, clock: .uptime) { [post] in post.yield(.timeIsOver) },
        ]
        phases.set(.background)
    }

    private func expire(_ run: inout Run) {
        registry.expireAll()
        updateStatus(&run)
    }

    /// Restores the phase after the process was stopped, or the machine slept.
    private func restorePhase(_ run: inout Run) {
        switch run.machine.continued() {
        case .resume:
            phases.set(run.machine.phase)
        case .passThroughSuspended:
            phases.set(.suspended)
            phases.set(run.machine.phase)
        case .ignore:
            break
        }
    }

    private func extendTimeout(_ run: inout Run, first: [ServiceManager.Field] = []) {
        notify(first + [.extendTimeout(Self.timeoutExtension)])
        updateStatus(&run)
        run.renewal = engine.schedule(after: Self.extensionInterval, clock: .uptime) { [post] in
            post.yield(.extensionDue)
        }
    }

    private func updateStatus(_ run: inout Run) {
        let status = "waiting for " + registry.openNames.joined(separator: ", ")
        guard status != run.status else { return }
        run.status = status
        notify([.status(status)])
    }

    /// Closes the registry if no task is open, and returns whether the run is over.
    ///
    /// The registry is checked again, because a task may have been begun since the event was posted.
    private func finishesIdle(_ run: inout Run) -> Bool {
        registry.closeIfIdle() && run.machine.becameIdle() == .finish
    }

    private func finish() -> Outcome {
        let names = registry.openNames
        phases.finish(.terminated)
        guard !names.isEmpty else { return .completed }
        logger.warning(
            "the grace period ended before all background tasks", metadata: ["cut": "\(names.joined(separator: ", "))"])
        return .cut(names: names)
    }
}

/// Detects that the machine has slept.
///
/// During a sleep, the continuous clock advances, and the uptime clock does not.
struct MachineSleep {
    /// The shortest sleep that counts.
    ///
    /// A shorter sleep changes the times that an app shows or waits for by less than this.
    static let threshold: Duration = .seconds(1)

    private var slept: Duration

    init(_ time: any TimeSource) { slept = Self.slept(time) }

    /// Returns whether the machine has slept since the last sleep that was detected.
    mutating func happened(_ time: any TimeSource) -> Bool {
        let now = Self.slept(time)
        guard now - slept >= Self.threshold else { return false }
        slept = now
        return true
    }

    /// Returns the time that the machine has slept since its start.
    ///
    /// The two clocks are not read at the same instant, so the result can be too long by microseconds.
    private static func slept(_ time: any TimeSource) -> Duration {
        let uptime = time.uptime()
        return .nanoseconds(Int64(clamping: time.continuous().nanoseconds) - Int64(clamping: uptime.nanoseconds))
    }
}
