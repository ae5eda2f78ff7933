import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser

struct Countdown: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countdown",
        abstract: "Count down, with a bar. After Ctrl-C the countdown continues, and `apus countdown` attaches again.",
        discussion: """
            Exit codes: 0 if the countdown ended, so that `apus countdown 25m && next` works; 130 if it was detached \
            by Ctrl-C; 1 if it was cancelled; 3 if the daemon was stopped (the countdown continues with the next \
            daemon).
            Durations: \(DurationText.acceptedForms.joined(separator: ", ")).
            Times: \(TimeText.acceptedForms.joined(separator: ", ")). A text with one colon is a time.
            """)

    @Argument(
        help:
            "How long, or until when; no quotes are needed if it comes first. Without it, apus attaches to a running countdown."
    )
    var text: String?

    @Option(
        help: ArgumentHelp(
            "A name. Without a duration or time, apus attaches to the countdown with this name.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The text to show at the end.", valueName: "text"))
    var notify: String?

    @Option(help: ArgumentHelp("The time zone (default: the system's).", valueName: "zone"))
    var tz: String?

    @Flag(help: "Start the countdown, print its identifier, and do not attach.")
    var detach = false

    @Flag(help: "Print the countdown as JSON, and do not attach.")
    var json = false

    func validate() throws {
        if text == nil, notify != nil || tz != nil || detach {
            throw ValidationError("--notify, --tz and --detach are for a new countdown; give its duration or time")
        }
    }

    func run() async throws {
        try await reporting(naming: JobOptions.fields) {
            guard notify?.isEmpty != true else {
                throw ValidationError("--notify: the text is empty; give the text to show")
            }
            let session = try Session()
            let job: WireJob
            if let text {
                let submission = WireSubmission(
                    name: name, kind: "countdown", trigger: try trigger(text), action: Action(notify: notify),
                    idempotencyKey: WireSubmission.newIdempotencyKey(SystemRandom()))
                job = try await session.call { try await $0.submit(submission) }
            } else {
                job = try await running(session)
            }
            if json { return try Terminal.json(job) }
            if detach { return Terminal.out("\(job.id)") }
            try await CountdownView(session: session, job: job).watch()
        }
    }

    private func trigger(_ text: String) throws -> WireTrigger {
        // An unknown zone is refused even if the text is a duration, for which no zone is needed.
        let zone = try tz.map { try TimeText.zone(named: $0) } ?? SystemTimeZones.shared.local
        // `in 5 minutes` is a duration, which a change of the clock does not affect.
        let text = text.lowercased().hasPrefix("in ") ? String(text.dropFirst(3)) : text
        // `17:30` is a time of day here, though it could be 17 minutes and 30 seconds.
        let looksLikeTime = text.filter { $0 == ":" }.count == 1
        func time() throws(TextError) -> WireTrigger {
            WireTrigger(at: try TimeText.parse(text, now: When.now, timeZone: zone).iso8601)
        }
        if looksLikeTime { return try time() }
        do { return WireTrigger(after: DurationText.iso8601(try DurationText.parse(text))) } catch let durationError {
            do { return try time() } catch let timeError {
                throw TextError(
                    argument: "duration or time", given: text,
                    message: "it is neither a duration (\(durationError.message)) nor a time (\(timeError.message))",
                    acceptedForms: durationError.acceptedForms + timeError.acceptedForms)
            }
        }
    }

    private func running(_ session: Session) async throws -> WireJob {
        if let name {
            let job = try await session.call { try await $0.job(name) }
            guard job.kind == "countdown" else {
                throw ValidationError("--name: \(name) is a job, not a countdown; apus wait \(name) waits for its run")
            }
            return job
        }
        let jobs = try await session.call {
            try await $0.jobs(states: ["scheduled", "suspended"], kind: "countdown", limit: 100)
        }.jobs
        guard let next = jobs.min(by: { ($0.nextDue ?? "~") < ($1.nextDue ?? "~") }) else {
            throw ValidationError(
                "no countdown is running; start one with a duration or a time, such as `apus countdown 25m`")
        }
        if jobs.count > 1 {
            Terminal.note("apus: \(jobs.count) countdowns are running; this one ends first (--name selects another)")
        }
        return next
    }
}
