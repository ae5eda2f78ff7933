/// The rule in the TZ string that ends a TZif file (POSIX.1-2024 8.3 with the extensions of RFC 9636).
struct PosixRule: Sendable, Hashable {
    enum Day: Sendable, Hashable {
        /// The day of the year, 1 to 365; 29 February is never counted.
        case julian(Int)
        /// The day of the year, 0 to 365; 29 February is counted.
        case zeroBased(Int)
        /// The month, the week (5 is the last), and the weekday (0 is Sunday).
        case month(Int, Int, Int)
    }

    struct Change: Sendable, Hashable {
        var day: Day
        /// The seconds after 00:00 of the day, from −167 to +167 hours.
        var time: Int

        /// Returns the local second of the change in a year, counted from 1970-01-01 00:00.
        func localSeconds(year: Int) -> Int {
            let first = CivilDate(unchecked: year, 1, 1).dayNumber
            let number: Int
            switch day {
            case .julian(let day): number = first + day - 1 + (CivilDate.isLeap(year) && day >= 60 ? 1 : 0)
            case .zeroBased(let day): number = first + day
            case .month(let month, let week, let weekday):
                let start = CivilDate(unchecked: year, month, 1).dayNumber
                let sunday = (CivilDate.weekdayIndex(start) + 1) % 7
                var offset = (weekday - sunday + 7) % 7 + (week - 1) * 7
                while offset >= CivilDate.days(inMonth: month, year: year) { offset -= 7 }
                number = start + offset
            }
            return number * 86400 + time
        }
    }

    /// A part of the year with another offset (daylight saving time).
    struct Saving: Sendable, Hashable {
        var offset: Int
        var start: Change
        var end: Change
    }

    /// The offset outside the saving time, in seconds east of UTC.
    var standard: Int
    var saving: Saving?

    /// Returns the changes in a year in order, each with its instant and the offset from then on.
    func changes(year: Int) -> [(at: Int64, offset: Int)] {
        guard let saving else { return [] }
        let start = (Int64(saving.start.localSeconds(year: year) - standard), saving.offset)
        let end = (Int64(saving.end.localSeconds(year: year) - saving.offset), standard)
        return start.0 < end.0 ? [start, end] : [end, start]
    }
}

/// Parses a TZ string byte by byte.
struct PosixRuleParser {
    private let bytes: [UInt8]
    private var index = 0

    static func parse(_ bytes: [UInt8]) -> PosixRule? {
        var parser = PosixRuleParser(bytes: bytes)
        guard let rule = parser.rule(), parser.index == bytes.count else { return nil }
        return rule
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ character: Character) -> Bool {
        guard next == character.asciiValue else { return false }
        index += 1
        return true
    }

    private mutating func name() -> Bool {
        let quoted = take("<")
        let start = index
        while let byte = next, isLetter(byte) || (quoted && (isDigit(byte) || byte == 0x2B || byte == 0x2D)) {
            index += 1
        }
        return index - start >= 3 && (!quoted || take(">"))
    }

    private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
    private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private mutating func number(_ range: ClosedRange<Int>) -> Int? {
        var value = 0
        let start = index
        while let byte = next, isDigit(byte), index - start < 4 {
            value = value * 10 + Int(byte - 0x30)
            index += 1
        }
        return index > start && range.contains(value) ? value : nil
    }

    private mutating func clock(hours: Int) -> Int? {
        let negative = take("-")
        if !negative { _ = take("+") }
        guard var seconds = number(0...hours) else { return nil }
        seconds *= 3600
        for unit in [60, 1] where take(":") {
            guard let part = number(0...59) else { return nil }
            seconds += part * unit
        }
        return negative ? -seconds : seconds
    }

    private mutating func change() -> PosixRule.Change? {
        let day: PosixRule.Day
        if take("J") {
            guard let number = number(1...365) else { return nil }
            day = .julian(number)
        } else if take("M") {
            guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                let weekday = number(0...6)
            else { return nil }
            day = .month(month, week, weekday)
        } else {
            guard let number = number(0...365) else { return nil }
            day = .zeroBased(number)
        }
        guard take("/") else { return .init(day: day, time: 7200) }
        return clock(hours: 167).map { .init(day: day, time: $0) }
    }

    private mutating func rule() -> PosixRule? {
        guard name(), let west = clock(hours: 24) else { return nil }
        var rule = PosixRule(standard: -west)
        guard next != nil else { return rule }
        guard name() else { return nil }
        var offset = rule.standard + 3600
        if next != 0x2C {
            guard let west = clock(hours: 24) else { return nil }
            offset = -west
        }
        guard take(","), let start = change(), take(","), let end = change() else { return nil }
        rule.saving = PosixRule.Saving(offset: offset, start: start, end: end)
        return rule
    }
}
