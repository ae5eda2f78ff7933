import ApusDaemon
import ApusJobs
import ArgumentParser

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List jobs, oldest first.")

    @Flag(help: "Ended ones too.")
    var all = false

    @Option(help: ArgumentHelp("Only jobs with this label; can be given several times.", valueName: "key=value"))
    var label: [String] = []

    @Option(help: ArgumentHelp("At most this many (1 to 1000).", valueName: "n"))
    var limit: Int = 50

    @Option(help: ArgumentHelp("Go on behind an earlier page.", valueName: "token"))
    var after: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit: \(limit) is not between 1 and 1000") }
    }

    func run() async throws {
        try await reporting {
            let page = try await Session().call {
                try await $0.jobs(
                    states: all ? [] : ["scheduled", "suspended"], labels: label, limit: limit, after: after)
            }
            if json { return try Terminal.json(page) }
            guard !page.jobs.isEmpty else {
                return Terminal.note(all ? "no jobs" : "nothing is scheduled (apus list --all shows ended jobs)")
            }
            var table = Table(["ID", "NAME", "STATE", "TRIGGER", "NEXT", "DONE", "LAST", "ACTION"], rightAligned: [5])
            for job in page.jobs {
                let last = job.lastRun?.outcome ?? "-"
                table.add([
                    (job.id, .bold), (job.name ?? "-", nil), (job.state, nil), (When.trigger(job.trigger), nil),
                    (job.nextDue.flatMap(When.instant).map(When.relative) ?? "-", nil), (String(job.occurrences), nil),
                    (last, Colour.of(outcome: last)), (String(job.action.text.prefix(60)), .dim),
                ])
            }
            table.print()
            if let next = page.next {
                let filter = (all ? " --all" : "") + label.map { " --label '\($0)'" }.joined()
                Terminal.note("more: apus list\(filter) --limit \(limit) --after \(next)")
            }
        }
    }
}

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one job.")

    @Argument(help: "An identifier, the beginning of one, or a name.")
    var id: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let job = try await Session().call { try await $0.job(id) }
            if json { return try Terminal.json(job) }
            var rows: [(String, String)] = [
                ("id", job.id), ("name", job.name ?? "-"), ("kind", job.kind), ("state", job.state),
                ("trigger", When.trigger(job.trigger)),
                ("next", When.due(job)), ("action", job.action.text), ("created", When.local(job.created)),
                ("occurrences", "\(job.occurrences) (\(job.missed) missed)"),
            ]
            if let cwd = job.action.command?.cwd { rows.append(("cwd", cwd)) }
            rows.append(("missed runs", job.policies.missed ?? "-"))
            rows.append(("overlap", job.policies.overlap ?? "-"))
            if let retry = job.policies.retry, retry > 0 { rows.append(("retry", String(retry))) }
            if let timeout = job.policies.timeout { rows.append(("timeout", timeout)) }
            if let tolerance = job.policies.tolerance { rows.append(("tolerance", tolerance)) }
            if !job.labels.isEmpty {
                rows.append(
                    (
                        "labels",
                        job.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
                    ))
            }
            if let run = job.lastRun { rows.append(("last run", History.line(run))) }
            for (key, value) in rows {
                Terminal.out("\(Colour.dim(key + String(repeating: " ", count: 12 - key.count))) \(value)")
            }
        }
    }
}

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what ran, newest first, with outcomes and lateness.")

    @Argument(help: "Only this job's runs: an identifier, the beginning of one, or a name.")
    var id: String?

    @Option(help: ArgumentHelp("At most this many (1 to 1000).", valueName: "n"))
    var limit: Int = 50

    @Option(help: ArgumentHelp("Go on behind an earlier page.", valueName: "token"))
    var after: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit: \(limit) is not between 1 and 1000") }
    }

    func run() async throws {
        try await reporting {
            let page = try await Session().call { try await $0.runs(job: id, limit: limit, after: after) }
            if json { return try Terminal.json(page) }
            guard !page.runs.isEmpty else { return Terminal.note("nothing has run yet") }
            Self.table(page.runs).print()
            if let next = page.next {
                Terminal.note("more: apus history\(id.map { " \($0)" } ?? "") --limit \(limit) --after \(next)")
            }
        }
    }

    static func table(_ runs: [WireRun], names: [String: String] = [:]) -> Table {
        var table = Table(
            ["JOB", "OCCURRENCE", "ATTEMPT", "DUE", "STARTED", "LATE", "OUTCOME", "WHY"], rightAligned: [1, 2, 5])
        for run in runs {
            table.add([
                (names[run.job] ?? run.job, .bold),
                (run.through > run.occurrence ? "\(run.occurrence)-\(run.through)" : String(run.occurrence), nil),
                (run.attempt == 0 ? "-" : String(run.attempt), nil), (When.local(run.due), nil),
                (When.local(run.started), nil),
                (run.latenessMs.map { "\($0) ms" } ?? "-", nil), (run.outcome, Colour.of(outcome: run.outcome)),
                (why(run), .dim),
            ])
        }
        return table
    }

    static func line(_ run: WireRun) -> String {
        "#\(run.occurrence) \(run.outcome)\(run.latenessMs.map { ", \($0) ms late" } ?? "")\(why(run).isEmpty ? "" : ", \(why(run))")"
    }

    private static func why(_ run: WireRun) -> String {
        [run.reason == run.outcome ? nil : run.reason, run.standsFor > 1 ? "stands for \(run.standsFor)" : nil]
            .compactMap { $0 }.joined(separator: ", ")
    }
}

struct Logs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print what a job's last run printed (its last 64 KiB).")

    @Argument(help: "An identifier, the beginning of one, or a name.")
    var id: String

    @Flag(help: "Go on with what it prints from now on, until it can run no more.")
    var follow = false

    @Option(help: ArgumentHelp("Another occurrence than the last.", valueName: "n"))
    var occurrence: Int?

    func run() async throws {
        try await reporting {
            let session = try Session()
            let output = try await session.call { try await $0.logs(id, occurrence: occurrence) }
            Terminal.out(output)
            guard follow else { return }
            let job = try await session.client.job(id)
            guard job.state == "scheduled" || job.state == "suspended" else { return }
            try await session.client.listen(job: job.id, terminal: true) { event in
                guard let event else { return true }
                switch event.name {
                case "output":
                    Terminal.out(try event.decoded(as: WireOutput.self).text, terminator: "")
                case "notification":
                    Terminal.note("\u{7}\(try event.decoded(as: WireNotification.self).text)")
                case "run":
                    let run = try event.decoded(as: WireRun.self)
                    if run.finished != nil || run.outcome == "skipped" { Terminal.note("apus: \(History.line(run))") }
                case "job":
                    let job = try event.decoded(as: WireJob.self)
                    return job.state == "scheduled" || job.state == "suspended"
                default:
                    break
                }
                return true
            }
        }
    }
}
