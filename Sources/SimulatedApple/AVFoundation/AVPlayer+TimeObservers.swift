public import ApusDevice
public import Dispatch
import SimulatedAppleCore

extension AVPlayer {
    /// Calls a block repeatedly while the player plays.
    ///
    /// It is called at the multiples of `interval` on the current item's own timeline, not on that of a clock: a
    /// player that was paused continues with the next multiple. It is also called whenever playback begins or stops,
    /// and when it moves to another item.
    ///
    /// Rule: Apple, documentation/avfoundation/avplayer/addperiodictimeobserver(forinterval:queue:using:).
    ///
    /// - Parameters:
    ///   - interval: The time from one call to the next. Not a positive one is a fault, and the block is not called.
    ///   - queue: A serial queue where the block is called; `nil` is the main queue. The device waits meanwhile.
    ///   - block: Gets the player's time.
    /// - Returns: What ``removeTimeObserver(_:)`` takes. It keeps the player's time observed; the caller has to keep it.
    @preconcurrency
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        let step = interval.wholeNanoseconds
        if step == 0 {
            timeObservers.fault("the interval of a periodic time observer is positive, and not \(interval.seconds) s")
        }
        let observer = TimeObserver(.periodic(step), CallbackQueue(queue ?? .main), block)
        timeObservers.add(observer)
        return observer
    }

    /// Calls a block whenever one of these times of the current item is passed while the player plays.
    ///
    /// Rule: Apple, documentation/avfoundation/avplayer/addboundarytimeobserver(fortimes:queue:using:).
    ///
    /// - Parameters:
    ///   - times: Times, each as `NSValue(time:)`. None is a fault.
    ///   - queue: A serial queue where the block is called; `nil` is the main queue. The device waits meanwhile.
    ///   - block: Called at each.
    /// - Returns: What ``removeTimeObserver(_:)`` takes. The caller has to keep it.
    @preconcurrency
    public func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
    ) -> Any {
        if times.isEmpty { timeObservers.fault("a boundary time observer has at least one time") }
        let boundaries = times.map(\.timeValue.wholeNanoseconds).sorted()
        let observer = TimeObserver(.boundaries(boundaries), CallbackQueue(queue ?? .main)) { _ in block() }
        timeObservers.add(observer)
        return observer
    }

    /// Ends that a block is called. An observer that another player has made is a fault.
    public func removeTimeObserver(_ observer: Any) {
        if let observer = observer as? TimeObserver, timeObservers.remove(observer) { return }
        timeObservers.fault("a time observer is removed from the player that made it, once")
    }
}

extension Fault.Rule {
    /// A time observer that `AVPlayer` raises an exception for: without an interval or a time, or another player's.
    public static let timeObserver = Fault.Rule("NSInvalidArgumentException.timeObserver")
}

extension NSValue {
    /// A time, to the nanosecond, for ``AVPlayer/addBoundaryTimeObserver(forTimes:queue:using:)``.
    public convenience init(time: CMTime) {
        var seconds = time.seconds
        self.init(bytes: &seconds, objCType: "d")
    }

    /// The time of `NSValue(time:)`.
    public var timeValue: CMTime {
        var seconds = 0.0
        getValue(&seconds)
        return CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
    }
}
