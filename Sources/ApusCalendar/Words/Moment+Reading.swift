extension Moment {
    static let forms =
        "a time such as 17:30, tomorrow at 9:00, friday 16:00, 24 dec 18:00, in 5 minutes or 2026-12-24 18:00"

    /// Reads an instant.
    ///
    /// - Parameter text: The text; letters may be in either case.
    /// - Throws: ``ScheduleTextError`` with the column.
    package init(_ text: String) throws(ScheduleTextError) {
        do { self = try Self.read(text) } catch {
            throw error.suggesting(instead: text) { other throws(ScheduleTextError) in
                let moment = try Self.read(other)
                // A time of day is not suggested if the words before it, such as a misspelt day, would be dropped,
                // because it would then mean another instant.
                if case .local(nil, _) = moment.base, text.hasSuffix(other) { throw error }
                return other
            }
        }
    }

    static func read(_ text: String) throws(ScheduleTextError) -> Moment {
        try WindowsZones.check(text, isWords: true)
        var reader = PhraseReader(text)
        guard !reader.isAtEnd else { throw reader.error("\(Self.forms); it is empty") }
        let moment = try read(&reader)
        guard reader.isAtEnd else {
            throw reader.error("the end; “\(reader.chunk(reader.next))” cannot be read")
        }
        return moment
    }

    private static func read(_ reader: inout PhraseReader) throws(ScheduleTextError) -> Moment {
        let start = reader.next
        if reader.takeSymbol("@") {
            let digits = reader.next
            guard digits.kind == .number, digits.text.utf8.count <= 15, let seconds = Int64(digits.text) else {
                throw reader.error("seconds since 1970 after @, as in @1798135200")
            }
            reader.skip()
            return Moment(base: .secondsSince1970(seconds))
        }
        if reader.isSymbol("+") || reader.isSymbol("-") {
            let isBack = reader.isSymbol("-")
            reader.skip()
            return Moment(base: .now, span: try reader.span(), isBack: isBack, isSpan: true)
        }
        if reader.take(.now) {
            var moment = Moment(base: .now)
            moment.zone = try zone(&reader)
            try shift(&moment, &reader)
            return moment
        }
        // A span follows *in*, except in `in January`.
        if reader.has(.inside), reader.month(ahead: 1) == nil {
            reader.skip()
            guard !reader.isAtEnd else {
                throw reader.error("a duration, as in “in 5 minutes”; the duration is missing")
            }
            if let clock = clockSpan(&reader) { return Moment(base: .now, span: clock, isSpan: true) }
            if reader.next.number != nil, reader.ahead(1).kind == .end {
                let seconds = UInt128(reader.next.number ?? 0)
                reader.skip()
                return Moment(base: .now, span: CalendarSpan(nanoseconds: seconds * 1_000_000_000), isSpan: true)
            }
            return Moment(base: .now, span: try reader.span(), isSpan: true)
        }
        // A span can come first, as in `2 hours from now` and `5 minutes ago`. Otherwise, the text is a day or a time.
        if let span = reader.attempt({ reader throws(ScheduleTextError) in try reader.span() }) {
            var rest = reader
            rest.index = span.index
            if rest.take(.from), rest.take(.now) || rest.isNowAtEnd {
                if !rest.isAtEnd, rest.has(.now) { rest.skip() }
                reader = rest
                return Moment(base: .now, span: span.value, isSpan: true)
            }
            rest.index = span.index
            if rest.isAtEnd {
                throw reader.error("“in” before a duration, as in “in 5 minutes”", candidates: ["in \(reader.text)"])
            }
            if rest.take(.ago) || rest.take(.left) {
                let isBack = reader.tokens[rest.index - 1].lower != "left"
                reader = rest
                return Moment(base: .now, span: span.value, isBack: isBack, isSpan: true)
            }
        }
        if start.kind == .number, reader.ahead(1).text == "M", reader.ahead(1).isGlued {
            throw reader.error(
                "m for minutes, or months as in “now + \(start.text) months”; M can be either",
                readings: ["in \(start.text)m", "now + \(start.text) months"])
        }
        return try local(&reader, start)
    }

    /// Reads a duration after *in* that is typed with colons: `1:30` (minutes and seconds) or `1:30:00`.
    private static func clockSpan(_ reader: inout PhraseReader) -> CalendarSpan? {
        guard reader.next.number != nil, reader.isSymbol(":", ahead: 1) else { return nil }
        var fields: [Int] = []
        var rest = reader
        repeat {
            guard let number = rest.next.number, fields.isEmpty || rest.next.text.utf8.count == 2 && number < 60 else {
                return nil
            }
            fields.append(number)
            rest.skip()
        } while rest.takeSymbol(":", glued: true)
        guard fields.count <= 3 else { return nil }
        reader = rest
        return CalendarSpan(nanoseconds: UInt128(fields.reduce(0) { $0 * 60 + $1 }) * 1_000_000_000)
    }

    /// Reads a day, a time of day and a zone, in any order, and a span that is added or subtracted.
    private static func local(
        _ reader: inout PhraseReader, _ start: PhraseToken
    ) throws(ScheduleTextError) -> Moment {
        var (day, time, zone) = (PhraseDay?.none, DayTime?.none, Zone?.none)
        var checked: Int?
        var isNextTime = false
        var part: (value: DayPart, token: PhraseToken)?
        var dayToken = start
        while !reader.isAtEnd {
            if reader.isSymbol("+") || reader.isSymbol("-") { break }
            let token = reader.next
            if time == nil, reader.take(.at) || reader.takeSymbol("@") {
                time = try reader.time(bare: true)
                continue
            }
            // The `T` of ISO 8601 separates the date from the time.
            if day != nil, time == nil, reader.next.lower == "t", reader.next.isGlued {
                reader.skip()
                guard reader.ahead(1).text == ":" else { throw reader.error("a time of day after T, as in T18:00:00") }
                time = try reader.time(bare: false)
                zone = try isoOffset(&reader) ?? zone
                continue
            }
            if time == nil, reader.beginsTime || reader.isFourDigits {
                time = try reader.time(bare: true)
                if zone == nil { zone = try isoOffset(&reader) }
                continue
            }
            if part == nil, let value = reader.takeDayPart(isOfDay: day != nil) {
                part = (value, token)
                if value == .tonight {
                    guard day == nil else { throw reader.error("one day", at: token) }
                    day = .relative(0)
                }
                continue
            }
            if day != nil || time != nil, reader.takeSymbol(",") || reader.take(.on) { continue }
            if reader.has(.on) {
                reader.skip()
                continue
            }
            if zone == nil, let found = try Self.zone(&reader) {
                zone = found
                continue
            }
            if let found = try concatenated(&reader, hasTime: time != nil) {
                guard day == nil else { throw reader.error("one day", at: token) }
                day = found
                continue
            }
            if let found = try reader.day() {
                // `Fri 2026-11-27`: the day of the week must be that of the date.
                if case .weekday(let weekday, false)? = day, checked == nil {
                    checked = weekday
                } else {
                    guard day == nil else { throw reader.error("one day", at: token) }
                }
                (day, dayToken) = (found, token)
                continue
            }
            if time == nil, reader.next.number != nil, reader.next.text.utf8.count <= 2,
                day != nil || reader.hasDayAhead || reader.ahead(1).kind == .end
            {
                time = try reader.time(bare: true)
                continue
            }
            guard day == nil, time == nil else {
                throw reader.error(
                    time == nil
                        ? "a time of day such as 9:00; “\(reader.chunk(token))” is not a time of day"
                        : "a day, a time zone, or the end; “\(reader.chunk(token))” cannot be read")
            }
            if reader.next.number != nil { _ = try reader.time(bare: true) }
            throw reader.error(forms)
        }
        if let checked, let day {
            guard case .date(let date) = day, date.weekday.rawValue == checked else {
                throw reader.error("a date that is a \(Names.weekdays[checked - 1])", at: dayToken)
            }
        }
        var nextNight: PhraseToken?
        if let (part, token) = part {
            guard let second = time?.second else {
                throw reader.error(
                    "the time of day, as in “\(reader.text) at \(part.example)”", at: token,
                    candidates: ["\(reader.text) at \(part.example)"])
            }
            if part == .tonight, part.hours.contains(second / 3_600 + 24) {
                // `tonight at midnight` is the next midnight.
                (day, nextNight) = (nil, token)
            } else if !part.hours.contains(second / 3_600) {
                throw reader.error(part.expected(for: second), at: token)
            }
        }
        isNextTime = day == nil
        var moment = Moment(base: .local(day, time), zone: zone)
        let end = reader.index
        try shift(&moment, &reader)
        if let nextNight, reader.index > end {
            throw reader.error(
                "a date, because the time is after midnight, as in “tomorrow at 0:00 + 1 day”", at: nextNight)
        }
        // `4pm + 3 days` counts from today, even if 4pm has passed.
        if isNextTime, moment.span.days + moment.span.months > 0 { moment.base = .local(.relative(0), time) }
        return moment
    }

    /// Reads `UTC`, `Europe/Berlin`, `in Europe/Berlin`.
    private static func zone(_ reader: inout PhraseReader) throws(ScheduleTextError) -> Zone? {
        if reader.has(.inside), reader.month(ahead: 1) == nil {
            var rest = reader
            rest.skip()
            guard let name = try rest.zone(afterIn: true) else { return nil }
            reader = rest
            return .named(name)
        }
        return try reader.zone().map { .named($0) }
    }

    /// Reads `Z`, `+01:00`, `+0100` after a time of day.
    private static func isoOffset(_ reader: inout PhraseReader) throws(ScheduleTextError) -> Zone? {
        if ["z", "zulu"].contains(reader.next.lower), reader.next.isGlued || reader.next.lower == "zulu" {
            reader.skip()
            return .offset(0)
        }
        guard reader.isSymbol("+") || reader.isSymbol("-"), reader.ahead(1).kind == .number, reader.ahead(1).isGlued,
            reader.unit(ahead: 2) == nil
        else { return nil }
        let sign = reader.isSymbol("+") ? 1 : -1
        var (hours, minutes) = (reader.ahead(1).number ?? 99, 0)
        var length = 2
        if reader.ahead(1).text.utf8.count == 4 {
            (hours, minutes) = (hours / 100, hours % 100)
        } else if reader.isSymbol(":", ahead: 2, glued: true), reader.ahead(3).text.utf8.count == 2,
            let number = reader.ahead(3).number
        {
            (minutes, length) = (number, 4)
        } else {
            throw reader.error("an offset from UTC such as +01:00, or a span such as + 3 days")
        }
        guard hours <= 14, minutes < 60 else { throw reader.error("an offset from UTC such as +01:00") }
        reader.skip(length)
        return .offset(sign * (hours * 3_600 + minutes * 60))
    }

    /// Reads a date of six or eight digits after a time, as at(1) does.
    ///
    /// The order of at(1) is month, day, year. The digits are also tried with the day or the year first, and are
    /// refused unless exactly one date results.
    private static func concatenated(
        _ reader: inout PhraseReader, hasTime: Bool
    ) throws(ScheduleTextError) -> PhraseDay? {
        let token = reader.next
        let digits = token.text.utf8.count
        guard hasTime, digits == 6 || digits == 8, let number = token.number, !reader.ahead(1).isGlued else {
            return nil
        }
        func date(_ year: Int, _ month: Int, _ day: Int) -> CivilDate? {
            CivilDate(year: year < 100 ? 2000 + year : year, month: month, day: day)
        }
        let short = digits == 6
        let (first, second) =
            short ? (number / 10_000, number / 100 % 100) : (number / 1_000_000, number / 10_000 % 100)
        let last = short ? number % 100 : number % 10_000
        let yearFirst = short ? date(first, second, last) : date(number / 10_000, number / 100 % 100, number % 100)
        let readings = [date(last, first, second), date(last, second, first), yearFirst].compactMap { $0 }.filter {
            CivilDate.years.contains($0.year) && (1970...2100).contains($0.year)
        }
        let distinct = Set(readings)
        guard distinct.count == 1, let only = distinct.first else {
            throw reader.error(
                "a date such as 2026-12-24; \(token.text) "
                    + (distinct.isEmpty
                        ? "is not a date"
                        : "is read in different orders: write one of "
                            + distinct.map(\.description).sorted().joined(separator: ", ")))
        }
        reader.skip()
        return .date(only)
    }

    /// Reads `+ 3 days`, `- 1 hour`, `+ 1 week + 2 hours`.
    private static func shift(_ moment: inout Moment, _ reader: inout PhraseReader) throws(ScheduleTextError) {
        guard reader.isSymbol("+") || reader.isSymbol("-") else { return }
        moment.isBack = reader.isSymbol("-")
        reader.skip()
        (moment.span, moment.isSpan) = (try reader.span(), true)
    }
}

extension PhraseReader {
    /// Whether the next token is four digits that can be hours and minutes, and that do not begin a date.
    fileprivate var isFourDigits: Bool {
        next.text.utf8.count == 4 && next.number.map { $0 < 2_400 && $0 % 100 < 60 } == true
            && !(ahead(1).isGlued && ["-", "/", "."].contains(ahead(1).text))
    }

    /// Whether a day or a zone follows the number, which is then an hour, as in `17 tomorrow`.
    fileprivate var hasDayAhead: Bool {
        var copy = self
        copy.skip()
        return copy.month() == nil
            && (copy.value { sense -> Bool? in
                switch sense.meaning {
                case .day, .weekday, .next, .this, .dayPart(.tonight): true
                default: nil
                }
            } ?? false || (try? copy.zone()) != nil && copy.next.range != next.range)
    }

    /// Reads `tonight`, and after a day `afternoon` and `in the afternoon`.
    fileprivate mutating func takeDayPart(isOfDay: Bool) -> DayPart? {
        var rest = self
        if isOfDay { _ = rest.take(.inside) && rest.take(.the) }
        guard let part = rest.takeValue(Self.dayPart), isOfDay || part == .tonight else { return nil }
        self = rest
        return part
    }

    /// Whether nothing but *now* follows.
    fileprivate var isNowAtEnd: Bool { has(.now) && ahead(1).kind == .end }
}
