import ApusTestSupport
import ApusTimers
import ArgumentParser
import Foundation

/// Injects faults into a real cluster on a real PostgreSQL, and checks the cluster's promises against what the
/// commands wrote and what the database's tables contain.
@main
struct Chaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos", abstract: "Break a cluster in chosen ways, and check that it keeps its promises.",
        discussion: """
            Starts a PostgreSQL of its own and three daemons (apus serve), and submits jobs all the time, whose \
            commands write down when they begin and end. The nemeses:

            """ + Nemesis.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"),
        subcommands: [Torment.self, OwnServe.self], defaultSubcommand: Torment.self)
}

struct Torment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "torment", shouldDisplay: false)

    @Argument(help: "The nemeses, which strike one after another (default: all).")
    var nemeses: [Nemesis] = []

    @Option(help: "How many times each nemesis strikes.")
    var rounds = 1

    @Option(help: "Submissions a second, beside \(Trial.ticks) jobs that run once a second.")
    var rate = 20

    @Flag(help: "A run of less than 60 s, with the nemeses pause and crash unless others are named.")
    var short = false

    @Option(help: ArgumentHelp("The daemon (default: the apus beside this program).", valueName: "path"))
    var apus: String?

    @Option(help: ArgumentHelp("Also write the findings to this file.", valueName: "file"))
    var json: String?

    @Option(help: "The seed of what is submitted and which node is struck (default: random).")
    var seed: UInt64?

    @Flag(help: "Keep the folder with the logs and what handlers wrote, if a promise is broken.")
    var keep = false

    func validate() throws {
        guard rounds >= 1 else { throw ValidationError("--rounds: must be at least 1, not \(rounds)") }
        guard 1...1_000 ~= rate else {
            throw ValidationError("--rate: \(rate) is not a whole number from 1 to 1000")
        }
    }

    private var chosen: [Nemesis] {
        nemeses.isEmpty ? (short ? [.pause, .crash] : Nemesis.allCases) : nemeses
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        // The daemons must not use the store, the runtime folder, the session bus and the notify socket of this
        // program.
        for name in ["APUS_STORE", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "NOTIFY_SOCKET"] {
            unsetenv(name)
        }
        let programs = try Programs(apus: apus)
        _ = try Server.programFolder()
        if let json, !FileManager.default.createFile(atPath: json, contents: nil) {
            throw Failure("--json: \(json) cannot be written")
        }
        if chosen.contains(.full), getuid() != 0 {
            throw Failure("the nemesis full mounts a small file system: run it as root, or name other nemeses")
        }
        let seed = seed ?? SystemRandom().next()
        let seconds = chosen.reduce(0) { $0 + 14 + rounds * $1.roundSeconds(isShort: short) }
        say("seed \(seed); repeat with --seed \(seed). About \(seconds) s.")
        let files = try WorkFolder()
        var (findings, failures): ([Findings], [String]) = ([], [])
        do {
            defer { files.remove() }
            (findings, failures) = try await torment(files, programs, SeededRandom(seed: seed))
            if keep, !failures.isEmpty || findings.contains(where: { !$0.violations.isEmpty }) {
                let copy = "\(files.path)-kept"
                try Shell.run([
                    "sh", "-c", "mkdir '\(copy)'; cd '\(files.path)' && cp *.log *.effects '\(copy)' || true",
                ])
                say("The logs and effects are in \(copy).")
            }
        }
        say("\n" + Findings.header)
        for finding in findings { say(finding.row) }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(findings).write(to: URL(filePath: json))
        }
        let broken = findings.filter { !$0.violations.isEmpty }
        for finding in broken {
            say("\n\(finding.nemesis): \(finding.violations.count) times broken")
            for violation in finding.violations.prefix(12) { say("BROKEN  \(violation)") }
        }
        for failure in failures { say("\nnot to its end: \(failure)") }
        guard broken.isEmpty, failures.isEmpty else { throw ExitCode(1) }
        say("\nEvery promise held.")
    }

    /// Runs the chosen nemeses, each on its own cluster.
    ///
    /// - Returns: The findings of each nemesis, and the failures of the nemeses that have no findings.
    private func torment(
        _ files: WorkFolder, _ programs: Programs, _ random: SeededRandom
    ) async throws -> (findings: [Findings], failures: [String]) {
        let servers = Servers(files)
        let clock = try ShiftedClock(in: files.path)
        var (findings, failures): ([Findings], [String]) = ([], [])
        for (index, nemesis) in chosen.enumerated() {
            let cluster = try Cluster(
                "\(nemesis.rawValue)_\(index)", try await servers.setup(for: nemesis), programs: programs,
                files: files, clock: clock, random: random)
            let trial = Trial(nemesis: nemesis, rounds: rounds, isShort: short, rate: rate)
            let began = wallNow()
            say("\(nemesis.rawValue): \(nemesis.summary)")
            let found: Findings
            do { found = try await trial.run(on: cluster) { say("  \($0)") } } catch {
                failures.append("\(nemesis.rawValue): \(error)")
                say("  FAILED  \(error)")
                try? await cluster.stopAll()
                continue
            }
            let taken = String(format: "%.0f", Double(wallNow() - began) / 1e9)
            say(
                "  \(found.answered) of \(found.submitted) submissions answered, \(found.starts) starts; "
                    + "\(found.violations.count) promises broken (\(taken) s)")
            for end in cluster.ends { say("  a node ended: \(end)") }
            for violation in found.violations.prefix(3) { say("  BROKEN  \(violation)") }
            findings.append(found)
        }
        return (findings, failures)
    }
}
