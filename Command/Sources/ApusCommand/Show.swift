import ApusCalendar
import ApusClient
import ArgumentParser

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one job.")

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
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
                ("next", ["scheduled", "suspended"].contains(job.state) ? When.due(job) : "-"),
                ("action", job.actionText), ("created", When.local(job.created)),
                ("occurrences", "\(job.occurrences) (\(job.missed) missed)"),
            ]
            if let keptUntil = job.keptUntil { rows.append(("kept until", When.local(keptUntil))) }
            if let calendar = job.trigger.calendar { rows += Self.rows(calendar) }
            if let waits = job.waitingFor { rows.insert(("waits", PolicyText.reasons(waits)), at: 4) }
            if job.parked {
                rows.insert(("waits", "parked: this daemon has no handler for the kind \"\(job.kind)\""), at: 4)
            }
            if let cwd = job.action.command?.cwd { rows.append(("cwd", cwd)) }
            if let headers = job.action.webhookHeaders, !headers.isEmpty {
                rows.append(("headers", headers.keys.sorted().joined(separator: ", ")))
            }
            if let file = job.action.webhookSecretFile { rows.append(("secret file", file)) }
            rows += (job.action.onSuccess ?? []).map { ("on success", $0.text) }
            rows += (job.action.onFailure ?? []).map { ("on failure", $0.text) }
            rows.append(("queue", "\(job.queue), priority \(job.priority)"))
            if let key = job.fairnessKey { rows.append(("fairness key", key)) }
            if let unique = job.unique {
                let period = unique.within.map { ", and for \(When.duration($0)) after its submission" }
                let same = unique.key.map { "a job with the key \($0)" } ?? "a job that does the same"
                rows.append(("unique", "while \(same) is open" + (period ?? "")))
            }
            rows.append(("missed runs", job.policies.missed ?? "-"))
            rows.append(("overlap", job.policies.overlap ?? "-"))
            if let retry = job.policies.retry, retry > 0 { rows.append(("retry", String(retry))) }
            if let timeout = job.policies.timeout { rows.append(("timeout", When.duration(timeout))) }
            if let expiry = job.policies.expiry { rows.append(("expiry", When.duration(expiry))) }
            if let tolerance = job.policies.tolerance { rows.append(("tolerance", When.duration(tolerance))) }
            if let when = job.policies.when { rows.append(("when", when.joined(separator: ","))) }
            if let retention = job.policies.retention { rows.append(("retention", When.duration(retention))) }
            if !job.labels.isEmpty {
                rows.append(
                    (
                        "labels",
                        job.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
                    ))
            }
            if let run = job.lastRun { rows += Self.rows(run) }
            for (key, value) in rows {
                Terminal.out("\(Colour.dim(key + String(repeating: " ", count: 12 - key.count))) \(value)")
            }
        }
    }

    private static func rows(_ calendar: WireCalendar) -> [(String, String)] {
        var rows = [("zone", calendar.zone ?? "-")]
        rows.append(("clock", "gap \(calendar.gap?.rawValue ?? "-"), repeated \(calendar.repeated?.rawValue ?? "-")"))
        if let from = calendar.from { rows.append(("from", from)) }
        if let until = calendar.until { rows.append(("until", until)) }
        if let except = calendar.except { rows.append(("except", except.joined(separator: ", "))) }
        if let spread = calendar.spread { rows.append(("spread", When.duration(spread))) }
        return rows
    }

    private static func rows(_ run: WireRun) -> [(String, String)] {
        var rows = [("last run", History.line(run))]
        if let note = run.dueNote { rows.append(("note", note)) }
        if let progress = run.progress {
            let percent = "\(Int(progress.fraction * 100)) %"
            rows.append(("progress", progress.message.map { "\(percent), \($0)" } ?? percent))
        }
        if let result = run.result { rows.append(("result", result.text ?? "\(result.bytes) bytes")) }
        return rows
    }
}
