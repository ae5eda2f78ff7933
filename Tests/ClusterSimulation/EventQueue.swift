/// What is to happen, in the order of its instants, and of its arrival among those of one instant.
struct EventQueue {
    private struct Event {
        var at: Int64
        var number: Int
        var action: () -> Void
        func precedes(_ other: Event) -> Bool { (at, number) < (other.at, other.number) }
    }

    private var heap: [Event] = []
    private var last = 0
    /// Nanoseconds since the beginning.
    private(set) var now: Int64 = 0

    var next: Int64? { heap.first?.at }

    mutating func add(at instant: Int64, _ action: @escaping () -> Void) {
        last += 1
        heap.append(Event(at: max(instant, now), number: last, action: action))
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> (() -> Void)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        now = first.at
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while true {
                var least = parent
                for child in [2 * parent + 1, 2 * parent + 2]
                where child < heap.count && heap[child].precedes(heap[least]) { least = child }
                if least == parent { break }
                heap.swapAt(parent, least)
                parent = least
            }
        }
        return first.action
    }
}

extension Int64 {
    /// Nanoseconds of so many milliseconds.
    static func ms(_ count: Int) -> Int64 { Int64(count) * 1_000_000 }
}
