public import ApusCalendar
public import ApusJobs
public import ApusTimers

/// What `POST /v1/preview` is asked.
public struct WirePreviewRequest: Codable, Hashable, Sendable {
    /// The schedule.
    public var calendar: WireCalendar
    /// The job's identifier, from which cron's H and the spread are hashed.
    public var job: String?
    /// Begin after this instant (ISO 8601) instead of now.
    public var after: String?
    /// How many occurrences, 1 to 1000; 10 unless given.
    public var number: Int?

    /// A question.
    public init(calendar: WireCalendar, job: String? = nil, after: String? = nil, number: Int? = nil) {
        self.calendar = calendar
        self.job = job
        self.after = after
        self.number = number
    }
}

extension WirePreviewRequest {
    /// - Throws: what names the field and says what is accepted.
    package func answered(at now: WallInstant, in zones: any TimeZones) throws -> WirePreview {
        guard (1...1_000).contains(number ?? 1) else {
            throw DaemonError(.invalid, "number: \(number ?? 0) is not a whole number from 1 to 1000")
        }
        let trigger = try calendar.parsed(at: now, in: zones) { "calendar.\($0)" }
        let begin = try after.map { try TimeText.parseISO8601($0, argument: "after") }
        return try WirePreview(trigger, job: job ?? "", after: begin ?? now, limit: number ?? 10, in: zones)
    }
}

/// When a schedule is due next, and how else it is written.
public struct WirePreview: Codable, Hashable, Sendable {
    /// One due instant.
    public struct Due: Codable, Hashable, Sendable {
        /// In the zone's local time, with its offset.
        public var instant: String
        /// The day of the week.
        public var day: String
        /// What a change of the clock did.
        @Nullable public var note: String?
    }

    /// The IANA name of the zone.
    public var zone: String
    /// The schedule in each form that can say it, by `words`, `cron`, `calendar` and `rrule`.
    public var forms: [String: String]
    /// What a reader of the schedule may misunderstand.
    public var warnings: [String]
    /// The due instants. Fewer than asked for if nothing later is due until the end of the year 2200.
    public var next: [Due]

    /// The next `limit` due instants of a trigger after `instant`.
    /// - Throws: `ZoneError`.
    public init(
        _ trigger: CalendarTrigger, job: String, after instant: WallInstant, limit: Int, in zones: any TimeZones
    ) throws(ZoneError) {
        zone = trigger.timeZone
        forms = [:]
        for form in ScheduleForm.allCases { forms[form.rawValue] = trigger.schedule.text(in: form) }
        warnings = trigger.schedule.warnings
        let search = PreparedSchedule(
            trigger.schedule, in: try zones.zone(zone).rules, policy: trigger.policy, identifier: job)
        next = []
        var last = Int64(clamping: instant.nanoseconds / 1_000_000_000)
        let limit = min(limit, trigger.count ?? .max)
        while next.count < limit, let due = search.next(after: last) {
            var shown = Due(due)
            if let skipped = search.skipped(after: last, through: due.instant), shown.note == nil {
                shown.note = "the clock skipped \(skipped): nothing was due then"
            }
            next.append(shown)
            last = due.instant
        }
    }

    /// `every weekday at 9:00 = 0 9 * * 1-5 = Mon..Fri *-*-* 09:00:00, in Europe/Berlin`
    public var description: String {
        let said = ScheduleForm.allCases.compactMap {
            forms[$0.rawValue].map { $0.unicodeScalars.split(separator: "\n").map(String.init).joined(separator: " ") }
        }
        return said.joined(separator: " = ") + (said.isEmpty ? "in \(zone)" : ", in \(zone)")
    }
}

extension WirePreview.Due {
    package init(_ due: Occurrence) {
        let time = due.local.time
        let clock = [time.hour, time.minute, time.second].map(Self.two).joined(separator: ":")
        instant = "\(due.local.date)T\(clock)\(Self.offset(due.offset))"
        day = due.local.date.weekday.name
        note = due.note.map { DueNote($0).description }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// `+01:00`; with seconds where the zone has some.
    private static func offset(_ seconds: Int) -> String {
        let size = abs(seconds)
        let rest = size % 60 == 0 ? "" : ":\(two(size % 60))"
        return "\(seconds < 0 ? "-" : "+")\(two(size / 3_600)):\(two(size / 60 % 60))\(rest)"
    }
}

/// What `GET /v1/upcoming` answers: what is to come of all jobs, the soonest first.
public struct WireUpcoming: Codable, Hashable, Sendable {
    /// One occurrence.
    public struct Occurrence: Codable, Hashable, Sendable {
        /// The job's identifier.
        public var job: String
        /// The job's name.
        @Nullable public var name: String?
        /// When it is due.
        public var due: String
        /// What a change of the clock does to it.
        @Nullable public var note: String?

        package init(job: String, name: String? = nil, due: String, note: String? = nil) {
            self.job = job
            self.name = name
            self.due = due
            self.note = note
        }
    }

    /// The occurrences.
    public var occurrences: [Occurrence]
    /// Jobs that have more occurrences in the time than are listed, by their identifiers.
    public var truncated: [String]
    /// There are more occurrences than an answer lists: those that are due at or after this instant may be missing. `null`
    /// if all are listed.
    @Nullable public var cut: String?

    package init(occurrences: [Occurrence], truncated: [String], cut: String? = nil) {
        self.occurrences = occurrences
        self.truncated = truncated
        self.cut = cut
    }
}
