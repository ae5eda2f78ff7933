import ApusTimers
import Synchronization

/// The readings of the monotonic clocks when the machine started, in nanoseconds.
package struct BootReading: Sendable, Hashable {
    package var uptime: UInt64
    package var continuous: UInt64

    package init(uptime: UInt64 = 0, continuous: UInt64 = 0) {
        (self.uptime, self.continuous) = (uptime, continuous)
    }
}

/// The clocks as one engine sees them, and the step loop's view of that engine's deadlines.
final class VirtualWakeup: TimeSource, Wakeup {
    /// A struct, because a closure that goes through the lock's generic code would be wrapped in another each time.
    private struct Handler {
        let body: @Sendable (WakeReason) -> Void
    }

    // For what each clock is armed, in the engine's own readings; `never` when it is not. Atomics and no lock, because
    // the step loop asks several times a step. The end of time is how the engine listens for settings of the wall
    // clock, and never comes either.
    private let armedUptime = Atomic(VirtualWakeup.never)
    private let armedContinuous = Atomic(VirtualWakeup.never)
    private let armedWall = Atomic(VirtualWakeup.never)
    private static var never: UInt64 { .max }

    var isPunctual: Bool { true }

    private let clocks: VirtualClocks
    private let boot: BootReading
    private let handler = Locked<Handler?>(nil)
    /// Called after each arming, from any thread: a thread may be waiting for work.
    private let onArm: @Sendable () -> Void

    init(clocks: VirtualClocks, boot: BootReading = BootReading(), onArm: @escaping @Sendable () -> Void) {
        self.clocks = clocks
        self.boot = boot
        self.onArm = onArm
    }

    func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: clocks.uptime().nanoseconds - boot.uptime) }
    func continuous() -> ContinuousInstant {
        ContinuousInstant(nanoseconds: clocks.continuous().nanoseconds - boot.continuous)
    }
    func wall() -> WallInstant { clocks.wall() }

    func start(_ handler: @escaping @Sendable (WakeReason) -> Void) {
        self.handler.withLock { $0 = Handler(body: handler) }
    }

    func arm(at deadline: ClockInstant) { arm(deadline.clock, at: deadline.nanoseconds) }

    func disarm(_ clock: ClockKind) { arm(clock, at: Self.never) }

    private func arm(_ clock: ClockKind, at instant: UInt64) {
        switch clock {
        case .uptime: armedUptime.store(instant, ordering: .releasing)
        case .continuous: armedContinuous.store(instant, ordering: .releasing)
        case .wall: armedWall.store(instant, ordering: .releasing)
        }
        onArm()
    }

    func stop() {
        let handler = handler.withLock { $0.take() }
        armedUptime.store(Self.never, ordering: .releasing)
        armedContinuous.store(Self.never, ordering: .releasing)
        armedWall.store(Self.never, ordering: .releasing)
        withExtendedLifetime(handler) {}
    }

    /// Wakes the engine if an armed deadline has come.
    func wakeIfDue() -> Bool {
        // Each of them: a kernel timer goes off once, and what is due with another one does not go off again.
        let uptimeIsDue = goesOff(armedUptime) { uptime().nanoseconds }
        let continuousIsDue = goesOff(armedContinuous) { continuous().nanoseconds }
        let wallIsDue = goesOff(armedWall) { wall().nanoseconds }
        guard uptimeIsDue || continuousIsDue || wallIsDue, let handler = handler.withLock({ $0 }) else { return false }
        handler.body(.deadline)
        return true
    }

    private func goesOff(_ armed: borrowing Atomic<UInt64>, now: () -> UInt64) -> Bool {
        let deadline = armed.load(ordering: .acquiring)
        guard deadline != Self.never, deadline <= now() else { return false }
        // Failing: it was armed anew on another thread, and that is looked at next.
        return armed.compareExchange(
            expected: deadline, desired: Self.never, ordering: .acquiringAndReleasing
        ).exchanged
    }

    func reportWallClockChange() {
        let handler = handler.withLock { $0 }
        handler?.body(.wallClockChanged)
    }

    /// How long until the next armed deadline; nil when none will ever come.
    var untilNextDeadline: UInt64? {
        let earliest = min(
            left(armedUptime) { uptime().nanoseconds }, left(armedContinuous) { continuous().nanoseconds },
            left(armedWall) { wall().nanoseconds })
        return earliest == Self.never ? nil : earliest
    }

    private func left(_ armed: borrowing Atomic<UInt64>, now: () -> UInt64) -> UInt64 {
        let deadline = armed.load(ordering: .acquiring)
        if deadline == Self.never { return Self.never }
        let now = now()
        return deadline > now ? deadline - now : 0
    }
}
