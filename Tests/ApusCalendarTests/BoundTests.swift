import Testing

@testable import ApusCalendar

@Suite("The bound of a search")
struct BoundTests {
    /// Searches in both directions from several instants, and returns the largest number of examined months or periods.
    private func steps(
        _ schedule: CalendarSchedule, _ zoneName: String = "Europe/Berlin", expectsNone: Bool = true
    ) throws -> Int {
        let search = PreparedSchedule(
            schedule, in: try zone(zoneName), policy: ClockPolicy(gap: .skip, repeated: .both))
        var most = 0
        for instant in [utc("2026-11-24 12:00"), utc("1900-01-02 00:00"), utc("2200-12-30 00:00")] {
            var (forwards, backwards) = (0, 0)
            let next = search.next(after: instant, steps: &forwards)
            let previous = search.previous(before: instant, steps: &backwards)
            if expectsNone { #expect(next == nil && previous == nil) }
            most = max(most, forwards, backwards)
        }
        return most
    }

    @Test(
        "rules that never match are recognised within the stated number of months",
        arguments: [
            "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=5MO",
            "FREQ=YEARLY;BYDAY=53MO,-53SU;BYMONTH=2",
            "FREQ=HOURLY;INTERVAL=24;BYHOUR=5", "FREQ=MINUTELY;INTERVAL=60;BYMINUTE=3",
            "FREQ=SECONDLY;INTERVAL=60;BYSECOND=3", "FREQ=SECONDLY;INTERVAL=10000;BYHOUR=5;BYMINUTE=3;BYSECOND=1",
            "FREQ=HOURLY;INTERVAL=25;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;INTERVAL=7;BYDAY=MO",
            "FREQ=MONTHLY;BYMONTHDAY=30;BYMONTH=2;BYSETPOS=1",
        ])
    func emptyRules(rule: String) throws {
        let schedule = try CalendarSchedule(recurrence: "DTSTART:20261124T090000 RRULE:\(rule)")
        #expect(try steps(schedule) <= 4 * 3612)
    }

    @Test("a position that no week has is recognised before the search")
    func weeks() throws {
        let rule = "DTSTART:19000101T090000 RRULE:FREQ=WEEKLY;BYDAY=TU,SU;BYSETPOS=-3"
        // The few steps are those in which the search examines segments of the zone.
        #expect(try steps(try CalendarSchedule(recurrence: rule)) <= 8)
    }

    @Test("a rule that begins in antiquity is searched back to 1900, and no further")
    func antiquity() throws {
        let schedule = try CalendarSchedule(
            recurrence: "DTSTART:00621124T090015 RRULE:FREQ=YEARLY;BYWEEKNO=2;BYSETPOS=4,-2;BYDAY=MO")
        var steps = 0
        #expect(PreparedSchedule(schedule, in: .utc).previous(before: utc("2200-01-01 00:00"), steps: &steps) == nil)
        #expect(steps <= 304)
    }

    @Test("rare matches of hourly, minutely and secondly rules are found without walking the units")
    func rareUnits() throws {
        let minutely = try CalendarSchedule(
            recurrence: "DTSTART:20261124T090000 RRULE:FREQ=MINUTELY;INTERVAL=1441;BYHOUR=8;BYMINUTE=59")
        // Each candidate is one day and one minute after the one before it, so the first one at 8:59 is the 1439th
        // after the start at 9:00.
        var steps = 0
        let search = PreparedSchedule(minutely, in: .utc)
        let next = try #require(search.next(after: utc("2026-11-24 12:00"), steps: &steps))
        #expect((next.instant - utc("2026-11-24 09:00")) % (1441 * 60) == 0)
        #expect(next.local.time == CivilTime(hour: 8, minute: 59))
        #expect(steps < 60)
        let secondly = try CalendarSchedule(
            recurrence: "DTSTART:20261124T090000 RRULE:FREQ=SECONDLY;INTERVAL=9973;BYHOUR=3;BYMINUTE=0;BYSECOND=0")
        let second = try #require(
            PreparedSchedule(secondly, in: .utc).next(after: utc("2026-11-24 12:00"), steps: &steps))
        #expect((second.instant - utc("2026-11-24 09:00")) % 9973 == 0)
        #expect(second.local.time == CivilTime(hour: 3, minute: 0))
    }

    @Test("excluded days are skipped a month at a time")
    func exclusions() throws {
        var daily = try CalendarSchedule(cron: "0 9 * * *")
        daily.exclusions = [.schedule(try CalendarSchedule(cron: "0 12 * * *"))]
        #expect(try steps(daily) <= 4 * 3612)
        // All days but one are excluded.
        let last = try #require(CivilDate(year: 2150, month: 5, day: 4))
        daily.exclusions = [
            .dates(CivilDate(unchecked: 1900, 1, 1)...CivilDate(dayNumber: last.dayNumber - 1)),
            .dates(CivilDate(dayNumber: last.dayNumber + 1)...CivilDate(unchecked: 2200, 12, 31)),
        ]
        let found = try #require(daily.next(after: utc("2026-11-24 12:00"), in: .utc))
        #expect(found.local.date == last)
        #expect(try steps(daily, expectsNone: false) <= 4 * 3612)
    }

    @Test("an excluded schedule leaves out the days on which it is due, and no others")
    func excludedSchedules() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<400 {
            var other = generator.schedule(depth: 1)
            other.spread = 0
            var schedule = CalendarSchedule(
                generator.chance(2) ? .fields(generator.fields()) : .recurrence(generator.recurrence()))
            let plain = PreparedSchedule(schedule, in: .utc)
            schedule.exclusions = [.schedule(other)]
            let search = PreparedSchedule(schedule, in: .utc)
            let excluding = PreparedSchedule(other, in: .utc)
            var instant = utc("2030-01-01 00:00")
            var expected: [Int64] = []
            // The expected occurrences are those of a plain search, without the days on which the other schedule has an
            // occurrence.
            var tries = 0
            while expected.count < 3, tries < 2000, let next = plain.next(after: instant) {
                tries += 1
                let midnight = Int64(next.local.date.dayNumber * 86_400)
                let hit = excluding.next(after: midnight - 1)
                if let hit, hit.instant < midnight + 86_400 {
                    instant = midnight + 86_399
                } else {
                    expected.append(next.instant)
                    instant = next.instant
                }
            }
            var found: [Int64] = []
            instant = utc("2030-01-01 00:00")
            while found.count < expected.count, let next = search.next(after: instant) {
                found.append(next.instant)
                instant = next.instant
                #expect(search.previous(before: next.instant + 1)?.instant == next.instant)
            }
            #expect(found == expected, "\(schedule)")
        }
    }

    @Test(
        "an excluded schedule that begins, ends or has an exception within a day leaves out exactly the days on which it is due"
    )
    func partialDays() throws {
        let daily = try CalendarSchedule(cron: "0 9 * * *")
        func days(except text: String, from: String? = nil, until: String? = nil) throws -> [String] {
            var other = try CalendarSchedule(text: text, now: local("2026-12-01 00:00"))
            other.from = from.map(local)
            other.until = until.map(local)
            var schedule = daily
            schedule.exclusions = [.schedule(other)]
            return occurrences(schedule, after: utc("2026-11-30 12:00"), in: .utc, count: 3)
                .map { String($0.dropFirst(8).prefix(2)) }
        }
        // The schedule of the exclusions is due at 12:00 on each day.
        #expect(try days(except: "0 12 * * *", from: "2026-12-03 11:00") == ["01", "02"])
        #expect(try days(except: "0 12 * * *", from: "2026-12-03 13:00") == ["01", "02", "03"])
        #expect(try days(except: "0 12 * * *", until: "2026-12-02 13:00") == ["03", "04", "05"])
        #expect(try days(except: "0 12 * * *", until: "2026-12-02 11:00") == ["02", "03", "04"])
        let rule = "DTSTART:20261201T120000 RRULE:FREQ=DAILY;COUNT=4"
        #expect(try days(except: rule) == ["05", "06", "07"])
        #expect(try days(except: rule + " EXDATE:20261203T120000") == ["03", "05", "06"])
        #expect(try days(except: rule + " RDATE:20261206T150000") == ["05", "07", "08"])
    }

    @Test("excluded dates may overlap, in any order")
    func overlappingDates() throws {
        func range(_ first: Int, _ last: Int) -> CalendarSchedule.Exclusion {
            .dates(CivilDate(unchecked: 2026, 12, first)...CivilDate(unchecked: 2026, 12, last))
        }
        var schedule = try CalendarSchedule(cron: "0 9 * * *")
        schedule.exclusions = [range(20, 21), range(4, 5), range(2, 10), range(11, 11)]
        let found = occurrences(schedule, after: utc("2026-11-30 12:00"), in: .utc, count: 10)
        #expect(
            found[0].hasPrefix("2026-12-01") && found[1].hasPrefix("2026-12-12") && found[9].hasPrefix("2026-12-22"))
    }
}
