extension CalendarSchedule {
    /// Reads a cron expression of five, six (seconds first) or seven fields (year last).
    ///
    /// - Parameter cron: The expression; `CRON_TZ=Europe/Berlin` may precede it.
    /// - Throws: ``ScheduleTextError`` with the column.
    public init(cron: String) throws(ScheduleTextError) { self = try CronParser.parse(cron) }

    /// The schedule as a cron expression, or nil if cron cannot say it exactly.
    public var cron: String? {
        guard case .fields(let fields) = rule, from == nil, until == nil, count == nil, exclusions.isEmpty, spread == 0,
            fields.weekInterval == nil, let time = fields.gridText(.cron)
        else { return nil }
        func hash(_ field: CalendarFields.Field) -> String? {
            guard let hash = fields.hashed.first(where: { $0.field == field }) else { return nil }
            return "H(\(hash.lower)-\(hash.upper))" + (hash.step.map { "/\($0)" } ?? "")
        }
        let days = fields.days
        var monthDays = days.monthDays == 0 ? [] : [NumberSet.list(days.monthDays.setBits, range: "-")]
        monthDays += days.fromEnd.setBits.map { $0 == 1 ? "L" : "L-\($0 - 1)" }
        monthDays += days.nearestWeekdays.setBits.map { "\($0)W" }
        if days.lastWeekday { monthDays.append("LW") }
        let weekdayBits = days.weekdays.has(7) ? days.weekdays & ~(1 << 7) | 1 : days.weekdays
        var weekdays = weekdayBits == 0 ? [] : [NumberSet.list(weekdayBits.setBits, range: "-")]
        weekdays += days.ordinals.setBits.map { "\(($0 / 8 + 1) % 7)" + ($0 % 8 == 6 ? "L" : "#\($0 % 8)") }
        var day = hash(.day) ?? monthDays.joined(separator: ",")
        var weekday = hash(.weekday) ?? weekdays.joined(separator: ",")
        if !day.isEmpty, !weekday.isEmpty, days.combination == .and { weekday = "+" + weekday }
        if day.isEmpty { day = "*" }
        if weekday.isEmpty { weekday = "*" }
        let month =
            fields.months == CalendarFields.allMonths ? "*" : NumberSet.list(fields.months.setBits, range: "-")
        var parts = [hash(.minute) ?? time.minute, hash(.hour) ?? time.hour, day, hash(.month) ?? month, weekday]
        let second = hash(.second) ?? time.second
        if second != "0" || fields.years != nil { parts.insert(second, at: 0) }
        if let years = fields.years { parts.append(NumberSet.list(years, range: "-")) }
        if let timeZone { parts.insert("CRON_TZ=\(timeZone)", at: 0) }
        return parts.joined(separator: " ")
    }
}

/// The two notations that write times as fields.
enum FieldNotation {
    case cron
    case calendar
}

extension CalendarFields {
    /// The fields of the times, or nil if the times are no grid or its steps cannot be written as steps.
    func gridText(_ notation: FieldNotation) -> (hour: String, minute: String, second: String)? {
        guard case .grid(let hours, let minutes, let seconds) = times else { return nil }
        let everyHour = hours == TimesOfDay.allHours
        let hashSteps = hashed.contains { $0.step != nil && ($0.field == .minute || $0.field == .second) }
        let minuteSteps = isStepping ? steps(minutes, notation) : nil
        let secondSteps = isStepping ? steps(seconds, notation) : nil
        if isStepping, !everyHour, minuteSteps == nil, secondSteps == nil, !hashSteps { return nil }
        return (
            everyHour ? "*" : values(hours, notation), minuteSteps ?? values(minutes, notation),
            secondSteps ?? values(seconds, notation)
        )
    }

    private func values(_ bits: UInt64, _ notation: FieldNotation) -> String {
        notation == .cron
            ? NumberSet.list(bits.setBits, range: "-") : NumberSet.list(bits.setBits, range: "..") { padded($0) }
    }

    private func steps(_ bits: UInt64, _ notation: FieldNotation) -> String? {
        if bits == TimesOfDay.allSixty { return "*" }
        guard let (first, step, last) = NumberSet.progression(bits.setBits) else { return nil }
        let open = last + step > 59
        if notation == .cron { return first == 0 && open ? "*/\(step)" : "\(first)-\(last)/\(step)" }
        return open ? "\(padded(first))/\(step)" : "\(padded(first))..\(padded(last))/\(step)"
    }
}
