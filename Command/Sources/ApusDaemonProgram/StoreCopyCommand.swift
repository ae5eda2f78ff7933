import ApusClient
import ApusCommand
import ApusDaemon
import ApusJobs
import ApusTimers
import ArgumentParser
import Foundation

struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy everything that a store keeps into an empty one, and compare both.",
        discussion: """
            Jobs keep their identifiers, occurrence numbers and history. No daemon opens the target before both stores were compared and found equal; a copy that is interrupted is begun anew by the next one.

            Without --live, no daemon may use either store meanwhile, and the source stays as it is, so a file of an older version has to be migrated first (apus store migrate). Do not start a daemon over the source afterwards.

            With --live, the jobs of a file move to PostgreSQL while its daemon works. At the end the daemon begins nothing more, lets running commands end, and stops; what has changed meanwhile is copied, and the file is marked, so that no daemon opens it again. If it is interrupted, say the same again.

            Examples:
              apus store copy --live --from ./apus.db --to postgres://db.example/jobs
              apus store copy --from postgres://db.example/jobs --to ./jobs.db
            """)

    @Option(help: ArgumentHelp("What is copied: postgres://HOST/DATABASE, sqlite:PATH, or a path.", valueName: "store"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "Where it is copied to: an empty database, or a file that is not there.", valueName: "store"))
    var to: String

    @Flag(help: "Move the jobs of a file to PostgreSQL while its daemon runs, and stop the daemon at the end.")
    var live = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            StoreOptions.warn(about: from, "--from")
            StoreOptions.warn(about: to, "--to")
            let (source, target) = (
                try StoreLocation(from, argument: "--from"), try StoreLocation(to, argument: "--to")
            )
            let progress = CopyProgress(isShown: Terminal.isInteractive && !json)
            if live { return try await move(source, target, progress) }
            let tables: [StoreCopy.Table]
            do {
                tables = try await StoreCopy(from: source.transfer, to: target.transfer).run { progress.show($0) }
                progress.erase()
            } catch {
                progress.erase()
                throw error
            }
            let duration = progress.elapsed
            if json { return try Terminal.json(WireStoreCopy(tables, duration)) }
            show(tables)
            Terminal.out(
                "copied and compared in \(DurationText.format(When.rounded(duration))); the source is as it was")
        }
    }

    private func show(_ tables: [StoreCopy.Table]) {
        var table = Table(["TABLE", "ROWS", "SOURCE", "TARGET"], rightAligned: [1])
        for row in tables {
            table.add([
                (row.name, .bold), (String(row.source.rows), nil), ("\(row.source.checksum)", nil),
                ("\(row.target.checksum)", nil),
            ])
        }
        table.print()
    }

    /// `--live`
    private func move(_ source: StoreLocation, _ target: StoreLocation, _ progress: CopyProgress) async throws {
        let moving = try StoreMoving(
            from: source, to: target, home: try Home(environment: ProcessEnvironment.current.variables))
        var stopped: Int32?
        let outcome: StoreMover.Outcome
        do {
            outcome = try await moving.run { health in
                progress.erase()
                stopped = health.pid
                let waits = health.running == 0 ? "" : "; waiting for \(health.running) running (apus stop ends them)"
                Terminal.note("apus: the daemon (process \(health.pid)) begins nothing more, and stops\(waits)")
            } report: {
                progress.show($0)
            }
            progress.erase()
        } catch {
            progress.erase()
            if let stopped { Terminal.note("apus: the daemon (process \(stopped)) was asked to stop: start it again") }
            throw error
        }
        let duration = progress.elapsed
        switch outcome {
        case .hadBeenMoved:
            if json { return try Terminal.json(WireStoreCopy([], duration)) }
            Terminal.out("an earlier copy had moved the jobs already; they are in \(String(describing: target))")
        case .moved(let report):
            if json { return try Terminal.json(WireStoreCopy(report.tables, duration, report)) }
            show(report.tables)
            let (copied, stopped) = (When.rounded(duration), When.rounded(report.downtime))
            Terminal.out(
                """
                copied and compared, with what changed meanwhile (jobs: \(report.changes.jobs), runs: \
                \(report.changes.runs)), in \(DurationText.format(copied)); nothing could run for \
                \(DurationText.format(stopped)) of it
                """)
        }
        Terminal.out("start a daemon with \(StoreLocation.variable) set to the database; none opens the file any more")
    }
}

/// A line of the terminal that says how far a copy is, twice a second.
private final class CopyProgress: Sendable {
    private let isShown: Bool
    private let start = SystemTime().uptime()
    private let last = Locked<UptimeInstant?>(nil)

    init(isShown: Bool) { self.isShown = isShown }

    var elapsed: Duration { start.duration(to: SystemTime().uptime()) }

    func show(_ progress: StoreCopy.Progress) {
        guard isShown else { return }
        let now = SystemTime().uptime()
        let isTime = last.withLock { last in
            if let last, last.duration(to: now) < .milliseconds(500) { return false }
            last = now
            return true
        }
        guard isTime else { return }
        let seconds = max(1, start.duration(to: now).wholeNanoseconds / 1_000_000)
        let rate = Int64(progress.done.jobs) * 1_000 / seconds
        let verb =
            switch progress.phase {
            case .copying: "copying"
            case .comparing: "comparing"
            case .following: "copying what has changed"
            case .stopping: "waiting for the daemon to stop"
            }
        if progress.phase == .stopping { return Terminal.out("\(Terminal.eraseLine)\(verb)", terminator: "") }
        Terminal.out(
            Terminal.eraseLine
                + "\(verb): \(progress.done.jobs) of \(progress.total.jobs) jobs (\(rate)/s), \(progress.done.runs) of \(progress.total.runs) runs",
            terminator: "")
    }

    func erase() { if isShown { Terminal.out(Terminal.eraseLine, terminator: "") } }
}

/// `apus store copy --json`
private struct WireStoreCopy: Encodable {
    struct Table: Encodable {
        var name: String
        var rows: Int
        var sourceChecksum: String
        var targetChecksum: String
    }

    /// What was copied after the tables, of a store that was in use.
    struct Live: Encodable {
        var changedJobs: Int
        var changedRuns: Int
        var downtime: String
    }

    var tables: [Table]
    var duration: String
    var live: Live?

    init(_ tables: [StoreCopy.Table], _ duration: Duration, _ report: StoreMover.Report? = nil) {
        live = report.map {
            Live(
                changedJobs: $0.changes.jobs, changedRuns: $0.changes.runs, downtime: DurationText.iso8601($0.downtime))
        }
        self.tables = tables.map {
            Table(
                name: $0.name, rows: $0.source.rows, sourceChecksum: "\($0.source.checksum)",
                targetChecksum: "\($0.target.checksum)")
        }
        self.duration = DurationText.iso8601(duration)
    }
}
