import ApusTimers

/// Makes frames of what a display link says, without display or link. Times are in seconds of uptime.
///
/// After a pause a link may say that the next frame begins at zero, or before the shown one
/// (github.com/flutter/flutter/pull/186457); then the length of the frame before is taken.
struct DisplayLinkMachine: Sendable {
    /// The sum of what the frames said.
    private(set) var droppedFrameCount = 0
    private var nextNumber = 1
    private var lastTimestamp = 0.0
    /// The length of the last frame.
    private var length: Double?
    /// When the next frame is due; nil when a delay until then counts as no dropped frame.
    private var expected: Double?

    /// The link was paused, or has another rate: what passes until its next call was not dropped.
    mutating func interrupted() { expected = nil }

    /// The link has called. Nil when it says nothing new: no frame, or one that was there.
    mutating func called(timestamp: Double, targetTimestamp: Double, duration: Double) -> Frame? {
        guard timestamp.isFinite, timestamp > lastTimestamp else { return nil }
        let said = targetTimestamp - timestamp
        // A 60th of a second where no interval is known yet: what most displays have.
        let usual = length ?? (duration.isFinite && duration > 0 ? duration : 1 / 60)
        let length = said.isFinite && said > 0 ? said : usual
        // A frame that is late by less than half of one is the expected one.
        let late = expected.map { max(0, ((timestamp - $0) / length).rounded()) } ?? 0
        let dropped = Int(min(late, Double(Int32.max)))
        let number = nextNumber + dropped
        droppedFrameCount += dropped
        (nextNumber, lastTimestamp) = (number + 1, timestamp)
        (self.length, expected) = (length, timestamp + length)
        return Frame(
            number: number, timestamp: Self.instant(timestamp), targetTimestamp: Self.instant(timestamp + length),
            duration: .seconds(duration.isFinite && duration > 0 ? duration : length), droppedFrameCount: dropped)
    }

    private static func instant(_ seconds: Double) -> ClockInstant {
        ClockInstant(clock: .uptime, nanoseconds: UInt64(min(max(0, seconds * 1e9), 1e19)))
    }
}
