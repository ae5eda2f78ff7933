/// The times of a day at which a schedule is due.
public enum TimesOfDay: Sendable, Hashable {
    /// Every combination of an hour, a minute and a second from three sets; bit n stands for the value n.
    case grid(hours: UInt64, minutes: UInt64, seconds: UInt64)
    /// Seconds since midnight, sorted; only for times that do not form a grid.
    case list([Int])

    static let allHours: UInt64 = (1 << 24) - 1
    static let allSixty: UInt64 = (1 << 60) - 1

    /// Creates the times in their canonical form, a grid if they form one.
    ///
    /// - Parameter secondsOfDay: Seconds since midnight, in any order; values outside 0 to 86399 are left out.
    public init(_ secondsOfDay: some Sequence<Int>) {
        let sorted = Set(secondsOfDay).filter { (0..<86400).contains($0) }.sorted()
        var (hours, minutes, seconds) = (UInt64(0), UInt64(0), UInt64(0))
        for second in sorted {
            hours |= 1 << UInt64(second / 3600)
            minutes |= 1 << UInt64(second / 60 % 60)
            seconds |= 1 << UInt64(second % 60)
        }
        let product = hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount
        self = product == sorted.count ? .grid(hours: hours, minutes: minutes, seconds: seconds) : .list(sorted)
    }

    /// All times as seconds since midnight, sorted.
    public var secondsOfDay: [Int] {
        switch self {
        case .list(let list): list
        case .grid(let hours, let minutes, let seconds):
            hours.setBits.flatMap { hour in
                minutes.setBits.flatMap { minute in seconds.setBits.map { hour * 3600 + minute * 60 + $0 } }
            }
        }
    }

    /// Whether every hour of the day has the same times.
    var coversEveryHour: Bool {
        if case .grid(Self.allHours, _, _) = self { true } else { false }
    }

    /// Whether there are several times at equal distances within the minute, the hour or the day.
    var hasEvenSteps: Bool {
        switch self {
        case .grid(_, let minutes, let seconds):
            NumberSet.progression(minutes.setBits) != nil || NumberSet.progression(seconds.setBits) != nil
                || NumberSet.progression(secondsOfDay) != nil
        case .list(let list): NumberSet.progression(list) != nil
        }
    }

    var count: Int {
        switch self {
        case .list(let list): list.count
        case .grid(let hours, let minutes, let seconds):
            hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount
        }
    }

    /// Returns how many of the times of day lie in a range of seconds since midnight.
    func count(in seconds: ClosedRange<Int>) -> Int {
        count(below: seconds.upperBound + 1) - count(below: seconds.lowerBound)
    }

    private func count(below second: Int) -> Int {
        switch self {
        case .list(let list): return list.prefix { $0 < second }.count
        case .grid(let hours, let minutes, let seconds):
            let (hour, minute) = (second / 3600, second / 60 % 60)
            let (perHour, perMinute) = (minutes.nonzeroBitCount * seconds.nonzeroBitCount, seconds.nonzeroBitCount)
            var count = hours.count(below: hour) * perHour
            guard hours.has(hour) else { return count }
            count += minutes.count(below: minute) * perMinute
            return minutes.has(minute) ? count + seconds.count(below: second % 60) : count
        }
    }

    /// Returns the time at an index, counted from 0, in seconds since midnight.
    subscript(number: Int) -> Int {
        switch self {
        case .list(let list): return list[number]
        case .grid(let hours, let minutes, let seconds):
            let (minutesCount, secondsCount) = (minutes.nonzeroBitCount, seconds.nonzeroBitCount)
            return hours.setBit(number / secondsCount / minutesCount) * 3600
                + minutes.setBit(number / secondsCount % minutesCount) * 60 + seconds.setBit(number % secondsCount)
        }
    }

    func next(atOrAfter second: Int) -> Int? {
        switch self {
        case .list(let list): return list.first { $0 >= second }
        case .grid(let hours, let minutes, let seconds):
            guard second < 86400, let firstMinute = minutes.next(0), let firstSecond = seconds.next(0) else {
                return nil
            }
            var (hour, minute) = (second / 3600, second / 60 % 60)
            if hours.has(hour) {
                if minutes.has(minute), let found = seconds.next(second % 60) {
                    return hour * 3600 + minute * 60 + found
                }
                minute += 1
                if let found = minutes.next(minute) { return hour * 3600 + found * 60 + firstSecond }
            }
            hour += 1
            return hours.next(hour).map { $0 * 3600 + firstMinute * 60 + firstSecond }
        }
    }

    func previous(atOrBefore second: Int) -> Int? {
        switch self {
        case .list(let list): return list.last { $0 <= second }
        case .grid(let hours, let minutes, let seconds):
            guard second >= 0, let lastMinute = minutes.previous(59), let lastSecond = seconds.previous(59) else {
                return nil
            }
            let (hour, minute) = (second / 3600, second / 60 % 60)
            if hours.has(hour) {
                if minutes.has(minute), let found = seconds.previous(second % 60) {
                    return hour * 3600 + minute * 60 + found
                }
                if let found = minutes.previous(minute - 1) { return hour * 3600 + found * 60 + lastSecond }
            }
            return hours.previous(hour - 1).map { $0 * 3600 + lastMinute * 60 + lastSecond }
        }
    }
}

extension UInt64 {
    /// Creates a set of bits; positions outside 0 to 63 are left out.
    init(bits: some Sequence<Int>) { self = bits.reduce(0) { (0..<64).contains($1) ? $0 | 1 << UInt64($1) : $0 } }

    func forEachBit(_ body: (Int) -> Void) {
        var rest = self
        while rest != 0 {
            body(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    /// Returns the position of the set bit at an index, counted from 0.
    func setBit(_ number: Int) -> Int {
        var rest = self
        for _ in 0..<number { rest &= rest - 1 }
        return rest.trailingZeroBitCount
    }

    func count(below bit: Int) -> Int { (self & ((1 << UInt64(bit)) - 1)).nonzeroBitCount }

    func has(_ bit: Int) -> Bool { self >> UInt64(bit) & 1 == 1 }

    /// Returns the lowest set bit at or above a position.
    func next(_ bit: Int) -> Int? {
        guard bit < 64 else { return nil }
        let rest = self >> UInt64(Swift.max(bit, 0))
        return rest == 0 ? nil : Swift.max(bit, 0) + rest.trailingZeroBitCount
    }

    /// Returns the highest set bit at or below a position.
    func previous(_ bit: Int) -> Int? {
        guard bit >= 0 else { return nil }
        let rest = self << UInt64(63 - Swift.min(bit, 63))
        return rest == 0 ? nil : Swift.min(bit, 63) - rest.leadingZeroBitCount
    }

    var setBits: [Int] {
        var result: [Int] = []
        var rest = self
        while rest != 0 {
            result.append(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return result
    }
}
