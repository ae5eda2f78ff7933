import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

/// One player's part of the phone's audio; the device distinguishes players by a number.
@MainActor
final class PlayerAudio {
    private let phone: any PhoneAudio
    /// The number, which no other player of the process has.
    let number: Int
    /// Whether the device has the player's queue, which it gets when the player is asked to play or to move.
    private(set) var isLoaded = false

    init(of player: AVPlayer, on phone: any PhoneAudio) {
        self.phone = phone
        number = Players.known.add(player)
        phone.onItemEnd = { Players.known[$0]?.ended($1) }
    }

    isolated deinit {
        Players.known.remove(number)
        if isLoaded { phone.release(number) }
    }

    // MARK: What it is like

    var isPlaying: Bool { state.isPlaying }
    /// The item that the player plays or would resume; `nil` if its queue has ended.
    var current: AudioItem? { state.current }
    var position: Duration { phone.position(of: number) }

    private var state: AudioState { isLoaded ? phone.state(of: number) : AudioState() }

    /// The present state, and the states of all players from then on, by their numbers.
    var states: (first: AudioState, changes: Changes<[Int: AudioState]>) {
        let changes = phone.playerStates()
        return (state, changes)
    }

    // MARK: What the player does

    /// Gives the queue to the device, unless its first item is the current one there.
    func load(_ queue: PlayerQueue) {
        if isLoaded, current == queue.items.first?.item { return }
        isLoaded = true
        phone.replaceQueue(queue.toPlay, of: number)
    }

    func play() { phone.startPlaying(number) }

    func pause() { if isLoaded { phone.pausePlaying(number) } }

    /// Replaces the items, and continues to play if the player was playing.
    func replace(with queue: PlayerQueue) {
        guard isLoaded else { return }
        let wasPlaying = isPlaying
        phone.replaceQueue(queue.toPlay, of: number)
        if wasPlaying { play() }
    }

    /// Stops, and removes all items.
    func clear() { if isLoaded { phone.replaceQueue([], of: number) } }

    /// Replaces the items after the current one, or the whole queue if the device's queue has ended.
    func continueWith(_ queue: PlayerQueue) {
        guard isLoaded else { return }
        if current == nil {
            phone.replaceQueue(queue.toPlay, of: number)
        } else {
            replaceUpcoming(with: queue)
        }
    }

    /// Replaces the items after the current one.
    func replaceUpcoming(with queue: PlayerQueue) {
        if isLoaded { phone.replaceUpcoming(Array(queue.toPlay.dropFirst()), of: number) }
    }

    func advance() { if isLoaded { phone.advance(number) } }

    /// Moves to a position in the current item; a queue that had ended begins again with its first item.
    func seek(to position: Duration, in queue: PlayerQueue) {
        load(queue)
        phone.seek(to: position, of: number)
    }
}

/// The players of the process, by their numbers, for the events of the device.
@MainActor
private final class Players {
    private struct Known { weak var player: AVPlayer? }

    private var players: [Int: Known] = [:]
    /// The number of the player that was created last; 0 is that of Apus's own player.
    private var last = 0

    static var known: Players { SimulatedPhone.process.shared.object(of: Players.self) { Players() } }

    subscript(number: Int) -> AVPlayer? { players[number]?.player }

    /// Returns the number of a new player.
    func add(_ player: AVPlayer) -> Int {
        last += 1
        players[last] = Known(player: player)
        return last
    }

    func remove(_ number: Int) { players[number] = nil }
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
