import Testing

@testable import ApusCalendar

/// Inputs that people get wrong, read on Tuesday, 2026-11-24 at 12:00.
@Suite("Messages about schedules and times")
struct MessageRowTests {
    /// The inputs, each with the parts of its error message.
    ///
    /// A row has the kind (`S` words, `T` a schedule in any form, `M` an instant, `D` a length of time) and the text.
    /// The other cells are the column of the error, the part that was understood, a part of the accepted forms, and the
    /// suggestions.
    private static let rows = """
        S every wekday at 9:00 | 7 | every | day, weekday | every weekday at 9:00
        S Mon-Fir at 9:00 | 5 | Mon- | mon-fri | every weekday at 9:00
        S 9:00 daily please | 12 | 9:00 daily | the end | every day at 9:00
        S 9:00 dialy | 6 | 9:00 | every day | every day at 9:00
        S every 2 days | 13 | every 2 days | a time of day | every 2 days at 9:00 starting 2026-11-24
        S at 9:00 on monday | 1 |  | every | every monday at 9:00
        S every day at 5 | 14 | every day at | 5 alone can be either | every day at 5:00, or every day at 17:00
        S every day at 9.30 | 14 | every day at | a colon | every day at 9:30
        S every day at 9.30pm | 14 | every day at | a colon | every day at 21:30
        S every day at 25:00 | 14 | every day at | from 0 to 23 | none
        S every day at 9:0 | 14 | every day at | two digits of minutes | none
        S every day at 9:00 EST | 19 | every day at 9:00 | in Europe/Berlin | none
        S every 7 minutes | 7 | every | divides an hour | none
        S every 5m | 7 | every | is an interval | none
        S every 1.5 hours | 8 | every 1 | after a number | none
        S every 12/24 at 9:00 | 7 | every | order of 12/24 | every december on the 24th at 9:00
        S every 1/2 at 9:00 | 7 | every | order of 1/2 | every january on the 2nd at 9:00, or every february on the 1st at 9:00
        S every second tuesday at 9:00 | 7 | every | can be either | every 2 weeks on tuesday at 9:00 starting 2026-11-24, or every month on the 2nd tuesday at 9:00
        S biweekly on monday at 9:00 | 1 |  | can be several | none
        S every month at 9:00 | 20 | every month at 9:00 | “on the” and the days | every month on the 1st at 9:00
        S every month on the 32nd at 9:00 | 20 | every month on the | 22nd or last | none
        S every 3 months on the last weekday at 9:00 | 23 | every 3 months on the | for every month | none
        S every 30 minutes between 10 and 11pm | 26 | every 30 minutes between | 10 can be either | every 30 minutes between 10:00 and 23:00, or every 30 minutes between 22:00 and 23:00
        S every day at 8pm and 10 | 22 | every day at 8pm and | 10 can be either | every day at 10:00 and 20:00, or every day at 20:00 and 22:00
        S every 10 minutes between 17:00 and 9:00 | 36 | every 10 minutes between 17:00 and | after the first one | none
        S every 15 minuets | 10 | every 15 | minutes | every 15 minutes
        S daily weekly at 9:00 | 7 | daily | no second part that says how often | none
        S every dag om 9:00 | 7 | every | English, German, French | none
        S cada día a las 9:00 | 1 |  | English, German, French | none
        S jeden Dienstg um 9:00 | 7 | jeden | a weekday | every tuesday at 9:00
        S every day at 9:00 until 2026-02-30 | 25 | every day at 9:00 until | has no day 30 | none
        S every hour from 9 to 5 | 22 | every hour from 9 to | can be either | every hour between 9:00 and 17:00
        S every friday the 13th at 9:00 | 7 | every | not both | none
        S rate(5 minutes) | 1 |  | every 5 minutes | every 5 minutes
        S rate(7 minutes) | 1 |  | every 5 minutes | none
        S every friday morning at 16:00 | 25 | every friday morning at | such as 9:00 | none
        S every other friday night at 1am | 26 | every other friday night | before midnight | none
        S every quarter on the 1st in march at 9:00 | 29 | every quarter on the 1st in | no months | none
        S every day at 6:00 and every day at 18:00 | 19 | every day at 6:00 | a schedule of their own | none
        S every quarter on the 31st at 9:00 | 22 | every quarter on the | of the quarter | none
        S every quarter at 9:00 | 22 | every quarter at 9:00 | “on the” and the days | none
        S every day at 9:00 in W. Europe Standard Time | 22 | every day at 9:00 in | a name of Windows for Europe/Berlin | every day at 9:00 in Europe/Berlin
        S every day at 9:00 in "Eastern Standard Time" | 22 | every day at 9:00 in | a name of Windows for America/New_York | every day at 9:00 in America/New_York
        S every moonday at 9:00 | 7 | every | a weekday | every monday at 9:00
        S evry day at 9:00 | 1 |  | every | every day at 9:00
        S every dya at 9:00 | 7 | every | day | every day at 9:00
        S every day at 9:00 please | 19 | every day at 9:00 | the end | every day at 9:00
        S please every day at 9:00 | 1 |  | every | every day at 9:00
        S every day | 10 | every day | a time of day | every day at 9:00
        S every monday and friday | 24 | every monday and friday | a time of day | every monday and friday at 9:00
        S weekly at 9:00 | 15 | weekly at 9:00 | the day of the week | every monday at 9:00
        S monthly at 9:00 | 16 | monthly at 9:00 | on the 1st | every month on the 1st at 9:00
        S on the 15th at 9:00 | 1 |  | every | every month on the 15th at 9:00
        S weekend at 10:00 | 1 |  | every | every weekend at 10:00
        S jeden Tag um 5 | 14 | jeden Tag um | can be either | every day at 5:00, or every day at 17:00
        T */5 * * * * /usr/bin/backup | 13 |  | a command | */5 * * * *
        T 0 9 * * 1-5 root /usr/bin/backup | 13 |  | a command | 0 9 * * 1-5
        T 0 9 * * | 8 |  | a fifth field | 0 9 * * *
        T 0 9 * * 1-5 2027 | 13 |  | the seventh field | 0 0 9 * * 1-5 2027
        T 0 10 * * ? * | 10 |  | in the dialect aws | none
        T 0 0 12 ? * 2-6 | 8 |  | in the dialect spring | none
        T cron(0 18 * * 1-5 *) | 15 |  | dialect aws | none
        T @dialy | 1 |  | @daily | @daily
        T @reboot | 1 |  | an event of the machine | none
        T 60 9 * * * | 1 |  | from 0 to 59 | none
        T 0 9 * * mo | 9 |  | sun to sat | none
        T RRULE:FREQ=DAILY;BYDAY=MON | 24 |  | a day of the week | none
        T FREQ=DAILY;COUNT=2;UNTIL=20270101 | 12 |  | COUNT or UNTIL | none
        T INTERVAL=2;COUNT=3 | 1 |  | FREQ with one of | none
        T 0 17 * * * W. Europe Standard Time | 12 |  | a name of Windows for Europe/Berlin | 0 17 * * * Europe/Berlin
        T CRON_TZ=W. Europe Standard Time 0 17 * * * | 9 |  | a name of Windows for Europe/Berlin | CRON_TZ=Europe/Berlin 0 17 * * *
        T Mon 09:00 Tokyo Standard Time | 11 |  | a name of Windows for Asia/Tokyo | Mon 09:00 Asia/Tokyo
        M tomorow at 9 | 1 |  | a time such as | tomorrow at 9
        M 12/24/2026 18:00 | 1 |  | the month first | 2026-12-24 18:00
        M friday 4 | 8 | friday | 4 alone can be either | friday 4:00, or friday 16:00
        M in 5 minuts | 6 | in 5 | not a unit | in 5 minutes
        M 5 minutes | 1 |  | “in” before a duration | in 5 minutes
        M 3M | 1 |  | M can be either | in 3m, or now + 3 months
        M 14.30 | 1 |  | a colon | 14:30
        M 2026-13-24 18:00 | 1 |  | no month 13 | none
        M next fryday at 9:00 | 6 | next | next friday | next friday at 9:00
        M 24 dec 18 | 8 | 24 dec | a time such as 18:00 | 24 dec 18:00
        M morgn um 9 Uhr | 1 |  | a time such as | morgen um 9 Uhr
        M now + 5 mintues | 9 | now + 5 | not a unit | now + 5 minutes
        M tomorrow 9:00 "Tokyo Standard Time" | 15 | tomorrow 9:00 | a name of Windows for Asia/Tokyo | tomorrow 9:00 Asia/Tokyo
        M tomorrow morning | 10 | tomorrow | the time of day | tomorrow morning at 9:00
        M tomorrow afternoon at 11 | 23 | tomorrow afternoon at | such as 15:00 | none
        M overmorrow at 5pm | 1 |  | a time such as | none
        M friday night at midnight | 8 | friday | before midnight | none
        M 24/12/2026 18:00 | 1 |  | the day first | 2026-12-24 18:00
        M tonight | 1 |  | tonight at 20:00 | tonight at 20:00
        M 9am 10am | 5 | 9am | cannot be read | none
        D 3M | 2 | 3 | M can be either | 3m, or 3 months
        D rate(5 minutes) | 1 |  | a number and its unit | 5 minutes
        D 5 minuts | 3 | 5 | not a unit | 5 minutes
        D 1h 30 | 4 | 1h | has no unit | none
        D 1h1h | 3 | 1h | repeats one | none
        """

    private static func read(_ kind: Character?, _ text: String) throws(ScheduleTextError) {
        let now = local("2026-11-24 12:00")
        switch kind {
        case "S": _ = try CalendarSchedule(words: text, today: now.date)
        case "M": _ = try Moment(text)
        case "D": _ = try CalendarSpan(text)
        default: _ = try CalendarSchedule(text: text, now: now)
        }
    }

    @Test("a refused text says where, what was understood, what is accepted, and the nearest text that is read")
    func messages() throws {
        let rows = Self.rows.split(separator: "\n")
        #expect(rows.count >= 60)
        for row in rows {
            let cells = row.dropFirst(2).split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
            let text = cells[0]
            let error = try #require(throws: ScheduleTextError.self, "\(row)") { try Self.read(row.first, text) }
            #expect("\(error.column)" == cells[1] && error.understood == cells[2], "\(row): \(error)")
            #expect(text.dropFirst(error.column - 1).hasPrefix(error.found), "\(row): \(error)")
            #expect(error.expected.contains(cells[3]), "\(row): \(error)")
            let suggested = error.suggestions.isEmpty ? "none" : error.suggestions.joined(separator: ", or ")
            #expect(suggested == cells[4], "\(row): \(error)")
            #expect(error.suggestions.isEmpty || error.description.hasSuffix("; did you mean: \(suggested)"))
            for suggestion in error.suggestions {
                #expect(throws: Never.self, "\(row): \(suggestion)") { try Self.read(row.first, suggestion) }
            }
        }
    }
}
