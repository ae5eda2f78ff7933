import ApusTimers
import Testing

@testable import ApusJobs

/// A fair line decides which job of a queue and priority gets a place.
@Suite("Fairness keys that take turns")
struct FairLineTests {
    private typealias Waiting = FairLine.Waiting

    private func waiting(_ number: UInt64, due seconds: Int = 0) -> Waiting {
        Waiting(due: WallInstant(secondsSince1970: 1_000 + Int64(seconds)), number: number, job: Int64(number))
    }

    private static func noneIsStale(_ waiting: Waiting) -> Bool { false }

    @Test("keys take turns, however many jobs one has, and within a key the earliest due goes first")
    func turns() {
        var line = FairLine()
        for number in 1...4 as ClosedRange<UInt64> {
            line.add(waiting(number, due: -Int(number)), of: "a", isFull: false)
        }
        line.add(waiting(5), of: "b", isFull: false)
        line.add(waiting(6), of: nil, isFull: false)
        line.add(waiting(7), of: nil, isFull: false)
        var order: [UInt64] = []
        while let taken = line.takeNext(Self.noneIsStale) { order.append(taken.number) }
        #expect(order == [4, 5, 6, 3, 7, 2, 1])
        #expect(line.count == 0 && !line.isReady)
    }

    @Test("a full key is passed over, and takes its turn after the others once it has room")
    func full() {
        var line = FairLine()
        line.add(waiting(1), of: "a", isFull: true)
        #expect(!line.isReady && line.takeNext(Self.noneIsStale) == nil && line.oldest(Self.noneIsStale) == nil)
        for number in 2...3 as ClosedRange<UInt64> { line.add(waiting(number, due: 9), of: "b", isFull: false) }
        #expect(line.oldest(Self.noneIsStale)?.number == 2)
        line.setFull("a", false)
        #expect(line.oldest(Self.noneIsStale)?.number == 1)
        #expect((0..<3).map { _ in line.takeNext(Self.noneIsStale)?.number } == [2, 1, 3])
    }

    @Test("the earliest due job is found after the index of first jobs is rebuilt", arguments: 1...150)
    func notes(_ count: Int) {
        var line = FairLine()
        line.add(waiting(1, due: 1_000), of: "a", isFull: false)
        // Each new job becomes the first one of its key, so the key's previous entry in the line is stale.
        for number in 1...count { line.add(waiting(UInt64(number + 1), due: -number), of: "b", isFull: false) }
        line.remove(of: "b")
        let oldest = line.oldest { $0.number == UInt64(count + 1) }
        #expect(oldest?.number == (count == 1 ? 1 : UInt64(count)))
    }

    @Test(
        "a fair line takes the same jobs as a plain list under random changes, and skips stale entries",
        arguments: 0..<UInt64(200))
    func histories(_ seed: UInt64) {
        let random = SeededRandom(seed: seed)
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        let keys: [String?] = Array([nil, "a", "b", "c"].prefix(1 + below(4)))
        var line = FairLine()
        var list: [(waiting: Waiting, key: String?)] = []
        var full: Set<String> = []
        func isFull(_ key: String?) -> Bool { key.map(full.contains) ?? false }
        func isStale(_ waiting: Waiting) -> Bool { !list.contains { $0.waiting == waiting } }
        for number in 1...300 as ClosedRange<UInt64> {
            switch below(6) {
            case 0, 1:
                let (key, next) = (keys[below(keys.count)], waiting(number, due: below(50)))
                list.append((next, key))
                line.add(next, of: key, isFull: isFull(key))
            case 2 where !list.isEmpty: line.remove(of: list.remove(at: below(list.count)).key)
            case 3:
                guard let key = keys[below(keys.count)] else { continue }
                if full.remove(key) == nil { full.insert(key) }
                line.setFull(key, isFull(key))
            case 4:
                let oldest = list.filter { !isFull($0.key) }.min { $0.waiting < $1.waiting }
                #expect(line.oldest(isStale) == oldest?.waiting)
            default:
                let taken = line.takeNext(isStale)
                let key = list.first { $0.waiting == taken }?.key
                let first = list.filter { $0.key == key && !isFull($0.key) }.map(\.waiting).min()
                #expect(taken == first && (taken != nil) == list.contains { !isFull($0.key) })
                list.removeAll { $0.waiting == taken }
            }
            #expect(line.count == list.count && line.isReady == list.contains { !isFull($0.key) })
            #expect(line.brokenInvariant(isFull: isFull) == nil)
        }
    }
}
