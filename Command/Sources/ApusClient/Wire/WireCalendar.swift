public import ApusCalendar
import ApusJSON
public import ApusJobs
public import ApusTimers

/// A schedule of the calendar in the notations that users write; an absent part has its default.
public struct WireCalendar: Codable, Hashable, Sendable {
    /// The schedule: `every weekday at 18:30`, cron's `30 18 * * 1-5`, systemd's `Mon..Fri 18:30`, a rule of RFC 5545,
    /// or the stored form of a schedule, as JSON.
    public var schedule: String
    /// The notation: `words`, `cron`, `calendar` or `rrule`; `nil` if it is to be recognised from the schedule.
    public var form: ScheduleForm?
    /// The IANA name of the time zone; the default is the daemon's own.
    ///
    /// A zone in the schedule takes precedence.
    public var zone: String?
    /// The policy for a time of day that the clock skips: `after` (the default) or `skip`.
    public var gap: GapPolicy?
    /// The policy for a time of day that the clock shows twice: `first` (the default) or `both`.
    public var repeated: RepeatedPolicy?
    /// The number of occurrences after the submission.
    public var count: Int?
    /// The first local date or date-time, such as `2026-12-24` or `2026-12-24T18:00:00`.
    public var from: String?
    /// The last local date or date-time; a date includes its whole day.
    public var until: String?
    /// The exclusions: dates, ranges of dates (`2026-12-24/2026-12-26`), and schedules.
    ///
    /// Nothing is due on an excluded date, or on a date on which an excluded schedule has an occurrence.
    public var except: [String]?
    /// The upper bound of the job's delay (a duration); each job has its own delay, which is always the same.
    public var spread: String?

    /// Creates a schedule.
    public init(
        schedule: String, form: ScheduleForm? = nil, zone: String? = nil, gap: GapPolicy? = nil,
        repeated: RepeatedPolicy? = nil, count: Int? = nil, from: String? = nil, until: String? = nil,
        except: [String]? = nil, spread: String? = nil
    ) {
        self.schedule = schedule
        self.form = form
        self.zone = zone
        self.gap = gap
        self.repeated = repeated
        self.count = count
        self.from = from
        self.until = until
        self.except = except
        self.spread = spread
    }

    /// Reads the schedule as a trigger.
    ///
    /// A rule without a beginning begins at `now`. If a schedule is due every second week, the weeks are counted from
    /// the week of `now`.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - zones: the rules of zones.
    ///   - name: a closure that returns the name of a field for an error.
    /// - Returns: the trigger, with the defaults of all absent parts.
    /// - Throws: `TextError` with the field, its text, and the accepted forms.
    public func parsed(
        at now: WallInstant, in zones: any TimeZones, calling name: (String) -> String
    ) throws(TextError) -> CalendarTrigger {
        let given = zone ?? SystemTimeZones.shared.local.name
        let local = try rules(of: given, in: zones, name("zone"))
            .local(at: Int64(clamping: now.nanoseconds / 1_000_000_000))
        var parsed: CalendarSchedule
        do { parsed = try Self.schedule(schedule, form: form, now: local, argument: name("schedule")) } catch {
            var error = error
            error.suggestions.removeAll { text in
                (try? CalendarSchedule(text: text, form: form, now: local)).map { !zones.hasZone(of: $0) } ?? true
            }
            throw error
        }
        if let zone = parsed.timeZone { _ = try rules(of: zone, in: zones, name("schedule")) }
        if let from { parsed.from = try Self.moment(from, isEnd: false, argument: name("from")) }
        if let until { parsed.until = try Self.moment(until, isEnd: true, argument: name("until")) }
        if let from = parsed.from, let until = parsed.until, until < from {
            throw TextError(
                argument: name("until"), given: self.until ?? "\(until)", message: "it is before \(from)",
                acceptedForms: ["a later date or date-time"])
        }
        for text in except ?? [] {
            parsed.exclusions.append(try Self.exclusion(text, now: local, argument: name("except")))
        }
        if let spread { parsed.spread = try Self.seconds(spread, argument: name("spread")) }
        if let count, count < 1 {
            throw TextError(
                argument: name("count"), given: "\(count)", message: "it must be at least 1",
                acceptedForms: ["1", "10"])
        }
        return CalendarTrigger(
            parsed, timeZone: given,
            policy: ClockPolicy(gap: gap ?? .after, repeated: repeated ?? .first), count: count)
    }

    /// Creates the parts of a trigger, from which ``parsed(at:in:calling:)`` makes the same trigger at any instant.
    public init(_ trigger: CalendarTrigger) {
        let schedule = trigger.schedule
        self.init(
            schedule: schedule.ruleText ?? schedule.ruleJSON, zone: trigger.timeZone, gap: trigger.policy.gap,
            repeated: trigger.policy.repeated, count: trigger.count, from: schedule.from.map(Self.text),
            until: schedule.until.map(Self.text),
            except: schedule.exclusions.isEmpty ? nil : schedule.exclusions.map(Self.text),
            spread: schedule.spread == 0 ? nil : DurationText.iso8601(.seconds(schedule.spread)))
    }

    private func rules(
        of zone: String, in zones: any TimeZones, _ argument: String
    ) throws(TextError) -> TimeZoneRules {
        do { return try zones.zone(zone).rules } catch {
            throw TextError(
                argument: argument, given: zone, message: error.description,
                acceptedForms: ["Europe/Berlin", "America/New_York", "UTC"])
        }
    }

    private static func schedule(
        _ text: String, form: ScheduleForm?, now: CivilDateTime, argument: String
    ) throws(TextError) -> CalendarSchedule {
        if text.hasPrefix("{"), form == nil {
            do { return try LenientJSON.decode(from: text.utf8) } catch {
                throw TextError(
                    argument: argument, given: text, message: "it is not the stored form of a schedule",
                    acceptedForms: [#"{"rule": "every day at 9:00"}"#])
            }
        }
        do { return try CalendarSchedule(text: text, form: form, now: now) } catch {
            throw TextError(
                argument: argument, given: text, message: error.problem,
                acceptedForms: form.map { [example(of: $0)] } ?? ScheduleForm.allCases.map(example),
                suggestions: error.suggestions)
        }
    }

    private static func example(of form: ScheduleForm) -> String {
        switch form {
        case .words: "every weekday at 18:30"
        case .cron: "30 18 * * 1-5"
        case .calendar: "Mon..Fri 18:30"
        case .rrule: "RRULE:FREQ=DAILY"
        }
    }

    /// Reads a date, or a date-time with or without seconds, with `T` or a space between date and time.
    private static func moment(_ text: String, isEnd: Bool, argument: String) throws(TextError) -> CivilDateTime {
        let parts = text.unicodeScalars.split(whereSeparator: { $0 == "T" || $0 == " " }).map(String.init)
        let time = parts.count == 2 ? parts[1] : isEnd ? "23:59:59" : "00:00:00"
        let full = time.unicodeScalars.split(separator: ":").count == 2 ? time + ":00" : time
        if (1...2).contains(parts.count), let moment = CivilDateTime("\(parts[0])T\(full)") { return moment }
        throw TextError(
            argument: argument, given: text, message: "it is neither a date nor a date-time without an offset",
            acceptedForms: ["2026-12-24", "2026-12-24T18:00", "2026-12-24 18:00:00"])
    }

    private static func exclusion(
        _ text: String, now: CivilDateTime, argument: String
    ) throws(TextError) -> CalendarSchedule.Exclusion {
        let ends = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map {
            CivilDate(Substring($0))
        }
        if let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first <= last {
            return .dates(first...last)
        }
        do { return .schedule(try schedule(text, form: nil, now: now, argument: argument)) } catch {
            throw TextError(
                argument: argument, given: text,
                message: "it is not a date, a range of dates or a schedule (\(error.message))",
                acceptedForms: ["2026-12-24", "2026-12-24/2026-12-26", "every month on the last friday at 9:00"])
        }
    }

    private static func seconds(_ text: String, argument: String) throws(TextError) -> Int {
        let duration = try DurationText.parse(text, argument: argument)
        let (seconds, rest) = duration.components
        guard rest == 0, seconds <= 31_622_400 else {
            throw TextError(
                argument: argument, given: text, message: "it is not a number of whole seconds up to 366 days",
                acceptedForms: ["10m", "90s"])
        }
        return Int(seconds)
    }

    private static func text(_ moment: CivilDateTime) -> String {
        "\(moment)".unicodeScalars.split(separator: " ").map(String.init).joined(separator: "T")
    }

    private static func text(_ exclusion: CalendarSchedule.Exclusion) -> String {
        switch exclusion {
        case .dates(let range) where range.lowerBound == range.upperBound: "\(range.lowerBound)"
        case .dates(let range): "\(range.lowerBound)/\(range.upperBound)"
        case .schedule(let other): other == CalendarSchedule(other.rule) ? other.ruleText ?? other.json : other.json
        }
    }
}

extension CalendarSchedule {
    /// The stored form of the rule alone, as JSON.
    fileprivate var ruleJSON: String { CalendarSchedule(rule).json }

    /// The stored form of the whole schedule, as JSON.
    fileprivate var json: String {
        // The schedule of a job was stored before, so it can be encoded.
        (try? JSONText.bytes(of: self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension TimeZones {
    /// Whether these zones contain the zone that a schedule names; `true` if it names none.
    package func hasZone(of schedule: CalendarSchedule) -> Bool {
        schedule.timeZone.map { (try? zone($0)) != nil } ?? true
    }
}
