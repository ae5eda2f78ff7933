import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

/// A player of one item, which plays in virtual time through the simulated phone's audio.
///
/// Players that play at the same time are mixed, as on a phone. The audio ends when the app releases the player.
@preconcurrency @MainActor
open class AVPlayer: NSObject {
    /// The activity of a player.
    public enum TimeControlStatus: Int, Sendable {
        /// The player is paused.
        case paused = 0
        /// The player waits for data; the simulation does not use this case.
        case waitingToPlayAtSpecifiedRate = 1
        /// The player plays.
        case playing = 2
    }

    /// The action of a player when its item has ended.
    public enum ActionAtItemEnd: Int, Sendable {
        /// The player moves to the next item, which only a queue player can.
        case advance = 0
        /// The player pauses, and keeps the item.
        case pause = 1
        /// The player does nothing, and keeps the item; here the same as `pause`.
        case none = 2
    }

    /// The items to play.
    var queue: PlayerQueue
    /// The player's access to the phone's audio.
    private(set) lazy var audio = PlayerAudio(of: self, on: process.audio)
    private(set) lazy var timeObservers = TimeObservers(of: self, on: process.host)
    private let process = SimulatedPhone.process

    /// Creates a player without an item.
    override public convenience init() { self.init(queue: []) }
    /// Creates a player of one item.
    public convenience init(playerItem item: AVPlayerItem?) { self.init(queue: item.map { [$0] } ?? []) }
    /// Creates a player of the audio at a URL.
    public convenience init(url: URL) { self.init(queue: [AVPlayerItem(url: url)]) }

    init(queue: [AVPlayerItem]) {
        self.queue = PlayerQueue(queue, isOfQueuePlayer: Self.self is AVQueuePlayer.Type)
        super.init()
    }

    /// The action when the item has ended; by default a queue player advances, and another player pauses.
    open var actionAtItemEnd: ActionAtItemEnd {
        get { queue.actionAtItemEnd }
        set {
            queue.actionAtItemEnd = newValue
            audio.replaceUpcoming(with: queue)
        }
    }

    /// The item that plays now, or will play when the player is started.
    open var currentItem: AVPlayerItem? { queue.items.first }

    /// Plays the current item, and activates the audio session with the category that the app has set.
    ///
    /// During a call, or while another app has the audio output, it does not play, and the device's log gets a warning.
    ///
    /// Source: Apple, Audio Session Programming Guide, "Activating an Audio Session"
    open func play() {
        audio.load(queue)
        // If the session cannot be active, the device writes a warning.
        if currentItem != nil { _ = AVAudioSession.sharedInstance().activateToPlay() }
        audio.play()
    }

    /// Pauses playback.
    open func pause() { audio.pause() }

    /// The rate, which is 1 while the player plays and 0 otherwise; setting it above 0 plays, and to 0 or below pauses.
    open var rate: Float {
        get { audio.isPlaying ? 1 : 0 }
        set { if newValue > 0 { play() } else { pause() } }
    }

    /// The activity of the player.
    open var timeControlStatus: TimeControlStatus { rate > 0 ? .playing : .paused }

    /// Returns the position in the current item.
    ///
    /// After the item's end, it is the item's duration.
    open func currentTime() -> CMTime {
        guard audio.isLoaded else { return CMTime(seconds: 0, preferredTimescale: 1_000) }
        if audio.current == nil, let ended = currentItem { return ended.duration }
        return CMTime(seconds: audio.position.inSeconds, preferredTimescale: 1_000)
    }

    /// Moves to a time in the current item, and passes true to `completionHandler`.
    open func seek(to time: CMTime, completionHandler: ((Bool) -> Void)? = nil) {
        audio.seek(to: .nanoseconds(Int64(clamping: time.wholeNanoseconds)), in: queue)
        timeObservers.playbackChanged()
        completionHandler?(true)
    }

    /// Replaces the current item.
    open func replaceCurrentItem(with item: AVPlayerItem?) {
        queue.items = item.map { [$0] } ?? []
        audio.replace(with: queue)
    }

    /// Handles the end of an item that the phone has played.
    func ended(_ item: AudioItem) {
        guard let ended = queue.ended(item) else { return }
        NotificationCenter.default.post(name: AVPlayerItem.didPlayToEndTimeNotification, object: ended)
    }
}

/// A player of a queue of items.
@preconcurrency @MainActor
open class AVQueuePlayer: AVPlayer {
    /// Creates a player of these items.
    public convenience init(items: [AVPlayerItem]) { self.init(queue: items) }

    /// Returns the remaining items, the current one first.
    open func items() -> [AVPlayerItem] { queue.items }

    /// Moves to the next item, which plays if the current one did.
    open func advanceToNextItem() {
        guard !queue.items.isEmpty else { return }
        queue.items.removeFirst()
        if queue.advances { audio.advance() } else { audio.replace(with: queue) }
    }

    /// Returns whether an item can be inserted.
    ///
    /// The item must not be in the queue yet. The other item, if there is one, must be in it.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        !items().contains { $0 === item } && (afterItem == nil || items().contains { $0 === afterItem })
    }

    /// Inserts an item after another one; with `nil`, at the end.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        guard canInsert(item, after: afterItem) else { return }
        let after = afterItem.flatMap { after in queue.items.firstIndex { $0 === after } }
        queue.items.insert(item, at: after.map { $0 + 1 } ?? queue.items.count)
        audio.continueWith(queue)
    }

    /// Removes an item; the current item is replaced by the next one.
    open func remove(_ item: AVPlayerItem) {
        if item === currentItem { return advanceToNextItem() }
        queue.items.removeAll { $0 === item }
        audio.continueWith(queue)
    }

    /// Removes all items.
    open func removeAllItems() {
        queue.items = []
        audio.clear()
    }
}

/// An item to play.
///
/// Its duration is the one that the installation of the app gave for the last component of the item's URL.
@preconcurrency @MainActor
open class AVPlayerItem: NSObject {
    let item: AudioItem
    /// The asset that is played.
    public let asset: AVAsset

    /// Creates an item for the audio at a URL.
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// Creates an item for the audio of an asset.
    public init(asset: AVAsset) {
        let url = (asset as? AVURLAsset)?.url
        item = AudioItem(
            id: url?.lastPathComponent ?? "", title: url?.lastPathComponent ?? "", source: url?.absoluteString ?? "")
        self.asset = asset
        super.init()
    }

    /// The duration, as given by the installation of the app.
    open var duration: CMTime {
        CMTime(seconds: SimulatedPhone.process.audio.duration(of: item).inSeconds, preferredTimescale: 1_000)
    }

    /// Posted when an item was played to its end; the notification's object is the item.
    public class var didPlayToEndTimeNotification: NSNotification.Name {
        .AVPlayerItemDidPlayToEndTime
    }
}

extension NSNotification.Name {
    // The name is Apple's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted when an item was played to its end; the notification's object is the item.
    public static let AVPlayerItemDidPlayToEndTime = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
}

/// Content that can be played, always an ``AVURLAsset``; it can be used on any thread.
open class AVAsset: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    fileprivate override init() { super.init() }
}

/// An asset at a URL.
open class AVURLAsset: AVAsset, @unchecked Sendable {  // nothing changes after `init`
    /// The URL of the asset.
    public let url: URL

    /// Creates an asset for a URL; the options have no effect here.
    public init(url URL: URL, options: [String: Any]? = nil) {
        url = URL
        super.init()
    }
}
