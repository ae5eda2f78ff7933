/// What a word of a schedule or of a time means.
///
/// The grammar refers only to meanings, so it contains no words of any language.
enum Meaning: Hashable, Sendable {
    // Numbers. The ordinal −1 is the last one.
    case number(Int)
    case ordinal(Int)
    case half, quarter, other
    // Units and days.
    case unit(SpanUnit)
    case frequency(SpanUnit)
    case workday, weekend
    case weekday(Int)
    case month(Int)
    // `timeOfDay` has the seconds since midnight. `meridiem` has the hours that am or pm adds to the clock, 0 or 12.
    case timeOfDay(Int)
    case meridiem(Int)
    case dayPart(DayPart)
    case hourMark
    // Days relative to today, and instants relative to now.
    case day(Int)
    case now, next, this, ago, left
    // Words that connect other words.
    case every, fortnight, quarterly, at, on, inside, of, the, and, from, to, between, since, until, except, not, after
    case times
    case once, twice
    /// A word that people use with several meanings, so it is refused.
    case unclear

    /// The heading under which the table in the documents lists the words with this meaning.
    var group: String {
        switch self {
        case .number, .half, .quarter: "numbers"
        case .ordinal, .other: "ordinals"
        case .unit: "units"
        case .every, .frequency, .fortnight, .quarterly, .times, .once, .twice: "how often"
        case .weekday, .workday, .weekend: "days of the week"
        case .month: "months"
        case .timeOfDay, .meridiem, .dayPart, .hourMark: "times of day"
        case .day, .now, .next, .this, .ago, .left: "relative to now"
        case .at, .on, .inside, .of, .the, .and, .from, .to, .between, .after: "connectives"
        case .since, .until, .except, .not: "limits"
        case .unclear: "refused"
        }
    }
}

/// A part of the day, which says whether an hour is before or after noon.
enum DayPart: Hashable, Sendable {
    case morning, afternoon, evening, night, tonight

    /// The hours of the part; those from 24 on are on the day after.
    var hours: Range<Int> {
        switch self {
        case .morning: 0..<12
        case .afternoon: 12..<19
        case .evening: 16..<24
        case .night: 18..<30
        case .tonight: 17..<29
        }
    }

    /// The hours that a number without am or pm can mean.
    ///
    /// They are fewer than ``hours``. For example, `4` at night is refused, because it means neither 16:00, which is in
    /// the afternoon, nor 4:00, which is shortly before sunrise.
    var hoursOfNumbers: Range<Int> {
        switch self {
        case .morning, .afternoon, .evening: hours
        case .night: 19..<28
        case .tonight: 17..<24
        }
    }

    /// A time of day in the part, for messages.
    var example: String {
        switch self {
        case .morning: "9:00"
        case .afternoon: "15:00"
        case .evening, .night, .tonight: "20:00"
        }
    }

    /// What is accepted instead of a time, for messages.
    func expected(for second: Int) -> String {
        hours.contains(second / 3_600 + 24)
            ? "a time before midnight, such as \(example); a later one can be on this day or on the next"
            : "a time of that part of the day, such as \(example)"
    }
}

/// The units of durations and intervals.
enum SpanUnit: Int, Hashable, Sendable, CaseIterable {
    case nanosecond, microsecond, millisecond, second, minute, hour, day, week, month, year

    /// The length in nanoseconds; nil for months and years, whose lengths differ.
    var nanoseconds: UInt64? {
        switch self {
        case .nanosecond: 1
        case .microsecond: 1_000
        case .millisecond: 1_000_000
        case .second: 1_000_000_000
        case .minute: 60_000_000_000
        case .hour: 3_600_000_000_000
        case .day: 86_400_000_000_000
        case .week: 604_800_000_000_000
        case .month, .year: nil
        }
    }
}

/// The words of one language.
///
/// The parser of schedules and times, the completions of the command and the list in the documents use this table and
/// no other one.
package struct Vocabulary: Sendable {
    /// A meaning with its words, of which the first is the usual one.
    ///
    /// Plurals of days are schedules by themselves: `mondays` is `every monday`.
    struct Row: Sendable {
        var meaning: Meaning
        var words: [String]
        var plurals: [String]

        init(_ meaning: Meaning, _ words: String, plural: String = "") {
            func split(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
            (self.meaning, self.words, plurals) = (meaning, split(words), split(plural))
        }
    }

    /// One of the meanings of a word.
    struct Sense: Hashable, Sendable {
        var meaning: Meaning
        var isPlural: Bool
    }

    /// The code of ISO 639.
    package let language: String
    /// The name in English.
    package let name: String
    let rows: [Row]
    let senses: [String: [Sense]]
    /// The suffixes of ordinals in digits; empty for English, in which the suffix depends on the number.
    let ordinalSuffixes: Set<String>

    init(_ language: String, _ name: String, ordinalSuffixes: Set<String> = [], _ rows: [Row]) {
        (self.language, self.name, self.rows, self.ordinalSuffixes) = (language, name, rows, ordinalSuffixes)
        var senses: [String: [Sense]] = [:]
        for row in rows {
            for word in row.words { senses[word, default: []].append(Sense(meaning: row.meaning, isPlural: false)) }
            for word in row.plurals { senses[word, default: []].append(Sense(meaning: row.meaning, isPlural: true)) }
        }
        self.senses = senses
    }

    /// All languages; the first is that in which schedules are printed.
    package static let all = [english, german, french]

    /// Whether a number of days is often meant as weeks: `in acht Tagen` means one week, and `dans quinze jours` two.
    func countsWeeks(inDays days: Int) -> Bool { language != "en" && (days == 8 || days == 15) }

    /// All words, in the order of the table.
    package var words: [String] { rows.flatMap { $0.words + $0.plurals } }

    /// The rows of the table in the documents: each group of meanings with its words in this language.
    package var table: [(group: String, words: [String])] {
        var table: [(group: String, words: [String])] = []
        for row in rows {
            let words = row.words + row.plurals
            if let index = table.firstIndex(where: { $0.group == row.meaning.group }) {
                table[index].words += words.filter { !table[index].words.contains($0) }
            } else {
                table.append((row.meaning.group, words))
            }
        }
        return table
    }

    /// The language that has the most words of a text; if several have equally many, the first of them in ``all``.
    static func of(_ tokens: [PhraseToken]) -> Vocabulary {
        func known(_ vocabulary: Vocabulary) -> Int {
            tokens.count { $0.kind == .word && vocabulary.senses[$0.lower] != nil }
        }
        var best = (english, known(english))
        for other in all.dropFirst() {
            let count = known(other)
            if count > best.1 { best = (other, count) }
        }
        return best.0
    }
}

// MARK: - English

extension Vocabulary {
    static let english = Vocabulary(
        "en", "English",
        [
            Row(.every, "every each"), Row(.other, "other alternate"),
            Row(.frequency(.second), "secondly"), Row(.frequency(.minute), "minutely"),
            Row(.frequency(.hour), "hourly"), Row(.frequency(.day), "daily everyday nightly"),
            Row(.frequency(.week), "weekly"),
            Row(.frequency(.month), "monthly"), Row(.frequency(.year), "yearly annually"),
            Row(.fortnight, "fortnight fortnightly"), Row(.quarterly, "quarterly"), Row(.once, "once"),
            Row(.twice, "twice"), Row(.times, "times"),
            Row(.unit(.nanosecond), "ns nsec nsecs nanosecond nanoseconds"),
            Row(.unit(.microsecond), "us usec usecs µs μs microsecond microseconds"),
            Row(.unit(.millisecond), "ms msec msecs millisecond milliseconds"),
            Row(.unit(.second), "second seconds s sec secs"), Row(.unit(.minute), "minute minutes m min mins"),
            Row(.unit(.hour), "hour hours h hr hrs"), Row(.unit(.day), "day days d"),
            Row(.unit(.week), "week weeks w wk wks"), Row(.unit(.month), "month months"),
            Row(.unit(.year), "year years y yr yrs"), Row(.number(1), "one a an"), Row(.number(2), "two"),
            Row(.number(3), "three"), Row(.number(4), "four"), Row(.number(5), "five"), Row(.number(6), "six"),
            Row(.number(7), "seven"), Row(.number(8), "eight"), Row(.number(9), "nine"), Row(.number(10), "ten"),
            Row(.number(11), "eleven"), Row(.number(12), "twelve"), Row(.number(15), "fifteen"),
            Row(.number(20), "twenty"), Row(.number(30), "thirty"), Row(.number(45), "forty-five"),
            Row(.half, "half"), Row(.quarter, "quarter"), Row(.ordinal(1), "first"), Row(.ordinal(2), "second"),
            Row(.ordinal(3), "third"), Row(.ordinal(4), "fourth"), Row(.ordinal(5), "fifth"),
            Row(.ordinal(-1), "last"), Row(.weekday(1), "monday mon", plural: "mondays"),
            Row(.weekday(2), "tuesday tue tues", plural: "tuesdays"),
            Row(.weekday(3), "wednesday wed", plural: "wednesdays"),
            Row(.weekday(4), "thursday thu thur thurs", plural: "thursdays"),
            Row(.weekday(5), "friday fri", plural: "fridays"), Row(.weekday(6), "saturday sat", plural: "saturdays"),
            Row(.weekday(7), "sunday sun", plural: "sundays"),
            Row(.workday, "weekday workday", plural: "weekdays workdays"),
            Row(.weekend, "weekend", plural: "weekends"), Row(.month(1), "january jan"),
            Row(.month(2), "february feb"), Row(.month(3), "march mar"), Row(.month(4), "april apr"),
            Row(.month(5), "may"), Row(.month(6), "june jun"), Row(.month(7), "july jul"),
            Row(.month(8), "august aug"), Row(.month(9), "september sep sept"), Row(.month(10), "october oct"),
            Row(.month(11), "november nov"), Row(.month(12), "december dec"), Row(.timeOfDay(43_200), "noon midday"),
            Row(.timeOfDay(0), "midnight"), Row(.timeOfDay(57_600), "teatime"), Row(.meridiem(0), "am"),
            Row(.meridiem(12), "pm"), Row(.dayPart(.morning), "morning", plural: "mornings"),
            Row(.dayPart(.afternoon), "afternoon", plural: "afternoons"),
            Row(.dayPart(.evening), "evening", plural: "evenings"),
            Row(.dayPart(.night), "night", plural: "nights"), Row(.dayPart(.tonight), "tonight"),
            Row(.hourMark, "o'clock"), Row(.now, "now"), Row(.day(0), "today"),
            Row(.day(1), "tomorrow tmrw"), Row(.day(-1), "yesterday"), Row(.next, "next"), Row(.this, "this coming"),
            Row(.ago, "ago"), Row(.left, "left"), Row(.at, "at"), Row(.on, "on"), Row(.inside, "in during"),
            Row(.of, "of"), Row(.the, "the"), Row(.and, "and"), Row(.from, "from"), Row(.to, "to through thru"),
            Row(.between, "between"), Row(.after, "after"), Row(.since, "starting beginning since"),
            Row(.until, "until till ending"), Row(.except, "except excluding"), Row(.not, "but not"),
            Row(.unclear, "biweekly bi-weekly bimonthly bi-monthly semiannually biannually"),
        ])
}

// MARK: - German

extension Vocabulary {
    static let german = Vocabulary(
        "de", "German", ordinalSuffixes: ["."],
        [
            Row(.every, "jeden jede jedes jeder jedem alle"), Row(.frequency(.hour), "stündlich"),
            Row(.frequency(.day), "täglich"), Row(.frequency(.week), "wöchentlich"),
            Row(.frequency(.month), "monatlich"), Row(.frequency(.year), "jährlich"),
            Row(.unit(.second), "sekunde sekunden"), Row(.unit(.minute), "minute minuten min"),
            Row(.unit(.hour), "stunde stunden std"), Row(.unit(.day), "tag tage tagen"),
            Row(.unit(.week), "woche wochen"), Row(.unit(.month), "monat monate monaten monats"),
            Row(.unit(.year), "jahr jahre jahren jahres"), Row(.number(1), "ein eine einer einem einen"),
            Row(.number(2), "zwei"), Row(.number(3), "drei"), Row(.number(4), "vier"), Row(.number(5), "fünf"),
            Row(.number(6), "sechs"), Row(.number(7), "sieben"), Row(.number(8), "acht"), Row(.number(9), "neun"),
            Row(.number(10), "zehn"), Row(.number(12), "zwölf"), Row(.number(15), "fünfzehn"),
            Row(.number(20), "zwanzig"), Row(.number(30), "dreißig"), Row(.half, "halben halbe"),
            Row(.ordinal(1), "ersten erster erste erstes"), Row(.ordinal(2), "zweiten zweiter zweite zweites"),
            Row(.ordinal(3), "dritten dritter dritte drittes"), Row(.ordinal(4), "vierten vierter vierte viertes"),
            Row(.ordinal(5), "fünften fünfter fünfte fünftes"), Row(.ordinal(-1), "letzten letzter letzte letztes"),
            Row(.weekday(1), "montag mo", plural: "montags"), Row(.weekday(2), "dienstag di", plural: "dienstags"),
            Row(.weekday(3), "mittwoch mi", plural: "mittwochs"),
            Row(.weekday(4), "donnerstag do", plural: "donnerstags"),
            Row(.weekday(5), "freitag fr", plural: "freitags"),
            Row(.weekday(6), "samstag sa sonnabend", plural: "samstags sonnabends"),
            Row(.weekday(7), "sonntag so", plural: "sonntags"), Row(.workday, "werktag werktagen", plural: "werktags"),
            Row(.weekend, "wochenende", plural: "wochenends"), Row(.month(1), "januar jänner jan"),
            Row(.month(2), "februar feb"), Row(.month(3), "märz"), Row(.month(4), "april apr"),
            Row(.month(5), "mai"), Row(.month(6), "juni jun"), Row(.month(7), "juli jul"),
            Row(.month(8), "august aug"), Row(.month(9), "september sep sept"), Row(.month(10), "oktober okt"),
            Row(.month(11), "november nov"), Row(.month(12), "dezember dez"), Row(.timeOfDay(43_200), "mittag mittags"),
            Row(.timeOfDay(0), "mitternacht"), Row(.dayPart(.morning), "vormittag früh", plural: "vormittags morgens"),
            Row(.dayPart(.afternoon), "nachmittag", plural: "nachmittags"),
            Row(.dayPart(.evening), "abend", plural: "abends"), Row(.dayPart(.night), "nacht", plural: "nachts"),
            Row(.hourMark, "uhr"), Row(.now, "jetzt"), Row(.day(0), "heute"),
            Row(.day(1), "morgen"), Row(.day(2), "übermorgen"), Row(.at, "um"), Row(.on, "am an"),
            Row(.inside, "in im"), Row(.of, "des der"), Row(.the, "den dem"), Row(.and, "und"), Row(.from, "von"),
            Row(.to, "bis"), Row(.between, "zwischen"), Row(.since, "ab"), Row(.until, "bis"), Row(.except, "außer"),
        ])
}

// MARK: - French

extension Vocabulary {
    static let french = Vocabulary(
        "fr", "French", ordinalSuffixes: ["er", "re", "e", "ème", "ère"],
        [
            Row(.every, "tous toutes chaque tout toute"), Row(.frequency(.day), "quotidiennement"),
            Row(.unit(.second), "seconde secondes"), Row(.unit(.minute), "minute minutes min"),
            Row(.unit(.hour), "heure heures h"), Row(.hourMark, "h heure heures"), Row(.unit(.day), "jour jours"),
            Row(.unit(.week), "semaine semaines"), Row(.unit(.month), "mois"), Row(.unit(.year), "an ans année années"),
            Row(.number(1), "un une"), Row(.number(2), "deux"), Row(.number(3), "trois"), Row(.number(4), "quatre"),
            Row(.number(5), "cinq"), Row(.number(6), "six"), Row(.number(7), "sept"), Row(.number(8), "huit"),
            Row(.number(9), "neuf"), Row(.number(10), "dix"), Row(.number(12), "douze"), Row(.number(15), "quinze"),
            Row(.number(20), "vingt"), Row(.number(30), "trente"), Row(.ordinal(1), "premier première premiers"),
            Row(.ordinal(2), "deuxième second"), Row(.ordinal(3), "troisième"), Row(.ordinal(4), "quatrième"),
            Row(.ordinal(5), "cinquième"), Row(.ordinal(-1), "dernier dernière derniers"),
            Row(.weekday(1), "lundi lundis"), Row(.weekday(2), "mardi mardis"),
            Row(.weekday(3), "mercredi mercredis"), Row(.weekday(4), "jeudi jeudis"),
            Row(.weekday(5), "vendredi vendredis"), Row(.weekday(6), "samedi samedis"),
            Row(.weekday(7), "dimanche dimanches"), Row(.weekend, "week-end week-ends weekend weekends"),
            Row(.month(1), "janvier"), Row(.month(2), "février"), Row(.month(3), "mars"), Row(.month(4), "avril"),
            Row(.month(5), "mai"), Row(.month(6), "juin"), Row(.month(7), "juillet"), Row(.month(8), "août"),
            Row(.month(9), "septembre"), Row(.month(10), "octobre"), Row(.month(11), "novembre"),
            Row(.month(12), "décembre"), Row(.timeOfDay(43_200), "midi"), Row(.timeOfDay(0), "minuit"),
            Row(.dayPart(.morning), "matin", plural: "matins"), Row(.dayPart(.afternoon), "après-midi"),
            Row(.dayPart(.evening), "soir", plural: "soirs"), Row(.dayPart(.night), "nuit", plural: "nuits"),
            Row(.now, "maintenant"), Row(.this, "ce cet cette"), Row(.day(0), "aujourd'hui"), Row(.day(1), "demain"),
            Row(.day(2), "après-demain"),
            Row(.at, "à"), Row(.inside, "dans en"), Row(.of, "du de"), Row(.the, "le la les"), Row(.and, "et"),
            Row(.from, "du de"), Row(.to, "au à"), Row(.between, "entre"), Row(.until, "jusqu'au"),
            Row(.except, "sauf"),
        ])
}
