public import ApusTimers

/// An instant that outlives the process: on the wall clock, and on the continuous one for as long as the machine runs.
///
/// Within one start of the machine the continuous clock decides, so setting the wall clock does not move the instant.
/// After a restart of the machine, only the wall clock is left.
public struct StoredInstant: Sendable, Hashable {
    /// The instant on the wall clock.
    public var wall: WallInstant
    /// Which start of the machine ``continuous`` is about; `nil` when the host did not know it.
    public var boot: String?
    /// The instant on the continuous clock of that start.
    public var continuous: ContinuousInstant

    /// An instant on both clocks.
    public init(wall: WallInstant, boot: String?, continuous: ContinuousInstant) {
        self.wall = wall
        self.boot = boot
        self.continuous = continuous
    }

    /// How far away it is; negative when it has passed.
    func duration(from now: HostReading) -> Duration {
        if let boot, boot == now.boot { return now.continuous.duration(to: continuous) }
        return now.wall.duration(to: wall)
    }
}
