import Testing

@testable import ApusCalendar

@Suite("The next occurrence")
struct SearchTests {
    private static func daily(_ hour: Int, _ minute: Int) -> CalendarSchedule {
        CalendarSchedule(.fields(CalendarFields(times: TimesOfDay([hour * 3600 + minute * 60]))))
    }

    @Test("a time that the clock skips is due at the first instant after the gap, or not at all")
    func gap() throws {
        let berlin = try zone("Europe/Berlin")
        let schedule = Self.daily(2, 30)
        let after = utc("2026-03-28 12:00")
        #expect(
            occurrences(schedule, after: after, in: berlin, count: 2) == ["2026-03-29 01:00:00", "2026-03-30 00:30:00"])
        let skipped = occurrences(schedule, after: after, in: berlin, policy: ClockPolicy(gap: .skip), count: 2)
        #expect(skipped == ["2026-03-30 00:30:00", "2026-03-31 00:30:00"])
        let first = try #require(schedule.next(after: after, in: berlin))
        #expect(first.note == .movedAfterGap(from: local("2026-03-29 02:30")))
        #expect(first.local == local("2026-03-29 03:00"))
        #expect(first.offset == 7200)
    }

    @Test("two times of one gap are due once")
    func twoInGap() throws {
        let schedule = CalendarSchedule(.fields(CalendarFields(times: TimesOfDay([7800, 9000, 10_800]))))
        let found = occurrences(schedule, after: utc("2026-03-28 12:00"), in: try zone("Europe/Berlin"), count: 2)
        #expect(found == ["2026-03-29 01:00:00", "2026-03-30 00:10:00"])
    }

    @Test("a time that the clock shows twice is due the first time, or both times")
    func repeated() throws {
        let lordHowe = try zone("Australia/Lord_Howe")
        let schedule = Self.daily(1, 45)
        let after = utc("2026-04-04 00:00")
        #expect(
            occurrences(schedule, after: after, in: lordHowe, count: 2) == [
                "2026-04-04 14:45:00", "2026-04-05 15:15:00",
            ])
        let both = occurrences(schedule, after: after, in: lordHowe, policy: ClockPolicy(repeated: .both), count: 3)
        #expect(both == ["2026-04-04 14:45:00", "2026-04-04 15:15:00", "2026-04-05 15:15:00"])
        let first = try #require(schedule.next(after: after, in: lordHowe))
        #expect(first.note == .firstOfRepeated)
    }

    @Test("a time on a day that the zone skips follows the gap policy")
    func skippedDay() throws {
        let samoa = try zone("Pacific/Apia")
        let after = utc("2011-12-29 20:00")
        #expect(
            occurrences(Self.daily(9, 0), after: after, in: samoa, count: 2)
                == ["2011-12-30 10:00:00", "2011-12-30 19:00:00"])
        #expect(
            occurrences(Self.daily(9, 0), after: after, in: samoa, policy: ClockPolicy(gap: .skip), count: 1)
                == ["2011-12-30 19:00:00"])
    }

    @Test("a schedule that is never due is recognised within the stated bound")
    func never() throws {
        let berlin = try zone("Europe/Berlin")
        var thirtieth = CalendarFields(times: TimesOfDay([0]), months: 1 << 2)
        thirtieth.days.monthDays = 1 << 30
        var leapMonday = CalendarFields(times: TimesOfDay([0]), months: 1 << 2, years: [2026, 2027])
        leapMonday.days.monthDays = 1 << 29
        for fields in [thirtieth, leapMonday, CalendarFields(times: .list([]))] {
            for policy in [ClockPolicy(), ClockPolicy(gap: .skip, repeated: .both)] {
                let search = PreparedSchedule(CalendarSchedule(.fields(fields)), in: berlin, policy: policy)
                var steps = 0
                #expect(search.next(after: utc("2026-01-01 00:00"), steps: &steps) == nil)
                #expect(search.previous(before: utc("2026-01-01 00:00"), steps: &steps) == nil)
                #expect(steps <= 2 * PreparedSchedule.stepBound)
            }
        }
        #expect(Self.daily(9, 0).next(after: utc("2200-12-31 12:00"), in: berlin) == nil)
    }

    @Test("bounds, counts and exclusions restrict a schedule, and its spread depends only on the identifier")
    func limits() throws {
        var schedule = Self.daily(9, 0)
        schedule.from = local("2026-06-01 00:00")
        schedule.count = 4
        schedule.exclusions = [.dates(local("2026-06-02 00:00").date...local("2026-06-03 00:00").date)]
        let after = utc("2026-01-01 00:00")
        #expect(
            occurrences(schedule, after: after, in: .utc, count: 9) == ["2026-06-01 09:00:00", "2026-06-04 09:00:00"],
            "what is excluded has been counted")
        schedule.count = nil
        schedule.until = local("2026-06-05 09:00")
        #expect(occurrences(schedule, after: after, in: .utc, count: 9).last == "2026-06-05 09:00:00")

        var spread = Self.daily(9, 0)
        spread.spread = 600
        let delays = ["a", "b", "c", "backup"].compactMap {
            spread.next(after: after, in: .utc, identifier: $0)?.instant
        }
        .map { $0 - utc("2026-01-01 09:00") }
        #expect(delays.allSatisfy { (0..<600).contains($0) } && Set(delays).count > 1)
        #expect(
            spread.next(after: after, in: .utc, identifier: "backup")?.instant == utc("2026-01-01 09:00") + delays[3])
        var everySecond = CalendarSchedule(
            .fields(CalendarFields(times: .grid(hours: TimesOfDay.allHours, minutes: 1, seconds: 3))))
        everySecond.spread = 3600
        let close = occurrences(everySecond, after: after, in: .utc, identifier: "backup", count: 50)
        #expect(close[0] > "2026-01-01 00:00:01" && close[0] < "2026-01-01 01:00:00")
        #expect(close[1] == "2026-01-01 01:00:00", "the next one is due a second later")
        #expect(Set(close).count == 50 && close == close.sorted())
    }

    @Test("previous returns the occurrence after which next finds the following one")
    func previous() throws {
        for name in ["Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"] {
            let rules = try zone(name)
            for text in ["30 2 * * *", "*/15 * * * *", "0 0 29 2 *", "0 9 * * 1-5", "45 1 1 * *"] {
                for policy in [ClockPolicy(), ClockPolicy(gap: .skip, repeated: .both)] {
                    let search = PreparedSchedule(try CalendarSchedule(cron: text), in: rules, policy: policy)
                    for start in ["2011-12-28 00:00", "2026-03-28 00:00", "2026-04-04 00:00", "2026-10-24 00:00"] {
                        var instant = utc(start)
                        for _ in 0..<200 {
                            guard let next = search.next(after: instant) else { break }
                            #expect(search.previous(before: next.instant + 1) == next, "\(name) \(text)")
                            let before = search.previous(before: next.instant)
                            #expect(before.map { $0.instant <= instant } ?? true, "\(name) \(text)")
                            instant = next.instant
                        }
                    }
                }
            }
        }
    }

    /// A generator whose sequence of numbers is the same in each run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11 ^ state << 13
        }
    }

    /// Returns whether a day matches a rule, found by counting through the month of the day.
    private static func matches(_ rule: DayRule, _ date: CivilDate) -> Bool {
        let length = CivilDate.days(inMonth: date.month, year: date.year)
        func isWorkday(_ day: Int) -> Bool { CivilDate(unchecked: date.year, date.month, day).weekday.rawValue <= 5 }
        func nearest(_ day: Int) -> Int {
            for distance in 0...2 {
                for candidate in [day - distance, day + distance] where (1...length).contains(candidate) {
                    if isWorkday(candidate) { return candidate }
                }
            }
            return 0
        }
        let byMonth =
            rule.monthDays.has(date.day) || rule.fromEnd.has(length - date.day + 1)
            || rule.nearestWeekdays.setBits.contains { $0 <= length && nearest($0) == date.day }
            || rule.nearestWeekdaysFromEnd.setBits.contains { $0 <= length && nearest(length + 1 - $0) == date.day }
        let weekday = date.weekday.rawValue
        let same = stride(from: (date.day - 1) % 7 + 1, through: length, by: 7).map { $0 }
        let number = (same.firstIndex(of: date.day) ?? 0) + 1
        let byWeek =
            rule.weekdays.has(weekday) || rule.ordinals & DayRule.ordinal(weekday, number) != 0
            || rule.ordinals & DayRule.ordinal(weekday, 6) != 0 && same.last == date.day
        if rule.restrictsMonthDay, rule.restrictsWeekday {
            return rule.combination == .or ? byMonth || byWeek : byMonth && byWeek
        }
        return rule.restrictsMonthDay ? byMonth : !rule.restrictsWeekday || byWeek
    }

    @Test("random rules for days find the same days as a check of each day")
    func days() {
        var numbers = Numbers(state: 42)
        var found = 0
        for _ in 0..<400 {
            var rule = DayRule()
            if Int.random(in: 0..<2, using: &numbers) == 0 {
                rule.monthDays = 1 << UInt64.random(in: 1...31, using: &numbers)
            }
            if Int.random(in: 0..<4, using: &numbers) == 0 {
                rule.fromEnd = 1 << UInt64.random(in: 1...31, using: &numbers)
            }
            if Int.random(in: 0..<4, using: &numbers) == 0 {
                rule.nearestWeekdays = 1 << UInt64.random(in: 1...31, using: &numbers)
            }
            if Int.random(in: 0..<8, using: &numbers) == 0 {
                rule.nearestWeekdaysFromEnd = 1 << UInt64.random(in: 1...31, using: &numbers)
            }
            if Int.random(in: 0..<3, using: &numbers) == 0 {
                rule.weekdays = 1 << UInt64.random(in: 1...7, using: &numbers)
            }
            if Int.random(in: 0..<3, using: &numbers) == 0 {
                rule.ordinals = DayRule.ordinal(
                    Int.random(in: 1...7, using: &numbers), Int.random(in: 1...6, using: &numbers))
            }
            rule.combination = Bool.random(using: &numbers) ? .or : .and
            let months = UInt64.random(in: 1..<4096, using: &numbers) << 1
            let schedule = CalendarSchedule(
                .fields(CalendarFields(times: TimesOfDay([43_200]), days: rule, months: months)))
            let first = CivilDate(unchecked: 2026, 1, 1).dayNumber
            let expected = (first..<first + 1200).map { CivilDate(dayNumber: $0) }
                .filter { months.has($0.month) && Self.matches(rule, $0) }
                .map { "\($0) 12:00:00" }
            let actual = occurrences(schedule, after: utc("2026-01-01 00:00") - 1, in: .utc, count: expected.count)
            #expect(actual == expected, "\(rule)")
            found += expected.count
        }
        #expect(found > 10_000)
    }

    /// Returns the instants at which the clock first reaches or passes a second of the day.
    private static func reached(_ second: Int, shown: [Int64], from start: Int64) -> [Int64] {
        var furthest = shown[0]
        var found: [Int64] = []
        for (index, now) in shown.enumerated() where now > furthest {
            // The clock may skip a whole day.
            let passed = (furthest + 1...now).contains { floorMod(Int($0), 86_400) == second }
            if passed { found.append(start + Int64(index)) }
            furthest = now
        }
        return found
    }

    @Test(
        "around each change of the clock a fixed time is due once, and every quarter of an hour whenever the clock shows it",
        arguments: [
            "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia", "Africa/Monrovia", "Asia/Gaza",
        ]
    )
    func transitions(name: String) throws {
        let rules = try zone(name)
        let all = rules.transitions(in: utc("1970-01-01 00:00")..<utc("2100-01-01 00:00"))
        #expect(!all.isEmpty)
        let quarters = PreparedSchedule(try CalendarSchedule(cron: "*/15 * * * *"), in: rules)
        // Tests every twentieth change, and all unusual ones.
        for (index, change) in all.enumerated()
        where index % 20 == 0 || ![1800, 3600].contains(abs(change.after - change.before)) {
            let near = change.at - 5000..<change.at + 5000
            let shown = near.map { $0 + Int64(rules.offset(at: $0)) }
            for distance in [-3600, -1800, -1, 0, 1, 1799, 1800, 3599, 3600] {
                let second = floorMod(Int(change.at) + change.before + distance, 86_400)
                let fixed = CalendarSchedule(.fields(CalendarFields(times: TimesOfDay([second]))))
                let search = PreparedSchedule(fixed, in: rules)
                let found = sequence(first: near.lowerBound) { search.next(after: $0)?.instant }.dropFirst()
                    .prefix { near.contains($0) }
                let expected = Self.reached(second, shown: shown, from: near.lowerBound)
                #expect(Array(found) == expected, "\(name) \(change) \(distance)")
            }
            let expected = zip(near, shown).dropFirst().filter { $0.1 % 900 == 0 }.map(\.0)
            let found = sequence(first: near.lowerBound) { quarters.next(after: $0)?.instant }.dropFirst()
                .prefix { near.contains($0) }
            #expect(Array(found) == expected, "\(name) \(change)")
        }
    }
}
