#if canImport(Darwin)
    import Darwin
    import Dispatch
    import Synchronization

    typealias SystemWakeup = DispatchWakeup

    /// Wakes through Dispatch: one strict timer source a clock, and the system's notification about the wall clock.
    package final class DispatchWakeup: Wakeup {
        private static let isOnQueue = DispatchSpecificKey<Bool>()

        private struct State {
            var sources: [any DispatchSourceTimer] = []
            var clockSetToken: Int32?
            var isStopped = false
        }

        private let queue = DispatchQueue(label: "apus-timers", qos: .userInitiated)
        private let state = Locked(State())

        package init() { queue.setSpecific(key: Self.isOnQueue, value: true) }

        package func start(_ handler: @escaping @Sendable (WakeReason) -> Void) {
            state.withLock { state in
                state.sources = ClockKind.allCases.map { _ in
                    let source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
                    source.setEventHandler { [self] in
                        if !self.state.withLock(\.isStopped) { handler(.deadline) }
                    }
                    source.schedule(deadline: .distantFuture)
                    source.activate()
                    return source
                }
                var token: Int32 = 0
                let status = notify_register_dispatch("com.apple.system.clock_set", &token, queue) { [self] _ in
                    if !self.state.withLock(\.isStopped) { handler(.wallClockChanged) }
                }
                if status == 0 { state.clockSetToken = token }
            }
        }

        package func arm(_ clock: ClockKind, at nanoseconds: UInt64?) {
            state.withLock { state in
                guard !state.isStopped, clock.rawValue < state.sources.count else { return }
                let source = state.sources[clock.rawValue]
                guard let nanoseconds else { return source.schedule(deadline: .distantFuture) }
                switch clock {
                case .uptime:
                    // Its origin is the one of `DispatchTime`.
                    source.schedule(deadline: DispatchTime(uptimeNanoseconds: nanoseconds), leeway: .nanoseconds(0))
                case .continuous:
                    // Dispatch has no public deadline on this clock: a wall deadline goes on during sleep like it,
                    // and the engine looks again when the wall clock is set.
                    let time = SystemTime()
                    let left = time.continuous().duration(to: ContinuousInstant(nanoseconds: nanoseconds))
                    source.schedule(
                        wallDeadline: Self.wallTime(time.wall().advanced(by: left)), leeway: .nanoseconds(0))
                case .wall:
                    source.schedule(
                        wallDeadline: Self.wallTime(WallInstant(nanoseconds: nanoseconds)), leeway: .nanoseconds(0)
                    )
                }
            }
        }

        package func stop() {
            let (sources, token) = state.withLock { state in
                let stopped = (state.sources, state.clockSetToken)
                state = State(isStopped: true)
                return stopped
            }
            for source in sources { source.cancel() }
            if let token { notify_cancel(token) }
            // Waits for a handler that is running.
            if DispatchQueue.getSpecific(key: Self.isOnQueue) == nil { queue.sync {} }
        }

        private static func wallTime(_ instant: WallInstant) -> DispatchWallTime {
            let (seconds, nanoseconds) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return DispatchWallTime(timespec: timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)))
        }
    }
#endif
