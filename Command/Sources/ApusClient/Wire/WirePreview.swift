public import ApusCalendar
public import ApusJobs
public import ApusTimers

/// The body of `POST /v1/preview`.
public struct WirePreviewRequest: Codable, Hashable, Sendable {
    /// The schedule.
    public var calendar: WireCalendar
    /// The job's identifier, whose hash determines cron's `H` and the delay of a spread.
    public var job: String?
    /// The instant (ISO 8601) after which the preview begins; the default is the present.
    public var after: String?
    /// The number of occurrences, 1 to 1000; the default is 10.
    public var number: Int?

    /// Creates a request.
    public init(calendar: WireCalendar, job: String? = nil, after: String? = nil, number: Int? = nil) {
        self.calendar = calendar
        self.job = job
        self.after = after
        self.number = number
    }
}

extension WirePreviewRequest {
    /// Returns the answer to the request.
    ///
    /// - Throws: an error that names the field and the accepted forms.
    package func answered(at now: WallInstant, in zones: any TimeZones) throws -> WirePreview {
        guard (1...1_000).contains(number ?? 1) else {
            throw DaemonError(.invalid, "number: \(number ?? 0) is not a whole number from 1 to 1000")
        }
        let trigger = try calendar.parsed(at: now, in: zones) { "calendar.\($0)" }
        let begin = try after.map { try TimeText.parseISO8601($0, argument: "after") }
        return try WirePreview(trigger, job: job ?? "", after: begin ?? now, limit: number ?? 10, in: zones)
    }
}

/// The next due instants of a schedule, and its other notations.
public struct WirePreview: Codable, Hashable, Sendable {
    /// One due instant.
    public struct Due: Codable, Hashable, Sendable {
        /// The due instant in the zone's local time, with its offset.
        public var instant: String
        /// The day of the week.
        public var day: String
        /// The effect of a clock change on the due instant.
        @Nullable public var note: String?
    }

    /// The IANA name of the zone.
    public var zone: String
    /// The schedule in each notation that can express it, keyed by `words`, `cron`, `calendar` and `rrule`.
    public var forms: [String: String]
    /// The parts of the schedule that a reader may misunderstand, in words.
    public var warnings: [String]
    /// The due instants, fewer than requested if the trigger's count is smaller, or if nothing more is due until the
    /// end of 2200.
    public var next: [Due]

    /// Finds the next `limit` due instants of a trigger after `instant`.
    ///
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

    /// The schedule in all its notations, such as `every weekday at 9:00 = 0 9 * * 1-5 = Mon..Fri *-*-* 09:00:00, in
    /// Europe/Berlin`.
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

    /// Returns an offset such as `+01:00`, with seconds if it has them.
    private static func offset(_ seconds: Int) -> String {
        let size = abs(seconds)
        let rest = size % 60 == 0 ? "" : ":\(two(size % 60))"
        return "\(seconds < 0 ? "-" : "+")\(two(size / 3_600)):\(two(size / 60 % 60))\(rest)"
    }
}

/// The answer of `GET /v1/upcoming`: the coming occurrences of all jobs, soonest first.
public struct WireUpcoming: Codable, Hashable, Sendable {
    /// One occurrence.
    public struct Occurrence: Codable, Hashable, Sendable {
        /// The job's identifier.
        public var job: String
        /// The job's name.
        @Nullable public var name: String?
        /// The instant at which the occurrence is due.
        public var due: String
        /// The effect of a clock change on the due instant.
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
    /// The identifiers of the jobs with more occurrences in the period than are listed.
    public var truncated: [String]
    /// The instant from which on occurrences may be missing; `null` if all are listed.
    ///
    /// Occurrences are missing if there are more of them than an answer lists.
    @Nullable public var cut: String?

    package init(occurrences: [Occurrence], truncated: [String], cut: String? = nil) {
        self.occurrences = occurrences
        self.truncated = truncated
        self.cut = cut
    }
}
