/// What the clocks of a time source show at one moment.
package struct ClockReading: Hashable, Sendable {
    package var wall: WallInstant
    package var continuous: ContinuousInstant
    package var uptime: UptimeInstant

    /// Reads the three clocks one after another.
    package init(_ time: some TimeSource) {
        self.init(wall: time.wall(), continuous: time.continuous(), uptime: time.uptime())
    }

    package init(wall: WallInstant, continuous: ContinuousInstant, uptime: UptimeInstant) {
        (self.wall, self.continuous, self.uptime) = (wall, continuous, uptime)
    }

    /// The wall clock's reading at that instant, if it is not set before.
    package func wall(at instant: ContinuousInstant) -> WallInstant {
        wall.advanced(by: continuous.duration(to: instant))
    }
}
