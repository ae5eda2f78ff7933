import ApusBackground
public import ApusTesting
import ApusTimers
public import Dispatch
import SimulatedAppleCore

extension AVPlayer {
    /// Calls a block again and again while the player plays.
    ///
    /// It is called at the multiples of `interval` on the current item's own timeline, not on that of a clock: a
    /// player that was paused goes on with the next multiple. It is also called whenever playback begins or stops, and
    /// when it goes on with another item.
    ///
    /// Rule: Apple, documentation/avfoundation/avplayer/addperiodictimeobserver(forinterval:queue:using:).
    ///
    /// - Parameters:
    ///   - interval: The time from one call to the next. Not a positive one is a fault, and the block is not called.
    ///   - queue: A serial queue where the block is called; `nil` is the main queue. The device waits meanwhile.
    ///   - block: Is told the player's time.
    /// - Returns: What ``removeTimeObserver(_:)`` takes. It keeps the player's time observed; the caller has to keep it.
    @preconcurrency
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        let step = UInt64(max(0, (interval.seconds * 1e9).rounded()))
        if step == 0 { fault("the interval of a periodic time observer is positive, and not \(interval.seconds) s") }
        return add(TimeObserver(.periodic(step), CallbackQueue(queue ?? .main), block))
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
        if times.isEmpty { fault("a boundary time observer has at least one time") }
        let boundaries = times.map { UInt64(max(0, ($0.timeValue.seconds * 1e9).rounded())) }.sorted()
        return add(TimeObserver(.boundaries(boundaries), CallbackQueue(queue ?? .main)) { _ in block() })
    }

    /// Ends that a block is called. An observer that another player has made is a fault.
    public func removeTimeObserver(_ observer: Any) {
        guard let observer = observer as? TimeObserver, timeObservers.contains(where: { $0 === observer }) else {
            return fault("a time observer is removed from the player that made it, once")
        }
        observer.stop()
        timeObservers.removeAll { $0 === observer }
    }

    private func fault(_ message: String) { host.fault(Fault(.timeObserver, message)) }

    private func add(_ observer: TimeObserver) -> TimeObserver {
        timeObservers.append(observer)
        observeStates()
        if rate > 0 { arm(observer) }
        return observer
    }

    /// Playback has begun or stopped, or goes on with another item.
    func playbackChanged() {
        for observer in timeObservers {
            observer.stop()
            if case .periodic = observer.times { call(observer) }
            if rate > 0 { arm(observer) }
        }
    }

    private func call(_ observer: TimeObserver) {
        let time = currentTime()
        observer.callbacks.call("a time observer of AVPlayer", on: host) { observer.block(time) }
    }

    private func arm(_ observer: TimeObserver) {
        let position = UInt64(max(0, audio.position.wholeNanoseconds))
        guard let next = observer.times.next(after: position) else { return }
        let item = audio.state.current
        observer.timer = host.engine.schedule(after: .nanoseconds(Int64(clamping: next - position)), clock: .uptime) {
            [host, weak self, weak observer] in
            host.mainLoop.run { [weak self, weak observer] in
                // Paused, skipped, removed, or another player's turn meanwhile.
                guard let self, let observer, observer.timer != nil, self.rate > 0, self.audio.state.current == item
                else { return }
                self.call(observer)
                if observer.timer != nil { self.arm(observer) }
            }
        }
    }
}

/// What is called at times of a player.
@MainActor
final class TimeObserver {
    enum Times {
        case periodic(UInt64)
        case boundaries([UInt64])

        /// The first of the times that is later, in nanoseconds.
        func next(after position: UInt64) -> UInt64? {
            switch self {
            case .periodic(0): nil
            case .periodic(let step): (position / step + 1) * step
            case .boundaries(let times): times.first { $0 > position }
            }
        }
    }

    let times: Times
    let callbacks: CallbackQueue
    let block: @Sendable (CMTime) -> Void
    /// Nil when it does not wait.
    var timer: ScheduledTimer?

    init(_ times: Times, _ callbacks: CallbackQueue, _ block: @escaping @Sendable (CMTime) -> Void) {
        self.times = times
        self.callbacks = callbacks
        self.block = block
    }

    func stop() { timer.take()?.cancel() }
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
