/// A schedule in words, such as `every weekday at 18:30`.
///
/// A phrase is a sequence of clauses in any order, each at most once: how often (`every …`, `daily`), days (`on …`),
/// times (`at …`), a window (`between … and …`), months (`in …`), limits (`starting`, `until`, `except`) and a zone.
/// Each clause fills a slot, and the slots together are the schedule.
struct SchedulePhrase {
    /// What may follow *every*.
    var subjects: String {
        "day, weekday, weekend, week, month, year, a weekday, a month, or a number of seconds, minutes, hours, days, "
            + "weeks or months" + languages
    }

    /// The end of an error message that names the languages; empty unless most words of the text are unknown.
    var languages: String {
        // A word with a slash is the name of a zone, and is not counted.
        let words = reader.tokens.filter { $0.kind == .word && !reader.chunk($0).contains("/") && !$0.isGlued }
        guard words.count > 1, words.count(where: { reader.senses($0).isEmpty }) * 2 > words.count else { return "" }
        return "; words are those of \(Vocabulary.all.map(\.name).joined(separator: ", "))"
    }

    typealias Slot<Value> = (value: Value, token: PhraseToken)

    var reader: PhraseReader
    let today: CivilDate?
    /// Whether the text comes from a stored schedule, and is read as earlier versions read it.
    ///
    /// Those versions counted an interval of weeks from the week of the date that follows *starting*, even if the days
    /// of the schedule had already passed in that week.
    var isStored = false

    var step: Slot<(count: Int, unit: SpanUnit)>?
    var isRecurring = false
    /// The number of times in a unit, as in `twice a day`.
    var rate: Slot<(count: Int, unit: SpanUnit)>?
    var weekdays: Slot<UInt64>?
    /// Whether the text means several days: by a plural, such as `mornings`, or by a range or a list of days of the
    /// week.
    var severalDays = false
    var monthDays: Slot<DayRule>?
    var months: Slot<UInt64>?
    var date: Slot<(month: Int, day: Int)>?
    var times: Slot<[DayTime]>?
    var offset: Slot<Int>?
    var window: Slot<(first: Int, last: Int)>?
    /// The part of the day of `every morning` or `every friday night`.
    var dayPart: Slot<DayPart>?
    /// The word, such as `quarterly`, that restricts the months to the first or the last one of each quarter.
    var quarters: PhraseToken?
    var excluded: Slot<(weekdays: UInt64, months: UInt64, dates: [CivilDate])>?
    var start: Slot<CivilDate>?
    var end: Slot<CivilDate>?
    var zone: Slot<String>?

    /// Reads a schedule; the word *every* may be missing if `impliesEvery` is true.
    static func parse(
        _ text: String, today: CivilDate?, impliesEvery: Bool = false, isStored: Bool = false
    ) throws(ScheduleTextError) -> CalendarSchedule {
        var phrase = SchedulePhrase(reader: PhraseReader(text), today: today)
        phrase.isStored = isStored
        return try phrase.schedule(impliesEvery: impliesEvery)
    }

    init(reader: PhraseReader, today: CivilDate?) { (self.reader, self.today) = (reader, today) }

    mutating func schedule(impliesEvery: Bool) throws(ScheduleTextError) -> CalendarSchedule {
        try WindowsZones.check(reader.text, isWords: true)
        if let rate = reader.rate {
            throw reader.error("every and a number, as in “every 5 minutes”", candidates: ["every \(rate)"])
        }
        if impliesEvery {
            let frequency: Bool? = reader.value { if case .frequency = $0.meaning { true } else { nil } }
            isRecurring = true
            if !reader.has(.every), !reader.has(.quarterly), frequency == nil { try every() }
        }
        if reader.isAtEnd, !impliesEvery { throw reader.error("“every”, as in “every day at 9:00”") }
        while !reader.isAtEnd {
            try clause()
            _ = reader.isSymbol(",") && !reader.ahead(1).text.isEmpty && reader.takeSymbol(",")
        }
        var schedule = CalendarSchedule(try rule(), timeZone: zone?.value)
        try limit(&schedule)
        return schedule
    }

    func filled<Value>(
        _ slot: Slot<Value>?, _ value: Value, _ token: PhraseToken, _ what: String
    ) throws(ScheduleTextError) -> Slot<Value> {
        guard slot == nil else { throw reader.error("no second part that says \(what)", at: token) }
        return (value, token)
    }
}
