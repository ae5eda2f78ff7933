import ApusCalendar

/// Asks all oracles about random schedules in one zone at one instant.
struct Round {
    static let end: Int64 = 4_133_980_799  // 2100-12-31 23:59:59
    private static let count = 5

    let zone: String
    let rules: TimeZoneRules
    let base: Int64
    let isKnownToJava: Bool
    private var generator: SeededGenerator

    private struct Question {
        var comparison: Comparison
        /// The same question on a clock without changes, for the same oracle.
        var plain: Comparison?
    }

    init(zone: String, rules: TimeZoneRules, base: Int64, isKnownToJava: Bool, seed: UInt64) {
        self.zone = zone
        self.rules = rules
        self.base = base
        self.isKnownToJava = isKnownToJava
        generator = SeededGenerator(seed: seed)
    }

    /// Asks all oracles, which work at the same time, and judges each answer.
    mutating func run(_ oracles: Oracles, _ judge: (Comparison, Answer, Bool) -> Void) throws {
        let events = (0..<6).map { _ in generator.event() }
        oracles.systemd.send(["systemd", zone, "\(base)", "\(Self.count)"] + events)
        let toPython = try askPython(oracles.python)
        let toJava = isKnownToJava ? try askJava(oracles.java) : []

        guard let line = oracles.systemd.receive() else { throw OracleError.ended(.systemd) }
        for (text, answer) in zip(events, line.split(separator: "|", omittingEmptySubsequences: false)) {
            judge(comparison(.systemd, text, try CalendarSchedule(onCalendar: text)), Answer(line: answer), false)
        }
        for question in toPython {
            var agrees = false
            guard let line = oracles.python.receive() else { throw OracleError.ended(question.comparison.oracle) }
            if let plain = question.plain {
                guard let line = oracles.python.receive() else { throw OracleError.ended(.croniter) }
                let answer = Answer(line: line)
                let found = answer.instants(until: plain.end)
                agrees =
                    found.map {
                        $0 == plain.ours() || Verdict.explain(plain, $0, agreesWithoutZone: false) { _ in false } != nil
                    } ?? false
                judge(plain, answer, false)
            }
            judge(question.comparison, Answer(line: line), agrees)
        }
        for question in toJava {
            guard let line = oracles.java.receive() else { throw OracleError.ended(.java) }
            judge(question.comparison, Answer(line: line), false)
        }
    }

    private mutating func askPython(_ python: LineOracle) throws -> [Question] {
        var questions: [Question] = []
        for _ in 0..<2 {
            let text = generator.cron()
            // croniter writes the last Friday of a month as `L5`.
            let theirs = text.hasSuffix("L") ? text.dropLast(2) + "L" + text.dropLast().suffix(1) : text
            let zoned = comparison(.croniter, text, try CalendarSchedule(cron: text))
            var plain = zoned
            (plain.zone, plain.rules, plain.base) = ("UTC", .utc, rules.local(at: base).localSeconds)
            for each in [zoned, plain] { python.send(["cron", each.zone, "\(each.base)", "\(Self.count)", theirs]) }
            questions.append(Question(comparison: zoned, plain: plain))
        }
        for _ in 0..<2 {
            let rule = generator.recurrence()
            let start = rules.local(at: base - Int64(generator.number(0...40_000_000)))
            let schedule = try CalendarSchedule(recurrence: rule, start: start)
            var each = comparison(.dateutil, rule, schedule)
            // The comparison ends after 20 years, because dateutil examines every day of a rule that never matches.
            each.end = min(Self.end, base + 20 * 366 * 86_400)
            questions.append(Question(comparison: each))
            python.send(
                ["rrule", zone, "\(base)", "\(Self.count)", "\(each.end)", "\(start.localSeconds)", rule])
        }
        return questions
    }

    private mutating func askJava(_ java: LineOracle) throws -> [Question] {
        var questions: [Question] = []
        for _ in 0..<3 {
            let (cron, fields) = generator.fields()
            let schedule = try CalendarSchedule(cron: cron)
            guard case .fields(let read) = schedule.rule else { continue }
            let policy = ClockPolicy(
                gap: generator.pick(GapPolicy.allCases), repeated: generator.pick(RepeatedPolicy.allCases))
            var each = comparison(.java, cron, schedule)
            each.count = 40
            // The comparison ends after a few days or weeks, because the Java program examines every minute.
            each.end = min(Self.end, base + 86_400 * (read.isStepping ? 10 : 100))
            if !read.isStepping { each.policy = policy }
            let kind = read.isStepping ? "walk" : "fixed"
            let policies = read.isStepping ? [] : [policy.gap.rawValue, policy.repeated.rawValue]
            java.send([kind, zone, "\(base)", "\(each.count)", "\(each.end)", fields] + policies)
            questions.append(Question(comparison: each))
        }
        return questions
    }

    private func comparison(_ oracle: Oracle, _ text: String, _ schedule: CalendarSchedule) -> Comparison {
        Comparison(
            oracle: oracle, text: text, schedule: schedule, zone: zone, rules: rules, base: base, count: Self.count,
            end: Self.end)
    }
}
