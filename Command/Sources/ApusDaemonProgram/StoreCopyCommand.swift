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

            No daemon may use either store meanwhile (apus stop), and the source stays as it is, so a file of an older version has to be migrated first (apus store migrate). Do not start a daemon over the source afterwards.

            Examples:
              apus store copy --from ./apus.db --to postgres://db.example/jobs
              apus store copy --from postgres://db.example/jobs --to ./jobs.db
            """)

    @Option(help: ArgumentHelp("What is copied: postgres://HOST/DATABASE, sqlite:PATH, or a path.", valueName: "store"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "Where it is copied to: an empty database, or a file that is not there.", valueName: "store"))
    var to: String

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
            let tables: [StoreCopy.Table]
            do {
                tables = try await StoreCopy(from: source.copyable, to: target.copyable).run { progress.show($0) }
                progress.erase()
            } catch {
                progress.erase()
                throw error
            }
            let duration = progress.elapsed
            if json { return try Terminal.json(WireStoreCopy(tables, duration)) }
            var table = Table(["TABLE", "ROWS", "SOURCE", "TARGET"], rightAligned: [1])
            for row in tables {
                table.add([
                    (row.name, .bold), (String(row.source.rows), nil), ("\(row.source.checksum)", nil),
                    ("\(row.target.checksum)", nil),
                ])
            }
            table.print()
            Terminal.out(
                "copied and compared in \(DurationText.format(When.rounded(duration))); the source is as it was")
        }
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
            }
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

    var tables: [Table]
    var duration: String

    init(_ tables: [StoreCopy.Table], _ duration: Duration) {
        self.tables = tables.map {
            Table(
                name: $0.name, rows: $0.source.rows, sourceChecksum: "\($0.source.checksum)",
                targetChecksum: "\($0.target.checksum)")
        }
        self.duration = DurationText.iso8601(duration)
    }
}
