import ApusBackground
import ApusTesting

/// Plays one item after the other.
@preconcurrency @MainActor
open class AVQueuePlayer: AVPlayer {
    /// A player of these items.
    public convenience init(items: [AVPlayerItem]) { self.init(queue: items) }

    /// The items that are left, the current one first.
    open func items() -> [AVPlayerItem] { queue }

    /// Goes on to the next item, which plays if this one did.
    open func advanceToNextItem() {
        guard !queue.isEmpty else { return }
        queue.removeFirst()
        guard isOwner else { return }
        if actionAtItemEnd == .advance { return audio.advance() }
        let wasPlaying = rate > 0
        audio.replaceQueue(itemsToPlay)
        if wasPlaying { audio.startPlaying() }
    }

    /// Whether an item can be inserted: not one that is there.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        !queue.contains { $0 === item } && (afterItem == nil || queue.contains { $0 === afterItem })
    }

    /// Inserts an item after another one, or at the end.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        guard canInsert(item, after: afterItem) else { return }
        let index = afterItem.flatMap { after in queue.firstIndex { $0 === after } }.map { $0 + 1 } ?? queue.count
        queue.insert(item, at: index)
        followUp()
    }

    /// Takes an item away; the current one makes way for the next.
    open func remove(_ item: AVPlayerItem) {
        if item === currentItem { return advanceToNextItem() }
        queue.removeAll { $0 === item }
        followUp()
    }

    /// Takes all items away.
    open func removeAllItems() {
        queue = []
        if isOwner { audio.replaceQueue([]) }
    }

    private func followUp() {
        guard isOwner else { return }
        // What plays goes on; a queue that had ended begins again with the new item.
        if audio.state.current == nil {
            audio.replaceQueue(itemsToPlay)
        } else {
            audio.replaceUpcoming(Array(itemsToPlay.dropFirst()))
        }
    }
}
