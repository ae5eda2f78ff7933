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
