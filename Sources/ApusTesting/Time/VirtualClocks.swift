import ApusTimers
import Synchronization

/// The readings of the three clocks of a ``VirtualTime``, for all engines on it.
///
/// They hold no engine, so that nothing here is a cycle.
final class VirtualClocks: TimeSource {
    // One atomic each, and no lock: they are read several times a step. Only the driver of time writes; a reader of two
    // of them on another thread reads two instants, as on a machine.
    private let uptimeNow: Atomic<UInt64>
    /// Ahead of the uptime by how long the machine has slept.
    private let continuousNow: Atomic<UInt64>
    private let wallNow: Atomic<UInt64>

    init(uptime: UptimeInstant, wall: WallInstant) {
        uptimeNow = Atomic(uptime.nanoseconds)
        continuousNow = Atomic(uptime.nanoseconds)
        wallNow = Atomic(wall.nanoseconds)
    }

    func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: uptimeNow.load(ordering: .acquiring)) }
    func continuous() -> ContinuousInstant {
        ContinuousInstant(nanoseconds: continuousNow.load(ordering: .acquiring))
    }
    func wall() -> WallInstant { WallInstant(nanoseconds: wallNow.load(ordering: .acquiring)) }

    func move(by nanoseconds: UInt64, asleep: Bool = false) {
        if !asleep { uptimeNow.add(nanoseconds, ordering: .acquiringAndReleasing) }
        continuousNow.add(nanoseconds, ordering: .acquiringAndReleasing)
        wallNow.add(nanoseconds, ordering: .acquiringAndReleasing)
    }

    func setWall(_ instant: WallInstant) { wallNow.store(instant.nanoseconds, ordering: .releasing) }
}
