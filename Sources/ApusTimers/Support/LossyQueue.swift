/// A queue for a slow reader that is bounded in bytes and drops its oldest elements.
///
/// Bulk elements (a command's output) and other elements (the outcome of a job) have separate bounds, so that a flood
/// of bulk displaces only bulk. Elements stay in order. A mark takes the place of dropped elements, so that the reader
/// knows when it must request the state again.
package struct LossyQueue<Element: Sendable>: Sendable {
    /// The maximum number of waiting bytes.
    package struct Limits: Sendable {
        /// The bound for bulk elements.
        package var bulkBytes: Int
        /// The bound for other elements.
        package var bytes: Int
        package init(bulkBytes: Int, bytes: Int) {
            self.bulkBytes = bulkBytes
            self.bytes = bytes
        }
    }

    /// How much was dropped at one place of the queue.
    package struct Dropped: Hashable, Sendable {
        /// How many elements other than bulk were dropped.
        package var elements = 0
        /// How many bytes of bulk elements were dropped.
        package var bulkBytes = 0
        package init(elements: Int = 0, bulkBytes: Int = 0) {
            self.elements = elements
            self.bulkBytes = bulkBytes
        }
        var isNothing: Bool { elements == 0 && bulkBytes == 0 }
    }

    /// One item for the reader.
    package enum Item: Sendable {
        case element(Element)
        case dropped(Dropped)
    }

    private enum Entry: Sendable {
        case element(Element, bytes: Int, isBulk: Bool)
        case mark(Dropped)
    }

    /// The bounds; lowering them drops elements only when the next one is appended.
    package var limits: Limits
    /// The entries, of which those before `head` were taken already.
    ///
    /// Taken entries are removed only now and then, because each removal moves the entries that remain.
    private var entries: [Entry] = []
    private var head = 0
    private var bulkBytes = 0
    private var bytes = 0

    package init(limits: Limits) { self.limits = limits }

    package var isEmpty: Bool { head == entries.count }

    /// Appends an element, and drops the oldest elements of its kind, bulk or other, if they exceed their bound.
    ///
    /// Elements are dropped until those of the kind fill at most half of the bound. Appending is therefore cheap on
    /// average, even if the reader never reads.
    package mutating func append(_ element: Element, bytes size: Int, isBulk: Bool) {
        entries.append(.element(element, bytes: size, isBulk: isBulk))
        if isBulk { bulkBytes += size } else { bytes += size }
        if bulkBytes > limits.bulkBytes { drop(isBulk: true, excess: bulkBytes - limits.bulkBytes / 2) }
        if bytes > limits.bytes { drop(isBulk: false, excess: bytes - limits.bytes / 2) }
    }

    /// Takes the oldest element, or the mark before it; nil if the queue is empty.
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
