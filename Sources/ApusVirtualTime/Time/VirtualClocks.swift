package import ApusTimers
import Synchronization

/// The readings of the three clocks of a ``VirtualTime``, shared by all engines on it.
///
/// The clocks have no reference to an engine, so there is no reference cycle.
package final class VirtualClocks: TimeSource {
    // Each clock is an atomic that is read without a lock, because each step reads the clocks several times. Only the
    // thread that drives time writes the clocks. Another thread that reads two clocks may get readings of two instants,
    // as on a real machine, except in ``atOneInstant(_:)``.
    private let uptimeNow: Atomic<UInt64>
    /// The continuous clock, which is ahead of the uptime by the duration of the machine's sleeps.
    private let continuousNow: Atomic<UInt64>
    private let wallNow: Atomic<UInt64>
    /// A lock that is held while the clocks move, and while a caller needs them to stand still.
    private let movement = Locked(())

    init(uptime: UptimeInstant, wall: WallInstant) {
        uptimeNow = Atomic(uptime.nanoseconds)
        continuousNow = Atomic(uptime.nanoseconds)
        wallNow = Atomic(wall.nanoseconds)
    }

    package func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: uptimeNow.load(ordering: .acquiring)) }
    package func continuous() -> ContinuousInstant {
        ContinuousInstant(nanoseconds: continuousNow.load(ordering: .acquiring))
    }
    package func wall() -> WallInstant { WallInstant(nanoseconds: wallNow.load(ordering: .acquiring)) }

    /// Moves the clocks by the number of nanoseconds that `step` returns; with `nil`, they do not move.
    ///
    /// `step` may search for the next deadline, because no thread in ``atOneInstant(_:)`` can add an earlier one before
    /// the clocks have moved.
    ///
    /// - Returns: The result of `step`.
    @discardableResult
    func move(asleep: Bool = false, by step: () -> UInt64?) -> UInt64? {
        movement.withLock { _ in
            guard let nanoseconds = step() else { return nil }
            if !asleep { uptimeNow.add(nanoseconds, ordering: .acquiringAndReleasing) }
            continuousNow.add(nanoseconds, ordering: .acquiringAndReleasing)
            wallNow.add(nanoseconds, ordering: .acquiringAndReleasing)
            return nanoseconds
        }
    }

    func setWallClock(_ instant: WallInstant) {
        movement.withLock { _ in wallNow.store(instant.nanoseconds, ordering: .releasing) }
    }

    /// Runs `body` while the clocks stand still, so that all it reads, schedules and logs has the same instant.
    ///
    /// It can be called on any thread. The body must not move time, and calls must not be nested.
    package func atOneInstant<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try movement.withLock { _ throws(Failure) in try body() }
    }
}
