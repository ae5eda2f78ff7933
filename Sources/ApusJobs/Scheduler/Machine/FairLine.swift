import ApusTimers

/// The jobs of one queue and one priority that wait for a place.
///
/// Their fairness keys take turns; of one key the oldest due is first. Jobs without a key have one turn together. A key
/// that is full has no turn. What an operation costs grows with the logarithm of the jobs, however many keys wait.
struct FairLine {
    /// A job that waits. The element is stale when the job has been offered again, or waits no longer.
    struct Waiting: Comparable, Sendable {
        var due: WallInstant
        var number: UInt64
        var job: Int64
        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.due, lhs.number) < (rhs.due, rhs.number) }
    }

    /// The jobs of one key.
    private struct Share {
        var waiting = Heap<Waiting>()
        /// How many of the elements are not stale.
        var count = 0
        var isFull: Bool
        /// A key without jobs keeps its turn until it comes.
        var hasTurn = false

        var isReady: Bool { count > 0 && !isFull }
    }

    /// A key's first element when it was noted. It is outdated when the key has another one.
    private struct First: Comparable {
        var waiting: Waiting
        var key: String?
        static func < (lhs: Self, rhs: Self) -> Bool { lhs.waiting < rhs.waiting }
    }

    private var shares: [String?: Share] = [:]
    private var turns = Turns<String?>()
    /// The first element of each key that is ready, if there is more than one key.
    private var firsts = Heap<First>()
    /// How many jobs wait.
    private(set) var count = 0
    private var readyKeys = 0

    /// Whether a job could get a place: its key is not full.
    var isReady: Bool { readyKeys > 0 }

    /// The keys of the jobs that wait, and how many there are of each.
    var counts: [String?: Int] { shares.mapValues(\.count) }

    mutating func add(_ waiting: Waiting, of key: String?, isFull: Bool) {
        if shares[key] == nil {
            let only = shares.count == 1 ? shares.keys.first : nil
            shares[key] = Share(isFull: isFull)
            if let only { noteFirst(of: only) }
        }
        count += 1
        shares[key]!.count += 1
        shares[key]!.waiting.push(waiting)
        if shares[key]!.count == 1, !isFull { readyKeys += 1 }
        if !isFull { giveTurn(to: key) }
        if shares[key]!.waiting.first == waiting { noteFirst(of: key) }
    }

    /// A job of the key waits no longer; its element is stale.
    mutating func remove(of key: String?) {
        count -= 1
        if count == 0 {
            self = Self()
        } else {
            shares[key]!.count -= 1
            forgetIfUnused(key)
        }
    }

    /// The key has reached its limit of runs in progress, or is below it again.
    mutating func setFull(_ key: String?, _ isFull: Bool) {
        guard let share = shares[key], share.isFull != isFull else { return }
        shares[key]!.isFull = isFull
        guard share.count > 0 else { return }
        readyKeys += isFull ? -1 : 1
        if isFull { return }
        giveTurn(to: key)
        noteFirst(of: key)
    }

    /// Takes out the job of the key whose turn it is.
    mutating func takeNext(_ isStale: (Waiting) -> Bool) -> Waiting? {
        while let key = turns.popFirst() {
            guard shares[key]?.isReady == true else {
                shares[key]?.hasTurn = false
                if shares[key]?.count == 0 { shares[key] = nil }
                continue
            }
            turns.append(key)
            return take(of: key, isStale)
        }
        return nil
    }

    private mutating func take(of key: String?, _ isStale: (Waiting) -> Bool) -> Waiting? {
        dropStale(of: key, isStale)
        guard let taken = shares[key]?.waiting.pop() else { return nil }
        noteFirst(of: key)
        remove(of: key)
        return taken
    }

    /// The job that was due first, of those whose keys are not full.
    mutating func oldest(_ isStale: (Waiting) -> Bool) -> Waiting? {
        guard isReady else { return nil }
        if shares.count == 1, let key = shares.keys.first {
            dropStale(of: key, isStale)
            return shares[key]?.waiting.first
        }
        while let first = firsts.first {
            if let share = shares[first.key], share.isReady, share.waiting.first == first.waiting {
                if !isStale(first.waiting) { return first.waiting }
                dropStale(of: first.key, isStale)
                noteFirst(of: first.key)
            }
            _ = firsts.pop()
        }
        return nil
    }

    private mutating func giveTurn(to key: String?) {
        if shares[key]!.hasTurn { return }
        shares[key]!.hasTurn = true
        turns.append(key)
    }

    private mutating func dropStale(of key: String?, _ isStale: (Waiting) -> Bool) {
        while let first = shares[key]?.waiting.first, isStale(first) { _ = shares[key]!.waiting.pop() }
    }

    /// A single key is the first of all without a note.
    private mutating func noteFirst(of key: String?) {
        guard shares.count > 1, let share = shares[key], share.isReady, let first = share.waiting.first else { return }
        firsts.push(First(waiting: first, key: key))
        // Outdated ones are dropped only when they are the first of all: one that waits long would keep those after it.
        guard firsts.count > 2 * shares.count + 64 else { return }
        firsts = Heap()
        for (key, share) in shares where share.isReady {
            if let first = share.waiting.first { firsts.push(First(waiting: first, key: key)) }
        }
    }

    private mutating func forgetIfUnused(_ key: String?) {
        guard let share = shares[key], share.count == 0 else { return }
        if !share.isFull { readyKeys -= 1 }
        if share.hasTurn { shares[key]!.waiting = Heap() } else { shares[key] = nil }
    }

    /// Describes a broken invariant; `nil` if there is none.
    func brokenInvariant(isFull: (String?) -> Bool) -> String? {
        if shares.isEmpty { return nil }
        let turns = turns.all
        if shares.values.reduce(0, { $0 + $1.count }) != count { return "a key counts other jobs than wait" }
        if shares.values.count(where: \.isReady) != readyKeys { return "\(readyKeys) keys are said to be ready" }
        for (key, share) in shares {
            if share.isFull != isFull(key) { return "key \(key ?? "-") does not know whether it is full" }
            if share.hasTurn != turns.contains(key) { return "key \(key ?? "-") does not know whether it has a turn" }
            if share.isReady, !share.hasTurn { return "key \(key ?? "-") never has its turn" }
        }
        return nil
    }
}
