import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

/// One player's access to the phone's audio.
///
/// The player that was last asked to play owns the phone's audio. All other players are silent, and their calls have no
/// effect until they are asked to play.
@MainActor
final class PlayerAudio {
    private let phone: any PhoneAudio
    private unowned let player: AVPlayer

    init(of player: AVPlayer, on phone: any PhoneAudio) {
        self.player = player
        self.phone = phone
    }

    // MARK: What it is like

    var isOwned: Bool { AudioOwner.current?.player === player }
    var isPlaying: Bool { isOwned && phone.state.isPlaying }
    /// The item that the phone plays or would resume, for any player; `nil` if the phone's queue has ended.
    var current: AudioItem? { phone.state.current }
    var position: Duration { phone.position }

    /// The phone's present audio state, and its changes from then on.
    var states: (first: AudioState, changes: Changes<AudioState>) {
        let changes = phone.stateChanges()
        return (phone.state, changes)
    }

    // MARK: What the player does

    /// Makes this player the owner of the phone's audio.
    func takeOver(with queue: PlayerQueue) {
        if isOwned, phone.state.current == queue.items.first?.item { return }
        if !isOwned, phone.state.isPlaying, let former = phone.state.current {
            SimulatedPhone.process.host.warn(
                "\(former.id) stops, because another player begins; here one plays at a time, and a phone mixes them")
        }
        AudioOwner.current?.player = player
        phone.replaceQueue(queue.toPlay)
        phone.onItemEnd = { item in AudioOwner.current?.player?.ended(item) }
    }

    /// Starts playing; only the owner may call it.
    func play() { phone.startPlaying() }

    func pause() { if isOwned { phone.pausePlaying() } }

    /// Replaces the items, and continues to play if the phone was playing.
    func replace(with queue: PlayerQueue) {
        guard isOwned else { return }
        let wasPlaying = isPlaying
        phone.replaceQueue(queue.toPlay)
        if wasPlaying { phone.startPlaying() }
    }

    /// Stops, and removes all items.
    func clear() { if isOwned { phone.replaceQueue([]) } }

    /// Replaces the items after the current one, or the whole queue if the phone's queue has ended.
    func continueWith(_ queue: PlayerQueue) {
        guard isOwned else { return }
        if phone.state.current == nil {
            phone.replaceQueue(queue.toPlay)
        } else {
            replaceUpcoming(with: queue)
        }
    }

    /// Replaces the items after the current one.
    func replaceUpcoming(with queue: PlayerQueue) {
        if isOwned { phone.replaceUpcoming(Array(queue.toPlay.dropFirst())) }
    }

    func advance() { if isOwned { phone.advance() } }

    /// Moves to a position in the current item; a queue that had ended begins again with its first item.
    func seek(to position: Duration, in queue: PlayerQueue) {
        let wasPlaying = isPlaying
        if phone.state.current == nil { phone.replaceQueue(queue.toPlay) }
        phone.seek(to: position)
        if wasPlaying { phone.startPlaying() }
    }
}

/// The player that owns the phone's audio.
@MainActor
private final class AudioOwner {
    /// The player, which is retained because it may be playing.
    var player: AVPlayer?

    static var current: AudioOwner? {
        SimulatedPhone.process.shared.object(of: AudioOwner.self) { AudioOwner() }
    }
}

/// The items of a player, the current one first, and the rule for the end of an item: a pure value.
struct PlayerQueue {
    var items: [AVPlayerItem]
    var actionAtItemEnd: AVPlayer.ActionAtItemEnd
    /// Whether the player can move to the next item.
    private let isOfQueuePlayer: Bool

    init(_ items: [AVPlayerItem], isOfQueuePlayer: Bool) {
        self.items = items
        self.isOfQueuePlayer = isOfQueuePlayer
        actionAtItemEnd = isOfQueuePlayer ? .advance : .pause
    }

    /// Whether the next item follows by itself; if not, the player keeps an item that has ended.
    var advances: Bool { isOfQueuePlayer && actionAtItemEnd == .advance }

    /// The items that the phone plays without further calls.
    var toPlay: [AudioItem] { (advances ? items : Array(items.prefix(1))).map(\.item) }

    /// Handles the end of an item that the phone has played; returns the player's item if it was the current one.
    mutating func ended(_ item: AudioItem) -> AVPlayerItem? {
        guard let first = items.first, first.item == item else { return nil }
        if advances { items.removeFirst() }
        return first
    }
}
