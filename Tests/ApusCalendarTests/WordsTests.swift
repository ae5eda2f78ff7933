import Testing

@testable import ApusCalendar

@Suite("Schedules in words")
struct WordsTests {
    @Test(
        "words are due when the equivalent cron expression is",
        arguments: [
            ("every day at 9:00", "0 9 * * *"), ("every day 9am", "0 9 * * *"), ("every day at noon", "0 12 * * *"),
            ("Every Day at 12:15 am and 5:15 PM", "15 0,17 * * *"), ("every day at midnight", "0 0 * * *"),
            ("every weekday at 18:30", "30 18 * * 1-5"), ("every weekend at 10:00", "0 10 * * 6,0"),
            ("every monday,thursday 9:00", "0 9 * * 1,4"), ("every mon-fri at 9:00", "0 9 * * 1-5"),
            ("every fri-mon at 9:00", "0 9 * * 5-1"), ("every monday, wednesday and friday at 7:45", "45 7 * * 1,3,5"),
            ("every week on friday at 17:00", "0 17 * * 5"), ("every month on the 1st at 8:00", "0 8 1 * *"),
            ("every month on the 1st and 15th at 8:00", "0 8 1,15 * *"),
            ("every month on the last day at 23:59", "59 23 L * *"),
            ("every month on the last friday 17:00", "0 17 * * 5L"),
            ("every month on the 2nd tuesday at 9:00", "0 9 * * 2#2"),
            ("every january and july on the 1st at 0:00", "0 0 1 1,7 *"),
            ("every year on 24 dec 18:00", "0 18 24 12 *"),
            ("every year on december 24 at 18:00", "0 18 24 12 *"), ("every 15 minutes", "*/15 * * * *"),
            ("every minute", "* * * * *"), ("every 20 seconds", "*/20 * * * * *"), ("every hour at :30", "30 * * * *"),
            ("every 2 hours", "0 */2 * * *"), ("every 15 minutes on weekdays", "*/15 * * * 1-5"),
            ("every 30 minutes between 2:00 and 2:30", "*/30 2 * * *"),
        ]
    )
    func cron(words: String, cron: String) throws {
        let (schedule, expected) = (try CalendarSchedule(words: words), try CalendarSchedule(cron: cron))
        // In words, "every two hours" follows the clock. In cron it does not, because the expression has no step within
        // the hour.
        if words == "every 2 hours" {
            for name in ["UTC", "Asia/Tokyo"] {
                let rules = try zone(name)
                let after = utc("2026-11-24 12:00")
                #expect(
                    occurrences(schedule, after: after, in: rules, count: 20)
                        == occurrences(expected, after: after, in: rules, count: 20))
            }
        } else {
            #expect(schedule == expected)
        }
    }

    @Test("the times in a window are counted from its start, and may include its end")
    func window() throws {
        let found = occurrences(
            try CalendarSchedule(words: "every 25 minutes between 9:10 and 10:00 on mondays"),
            after: utc("2026-11-24 12:00"), in: .utc, count: 4)
        #expect(found == ["2026-11-30 09:10:00", "2026-11-30 09:35:00", "2026-11-30 10:00:00", "2026-12-07 09:10:00"])
    }

    @Test("weeks are counted from the date in the text, or from the caller's")
    func weeks() throws {
        let today = local("2026-11-24 00:00").date
        let schedule = try CalendarSchedule(words: "every 2 weeks on friday 17:00", today: today)
        #expect(
            occurrences(schedule, after: utc("2026-11-24 12:00"), in: .utc, count: 3)
                == ["2026-11-27 17:00:00", "2026-12-11 17:00:00", "2026-12-25 17:00:00"])
        #expect(schedule.words == "every 2 weeks on friday at 17:00 starting 2026-11-27")
        let other = try CalendarSchedule(words: "every other week on friday at 17:00 starting 2026-12-01", today: today)
        #expect(occurrences(other, after: utc("2026-11-24 12:00"), in: .utc, count: 1) == ["2026-12-04 17:00:00"])
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(words: "every 2 weeks on friday 17:00") }
    }

    @Test(
        "an error has the column, what was read, and what is accepted",
        arguments: [
            ("", 1, ""), ("daily", 6, ""), ("every", 6, ""), ("every moonday at 9:00", 7, "moonday"),
            ("every day", 10, ""), ("every day at 25:00", 14, "25:00"), ("every day at 5", 14, "5"),
            ("every day at 13pm", 14, "13pm"), ("every 7 minutes", 7, "7"), ("every 3 days at 9:00", 21, ""),
            ("every month at 9:00", 20, ""), ("every month on the 1th at 9:00", 20, "1th"),
            ("every month on the 32nd at 9:00", 20, "32nd"), ("every month on the 6th friday at 9:00", 20, "6th"),
            ("every month on the 1st and 1st friday at 9:00", 20, "1st"), ("every year on 30 feb at 9:00", 15, "30"),
            ("every day at 9:00 please", 19, "please"), ("every day at 9:00 in ../x", 22, "../x"),
            ("every 10 minutes between 17:00 and 9:00", 36, "9:00"), ("every 2 weeks at 9:00", 22, ""),
            ("every week on friday at 9:00 starting 2026-02-30", 39, "2026-02-30"), ("every day at 9:00,", 19, ""),
        ]
    )
    func errors(text: String, column: Int, found: String) throws {
        let error = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(words: text) }
        #expect(error.column == column && error.found == found, "\(error)")
        #expect(!error.expected.isEmpty)
    }

    @Test("a printed schedule is read as the same schedule, and printed the same again")
    func printing() throws {
        let texts = [
            "every day at 9:00", "every day at 0:00:30 and 17:15", "every weekday at 18:30", "every weekend at 10:00",
            "every monday and thursday at 9:00", "every monday, wednesday and friday at 7:45",
            "every 3 weeks on weekdays at 17:00 starting 2026-11-24",
            "every month on the 1st, 2nd, 3rd, 11th and 22nd at 8:00",
            "every month on the 1st and last day at 8:00", "every month on the 2nd tuesday and last friday at 8:00",
            "every january and july on the 1st at 8:00", "every december on the 24th at 18:00", "every 15 minutes",
            "every 15 minutes between 9:00 and 17:00", "every hour", "every 2 hours at :30", "every second",
            "every 20 minutes on weekends", "every hour between 8:30 and 17:30 on monday and friday",
            "every day at 9:00 in Europe/Berlin",
        ]
        for text in texts {
            let schedule = try CalendarSchedule(words: text)
            #expect(schedule.words == text)
            #expect(try CalendarSchedule(words: #require(schedule.words)) == schedule)
        }
    }

    @Test("a schedule that words cannot express exactly is not printed in words")
    func unprintable() throws {
        for cron in ["0 9 15W * *", "0 9 13 * 5", "0 9 L-3 * *", "0 0 9 1 1 * 2030", "H 9 * * *", "0 9 1 * +1"] {
            #expect(try CalendarSchedule(cron: cron).words == nil, "\(cron)")
        }
        var schedule = try CalendarSchedule(words: "every day at 9:00")
        schedule.count = 3
        #expect(schedule.words == nil)
    }

    @Test("the form of a text is detected, and the text is read in that form")
    func forms() throws {
        let texts: [(String, ScheduleForm)] = [
            ("every day at 9:00", .words), ("Every 15 minutes", .words), ("0 9 * * 1-5", .cron), ("@daily", .cron),
            ("0 0 9 * * 1-5 2030", .cron), ("Mon..Fri 09:00", .calendar), ("daily", .calendar), ("*-*-01", .calendar),
            ("@1798135200", .calendar), ("Mon-Fri at 9:00", .words), ("weekdays at 9", .words), ("9:00 daily", .words),
            ("twice a day on weekdays", .words), ("1st monday of the month 9am", .words),
            ("jeden Montag um 9:00", .words), ("tous les lundis à 9h", .words),
            ("last friday of every month 17:00", .words),
            ("0 17 * * * Asia/Tokyo", .cron), ("30 0 17 * * MON-FRI/2 UTC", .cron), ("@minutely", .cron),
            ("Mon,Tue *-*-* 09:00:00 Europe/Berlin", .calendar), ("RRULE:FREQ=DAILY", .rrule), ("freq=daily", .rrule),
            ("DTSTART:20270101T090000\nRRULE:FREQ=DAILY", .rrule),
        ]
        let now = CivilDateTime(localSeconds: 1_800_000_000)
        for (text, form) in texts {
            #expect(ScheduleForm(of: text) == form, "\(text)")
            let schedule = try CalendarSchedule(text: text, now: now)
            #expect(try CalendarSchedule(text: text, form: form, now: now) == schedule)
            let printed = try #require(schedule.text(in: form), "\(text)")
            #expect(try CalendarSchedule(text: printed, now: now) == schedule, "\(printed)")
        }
    }

    @Test(
        "a crontab line, a missing field and a typo are refused with suggestions",
        arguments: [
            ("*/5 * * * * /usr/bin/backup", 13, "*/5 * * * *"),
            ("0 9 * * 1-5 backup --all the files", 13, "0 9 * * 1-5"),
            ("0 9 * *", 8, "0 9 * * *"), ("Mon-Fir at 9:00", 5, "every weekday at 9:00"),
            ("9:00 dialy", 6, "every day at 9:00"), ("every 2 days at 9:0", 17, ""),
        ])
    func typed(text: String, column: Int, suggestion: String) throws {
        let now = CivilDateTime(localSeconds: 1_800_000_000)
        let error = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(text: text, now: now) }
        #expect(error.column == column && error.suggestions.joined() == suggestion, "\(error)")
    }
}
