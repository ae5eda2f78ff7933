import ApusTimers
import Testing

@Suite("LossyQueue")
struct LossyQueueTests {
    private func drain(_ queue: inout LossyQueue<Int>) -> [String] {
        var items: [String] = []
        while let item = queue.takeFirst() {
            switch item {
            case .element(let number): items.append("\(number)")
            case .dropped(let dropped): items.append("-\(dropped.elements)/\(dropped.bulkBytes)")
            }
        }
        return items
    }

    @Test("elements are taken in order, even if elements are appended between")
    func order() {
        var queue = LossyQueue<Int>(limits: .init(bulkBytes: 1_000_000, bytes: 1_000_000))
        var taken: [Int] = []
        for number in 0..<10_000 {
            queue.append(number, bytes: 1, isBulk: number % 3 == 0)
            if number % 5 < 2, case .element(let first)? = queue.takeFirst() { taken.append(first) }
        }
        while case .element(let next)? = queue.takeFirst() { taken.append(next) }
        #expect(taken == Array(0..<10_000) && queue.isEmpty)
    }

    @Test("the oldest bulk elements are dropped down to half of their bound, and a mark takes their place")
    func bulk() {
        var queue = LossyQueue<Int>(limits: .init(bulkBytes: 10, bytes: 1_000))
        for number in 1...4 { queue.append(number, bytes: 2, isBulk: true) }
        queue.append(100, bytes: 50, isBulk: false)
        for number in 5...7 { queue.append(number, bytes: 2, isBulk: true) }
        #expect(drain(&queue) == ["-0/8", "100", "5", "6", "7"])
    }

    @Test("elements over their bound are dropped and counted, and adjacent marks are merged")
    func elements() {
        var queue = LossyQueue<Int>(limits: .init(bulkBytes: 10, bytes: 10))
        for number in 1...30 { queue.append(number, bytes: 1, isBulk: false) }
        #expect(drain(&queue) == ["-24/0"] + (25...30).map(String.init))
        queue.append(1, bytes: 100, isBulk: true)
        queue.append(2, bytes: 100, isBulk: false)
        #expect(drain(&queue) == ["-1/100"], "one that is over the bound by itself does not stay")
    }

    @Test("the bytes in the queue stay within both bounds for any order of elements", arguments: 1...20)
    func bounds(_ seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var queue = LossyQueue<Int>(limits: .init(bulkBytes: 500, bytes: 300))
        for _ in 0..<2_000 {
            let (size, isBulk) = (Int(random.next() % 40) + 1, random.next() % 2 == 0)
            queue.append(size, bytes: size, isBulk: isBulk)
            if random.next() % 7 == 0 { _ = queue.takeFirst() }
        }
        var waiting = 0
        while let item = queue.takeFirst() {
            if case .element(let size) = item { waiting += size }
        }
        #expect(waiting <= 500 + 300)
    }
}
