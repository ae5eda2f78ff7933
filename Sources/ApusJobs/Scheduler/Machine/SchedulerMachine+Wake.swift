import ApusTimers

extension SchedulerMachine {
    /// How long the rules of zones are believed to be the same, while nothing else wakes the scheduler.
    private static let zoneCheck = Duration.seconds(3_600)

    /// When to look again if nothing happens: the first of what waits for time.
    func wake(_ now: ClockReading, isPaused: Bool) -> SchedulerWake? {
        var best: (delay: Duration, wake: SchedulerWake)?
        func consider(_ delay: Duration, _ wake: SchedulerWake) {
            if best.map({ delay < $0.delay }) ?? true { best = (delay, wake) }
        }
        func consider(from start: WallInstant, to latest: WallInstant) {
            consider(
                now.wall.duration(to: latest),
                SchedulerWake(instant: .wall(start), tolerance: start.duration(to: latest)))
        }
        func consider(_ instant: UptimeInstant?) {
            guard let instant else { return }
            consider(now.uptime.duration(to: instant), SchedulerWake(instant: .uptime(instant), tolerance: .zero))
        }
        if case .stopping(let stopping) = phase { consider(stopping.deadline) }
        if isPaused { consider(retryAt) }
        consider(calls.values.min())
        guard phase.isRunning, !isPaused else { return best?.wake }
        if let first = deadlines.first { consider(from: first.start, to: first.instant) }
        if let load { consider(from: load.at, to: load.latest) }
        // The loop looks at the files of zones whenever it is awake.
        if usesTimeZones {
            consider(from: now.wall.advanced(by: Self.zoneCheck), to: now.wall.advanced(by: Self.zoneCheck * 5 / 4))
        }
        consider(board.nextAsk(now.uptime))
        if running.count < configuration.maximumConcurrentRuns, let delay = board.nextStart(now.continuous) {
            let instant = now.wall.advanced(by: delay)
            consider(from: instant, to: instant)
        }
        return best?.wake
    }
}
