import ApusBackground
public import ApusDevice
import ApusTimers
public import Dispatch
import SimulatedAppleCore

/// The time observers of one player: calls each when the player comes to one of its times.
@MainActor
final class TimeObservers {
    private let host: any PhoneHost
    private weak var player: AVPlayer?
    private var observers: [TimeObserver] = []
    private var followsPlayback = false

    init(of player: AVPlayer, on host: any PhoneHost) {
        self.player = player
        self.host = host
    }

    func add(_ observer: TimeObserver) {
        observers.append(observer)
        followPlayback()
        if let player, player.rate > 0 { arm(observer, player) }
    }

    /// False when it is not there.
    func remove(_ observer: TimeObserver) -> Bool {
        guard let index = observers.firstIndex(where: { $0 === observer }) else { return false }
        observers.remove(at: index).stop()
        return true
    }

    func fault(_ message: String) { host.fault(Fault(.timeObserver, message)) }

    /// Playback has begun or stopped, or continues with another item, or from another position.
    func playbackChanged() {
        guard let player else { return }
        for observer in observers {
            observer.stop()
            if case .periodic = observer.times { call(observer, player) }
            if player.rate > 0 { arm(observer, player) }
        }
    }

    private func followPlayback() {
        guard !followsPlayback, let player else { return }
        followsPlayback = true
        let (host, (first, changes)) = (host, player.audio.states)
        host.start { [weak self] in
            var last = first
            for await state in changes {
                let isNews = state.isPlaying != last.isPlaying || (state.isPlaying && state.current != last.current)
                last = state
                guard isNews else { continue }
                host.mainLoop.run { [weak self] in
                    if let self, self.player?.audio.isOwned == true { playbackChanged() }
                }
            }
        }
    }

    private func call(_ observer: TimeObserver, _ player: AVPlayer) {
        let time = player.currentTime()
        observer.queue.call("a time observer of AVPlayer", on: host) { observer.block(time) }
    }

    private func arm(_ observer: TimeObserver, _ player: AVPlayer) {
        let position = UInt64(max(0, player.audio.position.wholeNanoseconds))
        guard let next = observer.times.next(after: position) else { return }
        let item = player.audio.current
        observer.timer = host.engine.schedule(after: .nanoseconds(Int64(clamping: next - position)), clock: .uptime) {
            [host, weak self, weak observer] in
            host.mainLoop.run { [weak self, weak observer] in
                // Paused, skipped, removed, or another player's turn meanwhile.
                guard let self, let observer, observer.timer != nil, let player = self.player, player.rate > 0,
                    player.audio.current == item
                else { return }
                self.call(observer, player)
                if observer.timer != nil { self.arm(observer, player) }
            }
        }
    }
}

/// What is called at times of a player's item, in nanoseconds.
@MainActor
final class TimeObserver {
    enum Times {
        case periodic(UInt64)
        /// In their order.
        case boundaries([UInt64])

        /// The first of the times that is later.
        func next(after position: UInt64) -> UInt64? {
            switch self {
            case .periodic(0): nil
            case .periodic(let step): (position / step + 1) * step
            case .boundaries(let times): times.first { $0 > position }
            }
        }
    }

    let times: Times
    let queue: CallbackQueue
    let block: @Sendable (CMTime) -> Void
    /// Nil when it does not wait.
    var timer: ScheduledTimer?

    init(_ times: Times, _ queue: CallbackQueue, _ block: @escaping @Sendable (CMTime) -> Void) {
        self.times = times
        self.queue = queue
        self.block = block
    }

    func stop() { timer.take()?.cancel() }
}

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
