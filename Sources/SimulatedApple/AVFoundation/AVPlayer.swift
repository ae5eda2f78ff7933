import ApusBackground
import ApusTesting
import SimulatedAppleCore

/// Something to play. How long it lasts is said when the app is installed, by the last component of its URL.
@preconcurrency @MainActor
open class AVPlayerItem: NSObject {
    let item: AudioItem
    /// What is played.
    public let asset: AVAsset

    /// The sound at a URL.
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// The sound of an asset.
    public init(asset: AVAsset) {
        let url = (asset as? AVURLAsset)?.url
        item = AudioItem(
            id: url?.lastPathComponent ?? "", title: url?.lastPathComponent ?? "", source: url?.absoluteString ?? "")
        self.asset = asset
        super.init()
    }

    /// How long it lasts, as the installation says.
    open var duration: CMTime {
        CMTime(seconds: SimulatedPhone.process.audio.duration(of: item).inSeconds, preferredTimescale: 1_000)
    }
}

/// Plays one item, in virtual time, through the simulated phone's audio. The phone has one player: one that is asked to
/// play takes the place of the one before.
@preconcurrency @MainActor
open class AVPlayer: NSObject {
    /// What the player does.
    public enum TimeControlStatus: Int, Sendable {
        /// Nothing.
        case paused = 0
        /// It waits for data. The simulation does not give this.
        case waitingToPlayAtSpecifiedRate = 1
        /// It plays.
        case playing = 2
    }

    /// What the player does when its item has ended.
    public enum ActionAtItemEnd: Int, Sendable {
        /// It goes on with the next item; only a queue player can.
        case advance = 0
        /// It pauses, and keeps the item.
        case pause = 1
        /// It does nothing, and keeps the item. Here that is `pause`.
        case none = 2
    }

    let host: any PhoneHost
    let audio: any PhoneAudio
    /// What is called at times of the item.
    var timeObservers: [TimeObserver] = []
    private var isObservingStates = false
    /// What is to be played, the current one first.
    var queue: [AVPlayerItem]

    /// A player without an item.
    override public convenience init() { self.init(queue: []) }
    /// A player of one item.
    public convenience init(playerItem item: AVPlayerItem?) { self.init(queue: item.map { [$0] } ?? []) }
    /// A player of the sound at a URL.
    public convenience init(url: URL) { self.init(queue: [AVPlayerItem(url: url)]) }

    init(queue: [AVPlayerItem]) {
        let process = SimulatedPhone.process
        host = process.host
        audio = process.audio
        self.queue = queue
        super.init()
        actionAtItemEnd = self is AVQueuePlayer ? .advance : .pause
    }

    /// What the player does when its item has ended. A queue player advances, and other players pause, unless the app
    /// says otherwise.
    open var actionAtItemEnd = ActionAtItemEnd.pause {
        didSet { if isOwner { audio.replaceUpcoming(Array(itemsToPlay.dropFirst())) } }
    }

    /// The items that are played without another word.
    var itemsToPlay: [AudioItem] { (actionAtItemEnd == .advance ? queue : Array(queue.prefix(1))).map(\.item) }

    /// The item that plays, or that would.
    open var currentItem: AVPlayerItem? { queue.first }

    /// Plays, and makes the audio session active for that, with the category that the app has set. While a call or
    /// another app has the sound it does not play, and the device's log warns.
    ///
    /// Apple, Audio Session Programming Guide, "Activating an Audio Session"
    open func play() {
        takeOver()
        if !queue.isEmpty { AVAudioSession.sharedInstance().activateToPlay() }
        audio.startPlaying()
    }

    /// Stops for a while.
    open func pause() { if isOwner { audio.pausePlaying() } }

    /// 1 while it plays, else 0. To set it is to play or to pause.
    open var rate: Float {
        get { isOwner && audio.state.isPlaying ? 1 : 0 }
        set { if newValue > 0 { play() } else { pause() } }
    }

    /// What the player does.
    open var timeControlStatus: TimeControlStatus { rate > 0 ? .playing : .paused }

    /// How far the current item has been played; at its end, its duration.
    open func currentTime() -> CMTime {
        guard isOwner else { return CMTime(seconds: 0, preferredTimescale: 1_000) }
        if audio.state.current == nil, let ended = currentItem { return ended.duration }
        return CMTime(seconds: audio.position.inSeconds, preferredTimescale: 1_000)
    }

    /// Goes to a time of the current item, and calls `completionHandler` with whether it did.
    open func seek(to time: CMTime, completionHandler: ((Bool) -> Void)? = nil) {
        if isOwner {
            let isPlaying = rate > 0
            if audio.state.current == nil { audio.replaceQueue(itemsToPlay) }
            audio.seek(to: .nanoseconds(Int64(clamping: Int((max(0, time.seconds) * 1e9).rounded()))))
            if isPlaying { audio.startPlaying() }
            playbackChanged()
        }
        completionHandler?(isOwner)
    }

    /// Takes another item in place of the current one.
    open func replaceCurrentItem(with item: AVPlayerItem?) {
        let wasPlaying = rate > 0
        queue = item.map { [$0] } ?? []
        guard isOwner else { return }
        audio.replaceQueue(itemsToPlay)
        if wasPlaying { audio.startPlaying() }
    }

    /// An item was played to its end.
    func ended(_ item: AudioItem) {
        guard let first = queue.first, first.item == item else { return }
        // With another action the player keeps its item.
        if actionAtItemEnd == .advance, self is AVQueuePlayer { queue.removeFirst() }
        NotificationCenter.default.post(name: AVPlayerItem.didPlayToEndTimeNotification, object: first)
    }

    /// Has ``playbackChanged()`` called from now on.
    func observeStates() {
        guard !isObservingStates else { return }
        isObservingStates = true
        let (host, changes, first) = (host, audio.stateChanges, audio.state)
        host.start { [weak self] in
            var last = first
            for await state in changes {
                let isNews = state.isPlaying != last.isPlaying || (state.isPlaying && state.current != last.current)
                last = state
                guard isNews else { continue }
                host.mainLoop.run { [weak self] in
                    if let self, isOwner { playbackChanged() }
                }
            }
        }
    }

    var isOwner: Bool { PlayerDesk.current?.player === self }

    /// The phone's audio belongs to this player from now on.
    func takeOver() {
        if isOwner, audio.state.current == queue.first?.item { return }
        PlayerDesk.current?.player = self
        audio.replaceQueue(itemsToPlay)
        audio.onItemEnd = { item in PlayerDesk.current?.player?.ended(item) }
    }
}

/// Which player has the phone's audio.
@MainActor
private final class PlayerDesk {
    /// Kept, as a player that plays is.
    var player: AVPlayer?

    static var current: PlayerDesk? {
        SimulatedPhone.process.shared.object(of: PlayerDesk.self) { PlayerDesk() }
    }
}

extension AVPlayerItem {
    /// An item was played to its end; the notification's object is the item.
    public class var didPlayToEndTimeNotification: NSNotification.Name {
        .AVPlayerItemDidPlayToEndTime
    }
}

extension NSNotification.Name {
    // The name is Apple's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// An item was played to its end; the notification's object is the item.
    public static let AVPlayerItemDidPlayToEndTime = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
}
