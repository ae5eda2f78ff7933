import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

/// The phone's sound, as one player has it.
///
/// The phone plays for one player: the last that was asked to play, its owner. For every other player it is silent, and
/// what those do has no effect.
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
    /// What the phone plays, or would resume with, for any player; nil when its queue has ended.
    var current: AudioItem? { phone.state.current }
    var position: Duration { phone.position }

    /// Gives the phone's state as it is, and as it becomes.
    var states: (first: AudioState, changes: Changes<AudioState>) {
        let changes = phone.stateChanges()
        return (phone.state, changes)
    }

    // MARK: What the player does

    /// The phone's sound belongs to this player from now on.
    func takeOver(with queue: PlayerQueue) {
        if isOwned, phone.state.current == queue.items.first?.item { return }
        AudioOwner.current?.player = player
        phone.replaceQueue(queue.toPlay)
        phone.onItemEnd = { item in AudioOwner.current?.player?.ended(item) }
    }

    /// The owner plays.
    func play() { phone.startPlaying() }

    func pause() { if isOwned { phone.pausePlaying() } }

    /// Plays other items, if something played; nothing plays if not.
    func replace(with queue: PlayerQueue) {
        guard isOwned else { return }
        let wasPlaying = isPlaying
        phone.replaceQueue(queue.toPlay)
        if wasPlaying { phone.startPlaying() }
    }

    /// Stops, with nothing left to play.
    func clear() { if isOwned { phone.replaceQueue([]) } }

    /// The current item continues, and other items follow; a queue that had ended begins again.
    func continueWith(_ queue: PlayerQueue) {
        guard isOwned else { return }
        if phone.state.current == nil {
            phone.replaceQueue(queue.toPlay)
        } else {
            replaceUpcoming(with: queue)
        }
    }

    /// Other items follow the current one.
    func replaceUpcoming(with queue: PlayerQueue) {
        if isOwned { phone.replaceUpcoming(Array(queue.toPlay.dropFirst())) }
    }

    /// Moves to the next item.
    func advance() { if isOwned { phone.advance() } }

    /// Goes to a position of the current item: the first one, when the queue has ended.
    func seek(to position: Duration, in queue: PlayerQueue) {
        let wasPlaying = isPlaying
        if phone.state.current == nil { phone.replaceQueue(queue.toPlay) }
        phone.seek(to: position)
        if wasPlaying { phone.startPlaying() }
    }
}

/// Which player has the phone's sound.
@MainActor
private final class AudioOwner {
    /// Kept, as a player that plays is.
    var player: AVPlayer?

    static var current: AudioOwner? {
        SimulatedPhone.process.shared.object(of: AudioOwner.self) { AudioOwner() }
    }
}

/// The items of a player, the current one first, and what becomes of them when one has ended: a pure value.
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

    /// Whether the next item follows by itself. If not, the player keeps an item that has ended.
    var advances: Bool { isOfQueuePlayer && actionAtItemEnd == .advance }

    /// What the phone plays without another word.
    var toPlay: [AudioItem] { (advances ? items : Array(items.prefix(1))).map(\.item) }

    /// The phone has played an item to its end. Gives the player's item, if it is the current one.
    mutating func ended(_ item: AudioItem) -> AVPlayerItem? {
        guard let first = items.first, first.item == item else { return nil }
        if advances { items.removeFirst() }
        return first
    }
}
