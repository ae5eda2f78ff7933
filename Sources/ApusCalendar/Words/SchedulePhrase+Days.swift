extension SchedulePhrase {
    /// Reads days of the week or of the month, or a date.
    mutating func days(_ token: PhraseToken) throws(ScheduleTextError) {
        var rest = reader
        _ = rest.take(.the)
        if rest.beginsWeekdays {
            var isPlural = false
            let bits = try reader.list { reader throws(ScheduleTextError) in
                let set = try reader.weekdays()
                isPlural = isPlural || set.isPlural
                return set.bits
            }.reduce(0, |)
            isRecurring = isRecurring || isPlural
            severalDays = isPlural || bits.nonzeroBitCount > 1
            weekdays = try filled(weekdays, bits, token, "the days of the week")
            return
        }
        // `the 1st of january and july` is a day of two months.
        if let found = try reader.attemptDay(), case .yearly(let month, let day) = found.day,
            !reader.hasMonthInList(at: found.index)
        {
            reader.index = found.index
            date = try filled(date, (month, day), token, "the date")
            return
        }
        if rest.hasOrdinal || rest.has(.unit(.day)) && rest.ahead(1).number != nil {
            return try ordinalDays(token)
        }
        if rest.month() != nil { throw rest.pastNumber("the day of the month") }
        throw reader.error(forms)
    }

    /// What can follow the words that have been read, for an error message.
    private var forms: String {
        if step == nil, weekdays == nil, monthDays == nil, months == nil, date == nil {
            return "“every”, as in “every day at 9:00”" + languages
        }
        if reader.has(.at, ahead: -1) { return PhraseReader.timeForms }
        if reader.has(.and) { return "one schedule; other days with other times are a schedule of their own" }
        if times == nil, window == nil { return "“at” and a time of day, as in “at 9:00”, days, or a time zone" }
        return zone == nil ? "a time zone, as in “in Europe/Berlin”, or the end" : "the end"
    }

    /// Reads days of the month: `the 1st and 15th`, `the last day`, `the 2nd tuesday of every month`.
    mutating func ordinalDays(_ token: PhraseToken) throws(ScheduleTextError) {
        var ahead = reader
        _ = ahead.take(.the)
        let place = ahead.next
        var rule = DayRule()
        var isDayNumber = false
        // The ordinals that were read without a noun so far. They share the noun of a later ordinal, or are days of the
        // month.
        var bareDays = DayRule()
        _ = try reader.list { reader throws(ScheduleTextError) in
            let hasArticle = reader.take(.the)
            let item = reader.next
            let isNamed = reader.has(.unit(.day)) && reader.ahead(1).number != nil
            if isNamed { reader.skip() }
            // A plain number is a day of the month if the word *day* or other days of the month precede it, as in
            // `day 1 and 15` and `le 1er et le 15`.
            if let number = reader.next.number, isNamed || rule.monthDays != 0 && reader.isDayNumber {
                guard (1...31).contains(number) else { throw reader.error("a day from 1 to 31") }
                rule.monthDays |= 1 << UInt64(number)
                isDayNumber = isDayNumber || isNamed
                return reader.skip()
            }
            guard let ordinal = try reader.ordinal()?.value, (1...31).contains(ordinal) || ordinal == -1 else {
                throw reader.error("a day such as 1st, 22nd or last", at: item)
            }
            let weekday: Int? = reader.takeValue { sense in
                if case .weekday(let number) = sense.meaning { number } else { nil }
            }
            if let weekday {
                guard ordinal <= 5 else { throw reader.error("1st to 5th or last before a day of the week", at: item) }
                // `the 1st and 3rd monday` means two Mondays.
                if !hasArticle, rule.monthDays != 0, rule.monthDays & 1 << UInt64(max(ordinal, 0)) == 0,
                    rule.monthDays >> 6 == 0, rule == bareDays
                {
                    rule.monthDays.forEachBit { rule.ordinals |= DayRule.ordinal(weekday, $0) }
                    rule.monthDays = 0
                }
                rule.ordinals |= DayRule.ordinal(weekday, ordinal < 0 ? 6 : ordinal)
            } else if reader.take(.workday) {
                guard ordinal == 1 || ordinal == -1 else {
                    throw reader.error("the 1st or the last weekday of the month", at: item)
                }
                if ordinal == 1 { rule.nearestWeekdays |= 1 << 1 } else { rule.nearestWeekdaysFromEnd |= 1 << 1 }
            } else {
                let isDay = reader.take(.unit(.day))
                guard ordinal > 0 || isDay || reader.isAtEnd || !reader.beginsNoun else {
                    throw reader.error("day or a day of the week after last")
                }
                if ordinal > 0 { rule.monthDays |= 1 << UInt64(ordinal) } else { rule.fromEnd |= 1 << 1 }
                if ordinal > 0, !isDay { bareDays.monthDays |= 1 << UInt64(ordinal) }
            }
        }
        guard !rule.restrictsMonthDay || !rule.restrictsWeekday else {
            throw reader.error("either days of the month or days of the week, not both", at: place)
        }
        monthDays = try filled(monthDays, rule, place, "the days of the month")
        // `day 15` is a day of every month.
        isRecurring = isRecurring || isDayNumber
        try ofMonths()
    }

    /// Reads what follows days of the month: `of every month`, `of january and july`, `of every 3 months`,
    /// `of each quarter`.
    private mutating func ofMonths() throws(ScheduleTextError) {
        var rest = reader
        guard rest.take(.of) || rest.take(.inside) else { return }
        let token = rest.next
        _ = rest.take(.the)
        let every = rest.take(.every)
        if every, let count = rest.attempt({ $0.count() ?? 0 }), count.value > 1, rest.isUnit(at: count.index) {
            rest.index = count.index
            guard rest.take(.unit(.month)) else { throw rest.error("months") }
            step = try filled(step, (count.value, .month), token, "how often")
        } else if rest.take(.unit(.month)) {
            if step == nil { step = (value: (1, .month), token: token) }
        } else if rest.take(.quarter) {
            (step, quarters) = (try filled(step, (1, .month), token, "how often"), token)
        } else if rest.month() != nil {
            let bits = try rest.months()
            months = try filled(months, bits, token, "the months")
            isRecurring = isRecurring || every
            reader = rest
            return
        } else {
            return
        }
        isRecurring = true
        reader = rest
    }
}

extension PhraseDay {
    /// The date, if it does not depend on today.
    var fixed: CivilDate? { if case .date(let date) = self { date } else { nil } }
}

extension PhraseReader {
    /// The unit that a token names.
    func unit(ahead count: Int) -> SpanUnit? {
        value(ahead: count) { if case .unit(let unit) = $0.meaning { unit } else { nil } }
    }

    func isUnit(at index: Int) -> Bool { unit(ahead: index - self.index) != nil }

    /// Whether a number can be a day of the month: no time, no unit and no month follows it.
    var isDayNumber: Bool {
        guard next.number != nil, ahead(1).kind != .number, !(ahead(1).isGlued && ahead(1).text != ",") else {
            return false
        }
        return !has(.meridiem(0), ahead: 1) && !has(.meridiem(12), ahead: 1) && !has(.hourMark, ahead: 1)
            && unit(ahead: 1) == nil && month(ahead: 1) == nil && !isSymbol(":", ahead: 1)
    }

    var hasOrdinalWord: Bool { value { if case .ordinal = $0.meaning { true } else { nil } } ?? false }

    var hasOrdinal: Bool {
        if hasOrdinalWord { return true }
        guard next.number != nil, ahead(1).isGlued else { return false }
        return vocabulary.ordinalSuffixes.isEmpty
            ? ["st", "nd", "rd", "th"].contains(ahead(1).lower) : attempt { try $0.ordinal() }?.value != nil
    }

    func attemptOrdinal() throws(ScheduleTextError) -> Int? {
        var copy = self
        return try copy.ordinal()?.value
    }

    /// Reads a day; nil for a month alone.
    func attemptDay() throws(ScheduleTextError) -> (day: PhraseDay, index: Int)? {
        var copy = self
        _ = copy.take(.the)
        if copy.month() != nil, copy.ahead(1).number == nil || copy.isSymbol(":", ahead: 2) { return nil }
        copy = self
        return try copy.day().map { ($0, copy.index) }
    }

    func isTimeAhead(_ count: Int) -> Bool {
        var copy = self
        copy.skip(count)
        return copy.beginsTime
    }

    func hasMonthInList(at index: Int) -> Bool {
        var copy = self
        copy.index = index
        return copy.takeSeparator() && copy.month() != nil
    }

    /// Whether a token ends the subject of *every*, so that *second* before it is a unit.
    func isSubjectEnd(ahead count: Int) -> Bool {
        var copy = self
        copy.skip(count)
        return !copy.beginsWeekdays && copy.unit(ahead: 0) == nil
    }

    /// Whether a unit, an ordinal or *weekend* follows, so that the ordinal before it is not a day of the month.
    ///
    /// Examples are `last weekend` and `second hour`.
    var beginsNoun: Bool { has(.weekend) || unit(ahead: 0) != nil || hasOrdinalWord }

    /// An error at the token after a number.
    func pastNumber(_ expected: String) -> ScheduleTextError {
        var copy = self
        copy.skip()
        return copy.error(expected)
    }
}
