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
    /// There are so many that the rest is decided about in another turn: `following` has come due too.
    var isPartial = false

    init(last: Int, dues: [Due], following: Due?, isPartial: Bool = false) {
        (self.last, self.dues, self.following, self.isPartial) = (last, dues, following, isPartial)
    }

    init(last: Int, dues: [Due], following: Due?, keeping kept: Int) {
        self.init(last: last, dues: dues.count > kept ? Array(dues.suffix(kept)) : dues, following: following)
    }

    /// The due instant of the last one.
    var lastDue: Due { dues[dues.count - 1] }

    /// The due instant of an occurrence, if it is one of the latest.
    func due(_ number: Int) -> Due? {
        let index = dues.count - 1 - (last - number)
        return dues.indices.contains(index) ? dues[index] : nil
    }
}
