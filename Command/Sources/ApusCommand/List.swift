import ApusClient
public import ApusJobs
public import ArgumentParser

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List jobs, oldest first.")

    @Flag(help: "Include ended jobs.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Only jobs in this state: scheduled, suspended, cancelled or finished; can be given several times.",
            valueName: "state"))
    var state: [JobState] = []

    @Flag(help: "Only jobs whose last ended attempt failed or was lost, including ended jobs.")
    var failed = false

    @Flag(help: "List refused submissions of applications instead of jobs.")
    var refused = false

    @OptionGroup var options: FilterOptions

    @OptionGroup var page: PageOptions

    func validate() throws {
        guard !all || state.isEmpty else {
            throw ValidationError("--all: cannot be used with --state; leave one of them out")
        }
        guard refused else { return }
        guard !all, !failed, state.isEmpty else {
            throw ValidationError("--refused: cannot be used with --all, --failed or --state; leave them out")
        }
        try options.refuse("cannot be used with --refused; leave one of them out")
    }

    private var states: [String] {
        if !state.isEmpty { return state.map(\.rawValue) }
        return all || failed ? [] : ["scheduled", "suspended"]
    }

    func run() async throws {
        try await reporting {
            if refused { return try await listRefusals() }
            let filter = try options.filter()
            let answer = try await Session().call {
                try await $0.jobs(states: states, filter, failed: failed, limit: page.limit, after: page.after)
            }
            if page.json { return try Terminal.json(answer) }
            if let first = answer.unreadable.first {
                let others = answer.unreadable.count - 1
                Terminal.note(
                    "not listed, because this daemon cannot read \(others > 0 ? "them" : "it"): "
                        + "\(first.id)\(others > 0 ? " and \(jobCount(others)) more" : ""); apus doctor shows why")
            }
            if answer.jobs.isEmpty && answer.unreadable.isEmpty {
                let isDefault = !all && !failed && state.isEmpty && options.isEmpty
                return Terminal.note(
                    isDefault
                        ? "nothing is scheduled (apus list --all shows ended jobs)"
                        : all && options.isEmpty ? "there are no jobs" : "no job matches")
            }
            var table = Table(["ID", "NAME", "STATE", "TRIGGER", "NEXT", "DONE", "LAST", "ACTION"], rightAligned: [5])
            for job in answer.jobs {
                let last = job.lastRun.map(History.outcome) ?? "-"
                table.add([
                    (job.id, .bold), (job.name ?? "-", nil), (Self.state(job), nil), (When.trigger(job.trigger), nil),
                    (job.nextDue.flatMap(When.instant).map(When.relative) ?? "-", nil), (String(job.occurrences), nil),
                    (last, Colour.of(outcome: job.lastRun?.outcome ?? "")), (String(job.actionText.prefix(60)), .dim),
                ])
            }
            if !answer.jobs.isEmpty { table.print() }
            if let next = answer.next {
                let filter =
                    (all ? " --all" : "") + (failed ? " --failed" : "")
                    + state.map { " --state \($0.rawValue)" }.joined() + options.text
                Terminal.note("more: apus list\(filter) --limit \(page.limit) --after \(next)")
            }
        }
    }

    private func listRefusals() async throws {
        let answer = try await Session().call { try await $0.refusals(limit: page.limit, after: page.after) }
        if page.json { return try Terminal.json(answer) }
        guard !answer.refusals.isEmpty else { return Terminal.note("no submission was refused") }
        var table = Table(["JOB", "SUBMITTED", "REFUSED", "WHY"])
        for refusal in answer.refusals {
            table.add([
                (refusal.job ?? "-", .bold), (When.local(refusal.submitted), nil), (When.local(refusal.refused), nil),
                (refusal.message, .dim),
            ])
        }
        table.print()
        if let next = answer.next {
            Terminal.note("more: apus list --refused --limit \(page.limit) --after \(next)")
        }
    }

    /// Returns the job's state, or, for a due job that waits, the reason.
    static func state(_ job: WireJob) -> String {
        job.waitingFor.map { "waits: \(PolicyText.reasons($0))" } ?? (job.parked ? "parked" : job.state)
    }
}

extension JobState: ExpressibleByArgument {}
