/// An interval of hours, minutes or seconds on the local clock, counted without regard to days.
///
/// The days that have a match repeat in a cycle, whose length in days is at most the interval.
struct UnitCycle: Sendable {
    private let times: TimesOfDay
    /// The length of the unit, in seconds.
    private let length: Int
    private let interval: Int
    /// The number of the unit that contains DTSTART, counted from 1970.
    private let origin: Int
    /// For each day of the cycle, whether it has a match.
    private let hasMatch: [Bool]

    init(times: TimesOfDay, length: Int, interval: Int, start: CivilDateTime) {
        self.times = times
        self.length = length
        self.interval = interval
        origin = floorDiv(Int(start.localSeconds), length)
        let perDay = 86_400 / length
        var residues = [Bool](repeating: false, count: interval)
        var second = times.next(atOrAfter: 0)
        while let found = second {
            residues[found / length % interval] = true
            second = times.next(atOrAfter: (found / length + 1) * length)
        }
        var (divisor, rest) = (perDay, interval)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        hasMatch = [Int](0..<interval / divisor).map { [origin] day in
            residues[floorMod(origin - day * perDay, interval)]
        }
    }

    /// Whether no day has a match.
    var isEmpty: Bool { !hasMatch.contains(true) }

    func contains(day: Int) -> Bool { hasMatch[floorMod(day, hasMatch.count)] }

    /// Returns the first match of a day at or after a second of the day.
    func next(atOrAfter second: Int, day: Int) -> Int? {
        guard contains(day: day) else { return nil }
        let first = floorDiv(day * 86_400, length) - origin
        var from = second
        while let time = times.next(atOrAfter: from) {
            let past = floorMod(first + time / length, interval)
            if past == 0 { return time }
            from = (time / length + interval - past) * length
            if from >= 86_400 { return nil }
        }
        return nil
    }

    /// Returns the last match of a day at or before a second of the day.
    func previous(atOrBefore second: Int, day: Int) -> Int? {
        guard contains(day: day) else { return nil }
        let first = floorDiv(day * 86_400, length) - origin
        var from = second
        while let time = times.previous(atOrBefore: from) {
            let past = floorMod(first + time / length, interval)
            if past == 0 { return time }
            from = (time / length - past + 1) * length - 1
            if from < 0 { return nil }
        }
        return nil
    }

    /// The length of the cycle: the number of days after which the matches repeat.
    var days: Int { hasMatch.count }

    /// Returns the number of matches in a range of the seconds of a day.
    func count(in seconds: ClosedRange<Int>, day: Int) -> Int {
        guard contains(day: day) else { return 0 }
        let unit = seconds.lowerBound / length
        let past = floorMod(floorDiv(day * 86_400, length) - origin + unit, interval)
        return stride(
            from: unit + (past == 0 ? 0 : interval - past), through: seconds.upperBound / length, by: interval
        )
        .reduce(0) { count, unit in
            let (first, last) = (unit * length, unit * length + length - 1)
            return count
                + times.count(in: max(first, seconds.lowerBound)...min(last, seconds.upperBound))
        }
    }
}
