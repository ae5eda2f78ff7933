import Testing

@testable import ApusCalendar

/// Tuesday, 2026-11-24 at 12:00 in Berlin.
private let now = utc("2026-11-24 11:00")
private let today = local("2026-11-24 12:00").date

private struct Phrase {
    var kind: Character
    var text: String
    var meaning: String

    /// Returns the phrases of ``PhraseRows`` by their source.
    static func bySource() throws -> [(source: String, phrases: [Phrase])] {
        var result: [(source: String, phrases: [Phrase])] = []
        for line in PhraseRows.text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                result.append((String(line.dropFirst(2)), []))
                continue
            }
            let range = try #require(line.firstRange(of: " => "), "\(line)")
            result[result.count - 1].phrases.append(
                Phrase(
                    kind: line[line.startIndex], text: String(line[..<range.lowerBound].dropFirst(2)),
                    meaning: String(line[range.upperBound...])))
        }
        return result
    }

    /// Returns the meaning that the parser finds, or `refused`.
    func reading(in berlin: TimeZoneRules) throws -> String {
        switch kind {
        case "S":
            guard let schedule = try? CalendarSchedule(words: text, today: today),
                schedule.timeZone.map({ (try? zone($0)) != nil }) ?? true
            else { return "refused" }
            return try #require(schedule.words, "“\(text)” is read, but not printed")
        case "D":
            guard let span = try? CalendarSpan(text) else { return "refused" }
            guard let nanoseconds = span.fixedNanoseconds else { return "\(span.months) months" }
            return nanoseconds % 1_000_000_000 == 0
                ? "\(nanoseconds / 1_000_000_000) s" : "\(nanoseconds / 1_000) us"
        default:
            guard let instant = instant(in: berlin) else { return "refused" }
            let local = "\(berlin.local(at: Int64(instant / 1_000_000_000)))"
            return local.hasSuffix(":00") ? String(local.dropLast(3)) : local
        }
    }

    func instant(in berlin: TimeZoneRules) -> Int128? {
        guard let moment = try? Moment(text) else { return nil }
        var rules = berlin
        if case .named(let name)? = moment.zone {
            guard let named = try? zone(name) else { return nil }
            rules = named
        }
        return try? moment.nanoseconds(at: .init(seconds: now, nanosecond: 0, rules: rules))
    }
}

@Suite("Phrases as people write them")
struct PhraseTests {
    @Test("each phrase is read with the meaning in the table, or refused")
    func meanings() throws {
        let berlin = try zone("Europe/Berlin")
        var (understood, refused, misread) = (0, 0, 0)
        for (source, phrases) in try Phrase.bySource() {
            var counts = (understood: 0, refused: 0, misread: 0)
            for phrase in phrases {
                let reading = try phrase.reading(in: berlin)
                #expect(reading == phrase.meaning, "\(source): \(phrase.text)")
                if reading == "refused" {
                    counts.refused += 1
                } else if reading == phrase.meaning {
                    counts.understood += 1
                } else {
                    counts.misread += 1
                }
            }
            print("\(source): \(counts.understood) understood, \(counts.refused) refused, \(counts.misread) misread")
            (understood, refused, misread) =
                (understood + counts.understood, refused + counts.refused, misread + counts.misread)
        }
        print("all: \(understood) understood, \(refused) refused, \(misread) misread")
        #expect(misread == 0 && understood >= 550 && understood + refused >= 850)
    }

    @Test("a phrase's schedule is printed as words that are read as the same schedule, also when stored")
    func canonical() throws {
        for (_, phrases) in try Phrase.bySource() {
            for phrase in phrases where phrase.kind == "S" && phrase.meaning != "refused" {
                let schedule = try CalendarSchedule(words: phrase.text, today: today)
                let words = try #require(schedule.words)
                #expect(try CalendarSchedule(words: words) == schedule, "\(phrase.text)")
                #expect(try CalendarSchedule(words: words).words == words)
                #expect(ScheduleForm(of: words) == .words)
            }
        }
    }

    @Test("an instant is printed with its offset, and the printed text is read as the same instant")
    func instants() throws {
        let berlin = try zone("Europe/Berlin")
        for (_, phrases) in try Phrase.bySource() {
            for phrase in phrases where phrase.kind == "M" && phrase.meaning != "refused" {
                let instant = try #require(phrase.instant(in: berlin))
                let seconds = Int64(instant / 1_000_000_000)
                guard instant % 1_000_000_000 == 0 else { continue }
                let utc = Phrase(kind: "M", text: "\(CivilDateTime(localSeconds: seconds)) UTC", meaning: "")
                #expect(utc.instant(in: berlin) == instant, "\(phrase.text)")
                let printed = Phrase(kind: "M", text: "\(berlin.local(at: seconds))", meaning: "")
                #expect(printed.instant(in: berlin) == instant, "\(phrase.text)")
            }
        }
    }

    /// The clauses of each language, grouped by their meaning: how often, times, days, limits, the zone.
    private static let clauses: [String: [[String]]] = [
        "en": [
            [
                "every day", "every weekday", "every monday", "every 2 days", "every other week", "every month",
                "every 15 minutes", "every hour", "daily", "nightly", "weekly", "monthly", "yearly", "every 3 months",
                "every 2 years", "every december", "every last friday", "every 15th", "twice a day", "3 times a day",
                "once a week", "every quarter", "quarterly", "every morning", "every friday afternoon", "mornings",
                "weekdays", "every fortnight", "every half hour",
            ],
            [
                "", "", "at 9:00", "at 9am and 17:30", "at noon", "at :30", "between 9:00 and 17:00", "from 9am to 5pm",
                "9:00-17:00", "at 5", "at 4", "@ 9am", "at 11 at night", "at 9 in the morning", "in the evening at 8",
                "at 8:00 and 20:00",
            ],
            [
                "", "", "", "on weekdays", "on friday", "on the 1st", "on the 1st and 15th", "on the last day",
                "on 24 dec", "in january and july", "on day 15", "on the last weekday",
                "from monday to friday", "on the 2nd tuesday",
            ],
            [
                "", "", "", "starting 2026-12-01", "until 1 may", "starting tomorrow until 2027-06-30",
                "except on sundays", "except 2026-12-24 and 2026-12-25", "but not in august", "starting next monday",
                "until 2026/12/31", "except in january",
            ],
            ["", "", "", "UTC", "in Asia/Tokyo", "Europe/Paris", "in UTC"],
        ],
        "de": [
            [
                "jeden Tag", "jeden Werktag", "jeden Montag", "alle 2 Tage", "alle 2 Wochen", "jeden Monat",
                "alle 15 Minuten", "jede Stunde", "täglich", "wöchentlich", "monatlich", "jedes Jahr", "alle 3 Monate",
                "werktags", "montags und donnerstags", "abends", "jeden Freitag Nachmittag",
            ],
            [
                "", "um 9 Uhr", "um 9:00", "um 9.30 Uhr", "um 8 Uhr abends", "um 17 Uhr 30",
                "zwischen 9:00 und 17:00", "von 9 bis 17 Uhr", "um 4",
            ],
            ["", "", "", "am Freitag", "am 1. und 15.", "am letzten Tag", "am 24. Dezember", "im Januar"],
            ["", "", "", "ab 2026-12-01", "bis 2027-06-30", "außer Sonntag", "außer im August"],
            ["", "", "UTC", "in Europe/Berlin"],
        ],
        "fr": [
            [
                "tous les jours", "chaque lundi", "du lundi au vendredi", "tous les 2 jours",
                "toutes les deux semaines", "chaque mois", "toutes les 15 minutes", "toutes les heures",
                "tous les ans", "tous les matins", "chaque vendredi soir", "tous les week-ends",
            ],
            [
                "", "à 9h", "à 9h30", "à midi", "à 8h du soir", "à 20h", "entre 9h et 17h", "de 9h à 17h",
                "à 9 heures",
            ],
            ["", "", "", "le vendredi", "le 1er et le 15", "le dernier jour", "le 24 décembre", "en janvier"],
            ["", "", "", "jusqu'au 2027-06-30", "sauf le dimanche", "sauf en août"],
            ["", "", "UTC", "en Europe/Paris"],
        ],
    ]

    @Test("phrases joined from parts of others are refused, or printed and read as the same schedule")
    func recombined() throws {
        var random = SeededGenerator(seed: 42)
        let phrases = try Phrase.bySource().flatMap(\.phrases).filter { $0.kind == "S" }.map(\.text)
        let languages = Self.clauses.keys.sorted()
        // `acceptedIn` contains the accepted schedules of each language, and `used` the clauses of these schedules.
        var acceptedIn: [String: Set<String>] = [:]
        var used: Set<String> = []
        var accepted: Set<String> = []
        for round in 0..<12_000 {
            var words: [String]
            let language = languages[round / 2 % languages.count]
            let isOfClauses = round.isMultiple(of: 2)
            if isOfClauses {
                words = (Self.clauses[language] ?? []).map { $0[random.below($0.count)] }.filter { !$0.isEmpty }
                for _ in 0..<random.below(4) {
                    words.swapAt(random.below(words.count), random.below(words.count))
                }
            } else {
                // Joins the beginning of one phrase and the end of another, and sometimes drops or repeats a word.
                let (one, other) = (
                    phrases[random.below(phrases.count)], phrases[random.below(phrases.count)]
                )
                let (left, right) = (one.split(separator: " "), other.split(separator: " "))
                words =
                    (left.prefix(random.below(left.count + 1)) + right.suffix(random.below(right.count + 1)))
                    .map(String.init)
                if !words.isEmpty, random.below(4) == 0 { words.remove(at: random.below(words.count)) }
                if !words.isEmpty, random.below(4) == 0 {
                    words.insert(words[random.below(words.count)], at: random.below(words.count))
                }
            }
            let text = words.joined(separator: " ")
            let schedule: CalendarSchedule
            do throws(ScheduleTextError) { schedule = try SchedulePhrase.parse(text, today: today) } catch {
                #expect((1...text.count + 1).contains(error.column) && !error.expected.isEmpty, "\(text): \(error)")
                #expect(text.dropFirst(error.column - 1).hasPrefix(error.found), "\(text): \(error)")
                continue
            }
            guard let printed = schedule.words else {
                Issue.record("“\(text)” is read, but not printed")
                continue
            }
            #expect((try? CalendarSchedule(words: printed)) == schedule, "“\(text)” is printed as “\(printed)”")
            accepted.insert(printed)
            if isOfClauses {
                acceptedIn[language, default: []].insert(printed)
                used.formUnion(words)
            }
        }
        #expect(accepted.count > 200, "\(accepted.count)")
        #expect(languages.allSatisfy { acceptedIn[$0, default: []].count > 40 }, "\(acceptedIn.mapValues(\.count))")
        let unused = Set(Self.clauses.values.joined().joined()).subtracting(used).subtracting([""])
        #expect(unused == [], "no phrase with these clauses is read: \(unused.sorted())")
    }

    @Test("a list of times of any length is read")
    func longLists() throws {
        let schedule = try CalendarSchedule(
            words: "every day at 9" + String(repeating: ",9", count: 5_000), today: today)
        #expect(schedule == (try CalendarSchedule(words: "every day at 9:00", today: today)))
    }

    @Test(
        "a time with minutes counts from midnight, beside a time with am or pm too",
        arguments: [
            ("every day at 12:00 and 6am", "every day at 6:00 and 12:00"),
            ("every day at 9:00 and midnight", "every day at 0:00 and 9:00"),
            ("every day at 8:00 and 9pm", "every day at 8:00 and 21:00"),
            ("every day at 10pm and 9:00", "every day at 9:00 and 22:00"),
            ("nightly on weekdays at 2:00", "every weekday at 2:00"),
        ])
    func clockTimes(text: String, same: String) throws {
        #expect(
            try CalendarSchedule(words: text, today: today) == (try CalendarSchedule(words: same, today: today)))
    }

    @Test(
        "no suggestion is made that would mean something else",
        arguments: [
            "every 7 minutes", "every 90 minutes", "every 24 hours", "biweekly on monday at 9:00", "quarterly at 9:00",
            "every day at 9:00 EST", "every friday the 13th at 9:00", "every few minutes", "every 1.5 hours",
            "every day at 9:00 for 3 weeks",
        ])
    func noSuggestion(text: String) throws {
        let error = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(words: text, today: today) }
        #expect(error.suggestions.isEmpty, "\(error)")
    }

    @Test("columns count the characters that were typed, even without the word every and with letters of several bytes")
    func columns() throws {
        let typed = try #require(throws: ScheduleTextError.self) {
            try CalendarSchedule(words: "moonday at 9:00", today: today, impliesEvery: true)
        }
        #expect(typed.column == 1 && typed.found == "moonday")
        #expect(typed.suggestions == ["every monday at 9:00"])
        let letters = try #require(throws: ScheduleTextError.self) {
            try CalendarSchedule(words: "täglich um 25:00", today: today)
        }
        #expect(letters.column == 12 && letters.found == "25:00" && letters.understood == "täglich um")
    }

    @Test("completions are exactly the words that the parser accepts next")
    func completions() {
        func words(_ text: String, _ kind: PhraseCompletion.Kind) -> Set<String> {
            Set(PhraseCompletion.words(after: text, kind, today: today))
        }
        let first = words("", .afterEvery)
        #expect(first.isSuperset(of: ["day", "weekday", "monday", "other", "month", "january", "last"]), "\(first)")
        #expect(first.isDisjoint(with: ["at", "until", "tomorrow", "noon"]), "\(first)")
        let next = words("weekday", .afterEvery)
        #expect(next.isSuperset(of: ["starting", "until", "except", "noon", "on", "at"]), "\(next)")
        #expect(words("2", .afterEvery).isSuperset(of: ["hours", "days", "weeks"]))
        #expect(words("2", .afterEvery).isDisjoint(with: ["monday", "until"]))
        #expect(words("", .moment).isSuperset(of: ["tomorrow", "friday", "noon", "teatime", "next", "now"]))
        #expect(words("jeden", .schedule).isSuperset(of: ["tag", "montag", "werktag"]))
    }
}
