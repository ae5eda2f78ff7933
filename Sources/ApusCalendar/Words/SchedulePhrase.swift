/// Schedules in words: `every weekday at 18:30`.
///
/// A phrase is a sequence of clauses in any order, each at most once: how often (`every …`, `daily`), days (`on …`), times
/// (`at …`), a window (`between … and …`), months (`in …`), limits (`starting`, `until`, `except`) and a zone. Each clause
/// fills a slot, and the slots together are the schedule.
struct SchedulePhrase {
    private static let subjects =
        "day, weekday, weekend, week, month, year, a weekday, a month, or a number of seconds, minutes, hours, days, "
        + "weeks or months"

    private typealias Slot<Value> = (value: Value, token: PhraseToken)

    private var reader: PhraseReader
    private let today: CivilDate?

    private var step: Slot<(count: Int, unit: SpanUnit)>?
    private var isRecurring = false
    /// How often in a day, an hour or a minute.
    private var rate: Slot<(count: Int, unit: SpanUnit)>?
    private var weekdays: Slot<UInt64>?
    /// Whether the days of the week are a plural or a range, not one day.
    private var severalDays = false
    private var monthDays: Slot<DayRule>?
    private var months: Slot<UInt64>?
    private var date: Slot<(month: Int, day: Int)>?
    private var times: Slot<[DayTime]>?
    private var offset: Slot<Int>?
    private var window: Slot<(first: Int, last: Int)>?
    /// The half of the day of `every morning`, as its first second.
    private var dayPart: Slot<Int>?
    private var excluded: Slot<(weekdays: UInt64, months: UInt64, dates: [CivilDate])>?
    private var start: Slot<CivilDate>?
    private var end: Slot<CivilDate>?
    private var zone: Slot<String>?

    /// Reads a schedule; with `impliesEvery` one without its *every*.
    static func parse(
        _ text: String, today: CivilDate?, impliesEvery: Bool = false
    ) throws(ScheduleTextError) -> CalendarSchedule {
        var phrase = SchedulePhrase(reader: PhraseReader(text), today: today)
        return try phrase.schedule(impliesEvery: impliesEvery)
    }

    private init(reader: PhraseReader, today: CivilDate?) { (self.reader, self.today) = (reader, today) }

    private mutating func schedule(impliesEvery: Bool) throws(ScheduleTextError) -> CalendarSchedule {
        if impliesEvery {
            let frequency: Bool? = reader.value { if case .frequency = $0.meaning { true } else { nil } }
            isRecurring = true
            if !reader.has(.every), frequency == nil { try every() }
        }
        if reader.isAtEnd, !impliesEvery { throw reader.error("every, as in “every day at 9:00”") }
        while !reader.isAtEnd {
            try clause()
            _ = reader.isSymbol(",") && !reader.ahead(1).text.isEmpty && reader.takeSymbol(",")
        }
        var schedule = CalendarSchedule(try rule(), timeZone: zone?.value)
        try limit(&schedule)
        return schedule
    }

    private func filled<Value>(
        _ slot: Slot<Value>?, _ value: Value, _ token: PhraseToken, _ what: String
    ) throws(ScheduleTextError) -> Slot<Value> {
        guard slot == nil else { throw reader.error("\(what) once", at: token) }
        return (value, token)
    }
}

// MARK: - Clauses

extension SchedulePhrase {
    private mutating func clause() throws(ScheduleTextError) {
        let token = reader.next
        if reader.take(.every) {
            isRecurring = true
            return try every()
        }
        let frequency: SpanUnit? = reader.takeValue { if case .frequency(let unit) = $0.meaning { unit } else { nil } }
        if let frequency {
            isRecurring = true
            step = try filled(step, (1, frequency), token, "how often")
            return
        }
        if reader.take(.fortnight) {
            isRecurring = true
            step = try filled(step, (2, .week), token, "how often")
            return
        }
        guard !reader.has(.unclear) else {
            throw reader.error(
                "“every other week”, “every 3 months on the 1st” or the like; \(token.text) can be several")
        }
        if try takeRate() { return }
        if reader.take(.at) { return try time(bare: true, token) }
        if reader.beginsTime { return try time(bare: false, token) }
        if reader.take(.on) { return try on(token) }
        if reader.take(.since) {
            start = try filled(start, try day(token), token, "the first day")
            return
        }
        // `bis` is both the end of a range and of the schedule.
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
            guard reader.take(.and) else { throw reader.error("and, as in “between 9:00 and 17:00”") }
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
                throw reader.error("to and a time, as in “from 9:00 to 17:00”")
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

    /// What follows *every*.
    private mutating func every() throws(ScheduleTextError) {
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
        let part: Int? = reader.value { if case .dayPart(let part) = $0.meaning { part } else { nil } }
        if let part {
            dayPart = (part, token)
            reader.skip()
            step = try filled(step, (1, .day), token, "how often")
            return
        }
        // `every second` is a unit, `every second day` is an ordinal.
        if reader.has(.ordinal(2)), !reader.has(.unit(.second)) || !reader.isSubjectEnd(ahead: 1) {
            return try everySecond(token)
        }
        if let number = reader.attempt({ try $0.ordinal() })?.value?.value, number > 0,
            reader.next.kind == .number, reader.unit(ahead: 2) != nil
        {
            if number == 2 { return try everySecond(token) }
            throw reader.error("\(number) and the unit, as in “every \(number) days”")
        }
        // A range of hours or days needs no unit.
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
            throw reader.error(Self.subjects)
        }
        try days(token)
    }

    /// What follows `every second` or `every 2nd`.
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

    /// A number of units, or every so many weeks on a day of the week.
    private mutating func interval(_ count: Int, _ token: PhraseToken) throws(ScheduleTextError) {
        if let unit = reader.unit(ahead: 0) {
            // `alle acht Tage` and `tous les quinze jours` mean one and two weeks.
            if unit == .day, ["de", "fr"].contains(reader.vocabulary.language), [8, 15].contains(count) {
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
        if rest.next.lower == "per" { rest.skip() }
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

    /// What follows *on*.
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

    /// Days of the week or of the month, or a date.
    private mutating func days(_ token: PhraseToken) throws(ScheduleTextError) {
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
        if let found = try reader.attemptDay(), case .yearly(let month, let day) = found.day {
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

    /// What may follow what was read.
    private var forms: String {
        if step == nil, weekdays == nil, monthDays == nil, months == nil, date == nil {
            return "every, as in “every day at 9:00”"
        }
        if reader.has(.at, ahead: -1) { return PhraseReader.timeForms }
        if times == nil, window == nil { return "at and a time of day, as in “at 9:00”, days, or a time zone" }
        return zone == nil ? "a time zone, as in “in Europe/Berlin”, or the end" : "the end"
    }

    /// Days of the month: `the 1st and 15th`, `the last day`, `the 2nd tuesday of every month`.
    private mutating func ordinalDays(_ token: PhraseToken) throws(ScheduleTextError) {
        var ahead = reader
        _ = ahead.take(.the)
        let place = ahead.next
        var rule = DayRule()
        var isDayNumber = false
        // Ordinals of which it is not known yet what they count.
        var bareDays = DayRule()
        _ = try reader.list { reader throws(ScheduleTextError) in
            let hasArticle = reader.take(.the)
            let item = reader.next
            let isNamed = reader.has(.unit(.day)) && reader.ahead(1).number != nil
            if isNamed { reader.skip() }
            // Numbers alone are days after others: `day 1 and 15`, `le 1er et le 15`.
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
                // `the 1st and 3rd monday` are two Mondays.
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
                if ordinal == 1 { rule.nearestWeekdays |= 1 << 1 } else { rule.lastWeekday = true }
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

    /// What follows days of the month: `of every month`, `of january and july`, `of every 3 months`.
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

    /// What follows *in*: months, or a time zone.
    private mutating func inside(_ token: PhraseToken) throws(ScheduleTextError) {
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
        _ = try reader.list { reader throws(ScheduleTextError) in
            _ = reader.take(.on) || reader.take(.inside)
            _ = reader.take(.the)
            if reader.beginsWeekdays {
                found.weekdays |= try reader.weekdays().bits
            } else if let day = try reader.attemptDay(), let date = today.flatMap(day.day.date) ?? day.day.fixed {
                found.dates.append(date)
                reader.index = day.index
            } else if reader.month() != nil {
                found.months |= try reader.months()
            } else {
                throw reader.error("weekdays, months, or dates such as 2026-12-24")
            }
        }
        excluded = try filled(excluded, found, token, "what is left out")
    }

    /// The day after *starting* or *until*.
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

// MARK: - The schedule

extension SchedulePhrase {
    private func rule() throws(ScheduleTextError) -> CalendarSchedule.Rule {
        guard isRecurring else {
            throw reader.error(
                "every, as in “every day at 9:00”", at: reader.tokens[0],
                candidates: ["every", "every day", "every week", "every month", "every year"].map {
                    "\($0) \(reader.text)"
                })
        }
        let (count, unit) = try rate.map(stepOfRate) ?? step?.value ?? (1, nil)
        if let unit, unit.rawValue < SpanUnit.second.rawValue {
            throw reader.error("seconds or longer units", at: step?.token)
        }
        if let unit, let seconds = unit.nanoseconds.map({ Int($0 / 1_000_000_000) }),
            unit.rawValue < SpanUnit.day.rawValue
        {
            return .fields(try steps(of: count * seconds))
        }
        for slot in [
            offset.map { ($0.token, "hours, as in “every hour at :30”") },
            window.map { ($0.token, "seconds, minutes or hours, as in “every 15 minutes between 9:00 and 17:00”") },
        ] {
            if let (token, what) = slot { throw reader.error("no such part without a number of \(what)", at: token) }
        }
        let days = try dayRule(unit)
        guard let times else {
            throw reader.error(
                "at and a time of day, as in “at 9:00”", at: reader.tokens.last,
                candidates: [
                    "\(reader.text) at 9:00"
                ])
        }
        if let part = dayPart?.value,
            !times.value.allSatisfy({ ($0.second / 3_600 - part + 24) % 24 < 12 })
        {
            throw reader.error(
                "times of that part of the day, such as \(part == 0 ? "9:00" : "18:00")", at: times.token)
        }
        if let weekdays, unit == .day, !severalDays {
            throw reader.error("every week, or no day of the week", at: weekdays.token)
        }
        guard times.value.allSatisfy({ $0.nanosecond == 0 }) else {
            throw reader.error("whole seconds", at: times.token)
        }
        let seconds = TimesOfDay(times.value.map(\.second))
        var months = self.months?.value ?? CalendarFields.allMonths
        if let date { months = 1 << UInt64(date.value.month) }
        if let excluded { months &= ~excluded.value.months }
        guard months != 0 else { throw reader.error("a month that is not left out", at: excluded?.token) }
        guard count > 1, let unit else { return .fields(CalendarFields(times: seconds, days: days, months: months)) }
        guard let anchor = start?.value ?? today else {
            throw reader.error(
                "the date of the first \(unit), as in “starting 2026-11-24”", at: reader.tokens.last)
        }
        if unit == .week {
            guard months == CalendarFields.allMonths else { throw reader.error("no months", at: self.months?.token) }
            return .fields(
                CalendarFields(times: seconds, days: days, weekInterval: .init(weeks: count, anchor: anchor)))
        }
        return .recurrence(try recurrence(count, unit, anchor, days, months, seconds))
    }

    /// The step of `twice a day`, which is one of hours unless the times follow.
    private func stepOfRate(
        _ rate: Slot<(count: Int, unit: SpanUnit)>
    ) throws(ScheduleTextError) -> (count: Int, unit: SpanUnit?) {
        let (count, unit) = rate.value
        if unit == .day, let times {
            guard times.value.count == count else { throw reader.error("\(count) times of day", at: times.token) }
            return (1, .day)
        }
        let parts = unit == .day ? (24, SpanUnit.hour) : unit == .hour ? (60, .minute) : (60, .second)
        guard [.day, .hour, .minute].contains(unit), parts.0 % count == 0 else {
            throw reader.error("a number of times that divides a day, an hour or a minute evenly", at: rate.token)
        }
        return (parts.0 / count, parts.1)
    }

    /// Times in steps of some seconds, in a window if there is one.
    private func steps(of step: Int) throws(ScheduleTextError) -> CalendarFields {
        for token in [monthDays?.token, date?.token, times?.token, months?.token, dayPart?.token] {
            if let token {
                throw reader.error("a window such as “between 9:00 and 17:00”, or days of the week", at: token)
            }
        }
        if let dates = excluded, dates.value.months != 0 { throw reader.error("days of the week", at: dates.token) }
        let place = self.step?.token
        if let offset, step % 3600 != 0 {
            throw reader.error("the minute of hours, as in “every hour at :30”", at: offset.token)
        }
        if window == nil, step >= 86_400 || 86_400 % step != 0 || 3600 % step != 0 && step % 3600 != 0 {
            throw reader.error(
                "a number that divides an hour or a day evenly, or a window: “between 9:00 and 17:00”", at: place)
        }
        let (first, last) = window?.value ?? (0, 86_399)
        var days = DayRule()
        days.weekdays = try weekdayBits()
        let times = TimesOfDay(stride(from: first + (offset?.value ?? 0) * 60, through: last, by: step))
        return CalendarFields(times: times, isStepping: true, days: days)
    }

    /// The days of the week without those that are left out; 0 for all.
    private func weekdayBits() throws(ScheduleTextError) -> UInt64 {
        guard let left = excluded?.value.weekdays, left != 0 else { return weekdays?.value ?? 0 }
        let bits = (weekdays?.value ?? 0xFE) & ~left
        guard bits != 0 else { throw reader.error("a day that is not left out", at: excluded?.token) }
        return bits
    }

    private func dayRule(_ unit: SpanUnit?) throws(ScheduleTextError) -> DayRule {
        let isInterval = (step?.value.count ?? 1) > 1
        var days = monthDays?.value ?? DayRule()
        if let date {
            guard monthDays == nil, months == nil else { throw reader.error("the date alone", at: monthDays?.token) }
            days.monthDays = 1 << UInt64(date.value.day)
        }
        let weekdays = try weekdayBits()
        if weekdays != 0, days.restrictsMonthDay || days.restrictsWeekday {
            throw reader.error(
                "either days of the month or days of the week, not both",
                at: self.weekdays?.token ?? excluded?.token)
        }
        days.weekdays = weekdays
        switch unit {
        case .week:
            if days.restrictsMonthDay || days.ordinals != 0 {
                throw reader.error("days of the week", at: monthDays?.token ?? date?.token)
            }
            guard weekdays != 0 else {
                throw reader.error(
                    "on and the day of the week, as in “every week on friday at 17:00”", at: reader.tokens.last,
                    candidates: ["\(reader.text) on monday"])
            }
        case .month:
            guard monthDays != nil else {
                throw reader.error(
                    "on the and the days, as in “on the 1st and 15th”, “on the last day” or “on the 2nd tuesday”",
                    at: reader.tokens.last, candidates: ["\(reader.text) on the 1st"])
            }
            if isInterval, let months { throw reader.error("the number of months alone", at: months.token) }
        case .year:
            guard date != nil || months != nil && monthDays != nil else {
                throw reader.error(
                    "on and a date, as in “every year on 24 dec at 18:00”", at: reader.tokens.last,
                    candidates: ["\(reader.text) on 24 dec"])
            }
        case .day where isInterval:
            if days.restrictsMonthDay || days.restrictsWeekday || months != nil {
                throw reader.error(
                    "no other days beside every \(step?.value.count ?? 2) days",
                    at: self.weekdays?.token ?? monthDays?.token ?? date?.token ?? months?.token)
            }
        case .day:
            if days.restrictsMonthDay || days.ordinals != 0 {
                throw reader.error("every month, or no days of the month", at: monthDays?.token ?? date?.token)
            }
        default:
            if monthDays == nil, weekdays == 0, date == nil, months == nil {
                throw reader.error("every and the days, as in “every day at 9:00”", at: reader.tokens[0])
            }
            if months != nil, monthDays == nil, weekdays == 0, date == nil {
                throw reader.error(
                    "on the and the days, as in “on the 1st and 15th”, “on the last day” or “on the 2nd tuesday”",
                    at: reader.tokens.last, candidates: ["\(reader.text) on the 1st"])
            }
        }
        return days
    }

    /// An interval of days, months or years, which is a rule of RFC 5545.
    private func recurrence(
        _ count: Int, _ unit: SpanUnit, _ anchor: CivilDate, _ days: DayRule, _ months: UInt64, _ times: TimesOfDay
    ) throws(ScheduleTextError) -> Recurrence {
        guard case .grid(let hours, let minutes, let seconds) = times, let first = times.secondsOfDay.first,
            !days.lastWeekday, days.nearestWeekdays == 0
        else {
            throw reader.error("one time of day, or several with the same minutes", at: self.times?.token)
        }
        let frequency: Recurrence.Frequency = unit == .day ? .daily : unit == .month ? .monthly : .yearly
        var rule = Recurrence(
            frequency: frequency, start: CivilDateTime(date: anchor, time: CivilTime(unchecked: first)))
        rule.interval = count
        if times.secondsOfDay.count > 1 {
            (rule.hours, rule.minutes, rule.seconds) = (hours.setBits, minutes.setBits, seconds.setBits)
        }
        rule.monthDays = days.monthDays.setBits + (days.fromEnd != 0 ? [-1] : [])
        rule.days = days.ordinals.setBits.compactMap { bit in
            Weekday(rawValue: bit / 8 + 1).map { .init(ordinal: bit % 8 == 6 ? -1 : bit % 8, weekday: $0) }
        }
        if unit == .year { rule.months = months.setBits }
        return rule
    }

    private func limit(_ schedule: inout CalendarSchedule) throws(ScheduleTextError) {
        if let start, let end, end.value < start.value {
            throw reader.error("a day that is not before \(start.value)", at: end.token)
        }
        var hasAnchor = false
        if case .fields(let fields) = schedule.rule { hasAnchor = fields.weekInterval != nil } else { hasAnchor = true }
        if let start, !hasAnchor {
            schedule.from = CivilDateTime(date: start.value, time: CivilTime(unchecked: 0))
        }
        if let end { schedule.until = CivilDateTime(date: end.value, time: CivilTime(unchecked: 86_399)) }
        schedule.exclusions = (excluded?.value.dates ?? []).map { .dates($0...$0) }
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

    /// Whether a token ends the subject of *every*, so that *second* before it is a unit.
    func isSubjectEnd(ahead count: Int) -> Bool {
        var copy = self
        copy.skip(count)
        return !copy.beginsWeekdays && copy.unit(ahead: 0) == nil
    }

    /// Whether a noun follows that an ordinal cannot count.
    var beginsNoun: Bool { has(.weekend) || unit(ahead: 0) != nil || hasOrdinalWord }

    /// An error at the token after a number.
    func pastNumber(_ expected: String) -> ScheduleTextError {
        var copy = self
        copy.skip()
        return copy.error(expected)
    }
}
