import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

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
        /// It moves to the next item; only a queue player can.
        case advance = 0
        /// It pauses, and keeps the item.
        case pause = 1
        /// It does nothing, and keeps the item. Here that is `pause`.
        case none = 2
    }

    /// What is to be played.
    var queue: PlayerQueue
    /// What plays it.
    private(set) lazy var audio = PlayerAudio(of: self, on: process.audio)
    /// What is called at times of the item.
    private(set) lazy var timeObservers = TimeObservers(of: self, on: process.host)
    private let process = SimulatedPhone.process

    /// A player without an item.
    override public convenience init() { self.init(queue: []) }
    /// A player of one item.
    public convenience init(playerItem item: AVPlayerItem?) { self.init(queue: item.map { [$0] } ?? []) }
    /// A player of the sound at a URL.
    public convenience init(url: URL) { self.init(queue: [AVPlayerItem(url: url)]) }

    init(queue: [AVPlayerItem]) {
        self.queue = PlayerQueue(queue, isOfQueuePlayer: Self.self is AVQueuePlayer.Type)
        super.init()
    }

    /// What the player does when its item has ended. A queue player advances, and other players pause, unless the app
    /// says otherwise.
    open var actionAtItemEnd: ActionAtItemEnd {
        get { queue.actionAtItemEnd }
        set {
            queue.actionAtItemEnd = newValue
            audio.replaceUpcoming(with: queue)
        }
    }

    /// The item that plays, or that would.
    open var currentItem: AVPlayerItem? { queue.items.first }

    /// Plays, and makes the audio session active for that, with the category that the app has set. While a call or
    /// another app has the sound it does not play, and the device's log warns.
    ///
    /// Apple, Audio Session Programming Guide, "Activating an Audio Session"
    open func play() {
        audio.takeOver(with: queue)
        if currentItem != nil { AVAudioSession.sharedInstance().activateToPlay() }
        audio.play()
    }

    /// Stops for a while.
    open func pause() { audio.pause() }

    /// 1 while it plays, else 0. To set it is to play or to pause.
    open var rate: Float {
        get { audio.isPlaying ? 1 : 0 }
        set { if newValue > 0 { play() } else { pause() } }
    }

    /// What the player does.
    open var timeControlStatus: TimeControlStatus { rate > 0 ? .playing : .paused }

    /// How far the current item has been played; at its end, its duration.
    open func currentTime() -> CMTime {
        guard audio.isOwned else { return CMTime(seconds: 0, preferredTimescale: 1_000) }
        if audio.current == nil, let ended = currentItem { return ended.duration }
        return CMTime(seconds: audio.position.inSeconds, preferredTimescale: 1_000)
    }

    /// Goes to a time of the current item, and calls `completionHandler` with whether it did.
    open func seek(to time: CMTime, completionHandler: ((Bool) -> Void)? = nil) {
        if audio.isOwned {
            audio.seek(to: .nanoseconds(Int64(clamping: time.wholeNanoseconds)), in: queue)
            timeObservers.playbackChanged()
        }
        completionHandler?(audio.isOwned)
    }

    /// Takes another item in place of the current one.
    open func replaceCurrentItem(with item: AVPlayerItem?) {
        queue.items = item.map { [$0] } ?? []
        audio.replace(with: queue)
    }

    /// The phone has played an item to its end.
    func ended(_ item: AudioItem) {
        guard let ended = queue.ended(item) else { return }
        NotificationCenter.default.post(name: AVPlayerItem.didPlayToEndTimeNotification, object: ended)
    }
}

/// Plays one item after the other.
@preconcurrency @MainActor
open class AVQueuePlayer: AVPlayer {
    /// A player of these items.
    public convenience init(items: [AVPlayerItem]) { self.init(queue: items) }

    /// The items that are left, the current one first.
    open func items() -> [AVPlayerItem] { queue.items }

    /// Moves to the next item, which plays if this one did.
    open func advanceToNextItem() {
        guard !queue.items.isEmpty else { return }
        queue.items.removeFirst()
        if queue.advances { audio.advance() } else { audio.replace(with: queue) }
    }

    /// Whether an item can be inserted: not one that is there.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        !items().contains { $0 === item } && (afterItem == nil || items().contains { $0 === afterItem })
    }

    /// Inserts an item after another one, or at the end.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        guard canInsert(item, after: afterItem) else { return }
        let after = afterItem.flatMap { after in queue.items.firstIndex { $0 === after } }
        queue.items.insert(item, at: after.map { $0 + 1 } ?? queue.items.count)
        audio.continueWith(queue)
    }

    /// Takes an item away; the current one is replaced by the next.
    open func remove(_ item: AVPlayerItem) {
        if item === currentItem { return advanceToNextItem() }
        queue.items.removeAll { $0 === item }
        audio.continueWith(queue)
    }

    /// Takes all items away.
    open func removeAllItems() {
        queue.items = []
        audio.clear()
    }
}

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

/// Something that can be played: ``AVURLAsset``. From any thread.
open class AVAsset: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    fileprivate override init() { super.init() }
}

/// Something at a URL that can be played.
open class AVURLAsset: AVAsset, @unchecked Sendable {  // nothing changes after `init`
    /// Where it is.
    public let url: URL

    /// What is at a URL. Options have no effect here.
    public init(url URL: URL, options: [String: Any]? = nil) {
        url = URL
        super.init()
    }
}
