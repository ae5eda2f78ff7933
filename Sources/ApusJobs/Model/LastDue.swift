package import ApusTimers

extension WallInstant {
    /// The last instant at which a job can be due: the end of the year 2200 in UTC, until which the rules of the zones are
    /// laid out. Far from the ends of what a store and a ``WallInstant`` keep.
    package static let lastDue = WallInstant(nanoseconds: 7_289_654_399_999_999_999)

    /// The instant so much later; the last at which a job can be due if that is earlier.
    func due(after pause: Duration) -> WallInstant { min(advanced(by: max(.zero, pause)), .lastDue) }
}
