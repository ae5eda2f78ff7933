import ApusBackground
import ApusTesting
import SimulatedPhone

/// Something to play. How long it lasts is said when the app is installed, by the last component of its URL.
@preconcurrency @MainActor
open class AVPlayerItem: NSObject {
    let item: AudioItem

    /// The sound at a URL.
    public init(url: URL) {
        item = AudioItem(id: url.lastPathComponent, title: url.lastPathComponent, source: url.absoluteString)
        super.init()
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

    let audio: SimulatedAudio
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
        audio = process.host.audio
        self.queue = queue
        super.init()
    }

    /// The item that plays, or that would.
    open var currentItem: AVPlayerItem? { queue.first }

    /// Plays, if the audio session is active; the device's log warns otherwise.
    open func play() {
        takeOver()
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

    /// How far the current item has been played.
    open func currentTime() -> CMTime {
        CMTime(seconds: isOwner ? audio.position.inSeconds : 0, preferredTimescale: 1_000)
    }

    /// Takes another item in place of the current one.
    open func replaceCurrentItem(with item: AVPlayerItem?) {
        let wasPlaying = rate > 0
        queue = item.map { [$0] } ?? []
        guard isOwner else { return }
        audio.replaceQueue(queue.map(\.item))
        if wasPlaying { audio.startPlaying() }
    }

    /// An item was played to its end.
    func ended(_ item: AudioItem) {
        guard let first = queue.first, first.item == item else { return }
        // A plain player keeps its item.
        if self is AVQueuePlayer { queue.removeFirst() }
        NotificationCenter.default.post(name: AVPlayerItem.didPlayToEndTimeNotification, object: first)
    }

    var isOwner: Bool { PlayerDesk.current?.player === self }

    /// The phone's audio belongs to this player from now on.
    func takeOver() {
        if isOwner, audio.state.current == queue.first?.item { return }
        PlayerDesk.current?.player = self
        audio.replaceQueue(queue.map(\.item))
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
    nonisolated public class var didPlayToEndTimeNotification: NSNotification.Name {
        .AVPlayerItemDidPlayToEndTime
    }
}

extension NSNotification.Name {
    // The name is Apple's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// An item was played to its end; the notification's object is the item.
    public static let AVPlayerItemDidPlayToEndTime = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
}
