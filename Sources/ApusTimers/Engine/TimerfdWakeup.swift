#if os(Linux)
    import CApus
    import Synchronization
    import PlatformC

    typealias SystemWakeup = TimerfdWakeup

    /// Wakes the engine through the kernel's timers, one descriptor for each clock.
    ///
    /// One thread waits for these descriptors and for an event descriptor, which wakes the thread when it must end, or
    /// must report that arming has found the wall clock set. Arming is a system call on the caller's thread, and does
    /// not wake the waiting thread otherwise.
    package final class TimerfdWakeup: Wakeup {
        private let descriptors: Descriptors
        private let thread: Locked<SystemThread?> = Locked(nil)

        package var isPunctual: Bool { true }

        package init() { descriptors = Descriptors() }

        package func start(_ handler: @escaping @Sendable (WakeReason) -> Void) {
            thread.withLock { thread in
                precondition(thread == nil, "a wakeup is started once")
                thread = SystemThread(named: "apus-timers") { [descriptors] in
                    Loop(descriptors: descriptors, handler: handler).run()
                }
            }
        }

        package func arm(at deadline: ClockInstant) { descriptors.arm(deadline.clock, at: deadline.nanoseconds) }

        package func disarm(_ clock: ClockKind) { descriptors.arm(clock, at: nil) }

        package func stop() {
            // A forked child does not have this thread.
            if descriptors.areInherited { return }
            descriptors.isStopped.store(true, ordering: .releasing)
            descriptors.signal()
            guard let thread = thread.withLock({ $0.take() }) else { return }
            if thread.isCurrent { thread.detach() } else { thread.join() }
        }
    }

    /// Owns the descriptors, which live until both the wakeup and its thread have released them.
    private final class Descriptors: Sendable {
        let timers: [Int32]
        let event: Int32
        private let forks = capus_forks()
        let isStopped = Atomic(false)
        /// Whether arming has reported that the wall clock was set; a later read does not report it again.
        let wallClockWasSet = Atomic(false)

        init() {
            timers = ClockKind.allCases.map { clock in
                checked(capus_timerfd_create(capus_clock(UInt32(clock.rawValue))), "timerfd_create")
            }
            event = checked(capus_eventfd_create(), "eventfd")
        }

        deinit {
            for timer in timers { close(timer) }
            close(event)
        }

        /// Whether the process was forked after the descriptors were made.
        ///
        /// They are then shared with the parent, and arming them here would wake the parent.
        var areInherited: Bool { capus_forks() != forks }

        func arm(_ clock: ClockKind, at nanoseconds: UInt64?) {
            if areInherited { return }
            let isWall = clock == .wall && nanoseconds != nil
            // 0 would disarm the timer, so a deadline of 0 becomes 1. Both instants have passed.
            let result = capus_timerfd_arm(timers[clock.rawValue], nanoseconds.map { max(1, $0) } ?? 0, isWall ? 1 : 0)
            if result == -ECANCELED {
                wallClockWasSet.store(true, ordering: .releasing)
                signal()
            } else {
                _ = checked(result, "timerfd_settime")
            }
        }

        func signal() { _ = checked(capus_eventfd_signal(event), "eventfd write") }
    }

    private func checked(_ result: Int32, _ call: String) -> Int32 {
        precondition(result >= 0, "the timer engine cannot work: \(call) failed with error \(-result)")
        return result
    }

    private final class Loop {
        private let descriptors: Descriptors
        private let handler: @Sendable (WakeReason) -> Void

        init(descriptors: Descriptors, handler: @escaping @Sendable (WakeReason) -> Void) {
            self.descriptors = descriptors
            self.handler = handler
        }

        func run() {
            var polled = (descriptors.timers + [descriptors.event]).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            while !descriptors.isStopped.load(ordering: .acquiring) {
                guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
                if let reason = reason(polled), !descriptors.isStopped.load(ordering: .acquiring) { handler(reason) }
            }
        }

        private func reason(_ polled: [pollfd]) -> WakeReason? {
            var reason: WakeReason?
            for (clock, descriptor) in zip(ClockKind.allCases, polled) where descriptor.revents != 0 {
                // The engine arms or disarms each clock after a wake-up, which clears the expiry; reading the
                // descriptor would cost one more system call for each wake-up. Only the wall clock is read, to detect
                // that it was set.
                if clock == .wall, capus_timerfd_read(descriptor.fd) == -Int64(ECANCELED) { return .wallClockChanged }
                reason = .deadline
            }
            // An event descriptor is read like a timer: eight bytes with a count.
            if polled[descriptors.timers.count].revents != 0 { _ = capus_timerfd_read(descriptors.event) }
            let wasSet = descriptors.wallClockWasSet.exchange(false, ordering: .acquiringAndReleasing)
            return wasSet ? .wallClockChanged : reason
        }
    }
#endif
