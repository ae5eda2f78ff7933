import ApusClient
import ApusJobs
import ArgumentParser

/// The effect of an import on one job.
struct ImportedJob: Encodable {
    enum Outcome: String, Encodable {
        case created, ended, changed, unchanged
        /// The job is valid; without a running daemon, nothing more can be reported about it.
        case valid
        /// The crontab no longer has the job, which is `cancelled` with `--prune`, and only `gone` without it.
        case gone, cancelled
    }

    var outcome: Outcome
    var id: String?
    var name: String?
    var schedule: String
    var action: String
}

/// The jobs of an import, and the lines that were left out, with the reasons.
struct ImportReport: Encodable {
    /// A line of a crontab, or a job of a file; both are numbered from 1.
    struct Line: Encodable, Hashable {
        var line: Int?
        var job: Int?
        var text: String
    }

    /// The path of the file, `crontab`, or `-`.
    var source: String
    var jobs: [ImportedJob] = []
    /// The invalid lines or jobs; if there are any, nothing is imported.
    var invalid: [Line] = []
    /// The lines that become no jobs, with the reasons.
    var refused: [Line] = []
    /// Remarks about lines, such as differences from cron.
    var remarks: [Line] = []
    var isDryRun = false

    mutating func sort() {
        for lines in [\ImportReport.invalid, \.refused, \.remarks] {
            self[keyPath: lines].sort { $0.line ?? 0 < $1.line ?? 0 }
        }
    }

    /// Moves the invalid lines to the refused ones, so that the others are imported.
    mutating func skipInvalid() {
        refused += invalid
        invalid = []
        sort()
    }

    static func text(of error: any Error) -> String {
        (error as? JobError)?.message ?? (error as? DaemonError)?.message ?? "\(error)"
    }

    /// Imports the jobs, unless something is invalid, and prints the report; a dry run starts no daemon.
    ///
    /// - Throws: `ExitCode.validationFailure` if something is invalid.
    mutating func finish(_ wanted: WireImport, json: Bool) async throws {
        isDryRun = wanted.dryRun == true
        guard invalid.isEmpty else {
            try print(json: json)
            throw ExitCode.validationFailure
        }
        let session = try Session()
        let imported: WireImported?
        if isDryRun {
            do { imported = try await session.client.imported(wanted) } catch let error as DaemonError
                where error.code == .notRunning
            { imported = nil }
        } else {
            imported = try await session.call { try await $0.imported(wanted) }
        }
        for (index, job) in wanted.jobs.enumerated() {
            let entry = imported?.jobs[index]
            let outcome = entry.flatMap { ImportedJob.Outcome(rawValue: $0.outcome.rawValue) } ?? .valid
            jobs.append(
                ImportedJob(
                    outcome: outcome, id: entry?.id, name: job.submission.name,
                    schedule: When.trigger(job.submission.trigger), action: job.submission.action.text))
        }
        for job in imported?.gone ?? [] {
            jobs.append(
                ImportedJob(
                    outcome: wanted.prune == true ? .cancelled : .gone, id: job.id, name: job.name,
                    schedule: When.trigger(job.trigger), action: job.action.text))
        }
        try print(json: json)
        if isDryRun, imported == nil, !json {
            Terminal.note("no daemon is running, so it is not known which of the jobs exist already")
        }
    }

    private func print(json: Bool) throws {
        if json { return try Terminal.json(self) }
        var table = Table(["", "ID", "NAME", "SCHEDULE", "ACTION"])
        for job in jobs {
            let colour: Colour? =
                switch job.outcome {
                case .created, .changed: .green
                case .gone, .cancelled, .ended: .yellow
                case .unchanged, .valid: .dim
                }
            table.add([
                (job.outcome.rawValue, colour), (job.id ?? "-", nil), (job.name ?? "-", nil), (job.schedule, nil),
                (String(job.action.prefix(60)), .dim),
            ])
        }
        if !jobs.isEmpty { table.print() }
        let lines = (invalid + remarks).map { ($0, "") } + refused.map { ($0, "not imported: ") }
        for (line, prefix) in lines.sorted(by: { ($0.0.line ?? 0, $0.0.job ?? 0) < ($1.0.line ?? 0, $1.0.job ?? 0) }) {
            Terminal.note("\(place(line)): \(prefix)\(line.text)")
        }
        if !invalid.isEmpty {
            let what = invalid.count == 1 ? "1 entry is" : "\(invalid.count) entries are"
            return Terminal.note("apus: nothing was imported, because \(what) invalid")
        }
        let counts = [
            ImportedJob.Outcome.created, .ended, .changed, .unchanged, .valid, .gone, .cancelled,
        ].compactMap { outcome in
            let count = jobs.count { $0.outcome == outcome }
            return count > 0 ? "\(count) \(outcome.rawValue)" : nil
        }
        let summary = counts.isEmpty ? "no jobs" : counts.joined(separator: ", ")
        Terminal.note("\(isDryRun ? "dry run: " : "")\(summary), \(refused.count) not imported")
        if jobs.contains(where: { $0.outcome == .gone }) {
            Terminal.note("the jobs whose lines are gone from \(source) stay as they are; --prune cancels them")
        }
    }

    private func place(_ line: Line) -> String {
        source + (line.line.map { ":\($0)" } ?? line.job.map { ": job \($0)" } ?? "")
    }
}
