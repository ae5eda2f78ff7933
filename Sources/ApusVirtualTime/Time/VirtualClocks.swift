package import ApusTimers
import Synchronization

/// The readings of the three clocks of a ``VirtualTime``, for all engines on it.
///
/// They hold no engine, so that nothing here is a cycle.
package final class VirtualClocks: TimeSource {
    // One atomic each, and no lock for readers: they are read several times a step. Only the driver of time writes; a
    // reader of two of them on another thread reads two instants, as on a machine, except in ``atOneInstant(_:)``.
    private let uptimeNow: Atomic<UInt64>
    /// Ahead of the uptime by how long the machine has slept.
    private let continuousNow: Atomic<UInt64>
    private let wallNow: Atomic<UInt64>
    /// Held while the clocks move, and while they must not.
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

    /// Moves by the nanoseconds that `step` returns; nil moves nothing. `step` may look for the next deadline: a thread
    /// in ``atOneInstant(_:)`` sets no earlier one between the answer and the move.
    ///
    /// - Returns: What `step` returned.
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

    /// The clocks stand still while `body` runs, on whichever thread: what it reads, schedules and logs is of one
    /// instant. It must not move time, nor nest.
    package func atOneInstant<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try movement.withLock { _ throws(Failure) in try body() }
    }
}
