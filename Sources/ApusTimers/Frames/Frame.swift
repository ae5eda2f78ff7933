/// One call of a ``FrameTimer``.
public struct Frame: Sendable, Hashable {
    /// Which of the timer's frames this is, from 1. Dropped frames use up numbers too; a pause does not.
    public let number: Int
    /// When this frame began: the latest of the timer's frames at or before the call. Never later than the call.
    public let timestamp: ClockInstant
    /// When the timer's next frame begins, and what is drawn now is to be shown. Always later than ``timestamp``, by
    /// one frame at the timer's actual rate.
    public let targetTimestamp: ClockInstant
    /// How long one frame is at the *maximum* rate, as with `CADisplayLink`. The length of this timer's frames is
    /// ``targetTimestamp`` − ``timestamp``.
    public let duration: Duration
    /// How many of the timer's frames were dropped between the one before and this one, because the handler or the
    /// machine was late. Frames that passed in a pause are not dropped.
    public let droppedFrameCount: Int

    /// For the other kinds of display links that Apus has.
    package init(
        number: Int, timestamp: ClockInstant, targetTimestamp: ClockInstant, duration: Duration, droppedFrameCount: Int
    ) {
        self.number = number
        self.timestamp = timestamp
        self.targetTimestamp = targetTimestamp
        self.duration = duration
        self.droppedFrameCount = droppedFrameCount
    }
}
