/// A queue for a slow reader, bounded in bytes.
///
/// Bulk elements (a command's output) and the others (what became of a job) have bounds of their own, so that a flood of
/// bulk displaces bulk only. Elements stay in order. What had to be dropped, the oldest first, is marked in its place, so
/// that the reader knows to ask for the state again.
package struct LossyQueue<Element: Sendable>: Sendable {
    /// How many bytes may wait.
    package struct Limits: Sendable {
        /// Of bulk elements.
        package var bulkBytes: Int
        /// Of the other elements.
        package var bytes: Int
        package init(bulkBytes: Int, bytes: Int) {
            self.bulkBytes = bulkBytes
            self.bytes = bytes
        }
    }

    /// What was dropped at one place.
    package struct Dropped: Hashable, Sendable {
        /// How many elements that were not bulk.
        package var elements = 0
        /// How many bytes of bulk elements.
        package var bulkBytes = 0
        package init(elements: Int = 0, bulkBytes: Int = 0) {
            self.elements = elements
            self.bulkBytes = bulkBytes
        }
        var isNothing: Bool { elements == 0 && bulkBytes == 0 }
    }

    /// What the reader gets.
    package enum Item: Sendable {
        case element(Element)
        case dropped(Dropped)
    }

    private enum Entry: Sendable {
        case element(Element, bytes: Int, isBulk: Bool)
        case mark(Dropped)
    }

    /// Lower bounds count from the next element on.
    package var limits: Limits
    /// Taken from the front through `head`, so that taking one element does not move the others.
    private var entries: [Entry] = []
    private var head = 0
    private var bulkBytes = 0
    private var bytes = 0

    package init(limits: Limits) { self.limits = limits }

    package var isEmpty: Bool { head == entries.count }

    /// Adds an element of that size. A class that is over its bound loses its oldest elements, down to half of the bound:
    /// a reader that does not read at all then costs little for each element.
    package mutating func append(_ element: Element, bytes size: Int, isBulk: Bool) {
        entries.append(.element(element, bytes: size, isBulk: isBulk))
        if isBulk { bulkBytes += size } else { bytes += size }
        if bulkBytes > limits.bulkBytes { drop(isBulk: true, excess: bulkBytes - limits.bulkBytes / 2) }
        if bytes > limits.bytes { drop(isBulk: false, excess: bytes - limits.bytes / 2) }
    }

    /// The oldest element, or the mark before it; `nil` if nothing waits.
    package mutating func takeFirst() -> Item? {
        guard head < entries.count else { return nil }
        let entry = entries[head]
        head += 1
        if head == entries.count {
            entries.removeAll(keepingCapacity: entries.count <= 64)
            head = 0
        } else if head >= 64, head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
        switch entry {
        case .mark(let dropped): return .dropped(dropped)
        case .element(let element, let size, let isBulk):
            if isBulk { bulkBytes -= size } else { bytes -= size }
            return .element(element)
        }
    }

    private mutating func drop(isBulk dropsBulk: Bool, excess: Int) {
        var excess = excess
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count - head)
        var pending = Dropped()
        for entry in entries[head...] {
            switch entry {
            case .mark(let dropped):
                pending.elements += dropped.elements
                pending.bulkBytes += dropped.bulkBytes
            case .element(_, let size, dropsBulk) where excess > 0:
                excess -= size
                if dropsBulk {
                    pending.bulkBytes += size
                    bulkBytes -= size
                } else {
                    pending.elements += 1
                    bytes -= size
                }
            case .element:
                if !pending.isNothing { kept.append(.mark(pending)) }
                pending = Dropped()
                kept.append(entry)
            }
        }
        if !pending.isNothing { kept.append(.mark(pending)) }
        entries = kept
        head = 0
    }
}
