import ApusCalendar
import Foundation

/// The reason why an oracle and Apus disagree, and which of them is right.
struct Verdict: Hashable {
    var oracle: Oracle
    /// The behaviour of the oracle that causes the difference.
    var says: String
    var right: String
    var source: String

    static let systemdPolicy = Verdict(
        oracle: .systemd, says: "systemd skips times in a gap, and one of the copies of a repeated hour",
        right: "both: another policy; the rest is what Apus finds with gap = skip, without second copies",
        source: "systemd 252, calendarspec.c: tm_within_bounds, and mktime with tm_isdst = -1")
    static let systemdCopy = Verdict(
        oracle: .systemd, says: "systemd takes the second copy of a repeated hour, or goes from one to the other",
        right: "Apus: the first copy is documented for none, but the order of local times is the same",
        source: "mktime(3): with tm_isdst = -1 the C library chooses")
    static let systemdLoop = Verdict(
        oracle: .systemd, says: "systemd ends, often with “Infinite loop in calendar calculation”; Apus continues",
        right: "Apus: the event has more elapses; systemd stops after 1000 steps of its search",
        source: "systemd 252, calendarspec.c: MAX_CALENDAR_ITERATIONS")
    static let systemdLost = Verdict(
        oracle: .systemd, says: "systemd misses elapses on the day of a change of the clock, or on the far side of one",
        right: "Apus: the local times exist, and systemd finds those on the far side from a microsecond before",
        source: "systemd 252, calendarspec.c: find_next continues with the tm_isdst of a normalised time")
    static let systemdRepetition = Verdict(
        oracle: .systemd, says: "systemd misses elapses after a repetition that ran past the end of its unit",
        right: "Apus: systemd finds them from a microsecond before",
        source: "systemd 252, calendarspec.c: find_matching_component gives minute 84 for 20/32, mktime makes it :24")
    static let croniterShift = Verdict(
        oracle: .croniter,
        says: "croniter's times after a change of the clock are off by the change, for one day or more",
        right: "Apus: on a clock without changes croniter finds the same local times as Apus",
        source: "cron(8): times of day are local; croniter 6 adds elapsed seconds")
    static let croniterYears = Verdict(
        oracle: .croniter, says: "croniter gives up after ten years without a match",
        right: "both: a bound of croniter; Apus searches until 2200",
        source: "croniter, max_years_between_matches")
    static let croniterStar = Verdict(
        oracle: .croniter, says: "croniter takes one of day of the month and day of the week where one of them is */2",
        right: "Apus: a field that begins with a star does not restrict, so both must match",
        source: "crontab(5) of Vixie cron; cron's entry.c sets DOM_STAR and DOW_STAR by the first character")
    static let croniterEither = Verdict(
        oracle: .croniter,
        says: "croniter gives up where no month of the expression has the day, although the day of the week would do",
        right: "Apus: one of the two is enough if both are restricted, and the days of the week come",
        source: "crontab(5); croniter 6: of both searches, the error of the first is the result")
    static let croniterFebruary = Verdict(
        oracle: .croniter,
        says: "croniter passes over the first days of March if a day is named that February lacks",
        right: "Apus: 5 0 1,31 * * is due on 1 March",
        source: "croniter 6, _get_next_nearest_diff: 31 - 22 days from 22 February lead to 3 March")
    static let dateutilGap = Verdict(
        oracle: .dateutil, says: "dateutil's rules have no zone: local times in a gap are left out",
        right: "both: another policy; the rest is what Apus finds with gap = skip",
        source: "dateutil.rrule works on naive date-times; dateutil.tz.datetime_exists detects gaps")

    static let dateutilWeek = Verdict(
        oracle: .dateutil, says: "dateutil counts positions in the first week from DTSTART on",
        right: "Apus: a position is one of the set of the whole interval, here a week; DTSTART bounds the result",
        source: "RFC 5545, 3.3.10: BYSETPOS is applied to the set within one interval of the rule")

    static let dateutilLastWeeks = Verdict(
        oracle: .dateutil,
        says: "dateutil leaves out the days of a first week before 1 January if the week is named from the end, as -53",
        right: "Apus: week 1 and week -53 of a year of 53 weeks are the same days; dateutil has them for 1",
        source: "dateutil 2.9, rrule.py: “TODO: Check -numweeks for next year”")

    static let dateutilYearBefore = Verdict(
        oracle: .dateutil,
        says: "dateutil takes the last week of the year before for week 53, or 52, by the length of the wrong year",
        right: "Apus: the week of 1 January 2039 is week 52 of 2038 by ISO 8601, as date(1) says too",
        source: "dateutil 2.9, rrule.py: lnumweeks is computed from yearlen - no1wkst, both of the present year")

    static let all = [
        systemdPolicy, systemdCopy, systemdLoop, systemdLost, systemdRepetition, croniterShift, croniterYears,
        croniterStar, croniterEither, croniterFebruary, dateutilGap, dateutilWeek, dateutilLastWeeks,
        dateutilYearBefore,
    ]

    /// Finds the reason for different answers.
    ///
    /// - Parameters:
    ///   - comparison: The question.
    ///   - theirs: The oracle's answer.
    ///   - agreesWithoutZone: Whether the oracle agrees in UTC, or differs there for a reason that has a verdict.
    ///   - finds: Whether the oracle finds a given instant if it is asked from a microsecond before that instant.
    /// - Returns: The verdict, or nil if there is no reason.
    static func explain(
        _ comparison: Comparison, _ theirs: [Int64], agreesWithoutZone: Bool, finds: (Int64) -> Bool
    ) -> Verdict? {
        switch comparison.oracle {
        case .java, .zoneinfo: nil
        case .dateutil: dateutil(comparison, theirs)
        case .croniter: croniter(comparison, theirs, agreesWithoutZone)
        case .systemd: systemd(comparison, theirs, finds)
        }
    }

    private static func dateutil(_ comparison: Comparison, _ theirs: [Int64]) -> Verdict? {
        let ours = comparison.ours(ClockPolicy(gap: .skip))
        if theirs == ours { return .dateutilGap }
        guard case .recurrence(let rule) = comparison.schedule.rule else { return nil }
        if rule.frequency == .yearly {
            // Returns whether the answers are the same except on the days that `isLeftOut` accepts.
            //
            // They may also differ after those days if the rule has positions or a count.
            func isSame(without isLeftOut: (CivilDate) -> Bool) -> Bool {
                let rest = [theirs, ours].map { instants in
                    instants.filter { !isLeftOut(comparison.rules.local(at: $0).date) }
                }
                let common = min(rest[0].count, rest[1].count)
                return rest[0].prefix(common) == rest[1].prefix(common) || !rule.positions.isEmpty || rule.count != nil
            }
            if rule.weekNumbers.contains(where: { $0 <= -52 }), isSame(without: { $0.month == 12 && $0.day >= 29 }) {
                return .dateutilLastWeeks
            }
            if rule.weekNumbers.contains(where: { $0 >= 52 }), isSame(without: { $0.month == 1 && $0.day <= 3 }) {
                return .dateutilYearBefore
            }
            return nil
        }
        guard rule.frequency == .weekly, !rule.positions.isEmpty else { return nil }
        // In the first week, one of the answers may have one more match, which also counts for the rule's COUNT.
        let end = rule.start.localSeconds + 8 * 86_400
        let (later, expected) = (theirs.filter { $0 > end }, ours.filter { $0 > end })
        let common = min(later.count, expected.count)
        let isSame = later.prefix(common) == expected.prefix(common) && abs(later.count - expected.count) <= 1
        return isSame && (rule.count != nil || theirs.first != ours.first) ? .dateutilWeek : nil
    }

    private static func croniter(
        _ comparison: Comparison, _ theirs: [Int64], _ agreesWithoutZone: Bool
    ) -> Verdict? {
        let ours = comparison.ours()
        let last = max(ours.last ?? 0, theirs.last ?? 0)
        let crosses = !comparison.rules.transitions(in: comparison.base - 86_400..<last + 86_400).isEmpty
        if theirs == comparison.withEitherDay?.ours() { return .croniterStar }
        if crosses, agreesWithoutZone { return .croniterShift }
        if case .fields(let fields) = comparison.schedule.rule {
            if theirs.isEmpty, fields.days.combination == .or, comparison.withoutWeekdays?.ours().isEmpty == true {
                return .croniterEither
            }
            let rest = ours.filter {
                let date = comparison.rules.local(at: $0).date
                return date.month != 3 || date.day > 3
            }
            let lateDays: UInt64 = 7 << 29
            if fields.days.monthDays & lateDays != 0, rest.count < ours.count, theirs.starts(with: rest) {
                return .croniterFebruary
            }
        }
        let tenYears: Int64 = 10 * 31_556_952
        let isPrefix = theirs.count < ours.count && Array(ours.prefix(theirs.count)) == theirs
        return isPrefix && ours[theirs.count] - (theirs.last ?? comparison.base) > tenYears - 31_622_400
            ? .croniterYears : nil
    }

    private static func systemd(_ comparison: Comparison, _ theirs: [Int64], _ finds: (Int64) -> Bool) -> Verdict? {
        let rules = comparison.rules
        let ours = comparison.ours(ClockPolicy(gap: .skip)) { $0.note != .secondOfRepeated }
        if ours == theirs { return .systemdPolicy }
        if theirs.count < ours.count, Array(ours.prefix(theirs.count)) == theirs { return .systemdLoop }
        let locals = theirs.map { rules.local(at: $0) }
        let shown = ours.map { rules.local(at: $0) }
        if locals == shown { return .systemdCopy }
        // The set `all` has every occurrence that the clock shows, including both copies of a repeated time. systemd
        // may omit an occurrence only if it is near a change, or if systemd finds it when asked from just before it.
        var asked = comparison
        asked.end = theirs.last ?? comparison.end
        asked.count = 20_000
        let all = Set(asked.ours(ClockPolicy(gap: .skip, repeated: .both)))
        guard theirs.allSatisfy(all.contains), theirs == theirs.sorted() else { return nil }
        let expected = asked.ours(ClockPolicy(gap: .skip)) { $0.note != .secondOfRepeated }
        let missed = expected.filter { !theirs.contains($0) }
        let isNear = { (at: Int64) in !rules.transitions(in: at - 90_000..<at + 90_000).isEmpty }
        guard missed.allSatisfy({ isNear($0) || finds($0) }) else { return nil }
        let isAcross = missed.allSatisfy { isNear($0) || !rules.transitions(in: comparison.base..<$0).isEmpty }
        return isAcross || !comparison.text.contains("/") ? .systemdLost : .systemdRepetition
    }
}

/// The counters of a run.
struct Tally {
    var comparisons: [Oracle: Int] = [:]
    var refused: [Oracle: Int] = [:]
    var verdicts: [Verdict: Int] = [:]
    var unexplained: [Oracle: Int] = [:]

    var total: Int { comparisons.values.reduce(0, +) }
    var unexplainedTotal: Int { unexplained.values.reduce(0, +) }

    func disagreements(_ oracle: Oracle) -> Int {
        verdicts.filter { $0.key.oracle == oracle }.values.reduce(0, +) + (unexplained[oracle] ?? 0)
    }

    func report() {
        print("oracle      comparisons  disagreements  unexplained  not answered")
        for oracle in Oracle.allCases {
            let numbers = [
                comparisons[oracle] ?? 0, disagreements(oracle), unexplained[oracle] ?? 0, refused[oracle] ?? 0,
            ]
            let cells = zip(numbers, [13, 15, 13, 14]).map { number, width in
                String(repeating: " ", count: max(1, width - "\(number)".count)) + "\(number)"
            }
            print(oracle.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0) + cells.joined())
        }
        if verdicts.isEmpty { return }
        print("\nverdicts:")
        for (verdict, count) in verdicts.sorted(by: { $0.value > $1.value }) {
            print("- \(verdict.oracle.rawValue), \(count) times: \(verdict.says)")
            print("  right: \(verdict.right)")
            print("  source: \(verdict.source)")
        }
    }
}
