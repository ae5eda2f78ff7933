import ApusCalendar
import ApusClient
import ApusJobs
import ArgumentParser

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change a job that has not ended: by options, or in an editor. Its identifier and history stay.",
        discussion: """
            Everything that is not named stays as it is. The change applies to later runs, and does not affect a run \
            in progress. A new schedule counts from now on.
            Examples:
              apus edit backup --timeout 10m --retry 3 --label team=blue
              apus edit backup --every 'weekday at 18:30'
              apus edit backup -- /usr/local/bin/backup --verbose
              apus edit backup --editor
            """)

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String

    @Flag(
        help: ArgumentHelp(
            "Open the job in $VISUAL, $EDITOR or vi, in the form that apus export writes, and apply the changes.",
            discussion: "If the edited text is refused, it is kept in a file, which the message names."))
    var editor = false

    @Option(help: ArgumentHelp("The new name.", valueName: "name"))
    var name: String?

    @Flag(help: "Remove the name.")
    var noName = false

    @Option(
        help: ArgumentHelp("Add a label, or give it another value; can be given several times.", valueName: "key=value")
    )
    var label: [String] = []

    @Option(help: ArgumentHelp("Remove a label; can be given several times.", valueName: "key"))
    var removeLabel: [String] = []

    @Option(help: ArgumentHelp("The new queue.", valueName: "queue"))
    var queue: String?

    @Option(help: ArgumentHelp("The new priority: low, normal, high, urgent.", valueName: "priority"))
    var priority: String?

    @Option(help: ArgumentHelp("The new fairness key.", valueName: "key"))
    var fairnessKey: String?

    @Flag(help: "Remove the fairness key.")
    var noFairnessKey = false

    @OptionGroup var policies: EditedPolicies
    @OptionGroup var schedule: EditedSchedule
    @OptionGroup var action: EditedAction

    @Flag(help: "Print the job as JSON.")
    var json = false

    func run() async throws {
        try await reporting(naming: editor ? [:] : JobOptions.fields) {
            let session = try Session()
            var change = try simpleChange()
            change.trigger = try schedule.trigger()
            if editor, !change.isEmpty || !action.isEmpty {
                throw ValidationError(
                    "--editor: cannot be used with other changes; leave them out, and make them in the editor")
            }
            guard editor || !change.isEmpty || !action.isEmpty else {
                throw ValidationError(
                    "there is nothing to change; give a change, such as --timeout 10m, or use --editor")
            }
            let job = try await session.call { try await $0.job(id) }
            if editor {
                guard let edited = try await JobDocument(job).edited() else { return try show(job, "is unchanged") }
                try await apply(edited.change, to: job, session, onRefusal: edited.keep)
                return
            }
            change.action = try action.applied(to: job.action)
            try await apply(change, to: job, session)
        }
    }

    private func apply(
        _ change: WireJobChange, to job: WireJob, _ session: Session, onRefusal: () -> Void = {}
    ) async throws {
        do {
            let changed = try await session.call { try await $0.change(job.id, change) }
            let isSame = WireExportedJob(changed).submission == WireExportedJob(job).submission
            try show(changed, isSame ? "is unchanged" : "changed")
        } catch {
            onRefusal()
            throw error
        }
    }

    private func show(_ job: WireJob, _ what: String) throws {
        if json { return try Terminal.json(job) }
        Terminal.out(
            "\(job.id)\(job.name.map { " (\($0))" } ?? "") \(what)  \(When.due(job))  \(Colour.dim(job.actionText))")
    }

    /// Returns the part of the change that does not depend on the job.
    private func simpleChange() throws -> WireJobChange {
        guard name == nil || !noName else { throw ValidationError("--no-name: cannot be used with --name") }
        guard fairnessKey == nil || !noFairnessKey else {
            throw ValidationError("--no-fairness-key: cannot be used with --fairness-key")
        }
        if let priority { _ = try PolicyText.priority(priority) }
        var labels = try JobOptions.pairs(label, option: "--label").mapValues { FieldChange.set($0) }
        for key in removeLabel {
            guard labels.updateValue(.removed, forKey: key) == nil else {
                throw ValidationError("--remove-label: \"\(key)\" is also given to --label; give it to one of them")
            }
        }
        return WireJobChange(
            name: noName ? .removed : name.map { .set($0) } ?? .unchanged,
            policies: try policies.change(), labels: labels.isEmpty ? nil : labels,
            queue: queue.map { .set($0) } ?? .unchanged, priority: priority.map { .set($0) } ?? .unchanged,
            fairnessKey: noFairnessKey ? .removed : fairnessKey.map { .set($0) } ?? .unchanged)
    }
}

/// The options for new policies, which are those of `after` and similar subcommands.
///
/// If the default of an option has no value that can be written, such as no time limit, `none` stands for it.
struct EditedPolicies: ParsableArguments {
    @Option(help: ArgumentHelp("How much later it may start; or none.", valueName: "duration"))
    var tolerance: String?

    @Option(help: ArgumentHelp("What happens to missed runs: run-once, skip, run-all[:N].", valueName: "policy"))
    var missed: String?

    @Option(
        help: ArgumentHelp(
            "What happens while an earlier occurrence runs: skip, queue[:N], allow[:N], replace.", valueName: "policy"))
    var overlap: String?

    @Option(help: ArgumentHelp("How many more attempts after a failed one.", valueName: "n"))
    var retry: String?

    @Option(
        help: ArgumentHelp("How long an attempt may take, beginning with the next one; or none.", valueName: "duration")
    )
    var timeout: String?

    @Option(help: ArgumentHelp("How late an occurrence may begin; or none.", valueName: "duration"))
    var expiry: String?

    @Option(
        help: ArgumentHelp(
            "What it waits for: network, power, idle, separated by commas; or none.", valueName: "conditions"))
    var when: String?

    @Option(
        help: ArgumentHelp("How long the job is kept after its end; or none.", valueName: "duration"))
    var retention: String?

    /// Returns the change of the policies; `nil` if no option is given.
    func change() throws -> WireJobChange.Policies? {
        if let missed { _ = try PolicyText.missedRuns(missed) }
        if let overlap { _ = try PolicyText.overlap(overlap) }
        let retry = try retry.map(RetryText.parse)
        let change = WireJobChange.Policies(
            tolerance: try duration(tolerance, "--tolerance"), missed: missed.map { .set($0) } ?? .unchanged,
            overlap: overlap.map { .set($0) } ?? .unchanged, retry: retry.map { .set($0) } ?? .unchanged,
            timeout: try duration(timeout, "--timeout"), expiry: try duration(expiry, "--expiry"),
            when: try conditions(), retention: try duration(retention, "--retention"))
        return change == WireJobChange.Policies() ? nil : change
    }

    private func duration(_ text: String?, _ option: String) throws -> FieldChange<String> {
        guard let text else { return .unchanged }
        if text == "none" { return .removed }
        return .set(DurationText.iso8601(try DurationText.parse(text, argument: option)))
    }

    private func conditions() throws -> FieldChange<[String]> {
        guard let when else { return .unchanged }
        if when == "none" { return .removed }
        let words = when.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        _ = try PolicyText.conditions(words)
        return .set(words)
    }
}

/// The options for a new schedule.
struct EditedSchedule: ParsableArguments {
    @Option(help: ArgumentHelp("Once, at a time, as with apus at.", valueName: "time"))
    var at: String?

    @Option(help: ArgumentHelp("Once, after a duration from now.", valueName: "duration"))
    var after: String?

    @Option(
        help: ArgumentHelp("Repeatedly: an interval, or a schedule such as 'weekday at 18:30'.", valueName: "when")
    )
    var every: String?

    @Option(help: ArgumentHelp("On a cron schedule.", valueName: "fields"))
    var cron: String?

    @Option(help: ArgumentHelp("On a calendar event of systemd.", valueName: "event"))
    var calendar: String?

    @Option(help: ArgumentHelp("On a recurrence rule of RFC 5545, or an event of an .ics file.", valueName: "rule"))
    var rrule: String?

    @Option(help: ArgumentHelp("With a new schedule: how many times from now on.", valueName: "n"))
    var count: Int?

    @OptionGroup var dialect: DialectOptions
    @OptionGroup var options: ScheduleOptions

    /// Returns the new trigger; `nil` if no schedule is given.
    func trigger() throws -> WireTrigger? {
        let given = [at, after, every, cron, calendar, rrule].compactMap(\.self)
        guard given.count <= 1 else {
            throw ValidationError("give only one of --at, --after, --every, --cron, --calendar and --rrule")
        }
        guard let text = given.first else {
            guard count == nil, options.isEmpty, dialect.dialect == nil else {
                throw ValidationError(
                    "--count, --dialect, --tz, --gap, --repeated, --except, --except-file, --from, --until and --spread can only be used with a new schedule, such as --every 'day at 9:00'"
                )
            }
            return nil
        }
        if let count, count < 1 { throw ValidationError("--count: must be at least 1, not \(count)") }
        guard cron != nil || dialect.dialect == nil else {
            throw ValidationError("--dialect: can only be used with --cron")
        }
        if every != nil { return try Every.trigger(text, schedule: options, count: count) }
        if cron != nil {
            let standard = try dialect.standard(text)
            return WireTrigger(calendar: try options.calendar(standard, form: .cron, count: count))
        }
        if calendar != nil { return WireTrigger(calendar: try options.calendar(text, form: .calendar, count: count)) }
        if rrule != nil {
            let line = try RuleText.line(text, argument: "--rrule")
            return WireTrigger(calendar: try options.calendar(line, form: .rrule, count: count))
        }
        guard count == nil else {
            throw ValidationError("--count: can only be used with --every, --cron, --calendar or --rrule")
        }
        if after != nil {
            guard options.isEmpty else {
                throw ValidationError(
                    "--after: a duration has no time zone and no dates; leave out --tz and the other options of schedules"
                )
            }
            return WireTrigger(after: DurationText.iso8601(try DurationText.parse(text, argument: "--after")))
        }
        return WireTrigger(at: try At.instant(text, zone: options.tz, argument: "--at"))
    }
}
