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

/// The clocks as one engine sees them, and the engine's deadlines as the step loop sees them.
final class VirtualWakeup: TimeSource, Wakeup {
    /// The handler's closure, in a struct because the lock's generic code would wrap a bare closure in another one at
    /// each access.
    private struct Handler {
        let body: @Sendable (WakeReason) -> Void
    }

    // The deadline that is armed on each clock, by the engine's own readings; `never` if there is none. Each is an
    // atomic, because each step reads it several times. To be notified when the wall clock is set, the engine arms the
    // end of time, which has the same value as `never`.
    private let armedUptime = Atomic(VirtualWakeup.never)
    private let armedContinuous = Atomic(VirtualWakeup.never)
    private let armedWall = Atomic(VirtualWakeup.never)
    private static var never: UInt64 { .max }

    var isPunctual: Bool { true }

    private let clocks: VirtualClocks
    private let boot: BootReading
    private let handler = Locked<Handler?>(nil)
    /// Called from any thread after each change of a deadline, because a thread may be waiting for work.
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
        // All three clocks are checked, because the engine handles all of them in one call, and each deadline that has
        // come must be disarmed, like a kernel timer that has fired.
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
        // If the exchange fails, another thread has armed a new deadline, which the next call checks.
        return armed.compareExchange(
            expected: deadline, desired: Self.never, ordering: .acquiringAndReleasing
        ).exchanged
    }

    func reportWallClockChange() {
        let handler = handler.withLock { $0 }
        handler?.body(.wallClockChanged)
    }

    /// The time until the next armed deadline, in nanoseconds; `nil` when none will ever come.
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
