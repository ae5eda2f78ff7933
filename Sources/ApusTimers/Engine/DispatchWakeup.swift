#if canImport(Darwin)
    import Darwin
    import Dispatch
    import notify

    typealias SystemWakeup = DispatchWakeup

    /// Wakes the engine through Dispatch.
    ///
    /// The uptime clock and the wall clock each have a strict timer source. Dispatch has no public deadlines on the
    /// continuous clock, so that clock has a timer of a kernel queue. A notification of the system reports that the
    /// wall clock was set.
    package final class DispatchWakeup: Wakeup {
        private static let isOnQueue = DispatchSpecificKey<Bool>()

        private struct State {
            var uptime: (any DispatchSourceTimer)?
            var wall: (any DispatchSourceTimer)?
            var continuous: ContinuousTimer?
            var clockSetToken: Int32?
            var isStopped = false
        }

        private let queue = DispatchQueue(label: "apus-timers", qos: .userInitiated)
        private let state = Locked(State())

        package init() { queue.setSpecific(key: Self.isOnQueue, value: true) }

        package func start(_ handler: @escaping @Sendable (WakeReason) -> Void) {
            let report = { @Sendable [self] (reason: WakeReason) in
                if !self.state.withLock({ $0.isStopped }) { handler(reason) }
            }
            state.withLock { state in
                state.uptime = makeSource { report(.deadline) }
                state.wall = makeSource { report(.deadline) }
                state.continuous = ContinuousTimer(queue: queue) { report(.deadline) }
                var token: Int32 = 0
                let status = notify_register_dispatch("com.apple.system.clock_set", &token, queue) { _ in
                    report(.wallClockChanged)
                }
                if status == 0 { state.clockSetToken = token }
            }
        }

        private func makeSource(_ handler: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
            let source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
            source.setEventHandler(handler: handler)
            source.schedule(deadline: .distantFuture)
            source.activate()
            return source
        }

        package func arm(at deadline: ClockInstant) { arm(deadline.clock, at: deadline.nanoseconds) }

        package func disarm(_ clock: ClockKind) { arm(clock, at: nil) }

        private func arm(_ clock: ClockKind, at nanoseconds: UInt64?) {
            state.withLock { state in
                guard !state.isStopped else { return }
                switch clock {
                case .uptime:
                    // `DispatchTime` counts from the origin of the uptime clock.
                    let deadline = nanoseconds.map { DispatchTime(uptimeNanoseconds: $0) } ?? .distantFuture
                    state.uptime?.schedule(deadline: deadline, leeway: .nanoseconds(0))
                case .continuous:
                    state.continuous?.arm(at: nanoseconds.map { ContinuousInstant(nanoseconds: $0) })
                case .wall:
                    let deadline = nanoseconds.map { Self.wallTime(WallInstant(nanoseconds: $0)) } ?? .distantFuture
                    state.wall?.schedule(wallDeadline: deadline, leeway: .nanoseconds(0))
                }
            }
        }

        package func stop() {
            state.withLock { state in
                state.uptime?.cancel()
                state.wall?.cancel()
                state.continuous?.cancel()
                if let token = state.clockSetToken { notify_cancel(token) }
                state = State(isStopped: true)
            }
            // This waits for a running handler, unless the handler itself has called `stop`.
            if DispatchQueue.getSpecific(key: Self.isOnQueue) == nil { queue.sync {} }
        }

        private static func wallTime(_ instant: WallInstant) -> DispatchWallTime {
            let (seconds, nanoseconds) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return DispatchWallTime(timespec: timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)))
        }
    }

    /// Waits for one deadline on the continuous clock, with a kernel queue's timer (`NOTE_MACH_CONTINUOUS_TIME`,
    /// Apple's sys/event.h).
    private final class ContinuousTimer {
        private let descriptor: Int32
        private let source: any DispatchSourceRead

        init(queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
            let descriptor = kqueue()
            // Trapping is better than a timer that never fires.
            precondition(descriptor >= 0, "the kernel provides no kqueue: \(String(cString: strerror(errno)))")
            self.descriptor = descriptor
            source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                var event = kevent()
                var none = timespec()
                while kevent(descriptor, nil, 0, &event, 1, &none) > 0 {}
                handler()
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }

        /// Arms the timer, or disarms it for nil.
        ///
        /// The deadline is passed to the kernel as a duration, because the kernel counts absolute deadlines from the
        /// wall clock's origin. The time between reading the clock and the system call makes the wake-up late, never
        /// early.
        func arm(at instant: ContinuousInstant?) {
            var change = kevent()
            change.ident = 1
            change.filter = Int16(EVFILT_TIMER)
            if let instant {
                let left = SystemTime().continuous().duration(to: instant)
                change.flags = UInt16(EV_ADD | EV_ONESHOT)
                change.fflags = UInt32(NOTE_NSECONDS) | UInt32(NOTE_MACH_CONTINUOUS_TIME) | UInt32(NOTE_CRITICAL)
                change.data = Int(max(1, left.wholeNanoseconds))
            } else {
                change.flags = UInt16(EV_DELETE)
            }
            _ = kevent(descriptor, &change, 1, nil, 0, nil)
        }

        func cancel() { source.cancel() }
    }
#endif
