import ApusTimers

/// The instants at which loaded jobs are examined: at most one for each job, with a tolerance.
struct WakeQueue {
    struct Wake: Comparable, Sendable {
        /// The instant that orders the heap: the wake itself in `wakes`, and the latest instant for the wake in
        /// `deadlines`.
        var instant: WallInstant
        var number: UInt64
        var key: Int64
        var wake: WallInstant
        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.instant, lhs.number) < (rhs.instant, rhs.number) }
    }

    /// The wake of each job; an element of a heap is stale if it has another wake.
    private var armed: [Int64: WallInstant] = [:]
    private(set) var wakes = Heap<Wake>()
    private(set) var deadlines = Heap<Wake>()
    private var counter: UInt64 = 0

    subscript(key: Int64) -> WallInstant? { armed[key] }

    /// The wake whose latest instant is the earliest; a stale wake counts until ``dropStale()``.
    var first: (wake: WallInstant, latest: WallInstant)? { deadlines.first.map { ($0.wake, $0.instant) } }

    mutating func arm(_ key: Int64, at wake: WallInstant, tolerance: Duration) {
        guard armed[key] != wake else { return }
        armed[key] = wake
        counter += 1
        wakes.push(Wake(instant: wake, number: counter, key: key, wake: wake))
        deadlines.push(Wake(instant: wake.advanced(by: tolerance), number: counter, key: key, wake: wake))
        dropStale()
    }

    mutating func disarm(_ key: Int64) { armed[key] = nil }

    /// Removes and returns the first job whose wake has passed.
    mutating func popDue(_ now: WallInstant) -> Int64? {
        while let first = wakes.first, first.instant <= now {
            _ = wakes.pop()
            guard armed[first.key] == first.wake else { continue }
            armed[first.key] = nil
            return first.key
        }
        return nil
    }

    /// Drops stale elements.
    ///
    /// An element at the top of a heap is dropped at once. The others are dropped when they outnumber the valid
    /// elements.
    mutating func dropStale() {
        let armed = armed
        func isValid(_ element: Wake) -> Bool { armed[element.key] == element.wake }
        while let first = deadlines.first, !isValid(first) { _ = deadlines.pop() }
        while let first = wakes.first, !isValid(first) { _ = wakes.pop() }
        let bound = 64 + 2 * armed.count
        if deadlines.count > bound { deadlines.keep(isValid) }
        if wakes.count > bound { wakes.keep(isValid) }
    }
}
