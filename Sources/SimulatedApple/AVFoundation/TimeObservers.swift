import ApusBackground
import ApusDevice
import ApusTimers
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
