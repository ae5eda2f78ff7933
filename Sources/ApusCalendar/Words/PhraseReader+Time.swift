/// A time of day as it is typed.
struct DayTime: Hashable, Sendable {
    var second: Int
    var nanosecond = 0
    /// Whether only an hour was typed, such as `9` or `9 o'clock`, which can be meant before or after noon.
    var isHourAlone = false
}

extension PhraseReader {
    static let timeForms = "a time of day such as 9:00, 17:30:15, 9am, 5:30 pm, noon or midnight"

    /// Whether a time of day follows that needs no *at*: `9:00`, `9am`, `noon`.
    var beginsTime: Bool {
        if next.kind == .number {
            return isSymbol(":", ahead: 1) && ahead(2).kind == .number || attempt { try $0.time(bare: false) } != nil
        }
        return timeWord != nil
    }

    private var timeWord: Int? {
        value { if case .timeOfDay(let second) = $0.meaning { second } else { nil } }
    }

    /// Reads a time of day.
    ///
    /// A number alone is an hour only if `bare` is true, as after *at*, and only if it is 0 or 8 to 23. The hours from
    /// 1 to 7 are refused without am or pm, because they are as often meant after noon as before it.
    ///
    /// An hour from 1 to 12 before a time with am or pm (`9 to 5pm`) is in the half of the day in which it precedes
    /// that time. If it precedes the time in neither half or in both halves, it is refused. As an exception, 12 means
    /// noon if it precedes the time in both halves.
    mutating func time(bare: Bool) throws(ScheduleTextError) -> DayTime { try halfKnown(bare: bare).time }

    /// Reads a time of day, and returns whether the text says in which half of the day it is.
    ///
    /// If `looksAhead` is true, the next time can state the half of the day for an hour that is typed alone, as in `9
    /// to 5pm`.
    private mutating func halfKnown(
        bare: Bool, looksAhead: Bool = true
    ) throws(ScheduleTextError) -> (time: DayTime, says: Bool) {
        let start = next
        func wrong(_ expected: String = Self.timeForms, _ readings: [String] = []) -> ScheduleTextError {
            error(expected, at: start, readings: readings)
        }
        if let second = timeWord {
            skip()
            return (DayTime(second: second), true)
        }
        if next.number == 12,
            let second = value(
                ahead: 1,
                { sense -> Int? in
                    if case .timeOfDay(let second) = sense.meaning, second != 57_600 { second } else { nil }
                })
        {
            skip(2)
            return (DayTime(second: second), true)
        }
        guard let first = next.number else { throw wrong() }
        let digits = next.text.utf8.count
        skip()
        var (hour, minute, second, nanosecond) = (first, 0, 0, 0)
        var (isClock, saysHalf) = (false, true)
        if isSymbol(":"), ahead(1).kind == .number {
            (minute, isClock) = (try twoDigits("minutes", start), true)
            if isSymbol(":", glued: true) {
                second = try twoDigits("seconds", start)
                if isSymbol(".", glued: true), ahead(1).kind == .number, ahead(1).isGlued {
                    skip()
                    nanosecond = next.text.utf8.map { $0 - 0x30 }.nanosecondsOfDecimals
                    skip()
                }
            }
        } else if vocabulary.language == "de", isSymbol(".", glued: true), ahead(1).text.utf8.count == 2,
            ahead(1).number != nil, ahead(2).lower == "uhr"
        {
            (minute, isClock) = (try twoDigits("minutes", start), true)
        } else if vocabulary.language == "en", isSymbol(".", glued: true), ahead(1).isGlued,
            ahead(1).text.utf8.count == 2, ahead(1).number.map({ $0 < 60 }) == true,
            !isSymbol(".", ahead: 2, glued: true)
        {
            throw wrong("a colon between hours and minutes, as in 9:30", [chunk(start).replacing(".", with: ":")])
        } else if digits == 4 {
            guard bare else { throw wrong() }
            (hour, minute, isClock) = (first / 100, first % 100, true)
        }
        guard isClock || digits <= 2, hour < 100 else { throw wrong() }
        guard minute < 60, second < 60 else { throw wrong("minutes and seconds from 00 to 59") }
        let isMarked = (!isClock || vocabulary.language == "de") && take(.hourMark)
        if isMarked {
            isClock = isClock || vocabulary.language != "en"
            // The minutes can follow the mark of the hour, as in `9h30` and `9 Uhr 30`.
            if vocabulary.language != "en", minute == 0, next.text.utf8.count == 2, let number = next.number,
                number < 60, !isSymbol(":", ahead: 1)
            {
                minute = number
                skip()
            }
        }
        if let half = takeHalf() {
            guard (1...12).contains(hour) else { throw wrong("an hour from 1 to 12 before am or pm") }
            hour = hour % 12 + half
        } else if let part = takeDayPart() ?? dayPart {
            guard hour < 24 else { throw wrong() }
            guard let found = part.hour(hour, isClock: isClock, isPadded: start.text.first == "0") else {
                throw wrong(part.expected(for: (hour * 60 + minute) * 60))
            }
            hour = found
        } else if looksAhead, !isClock, !isMarked, start.isHourOfHalf, let end = halfKnownAhead {
            let halves = [hour % 12, hour % 12 + 12].filter { $0 * 3_600 + minute * 60 + second < end.second }
            // 12 is noon, unless the other time is before noon.
            guard let half = halves.last, halves.count == 1 || hour == 12 else { throw eitherHalf(start) }
            hour = half
        } else if !isClock {
            saysHalf = false
            guard bare || isMarked else { throw wrong("am, pm or minutes after \(hour), as in \(hour):00") }
            guard !(1...7).contains(hour) else {
                throw wrong(
                    "\(hour):00 or \(hour + 12):00; \(hour) alone can be either", ["\(hour):00", "\(hour + 12):00"])
            }
        } else {
            saysHalf = false
        }
        guard let time = CivilTime(hour: hour, minute: minute, second: second) else {
            throw wrong("a time of day with an hour from 0 to 23, such as 9:00, 17:30:15, 9am, noon or midnight")
        }
        let isHourAlone =
            !isClock && !saysHalf && vocabulary.language == "en" && (1...11).contains(hour)
            && start.text.first != "0"
        return (DayTime(second: time.secondOfDay, nanosecond: nanosecond, isHourAlone: isHourAlone), saysHalf)
    }

    /// The time after a separator if the text says in which half of the day it is, such as `5pm` in `9 to 5pm`;
    /// otherwise nil.
    private var halfKnownAhead: DayTime? {
        var rest = self
        guard vocabulary.language == "en",
            rest.takeSeparator() || rest.take(.to, .until) || rest.takeSymbol("-") || rest.takeSymbol("–")
        else { return nil }
        _ = rest.take(.at)
        guard let found = rest.attempt({ try $0.halfKnown(bare: true, looksAhead: false) })?.value, found.says else {
            return nil
        }
        return found.time
    }

    private func eitherHalf(_ token: PhraseToken) -> ScheduleTextError {
        let text = chunk(token)
        return error(
            "\(text)am or \(text)pm; beside a time with am or pm, \(text) can be either", at: token,
            readings: ["\(text)am", "\(text)pm"])
    }

    private mutating func twoDigits(_ what: String, _ start: PhraseToken) throws(ScheduleTextError) -> Int {
        skip()
        guard next.text.utf8.count == 2, let number = next.number else {
            throw error("two digits of \(what), as in 9:05", at: start)
        }
        skip()
        return number
    }

    /// Reads `am`, `p.m.`.
    private mutating func takeHalf() -> Int? {
        if let half = takeValue({ if case .meridiem(let half) = $0.meaning { half } else { nil } }) { return half }
        guard vocabulary.language == "en", ["a", "p"].contains(next.lower), isSymbol(".", ahead: 1, glued: true),
            ahead(2).lower == "m"
        else { return nil }
        let half = next.lower == "a" ? 0 : 12
        skip(3)
        _ = takeSymbol(".", glued: true)
        return half
    }

    /// Reads the words after a time that say the half of the day: `in the morning`, `at night`, `abends`, `du soir`.
    private mutating func takeDayPart() -> DayPart? {
        var rest = self
        let isLinked = dayPartLinks.contains { rest.take($0) }
        _ = rest.take(.the)
        guard isLinked || vocabulary.language != "en", let part = rest.takeValue(Self.dayPart) else { return nil }
        self = rest
        return part
    }

    /// Reads the times of `at 9:00 and 17:00`, after the word *at*.
    ///
    /// If `bare` is true, a time may also be a number alone.
    mutating func times(bare: Bool) throws(ScheduleTextError) -> [DayTime] {
        var isAfterNoon = false
        return try list { reader throws(ScheduleTextError) in
            _ = reader.take(.at)
            let start = reader.next
            let isClock = reader.isSymbol(":", ahead: 1, glued: true)
            let (time, says) = try reader.halfKnown(bare: bare)
            // In `8pm and 10`, the 10 can be in either half of the day.
            if isAfterNoon, !says, !isClock, start.isHourOfHalf, time.second < 43_200 { throw reader.eitherHalf(start) }
            isAfterNoon = says && time.second >= 43_200
            return time
        }
    }
}

extension DayPart {
    /// Returns the hour of the day that a typed hour means in this part of the day; `nil` if no such hour is in it.
    ///
    /// `isClock` is false if a number alone was typed. An hour with a leading zero counts from midnight.
    fileprivate func hour(_ hour: Int, isClock: Bool, isPadded: Bool) -> Int? {
        let range = isClock || hour > 12 ? hours : hoursOfNumbers
        if let hour = [hour, hour + 24].first(where: range.contains) { return hour % 24 }
        return (1...11).contains(hour) && !isPadded && hoursOfNumbers.contains(hour + 12) ? hour + 12 : nil
    }
}

extension PhraseToken {
    /// Whether the token can be an hour with am or pm, from 1 to 12.
    ///
    /// An hour with a leading zero counts from midnight.
    fileprivate var isHourOfHalf: Bool { (1...12).contains(number ?? 0) && text.first != "0" }
}

extension Collection<UInt8> {
    /// The nanoseconds that these digits mean after a decimal point.
    ///
    /// Each element is a digit as a value from 0 to 9; digits after the ninth are dropped.
    package var nanosecondsOfDecimals: Int {
        let digits = Array(prefix(9))
        return (0..<9).reduce(0) { $0 * 10 + ($1 < digits.count ? Int(digits[$1]) : 0) }
    }
}
