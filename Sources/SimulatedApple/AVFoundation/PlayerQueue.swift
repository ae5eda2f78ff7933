import ApusBackground
import ApusVirtualTime

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
