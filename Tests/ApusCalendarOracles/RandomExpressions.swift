/// A generator of pseudorandom numbers (SplitMix64), which depend only on the seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func chance(_ one: Int) -> Bool { number(1...one) == 1 }

    mutating func pick<Element>(_ list: [Element]) -> Element { list[number(0...list.count - 1)] }

    mutating func numbers(_ range: ClosedRange<Int>, _ most: Int = 3) -> [Int] {
        Set((0..<number(1...most)).map { _ in number(range) }).sorted()
    }
}

/// Random schedules in the syntax that Apus and an oracle share.
extension SeededGenerator {
    // MARK: cron, as croniter reads it

    private mutating func cronField(_ range: ClosedRange<Int>, stars: Int) -> String {
        if chance(stars) { return chance(3) ? "*/\(number(2...max(2, range.upperBound / 2)))" : "*" }
        return (0..<number(1...3)).map { _ in
            let first = number(range)
            if chance(3), first < range.upperBound {
                let last = number(first + 1...range.upperBound)
                return "\(first)-\(last)" + (chance(3) ? "/\(number(1...5))" : "")
            }
            return "\(first)"
        }.joined(separator: ",")
    }

    mutating func cron() -> String {
        let minute = chance(4) ? "*/\(pick([5, 10, 15, 20, 30]))" : cronField(0...59, stars: 6)
        let hour = chance(2) ? "\(number(0...4))" : cronField(0...23, stars: 2)
        var day = chance(4) ? cronField(1...31, stars: 4) : "*"
        let month = chance(5) ? cronField(1...12, stars: 4) : "*"
        var weekday = chance(4) ? cronField(0...6, stars: 4) : "*"
        if chance(12) { (day, weekday) = ("L", "*") }
        if chance(12) { (day, weekday) = ("*", "\(number(0...6))#\(number(1...5))") }
        if chance(12) { (day, weekday) = ("*", "\(number(0...6))L") }
        return "\(minute) \(hour) \(day) \(month) \(weekday)"
    }

    // MARK: systemd

    private mutating func component(_ range: ClosedRange<Int>, stars: Int, width: Int = 2) -> String {
        if chance(stars) { return "*" }
        return (0..<number(1...2)).map { _ in
            let first = number(range)
            switch number(1...6) {
            // systemd refuses a repetition whose first step already leaves the range.
            case 1 where first < range.upperBound: return "\(first)/\(number(1...range.upperBound - first))"
            case 2 where first < range.upperBound:
                return "\(first)..\(number(first + 1...range.upperBound))"
            case 3 where first < range.upperBound:
                return "\(first)..\(number(first + 1...range.upperBound))/\(number(1...5))"
            default: return "\(first)"
            }
        }.joined(separator: ",")
    }

    mutating func event() -> String {
        var parts: [String] = []
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        if chance(3) {
            let first = number(0...6)
            parts.append(chance(3) && first < 6 ? "\(names[first])..\(names[number(first + 1...6)])" : names[first])
            if chance(3) { parts[0] += ",\(pick(names))" }
        }
        if chance(2) {
            let month = chance(2) ? "*" : component(1...12, stars: 3)
            let year = chance(6) ? "\(number(1975...2095))" : "*"
            let day = chance(5) ? "~\(number(1...28))" : "-\(component(1...31, stars: 3))"
            parts.append("\(year)-\(month)\(day)")
        }
        let hour = chance(2) ? "\(number(0...4))" : component(0...23, stars: 3)
        let minute = chance(4) ? "0/\(pick([5, 10, 15, 20, 30]))" : component(0...59, stars: 6)
        parts.append("\(hour):\(minute)" + (chance(4) ? ":\(component(0...59, stars: 10))" : ""))
        return parts.joined(separator: " ")
    }

    // MARK: RFC 5545, as dateutil reads it

    private mutating func list(_ name: String, _ range: ClosedRange<Int>, signed: Bool = false) -> String {
        ";\(name)=" + numbers(range).map { signed && chance(3) ? "-\($0)" : "\($0)" }.joined(separator: ",")
    }

    mutating func recurrence() -> String {
        let frequency = pick(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "DAILY", "WEEKLY", "MONTHLY"])
        let (isYearly, isMonthly) = (frequency == "YEARLY", frequency == "MONTHLY")
        var rule = "FREQ=\(frequency)"
        if chance(2) { rule += ";INTERVAL=\(number(1...6))" }
        if chance(8) { rule += ";COUNT=\(number(1...30))" }
        if chance(4) { rule += list("BYMONTH", 1...12) }
        if chance(4), frequency != "WEEKLY" { rule += list("BYMONTHDAY", 1...31, signed: true) }
        if chance(6), isYearly { rule += list("BYYEARDAY", 1...366, signed: true) }
        let hasWeeks = chance(6) && isYearly
        if hasWeeks { rule += list("BYWEEKNO", 1...53, signed: true) }
        var hasDays = false
        if chance(2) || hasWeeks {
            let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
            let ordinals = (isMonthly || isYearly && !hasWeeks) && chance(2)
            let days = (0..<number(1...3)).map { _ in
                (ordinals ? pick(["1", "2", "-1", "3", "-2"]) : "") + pick(names)
            }
            rule += ";BYDAY=" + Set(days).sorted().joined(separator: ",")
            hasDays = true
        }
        if chance(3) { rule += list("BYHOUR", 0...23) } else if chance(2) { rule += ";BYHOUR=\(number(0...4))" }
        if chance(3) { rule += list("BYMINUTE", 0...59) }
        if hasDays, chance(6) { rule += ";BYSETPOS=\(pick(["1", "-1", "2"]))" }
        if chance(6) { rule += ";WKST=\(pick(["MO", "SU", "WE"]))" }
        return rule
    }

    // MARK: Fields, as the program in Java reads them

    /// Returns random fields, both in the form of cron and in that of the Java program.
    mutating func fields() -> (cron: String, fields: String) {
        func text(_ list: [Int]?) -> String { list.map { $0.map(String.init).joined(separator: ",") } ?? "*" }
        let minutes: [Int]? =
            chance(5) ? nil : chance(3) ? Array(stride(from: 0, to: 60, by: pick([15, 20, 30]))) : numbers(0...59)
        let hours: [Int]? = chance(3) ? nil : chance(2) ? numbers(0...4) : numbers(0...23)
        let days: [Int]? = chance(5) ? numbers(1...31) : nil
        let months: [Int]? = chance(6) ? numbers(1...12) : nil
        let weekdays: [Int]? = chance(5) ? numbers(1...7) : nil
        // Minutes at equal distances are written as a step, so that some of the schedules follow elapsed time.
        let minuteText = minutes.map { list in
            list.count > 1 && list == Array(stride(from: 0, to: 60, by: list[1])) ? "*/\(list[1])" : text(list)
        }
        let cron = "\(minuteText ?? "*") \(text(hours)) \(text(days)) \(text(months)) \(text(weekdays))"
        return (cron, [minutes, hours, days, months, weekdays].map(text).joined(separator: "|"))
    }
}
