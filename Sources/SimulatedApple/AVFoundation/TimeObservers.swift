import ApusBackground
public import ApusDevice
import ApusTimers
public import Dispatch
import SimulatedAppleCore

/// The time observers of one player, each of which is called when the player reaches one of the observer's times.
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

    /// Removes an observer; returns `false` if it does not belong to this player.
    func remove(_ observer: TimeObserver) -> Bool {
        guard let index = observers.firstIndex(where: { $0 === observer }) else { return false }
        observers.remove(at: index).stop()
        return true
    }

    func fault(_ message: String) { host.fault(Fault(.timeObserver, message)) }

    /// Handles a change of playback: it began, stopped, or continues with another item or position.
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
        let (host, number, (first, changes)) = (host, player.audio.number, player.audio.states)
        host.start { [weak self] in
            var last = first
            for await states in changes {
                let state = states[number] ?? AudioState()
                let isNews = state.isPlaying != last.isPlaying || (state.isPlaying && state.current != last.current)
                last = state
                guard isNews else { continue }
                host.mainLoop.run { [weak self] in
                    self?.playbackChanged()
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
                // In the meantime the player may have been paused or have moved to another item, or the observer may
                // have been removed.
                guard let self, let observer, observer.timer != nil, let player = self.player, player.rate > 0,
                    player.audio.current == item
                else { return }
                self.call(observer, player)
                if observer.timer != nil { self.arm(observer, player) }
            }
        }
    }
}

/// A block that is called at some times of a player's item; the times are in nanoseconds.
@MainActor
final class TimeObserver {
    enum Times {
        case periodic(UInt64)
        /// The times in ascending order.
        case boundaries([UInt64])

        /// Returns the first of the times after a position.
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
    /// The timer of the next call; `nil` while none is scheduled.
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
    /// It is called at the multiples of `interval` on the timeline of the current item. This timeline is not a clock: a
    /// player that was paused continues with the next multiple. The block is also called whenever playback begins or
    /// stops, and when the player moves to another item.
    ///
    /// Rule: Apple, documentation/avfoundation/avplayer/addperiodictimeobserver(forinterval:queue:using:).
    ///
    /// - Parameters:
    ///   - interval: The time between two calls. If it is not positive, the device records a fault, and the block is
    ///     called only when playback changes.
    ///   - queue: The serial queue on which the block is called; `nil` for the main queue. The device waits until the
    ///     block returns.
    ///   - block: Receives the player's time.
    /// - Returns: The observer, with which ``removeTimeObserver(_:)`` is called later. On a phone, the caller must
    ///   retain the observer.
    @preconcurrency
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        let step = interval.wholeNanoseconds
        if step == 0 {
            timeObservers.fault("the interval \(interval.seconds) s of a periodic time observer is not positive")
        }
        let observer = TimeObserver(.periodic(step), CallbackQueue(queue ?? .main), block)
        timeObservers.add(observer)
        return observer
    }

    /// Calls a block whenever the player passes one of these times of the current item.
    ///
    /// Rule: Apple, documentation/avfoundation/avplayer/addboundarytimeobserver(fortimes:queue:using:).
    ///
    /// - Parameters:
    ///   - times: The times, each as `NSValue(time:)`. If there are none, the device records a fault.
    ///   - queue: The serial queue on which the block is called; `nil` for the main queue. The device waits until the
    ///     block returns.
    ///   - block: Called at each time.
    /// - Returns: The observer, with which ``removeTimeObserver(_:)`` is called later. On a phone, the caller must
    ///   retain the observer.
    @preconcurrency
    public func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
    ) -> Any {
        if times.isEmpty { timeObservers.fault("a boundary time observer has no times; pass at least one") }
        let boundaries = times.map(\.timeValue.wholeNanoseconds).sorted()
        let observer = TimeObserver(.boundaries(boundaries), CallbackQueue(queue ?? .main)) { _ in block() }
        timeObservers.add(observer)
        return observer
    }

    /// Removes a time observer; the device records a fault if the observer is another player's or was already removed.
    public func removeTimeObserver(_ observer: Any) {
        if let observer = observer as? TimeObserver, timeObservers.remove(observer) { return }
        timeObservers.fault("this player does not have the time observer; remove it once, from the player that made it")
    }
}

extension Fault.Rule {
    /// A time observer was added without an interval or a time, or was removed from a player that does not have it.
    ///
    /// In both cases, `AVPlayer` raises an exception.
    public static let timeObserver = Fault.Rule("NSInvalidArgumentException.timeObserver")
}

extension NSValue {
    /// Creates a value for ``AVPlayer/addBoundaryTimeObserver(forTimes:queue:using:)`` from a time, to the nanosecond.
    public convenience init(time: CMTime) {
        var seconds = time.seconds
        self.init(bytes: &seconds, objCType: "d")
    }

    /// The time with which the value was created.
    public var timeValue: CMTime {
        var seconds = 0.0
        getValue(&seconds)
        return CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
    }
}
