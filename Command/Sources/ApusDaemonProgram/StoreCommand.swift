import ApusClient
import ApusCommand
import ApusDaemon
import ApusJobs
import ApusTimers
import ArgumentParser
import Foundation

/// The subcommands for a whole store, none of which needs a daemon.
struct Store: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Inspect the store of the jobs, migrate it, or copy it to another one.",
        discussion: """
            A store is a SQLite file (sqlite:PATH, or a path) or a PostgreSQL database (postgres://HOST/DATABASE, or libpq's "host=… dbname=…"). These subcommands work without a daemon.

            Examples:
              apus store status --store postgres://db.example/jobs
              apus store copy --from ./apus.db --to postgres://db.example/jobs
            """,
        subcommands: [
            StoreStatusCommand.self, StoreCheckCommand.self, StoreMigrateCommand.self, StoreCopyCommand.self,
        ])
}

/// The option that names the store.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store: postgres://HOST/DATABASE, sqlite:PATH, or a path (default: APUS_STORE, else that of the configuration file, else the home's own).",
            valueName: "store"))
    var store: String?

    func location() throws -> StoreLocation {
        let environment = ProcessEnvironment.current.variables
        if let store { StoreOptions.warn(about: store, "--store") }
        let settings = try Settings(options: store.map { [.store: [$0]] } ?? [:], environment: environment)
        return try StoreLocation(settings, home: try Home(environment: environment))
    }

    /// Warns about a password in an argument, because every user of the machine can read the arguments of a process.
    static func warn(about text: String, _ argument: String) {
        guard StoreLocation.hasPassword(text) else { return }
        Terminal.note(
            "apus: every user of this machine can read the password of \(argument); put it into ~/.pgpass")
    }
}

struct StoreStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of a store, and which nodes use it.")

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let location = try options.location()
            let status = try await location.inspection.status()
            if json { return try Terminal.json(WireStoreStatus(status)) }
            Terminal.out("\(String(describing: location))")
            let newer = status.schema == status.newestSchema ? "" : " (this apus knows version \(status.newestSchema))"
            Terminal.out("schema       version \(status.schema)\(newer), \(Self.size(status.bytes))")
            let jobs = JobState.allCases.map { "\(status.jobs[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
            Terminal.out("jobs         \(jobs)")
            Terminal.out(
                "runs         \(status.waitingRuns) waiting, \(status.claimedRuns) running, \(status.endedRuns) ended")
            if status.submissions > 0 { Terminal.out("submissions  \(status.submissions) that no scheduler has taken") }
            if status.refusals > 0 {
                Terminal.out(
                    "refused      \(status.refusals) \(status.refusals == 1 ? "submission" : "submissions") (apus list --refused)"
                )
            }
            if status.setAsideCount > 0 {
                Terminal.out("set aside    \(jobCount(status.setAsideCount)) that cannot be read")
                for job in status.setAside {
                    Terminal.out("  \(String(describing: job.id)): \(job.problem)")
                }
            }
            let next = status.earliestWake.map { "\(When.local($0)) (\(When.relative($0)))" } ?? "nothing"
            Terminal.out("next due     \(next)")
            guard !status.nodes.isEmpty else { return Terminal.out("no node uses this store") }
            var table = Table(["NODE", "SHARDS", "STATE"], rightAligned: [1])
            for node in status.nodes {
                table.add([
                    (node.name, .bold), (String(node.shards), nil),
                    (node.isConnected ? "connected" : "gone", node.isConnected ? .green : .yellow),
                ])
            }
            table.print()
        }
    }

    /// Returns a size such as `12.3 MiB`.
    static func size(_ bytes: Int64) -> String {
        var (value, unit) = (Double(bytes), "bytes")
        for larger in ["KiB", "MiB", "GiB", "TiB"] where value >= 1_024 {
            (value, unit) = (value / 1_024, larger)
        }
        return unit == "bytes" ? "\(bytes) bytes" : "\((value * 10).rounded() / 10) \(unit)"
    }
}

struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the invariants of a store's rows. Exit code 1 if one is violated.",
        discussion: "It reads one consistent state of the store, even while nodes are running, and changes nothing.")

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let location = try options.location()
            let findings = try await location.inspection.check()
            if json {
                try Terminal.json(WireStoreCheck(findings))
            } else if findings.isEmpty {
                Terminal.out("\(String(describing: location)): no problems found")
            } else {
                for finding in findings {
                    Terminal.out("violated \(finding.count) \(finding.count == 1 ? "time" : "times"): \(finding.rule)")
                    for example in finding.examples { Terminal.out("  \(example)") }
                }
            }
            if !findings.isEmpty { throw ExitCode(1) }
        }
    }
}

struct StoreMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate a store to the newest schema that this program knows.",
        discussion: """
            Daemons create the schema in an empty database, but do not change an existing one. Daemons of the previous \
            version can run beside new ones, unless the migration says that they must be stopped first.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print the statements without executing them.")
    var dryRun = false

    func run() async throws {
        try await reporting {
            let location = try options.location()
            var plan: StoreMigrationPlan?
            try await location.migrate(dryRun: dryRun) { found in
                plan = found
                if dryRun {
                    for statement in found.statements { Terminal.out("\(lines: statement);") }
                }
                if found.current < found.newest {
                    Terminal.note("\(Self.title(found, dryRun: dryRun))")
                }
            }
            guard let plan else { return }
            if plan.current >= plan.newest {
                Terminal.out("the schema has version \(plan.current); there is nothing to do")
            } else if !dryRun {
                Terminal.out("the schema has version \(plan.newest) now")
            }
        }
    }

    private static func title(_ plan: StoreMigrationPlan, dryRun: Bool) -> String {
        let from = plan.current == 0 ? "no schema" : "version \(plan.current)"
        let stop =
            plan.current > 0 && plan.endsOlderPrograms ? "; programs of an older version must be stopped first" : ""
        return "\(dryRun ? "would migrate" : "migrating") from \(from) to version \(plan.newest)\(stop)"
    }
}

// MARK: JSON

/// The output of `apus store status --json`.
private struct WireStoreStatus: Encodable {
    struct Node: Encodable {
        var name: String
        var shards: Int
        var connected: Bool
    }

    var schema: Int
    var newestSchema: Int
    var bytes: Int64
    var jobs: [String: Int]
    var waitingRuns: Int
    var runningRuns: Int
    var endedRuns: Int
    var submissions: Int
    var refusals: Int
    var setAside: Int
    var nextDue: String?
    var nodes: [Node]

    init(_ status: StoreStatus) {
        (schema, newestSchema, bytes) = (status.schema, status.newestSchema, status.bytes)
        jobs = Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0.rawValue, status.jobs[$0] ?? 0) })
        (waitingRuns, runningRuns, endedRuns) = (status.waitingRuns, status.claimedRuns, status.endedRuns)
        (submissions, refusals, setAside) = (status.submissions, status.refusals, status.setAsideCount)
        nextDue = status.earliestWake.map(\.iso8601)
        nodes = status.nodes.map { Node(name: $0.name, shards: $0.shards, connected: $0.isConnected) }
    }
}

/// The output of `apus store check --json`.
private struct WireStoreCheck: Encodable {
    struct Finding: Encodable {
        var rule: String
        var count: Int
        var examples: [String]
    }

    var findings: [Finding]

    init(_ findings: [StoreFinding]) {
        self.findings = findings.map { Finding(rule: $0.rule, count: $0.count, examples: $0.examples) }
    }
}

struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy everything that a store keeps into an empty one, and compare both.",
        discussion: """
            Jobs keep their identifiers, occurrence numbers and history. No daemon opens the target before both stores have been compared and found equal; after an interruption, the next copy starts again from the beginning.

            Stop all daemons of both stores first (apus stop). The source is not changed, so a file of an older version must be migrated before the copy (apus store migrate). Do not start a daemon with the source afterwards.

            Examples:
              apus store copy --from ./apus.db --to postgres://db.example/jobs
              apus store copy --from postgres://db.example/jobs --to ./jobs.db
            """)

    @Option(
        help: ArgumentHelp("The store to copy: postgres://HOST/DATABASE, sqlite:PATH, or a path.", valueName: "store"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "The copy: an empty database, or a file that does not exist.", valueName: "store"))
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
                "copied and compared in \(DurationText.format(When.rounded(duration))); the source is unchanged")
        }
    }
}

/// A line on the terminal that shows the progress of a copy, and is updated at most twice a second.
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

/// The output of `apus store copy --json`.
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
