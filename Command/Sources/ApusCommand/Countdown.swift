import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser

struct Countdown: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countdown",
        abstract: "Count down, with a bar. Ctrl-C detaches, and it continues; `apus countdown` alone attaches again.",
        discussion: """
            Exit codes: 0 at the end, so that `apus countdown 25m && next` works; 130 detached; 1 cancelled;
            3 the daemon was stopped, and the countdown continues with the next one.
            Durations: \(DurationText.acceptedForms.joined(separator: ", ")).
            Times: \(TimeText.acceptedForms.joined(separator: ", ")); one colon means a time.
            """)

    @Argument(help: "How long, or until when, first and without quotes; omit it to attach to a running countdown.")
    var text: String?

    @Option(help: ArgumentHelp("A name; alone, it attaches to the countdown of that name.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("What to show at the end.", valueName: "text"))
    var notify: String?

    @Option(help: ArgumentHelp("The zone of the time (default: the system's).", valueName: "zone"))
    var tz: String?

    @Flag(help: "Start it, print its identifier, and do not attach.")
    var detach = false

    @Flag(help: "Print the countdown as JSON, and do not attach.")
    var json = false

    func validate() throws {
        if text == nil, notify != nil || tz != nil || detach {
            throw ValidationError("--notify, --tz and --detach are for a new countdown; say how long")
        }
    }

    func run() async throws {
        try await reporting(naming: JobOptions.fields) {
            guard notify?.isEmpty != true else { throw ValidationError("--notify: the text is empty") }
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
        // An unknown zone is refused even if the text is a duration, which needs none.
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
                    message: "not a duration (\(durationError.message)), and not a time (\(timeError.message))",
                    acceptedForms: durationError.acceptedForms + timeError.acceptedForms)
            }
        }
    }

    private func running(_ session: Session) async throws -> WireJob {
        if let name {
            let job = try await session.call { try await $0.job(name) }
            guard job.kind == "countdown" else {
                throw ValidationError("--name: \(name) is a job and no countdown; apus wait \(name) waits for its run")
            }
            return job
        }
        let jobs = try await session.call {
            try await $0.jobs(states: ["scheduled", "suspended"], kind: "countdown", limit: 100)
        }.jobs
        guard let next = jobs.min(by: { ($0.nextDue ?? "~") < ($1.nextDue ?? "~") }) else {
            throw ValidationError(
                "no countdown runs; start one with a duration or a time, such as `apus countdown 25m`")
        }
        if jobs.count > 1 {
            Terminal.note("apus: \(jobs.count) countdowns run; this is the next to end (--name chooses another)")
        }
        return next
    }
}
