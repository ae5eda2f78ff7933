import ApusTimers

/// The jobs of one queue and one priority that wait for a place.
///
/// Their fairness keys take turns. Of the jobs of one key, the one with the oldest due instant is first. Jobs without a
/// key have one turn together. A key that has reached its limit of runs in progress is full, and is passed over. The
/// cost of an operation grows with the logarithm of the number of jobs, regardless of the number of keys.
struct FairLine {
    /// The element of the line that stands for a waiting job.
    ///
    /// It is stale if the job was offered again later, or no longer waits.
    struct Waiting: Comparable, Sendable {
        var due: WallInstant
        var number: UInt64
        var job: Int64
        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.due, lhs.number) < (rhs.due, rhs.number) }
    }

    /// The jobs of one key.
    ///
    /// They are in an object, so that a step looks up the key only once. A line with jobs is never copied, so no two
    /// lines share the object.
    private final class Share {
        let key: String?
        var waiting = Heap<Waiting>()
        /// The number of elements that are not stale.
        var count = 0
        var isFull: Bool
        /// Whether the key is in `turns`; a key without jobs stays there until its turn comes.
        var hasTurn = false

        init(_ key: String?, isFull: Bool) { (self.key, self.isFull) = (key, isFull) }

        var isReady: Bool { count > 0 && !isFull }

        func dropStale(_ isStale: (Waiting) -> Bool) {
            while let first = waiting.first, isStale(first) { _ = waiting.pop() }
        }
    }

    /// An element that was the first of its key when it was inserted; it is outdated once the key has another first
    /// element, or no element.
    private struct First: Comparable {
        var waiting: Waiting
        var share: Share
        static func == (lhs: Self, rhs: Self) -> Bool { lhs.waiting == rhs.waiting }
        static func < (lhs: Self, rhs: Self) -> Bool { lhs.waiting < rhs.waiting }
    }

    private var shares: [String?: Share] = [:]
    private var turns = Turns<Share>()
    /// The first element of each ready key, if there is more than one key.
    private var firsts = Heap<First>()
    private(set) var count = 0
    private var readyKeys = 0

    /// Whether a key that is not full has a waiting job.
    var isReady: Bool { readyKeys > 0 }

    /// The number of waiting jobs of each key.
    var counts: [String?: Int] { shares.mapValues(\.count) }

    mutating func add(_ waiting: Waiting, of key: String?, isFull: Bool) {
        let share = shares[key] ?? beginShare(key, isFull: isFull)
        count += 1
        share.count += 1
        share.waiting.push(waiting)
        if share.count == 1, !isFull { readyKeys += 1 }
        if !isFull { giveTurn(to: share) }
        if share.waiting.first == waiting { noteFirst(of: share) }
    }

    private mutating func beginShare(_ key: String?, isFull: Bool) -> Share {
        let only = shares.count == 1 ? shares.values.first : nil
        let share = Share(key, isFull: isFull)
        shares[key] = share
        if let only { noteFirst(of: only) }
        return share
    }

    /// Removes a job of the key from the counts; its element is stale already, and is dropped later.
    mutating func remove(of key: String?) { remove(from: shares[key]!) }

    private mutating func remove(from share: Share) {
        count -= 1
        if count == 0 {
            self = Self()
        } else {
            share.count -= 1
            forgetIfUnused(share)
        }
    }

    /// Sets whether the key has reached its limit of runs in progress.
    mutating func setFull(_ key: String?, _ isFull: Bool) {
        guard let share = shares[key], share.isFull != isFull else { return }
        share.isFull = isFull
        guard share.count > 0 else { return }
        readyKeys += isFull ? -1 : 1
        if isFull { return }
        giveTurn(to: share)
        noteFirst(of: share)
    }

    /// Removes and returns the first job of the key whose turn it is.
    mutating func takeNext(_ isStale: (Waiting) -> Bool) -> Waiting? {
        while let share = turns.popFirst() {
            guard share.isReady else {
                share.hasTurn = false
                if share.count == 0 { shares[share.key] = nil }
                continue
            }
            turns.append(share)
            share.dropStale(isStale)
            guard let taken = share.waiting.pop() else { return nil }
            noteFirst(of: share)
            remove(from: share)
            return taken
        }
        return nil
    }

    /// Returns the job with the oldest due instant among the jobs whose keys are not full.
    mutating func oldest(_ isStale: (Waiting) -> Bool) -> Waiting? {
        guard isReady else { return nil }
        if shares.count == 1, let share = shares.values.first {
            share.dropStale(isStale)
            return share.waiting.first
        }
        while let first = firsts.first {
            let share = first.share
            let isFirst = share.isReady && share.waiting.first == first.waiting
            if isFirst, !isStale(first.waiting) { return first.waiting }
            _ = firsts.pop()
            if isFirst {
                share.dropStale(isStale)
                noteFirst(of: share)
            }
        }
        return nil
    }

    private mutating func giveTurn(to share: Share) {
        if share.hasTurn { return }
        share.hasTurn = true
        turns.append(share)
    }

    /// Records the first element of a key, unless it is the only key.
    private mutating func noteFirst(of share: Share) {
        guard shares.count > 1, share.isReady, let first = share.waiting.first else { return }
        firsts.push(First(waiting: first, share: share))
        // Outdated elements are dropped only at the top of the heap, so they would accumulate below an element that
        // waits long. The heap is built anew when it has too many.
        guard firsts.count > 2 * shares.count + 64 else { return }
        firsts = Heap()
        for share in shares.values where share.isReady {
            if let first = share.waiting.first { firsts.push(First(waiting: first, share: share)) }
        }
    }

    private mutating func forgetIfUnused(_ share: Share) {
        guard share.count == 0 else { return }
        if !share.isFull { readyKeys -= 1 }
        share.waiting = Heap()
        if !share.hasTurn { shares[share.key] = nil }
    }

    /// Returns a description of a broken invariant; `nil` if there is none.
    func brokenInvariant(isFull: (String?) -> Bool) -> String? {
        if shares.isEmpty { return nil }
        let turns = Set(turns.all.map { ObjectIdentifier($0) })
        if shares.values.reduce(0, { $0 + $1.count }) != count {
            return "the keys count a wrong number of waiting jobs"
        }
        if shares.values.count(where: \.isReady) != readyKeys { return "\(readyKeys) is not the number of ready keys" }
        for (key, share) in shares {
            if share.isFull != isFull(key) { return "key \(key ?? "-") does not know whether it is full" }
            if share.hasTurn != turns.contains(ObjectIdentifier(share)) {
                return "key \(key ?? "-") does not know whether it has a turn"
            }
            if share.isReady, !share.hasTurn { return "key \(key ?? "-") never has its turn" }
        }
        return nil
    }
}
