import ApusTimers

/// A due instant, and what a change of the clock did to it.
struct Due: Hashable, Sendable {
    var instant: WallInstant
    var note: DueNote?
}

/// The occurrences that have come due since the last ones.
struct Arrivals: Hashable, Sendable {
    /// The number of the last one.
    var last: Int
    /// The latest ones, in their order; the last is `last`.
    var dues: [Due]
    /// The one after them, if the trigger has one.
    var following: Due?

    /// The due instant of the last one.
    var lastDue: Due { dues[dues.count - 1] }

    /// The due instant of an occurrence, if it is one of the latest.
    func due(_ number: Int) -> Due? {
        let index = dues.count - 1 - (last - number)
        return dues.indices.contains(index) ? dues[index] : nil
    }
}
