extension SchedulePhrase {
    mutating func clause() throws(ScheduleTextError) {
        let token = reader.next
        if reader.take(.every) {
            isRecurring = true
            return try every()
        }
        let frequency: SpanUnit? = reader.takeValue { if case .frequency(let unit) = $0.meaning { unit } else { nil } }
        if let frequency {
            isRecurring = true
            step = try filled(step, (1, frequency), token, "how often")
            // As with `every night`, the times must be in the night, so `nightly at 9` is refused.
            if token.lower == "nightly" { dayPart = (.night, token) }
            return
        }
        if reader.take(.fortnight) {
            isRecurring = true
            step = try filled(step, (2, .week), token, "how often")
            return
        }
        if reader.take(.quarterly) { return try quarter(token) }
        guard !reader.has(.unclear) else {
            throw reader.error(
                "“every other week”, “every 3 months on the 1st” or the like; \(token.text) can be several")
        }
        if try takeRate() { return }
        if try takeDayPart() { return }
        if reader.take(.at) || reader.takeSymbol("@") { return try time(bare: true, token) }
        if reader.beginsTime { return try time(bare: false, token) }
        if reader.take(.on) { return try on(token) }
        if reader.take(.since) {
            start = try filled(start, try day(token), token, "the first day")
            return
        }
        // German *bis* is both *to* and *until*.
        if reader.take(.until) {
            end = try filled(end, try day(token), token, "the last day")
            return
        }
        if reader.take(.except) || reader.has(.not) && reader.has(.not, ahead: 1) {
            while reader.take(.not) {}
            return try except(token)
        }
        if reader.take(.between) {
            let first = try reader.time(bare: true)
            guard reader.take(.and) else { throw reader.error("“and”, as in “between 9:00 and 17:00”") }
            return try window(from: first, token)
        }
        if reader.has(.from) {
            var rest = reader
            rest.skip()
            if rest.month() != nil, rest.ahead(1).number == nil { return try inside(token) }
            reader.skip()
            if rest.beginsWeekdays, rest.has(.to, ahead: 1) || rest.has(.until, ahead: 1) { return try days(token) }
            if rest.attempt({ try $0.day() })?.value != nil {
                start = try filled(start, try day(token), token, "the first day")
                return
            }
            let first = try reader.time(bare: true)
            guard reader.take(.to, .until) || reader.takeSymbol("-") else {
                throw reader.error("“to” and a time, as in “from 9:00 to 17:00”")
            }
            return try window(from: first, token)
        }
        if reader.has(.inside) || reader.has(.of) && reader.month(ahead: 1) != nil { return try inside(token) }
        if let zone = try reader.zone() {
            self.zone = try filled(self.zone, zone, token, "the time zone")
            return
        }
        return try days(token)
    }

    /// Reads a part of the day, as in `every friday afternoon`, `mornings` or `in the morning`; returns false if none
    /// follows.
    private mutating func takeDayPart() throws(ScheduleTextError) -> Bool {
        let token = reader.next
        var rest = reader
        let isLinked = rest.take(.inside, .on, .at)
        _ = rest.take(.the)
        guard let part = rest.value(PhraseReader.dayPart), part != .tonight, !reader.isInLimit(rest.index) else {
            return false
        }
        let isPlural = rest.senses(rest.next).contains(where: \.isPlural)
        guard isPlural || isLinked || weekdays != nil else { return false }
        dayPart = try filled(dayPart, part, token, "the part of the day")
        if isPlural {
            isRecurring = true
            severalDays = true
        }
        rest.skip()
        reader = rest
        return true
    }

    /// Reads `quarter` after *every*; the step is one month.
    ///
    /// Which month of each quarter matches is decided later, from the days of the schedule.
    private mutating func quarter(_ token: PhraseToken) throws(ScheduleTextError) {
        isRecurring = true
        quarters = token
        step = try filled(step, (1, .month), token, "how often")
    }

    /// Reads what follows *every*.
    mutating func every() throws(ScheduleTextError) {
        _ = reader.take(.the)
        let token = reader.next
        if reader.take(.other) { return try interval(2, token) }
        if reader.take(.fortnight) {
            step = try filled(step, (2, .week), token, "how often")
            return
        }
        if let (amount, unit) = reader.halfOfUnit() {
            guard unit == .hour || unit == .minute else { throw reader.error("half an hour, or 12 hours", at: token) }
            let smaller: SpanUnit = unit == .hour ? .minute : .second
            step = try filled(step, (60 / Int(amount.denominator), smaller), token, "how often")
            return
        }
        if reader.take(.quarter) { return try quarter(token) }
        if let part = reader.value(PhraseReader.dayPart), part != .tonight {
            reader.skip()
            dayPart = (part, token)
            step = try filled(step, (1, .day), token, "how often")
            return
        }
        // In `every second`, the word is a unit. In `every second day`, it is an ordinal.
        if reader.has(.ordinal(2)), !reader.has(.unit(.second)) || !reader.isSubjectEnd(ahead: 1) {
            return try everySecond(token)
        }
        if let number = reader.attempt({ try $0.ordinal() })?.value?.value, number > 0,
            reader.next.kind == .number, reader.unit(ahead: 2) != nil
        {
            if number == 2 { return try everySecond(token) }
            throw reader.error("\(number) and the unit, as in “every \(number) days”")
        }
        if let first = reader.next.number, reader.isSymbol("/", ahead: 1, glued: true),
            let second = reader.ahead(2).number
        {
            let hasYear = reader.isSymbol("/", ahead: 3, glued: true)
            let orders = hasYear ? [] : first == second ? [(first, second)] : [(first, second), (second, first)]
            let dates = orders.filter { month, day in
                (1...12).contains(month) && (1...CivilDate.days(inMonth: month, year: 2028)).contains(day)
            }
            throw reader.error(
                "a date such as “24 december”; the order of \(reader.chunk(token)) differs between countries",
                readings: dates.map { month, day in "\(day) \(Names.months[month - 1])" })
        }
        // A number without a unit can only be a day of the month or of a date.
        if let number = reader.next.number, reader.unit(ahead: 1) == nil, reader.month(ahead: 1) == nil,
            try reader.attemptOrdinal() == nil
        {
            throw reader.ahead(1).kind == .end
                ? reader.pastNumber("seconds, minutes, hours, days, weeks or months after \(number)")
                : reader.pastNumber("seconds, minutes, hours, days, weeks or months after a number")
        }
        if let count = reader.attempt({ $0.count() ?? -1 }), count.value >= 0, reader.isUnit(at: count.index) {
            let isGlued = reader.tokens[count.index].isGlued
            guard !isGlued else {
                throw reader.error(
                    "a number and the name of its unit, as in “15 minutes”; \(reader.chunk(token)) is an interval, "
                        + "which begins when the job is submitted")
            }
            guard (1...10_000).contains(count.value) else { throw reader.error("a number from 1 to 10000") }
            reader.index = count.index
            return try interval(count.value, token)
        }
        if let unit = reader.unit(ahead: 0), unit.rawValue >= SpanUnit.second.rawValue {
            return try interval(1, token)
        }
        if reader.month() != nil {
            if let found = try reader.attemptDay(), case .yearly(let month, let day) = found.day {
                reader.index = found.index
                date = try filled(date, (month, day), token, "the date")
                return
            }
            months = try filled(months, try reader.months(), token, "the months")
            return
        }
        guard reader.beginsWeekdays || reader.next.number != nil || reader.hasOrdinalWord else {
            throw reader.error(subjects)
        }
        // `every third day` is refused, because it can mean every three days or a day of the month.
        if let ordinal = reader.attempt({ try $0.ordinal() })?.value, ordinal.isWord, ordinal.value > 2,
            reader.has(.unit(.day), ahead: 1), !reader.has(.of, ahead: 2), !reader.has(.inside, ahead: 2)
        {
            let day = "\(ordinal.value)\(PhraseReader.suffix(of: ordinal.value))"
            throw reader.error("“every \(ordinal.value) days” or “every month on the \(day)”; it can be either")
        }
        try days(token)
    }

    /// Reads `second` or `2nd` after *every*, and what follows it.
    private mutating func everySecond(_ token: PhraseToken) throws(ScheduleTextError) {
        let isWord = reader.next.kind == .word
        var rest = reader
        rest.skip(isWord ? 1 : 2)
        guard rest.beginsWeekdays else {
            if rest.unit(ahead: 0) != nil {
                reader = rest
                return try interval(2, token)
            }
            return try days(token)
        }
        let name = rest.next.text
        guard !isWord else {
            throw reader.error(
                "“every other \(name)” or “every 2nd \(name)” of the month; \(token.text) can be either",
                readings: ["other", "2nd"])
        }
        try days(token)
    }

    /// Reads what an interval counts: a unit, as in `every 2 weeks`, or a day of the week, as in `every other friday`.
    private mutating func interval(_ count: Int, _ token: PhraseToken) throws(ScheduleTextError) {
        if let unit = reader.unit(ahead: 0) {
            if unit == .day, reader.vocabulary.countsWeeks(inDays: count) {
                throw reader.error("a number of weeks; \(count) days can be meant as weeks", at: token)
            }
            reader.skip()
            if reader.has(.and), reader.has(.number(1), ahead: 1) || reader.ahead(1).number != nil {
                if !reader.isTimeAhead(1) {
                    throw reader.error("one unit; several, such as 1h30m, are an interval and not a schedule")
                }
            }
            step = try filled(step, (count, unit), token, "how often")
            return
        }
        guard count == 2, reader.beginsWeekdays else {
            throw reader.error("seconds, minutes, hours, days, weeks or months after a number")
        }
        guard !reader.has(.workday) else {
            throw reader.error("a day of the week, or “2 weeks on weekdays”, because weekdays are five")
        }
        step = try filled(step, (2, .week), token, "how often")
        try days(token)
    }

    /// Reads `twice a day`, `3 times a day`, `once a week`.
    private mutating func takeRate() throws(ScheduleTextError) -> Bool {
        let token = reader.next
        var rest = reader
        var count: Int?
        if rest.take(.once) {
            count = 1
        } else if rest.take(.twice) {
            count = 2
        } else if let number = rest.count(),
            rest.take(.times)
        {
            count = number
        }
        let daily = rest.take(.frequency(.day))
        guard let count, daily || rest.take(.number(1), .every, .the) || rest.next.lower == "per" else { return false }
        guard count > 0 else { throw reader.error("a number from 1") }
        if rest.next.lower == "per" { rest.skip() }
        if count == 1, !daily, rest.take(.quarter) {
            reader = rest
            try quarter(token)
            return true
        }
        guard let unit = daily ? .day : rest.unit(ahead: 0) else { throw rest.error("day, hour, week or month") }
        if !daily { rest.skip() }
        reader = rest
        isRecurring = true
        if count > 1 { rate = (value: (count, unit), token: token) }
        step = try filled(step, (1, unit), token, "how often")
        return true
    }

    private mutating func time(bare: Bool, _ token: PhraseToken) throws(ScheduleTextError) {
        if reader.isSymbol(":") {
            guard reader.ahead(1).text.utf8.count == 2, let minute = reader.ahead(1).number, minute < 60 else {
                throw reader.error("a minute from 00 to 59, as in “every hour at :30”")
            }
            offset = try filled(offset, minute, reader.next, "the minute")
            return reader.skip(2)
        }
        var rest = reader
        let first = try rest.time(bare: bare)
        // `9:00-17:00` is a window.
        if rest.takeSymbol("-") || rest.takeSymbol("–") || rest.take(.to), rest.beginsTime {
            reader = rest
            return try window(from: first, token)
        }
        times = try filled(times, try reader.times(bare: bare), token, "the times of day")
    }

    private mutating func window(from first: DayTime, _ token: PhraseToken) throws(ScheduleTextError) {
        let endToken = reader.next
        let last = try reader.time(bare: true)
        guard first.second < last.second else { throw reader.error("a time after the first one", at: endToken) }
        window = try filled(window, (first.second, last.second), token, "the window of times")
    }

    /// Reads what follows *on*.
    private mutating func on(_ token: PhraseToken) throws(ScheduleTextError) {
        if reader.isAtEnd {
            throw reader.error("the days, as in “on friday”, “on the 1st and 15th” or “on the last day”")
        }
        if reader.take(.every) {
            isRecurring = true
            return try every()
        }
        if reader.has(.the), reader.has(.unit(.hour), ahead: 1) {
            reader.skip(2)
            offset = try filled(offset, 0, token, "the minute")
            return
        }
        try days(token)
    }

    /// Reads what follows *in*: months, or a time zone.
    mutating func inside(_ token: PhraseToken) throws(ScheduleTextError) {
        reader.skip()
        if reader.month() != nil {
            months = try filled(months, try reader.months(), token, "the months")
            return
        }
        if let zone = try reader.zone(afterIn: true) {
            self.zone = try filled(self.zone, zone, token, "the time zone")
        }
    }

    private mutating func except(_ token: PhraseToken) throws(ScheduleTextError) {
        var found: (weekdays: UInt64, months: UInt64, dates: [CivilDate]) = (0, 0, [])
        let today = today
        let excludable = "weekdays, months, or dates such as 2026-12-24"
        _ = try reader.list { reader throws(ScheduleTextError) in
            _ = reader.take(.on) || reader.take(.inside)
            _ = reader.take(.the)
            if reader.beginsWeekdays {
                found.weekdays |= try reader.weekdays().bits
            } else if let (day, index) = try reader.attemptDay() {
                if case .yearly = day {
                    throw reader.error("a date with its year, such as 2026-12-24: without it, each year can be meant")
                }
                guard let date = day.fixed ?? today.flatMap(day.date) else { throw reader.error(excludable) }
                found.dates.append(date)
                reader.index = index
            } else if reader.month() != nil {
                found.months |= try reader.months()
            } else {
                throw reader.error(excludable)
            }
        }
        excluded = try filled(excluded, found, token, "what is left out")
    }

    /// Reads the day that follows *starting* or *until*.
    private mutating func day(_ token: PhraseToken) throws(ScheduleTextError) -> CivilDate {
        _ = reader.take(.on)
        let place = reader.next
        guard let day = try reader.day() else { throw reader.error(PhraseReader.dateForms) }
        if let fixed = day.fixed { return fixed }
        guard let today else { throw reader.error("a date with its year, such as 2026-12-24", at: place) }
        if case .weekday(let weekday, false) = day, weekday == today.weekday.rawValue {
            throw reader.error("today or next \(Names.weekdays[weekday - 1]), because today is one", at: place)
        }
        guard let date = day.date(from: today) else { throw reader.error(PhraseReader.dateForms, at: place) }
        return date
    }
}
