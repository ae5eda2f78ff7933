/// What an import made of one job.
struct ImportedJob: Encodable {
    enum Outcome: String, Encodable {
        case created, changed, unchanged
        /// The crontab has it no more.
        case gone, cancelled
    }

    var outcome: Outcome
    var id: String?
    var name: String?
    var schedule: String
    var action: String
}

/// What an import did, and what it left out.
struct ImportReport: Encodable {
    struct Line: Encodable {
        var line: Int
        var text: String
    }

    var jobs: [ImportedJob] = []
    /// Lines that are no jobs, and why.
    var refused: [Line] = []
    /// What is different from cron.
    var remarks: [Line] = []
    var isDryRun = false

    func print(json: Bool) throws {
        if json { return try Terminal.json(self) }
        var table = Table(["", "ID", "NAME", "SCHEDULE", "ACTION"])
        for job in jobs {
            let colour: Colour? =
                switch job.outcome {
                case .created, .changed: .green
                case .gone, .cancelled: .yellow
                case .unchanged: .dim
                }
            table.add([
                (job.outcome.rawValue, colour), (job.id ?? "-", nil), (job.name ?? "-", nil), (job.schedule, nil),
                (String(job.action.prefix(60)), .dim),
            ])
        }
        if !jobs.isEmpty { table.print() }
        for line in refused { Terminal.note("line \(line.line) is not carried over: \(line.text)") }
        for line in remarks { Terminal.note("line \(line.line): \(line.text)") }
        let counts = [ImportedJob.Outcome.created, .changed, .unchanged, .gone, .cancelled].compactMap { outcome in
            let count = jobs.count { $0.outcome == outcome }
            return count > 0 ? "\(count) \(outcome.rawValue)" : nil
        }
        let summary = counts.isEmpty ? "no jobs" : counts.joined(separator: ", ")
        Terminal.note("\(isDryRun ? "it would be: " : "")\(summary), \(refused.count) not carried over")
    }
}
