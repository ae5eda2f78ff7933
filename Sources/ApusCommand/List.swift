import ApusDaemon
import ArgumentParser

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List jobs, oldest first.")

    @Flag(help: "Ended ones too.")
    var all = false

    @Option(help: ArgumentHelp("Only jobs with this label; can be given several times.", valueName: "key=value"))
    var label: [String] = []

    @OptionGroup var page: PageOptions

    func run() async throws {
        try await reporting {
            let answer = try await Session().call {
                try await $0.jobs(
                    states: all ? [] : ["scheduled", "suspended"], labels: label, limit: page.limit, after: page.after)
            }
            if page.json { return try Terminal.json(answer) }
            guard !answer.jobs.isEmpty else {
                return Terminal.note(all ? "no jobs" : "nothing is scheduled (apus list --all shows ended jobs)")
            }
            var table = Table(["ID", "NAME", "STATE", "TRIGGER", "NEXT", "DONE", "LAST", "ACTION"], rightAligned: [5])
            for job in answer.jobs {
                let waits = job.waitingFor.map { "waits: \(PolicyText.reasons($0))" }
                let state = waits ?? (job.parked ? "parked" : job.state)
                let last = job.lastRun.map(History.outcome) ?? "-"
                table.add([
                    (job.id, .bold), (job.name ?? "-", nil), (state, nil), (When.trigger(job.trigger), nil),
                    (job.nextDue.flatMap(When.instant).map(When.relative) ?? "-", nil), (String(job.occurrences), nil),
                    (last, Colour.of(outcome: job.lastRun?.outcome ?? "")), (String(job.actionText.prefix(60)), .dim),
                ])
            }
            table.print()
            if let next = answer.next {
                let filter = (all ? " --all" : "") + label.map { " --label '\($0)'" }.joined()
                Terminal.note("more: apus list\(filter) --limit \(page.limit) --after \(next)")
            }
        }
    }
}
