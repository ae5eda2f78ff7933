/// The offsets of a time zone, which determine the local times that its clock skips and repeats.
public struct TimeZoneRules: Sendable, Hashable {
    /// A change of a zone's offset.
    public struct Transition: Sendable, Hashable {
        /// The first instant with the new offset, in seconds since 1970.
        public let at: Int64
        /// The offset before the instant, in seconds east of UTC.
        public let before: Int
        /// The offset from the instant on, in seconds east of UTC.
        public let after: Int
    }

    /// The instants at which the clock shows a local date-time.
    public enum Resolution: Sendable, Hashable {
        /// The clock shows the date-time once.
        case one(Int64)
        /// The clock skips the date-time; the values are the last instant before the gap and the first instant after
        /// it.
        case gap(before: Int64, after: Int64)
        /// The clock shows the date-time twice; the values are the two instants, in order.
        case repeated(first: Int64, second: Int64)
    }

    /// The rules of UTC, whose offset never changes.
    public static let utc = TimeZoneRules(fixedOffset: 0)

    /// The largest accepted offset in either direction, in seconds; RFC 9636 recommends less than 26 hours.
    static let largestOffset: Int64 = 26 * 3600
    /// The last year for which the changes are computed from the rule in the footer of a TZif file.
    ///
    /// They are computed in advance, so that every lookup is one binary search.
    private static let lastYear = 2201
    /// The bounds to which instants are clamped, so that sums with offsets cannot overflow.
    static let instants: ClosedRange<Int64> = -62_135_596_800...7_289_654_400

    /// The starts of the segments after the first one, in seconds since 1970.
    let starts: [Int64]
    /// The offsets of the segments in seconds east of UTC; there is one more than there are `starts`.
    let offsets: [Int32]

    /// Creates the rules of a zone whose offset never changes.
    ///
    /// - Parameter fixedOffset: The offset in seconds east of UTC; it is clamped to 26 hours in either direction.
    public init(fixedOffset: Int) {
        starts = []
        offsets = [Int32(max(-93600, min(93600, fixedOffset)))]
    }

    /// Creates the rules of a zone from its changes, for sources of zones other than files.
    package init(initialOffset: Int, changes: [(at: Int64, offset: Int)]) {
        self.init(
            TZif.Table(
                initialOffset: Int32(initialOffset), starts: changes.map(\.at),
                offsets: changes.map { Int32($0.offset) },
                footer: nil))
    }

    /// Parses the contents of a TZif file, versions 1 to 4.
    ///
    /// - Parameter tzif: The bytes of the file.
    /// - Throws: ``ZoneError`` if the bytes are not a zone or count leap seconds.
    public init(tzif: [UInt8]) throws(ZoneError) { self.init(try TZif.parse(tzif)) }

    /// Parses a rule in the form of the environment variable `TZ` (POSIX.1-2024, section 8.3), such as
    /// `CET-1CEST,M3.5.0,M10.5.0/3`.
    ///
    /// - Parameter posix: The rule, which holds for all years.
    /// - Throws: ``ZoneError`` if the text is not a rule.
    public init(posix: String) throws(ZoneError) {
        guard let rule = PosixRuleParser.parse(Array(posix.utf8)) else {
            throw ZoneError(description: "\"\(posix)\" is not a rule such as CET-1CEST,M3.5.0,M10.5.0/3")
        }
        self.init(TZif.Table(initialOffset: Int32(rule.standard), starts: [], offsets: [], footer: rule))
    }

    private init(_ table: TZif.Table) {
        var starts: [Int64] = []
        var offsets = [table.initialOffset]
        func append(_ at: Int64, _ offset: Int32) {
            guard offset != offsets[offsets.count - 1], Self.instants.contains(at) else {
                // Changes that are before all schedules have no segment, and only determine the first offset.
                if at < Self.instants.lowerBound { offsets[offsets.count - 1] = offset }
                return
            }
            starts.append(at)
            offsets.append(offset)
        }
        for (at, offset) in zip(table.starts, table.offsets) { append(at, offset) }
        if let footer = table.footer {
            let last = table.starts.last
            let clamped = last.map { min(max($0, Self.instants.lowerBound), Self.instants.upperBound) }
            let firstYear = clamped.map { CivilDateTime(localSeconds: $0).date.year - 1 } ?? 1800
            if footer.saving == nil, last == nil { offsets = [Int32(footer.standard)] }
            var changes: [(at: Int64, offset: Int)] = []
            for year in max(1, firstYear)...max(firstYear, Self.lastYear) {
                changes.append(contentsOf: footer.changes(year: year))
            }
            changes.sort { $0.at < $1.at }
            for (index, change) in changes.enumerated() where last.map({ change.at > $0 }) ?? true {
                // Daylight saving time that ends at the instant at which it starts again lasts all year.
                let next = index + 1 < changes.count ? changes[index + 1].at : nil
                if next != change.at { append(change.at, Int32(change.offset)) }
            }
        }
        self.starts = starts
        self.offsets = offsets
    }

    /// Returns the offset at an instant, in seconds east of UTC.
    ///
    /// - Parameter at: The instant in seconds since 1970.
    /// - Returns: The offset.
    public func offset(at: Int64) -> Int { Int(offsets[segment(at: at)]) }

    /// Returns the changes of the offset in a range of instants.
    ///
    /// - Parameter range: The instants in seconds since 1970.
    /// - Returns: The changes in order.
    public func transitions(in range: Range<Int64>) -> [Transition] {
        var result: [Transition] = []
        var index = segment(at: range.lowerBound)
        if index > 0, starts[index - 1] == range.lowerBound { index -= 1 }
        while index < starts.count, starts[index] < range.upperBound {
            let (before, after) = (Int(offsets[index]), Int(offsets[index + 1]))
            result.append(Transition(at: starts[index], before: before, after: after))
            index += 1
        }
        return result
    }

    /// Returns the instants at which the clock shows a local date-time.
    ///
    /// - Parameter local: The date-time on the clock of this zone.
    /// - Returns: One instant, two, or the edges of the gap.
    public func localToInstants(_ local: CivilDateTime) -> Resolution { resolve(local.localSeconds) }

    func resolve(_ local: Int64) -> Resolution {
        var first: Int64?
        var index = segment(at: local - Self.largestOffset)
        var after: Int64?
        while index < offsets.count {
            let start = start(of: index)
            if start > local + Self.largestOffset { break }
            let instant = local - Int64(offsets[index])
            if instant >= start, instant < end(of: index) {
                if let first { return .repeated(first: first, second: instant) }
                first = instant
            } else if first == nil, after == nil, index > 0, instant < start {
                after = start
            }
            index += 1
        }
        if let first { return .one(first) }
        let edge = after ?? local - Int64(offsets[offsets.count - 1])
        return .gap(before: edge - 1, after: edge)
    }

    /// Returns the local date-time at an instant.
    ///
    /// - Parameter at: The instant in seconds since 1970.
    /// - Returns: The date-time on the clock of this zone.
    public func local(at: Int64) -> CivilDateTime {
        let clamped = min(max(at, Self.instants.lowerBound), Self.instants.upperBound)
        return CivilDateTime(localSeconds: clamped + Int64(offset(at: clamped)))
    }

    /// Returns the index of the segment that contains an instant.
    func segment(at: Int64) -> Int {
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= at { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func start(of segment: Int) -> Int64 { segment == 0 ? .min : starts[segment - 1] }
    func end(of segment: Int) -> Int64 { segment == starts.count ? .max : starts[segment] }

    /// Whether an instant is in a segment and so far from both of its ends that the clock shows the local time only
    /// once.
    func isPlain(_ instant: Int64, segment: Int) -> Bool {
        let margin = 2 * Self.largestOffset
        return (segment == 0 || instant >= starts[segment - 1] + margin)
            && (segment == starts.count || instant < starts[segment] - margin)
    }

    /// Returns the largest local second that the clock has shown up to an instant, as if the clock never went back.
    func furthestLocal(at: Int64) -> Int64 { furthestLocal(at: at, segment: segment(at: at)) }

    func furthestLocal(at: Int64, segment: Int) -> Int64 {
        var index = segment
        var result = at + Int64(offsets[index])
        // An earlier segment can only be ahead if it ended less than twice the largest offset ago.
        while index > 0, starts[index - 1] > at - 2 * Self.largestOffset {
            result = max(result, starts[index - 1] - 1 + Int64(offsets[index - 1]))
            index -= 1
        }
        return result
    }
}

/// Provides the rules of time zones.
///
/// A scheduler keeps the rules of a zone until ``refresh()`` returns true. The methods may be called from any thread.
public protocol TimeZones: Sendable {
    /// Returns the zone with an IANA name.
    ///
    /// - Parameter name: The name, such as `Europe/Berlin`.
    /// - Returns: The zone.
    /// - Throws: ``ZoneError`` with similar names if there is no such zone.
    func zone(_ name: String) throws(ZoneError) -> ZoneDatabase.Zone

    /// Checks whether the zones that were requested before have changed.
    ///
    /// - Returns: True if a zone has different rules now, has appeared, or has disappeared.
    func refresh() -> Bool
}
