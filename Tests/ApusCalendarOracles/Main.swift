import ApusCalendar
import Foundation

/// The oracles' running programs.
struct Oracles {
    var python: LineOracle
    var systemd: LineOracle
    var java: LineOracle

    init(_ options: Options) throws {
        let program = ["\(options.sources)/oracle.py"]
        python = try LineOracle(options.python, program)
        systemd = try LineOracle(options.python, program)
        java = try LineOracle(options.java, ["\(options.sources)/Oracle.java"])
    }
}

enum OracleError: Error {
    case ended(Oracle)
}

/// Compares random schedules with other programs, around the changes of the clock of all zones.
@main
struct ApusCalendarOracles {
    static func main() {
        do { try compare() } catch {
            FileHandle.standardError.write(Data("calendar: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func compare() throws {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            FileHandle.standardError.write(Data("\(Options.usage)\n".utf8))
            exit(64)
        }
        var run = Run(options: options, oracles: try Oracles(options))
        try run.zones()
        try run.schedules()
        run.report()
        exit(run.tally.unexplainedTotal == 0 ? 0 : 1)
    }
}

struct Run {
    let options: Options
    let oracles: Oracles
    var tally = Tally()
    private let database = ZoneDatabase()
    private var changes: [(zone: String, at: Int64)] = []
    private var different: Set<String> = []
    private var covered = 0

    init(options: Options, oracles: Oracles) {
        self.options = options
        self.oracles = oracles
    }

    mutating func zones() throws {
        let system =
            FileManager.default.contents(atPath: "/usr/share/zoneinfo/tzdata.zi")
            .map { String(decoding: $0.prefix(60), as: UTF8.self) }?.split(separator: "\n").first?
            .split(separator: " ").last.map(String.init) ?? "unknown"
        let jdk = oracles.java.ask(["version"]) ?? "unknown"
        var data = ZoneData()
        let names = database.names()
        for name in names {
            let rules = try database.zone(name).rules
            try data.compare(name, rules, python: oracles.python, java: oracles.java)
            changes += rules.transitions(in: 0..<Round.end).map { (name, $0.at) }
        }
        tally = data.tally
        different = Set(data.different)
        print(
            "seed \(options.seed); tzdata \(system), of the JDK \(jdk); \(names.count) zones, "
                + "\(changes.count) changes of the clock from 1970 to 2100")
        guard !different.isEmpty else { return }
        print(
            "java.time has other data of \(different.count) zones, which it is not asked about: "
                + different.sorted().joined(separator: ", "))
        if system == jdk {
            print("unexplained: of the same version")
            tally.unexplained[.java, default: 0] += different.count
        }
    }

    mutating func schedules() throws {
        var generator = SeededGenerator(seed: options.seed)
        changes.shuffle(using: &generator)
        let start = Date()
        var reported = start
        while Date().timeIntervalSince(start) < options.seconds {
            let (zone, at) = changes[(options.skip + covered) % changes.count]
            covered += 1
            // Most rounds begin before, in or after a change of the clock, and about every fifth begins at any instant.
            let isAnywhere = generator.chance(5)
            let base =
                isAnywhere
                ? Int64(generator.number(0...4_000_000_000)) : at + Int64(generator.number(-100_000...7200))
            var round = Round(
                zone: zone, rules: try database.zone(zone).rules, base: max(0, base),
                isKnownToJava: !different.contains(zone), seed: generator.next())
            var tally = tally
            try round.run(oracles) { judge($0, $1, $2, &tally) }
            self.tally = tally
            if Date().timeIntervalSince(reported) >= 10 {
                reported = Date()
                FileHandle.standardError.write(
                    Data(
                        "calendar: \(Int(reported.timeIntervalSince(start))) of \(Int(options.seconds)) s, \(covered) changes, \(tally.total) comparisons, \(tally.unexplainedTotal) unexplained\n"
                            .utf8))
            }
        }
    }

    private func judge(_ comparison: Comparison, _ answer: Answer, _ agreesWithoutZone: Bool, _ tally: inout Tally) {
        let oracle = comparison.oracle
        guard let theirs = answer.instants(until: comparison.end) else {
            tally.refused[oracle, default: 0] += 1
            if options.verbose { print("\(oracle): \(comparison.text): \(answer)") }
            return
        }
        tally.comparisons[oracle, default: 0] += 1
        let ours = comparison.ours()
        if theirs == ours { return }
        let finds = { (instant: Int64) in
            // The question begins a microsecond before the instant. If it began a whole second before, systemd could
            // count the seconds up to 60, past the end of the minute, and then miss the instant (see
            // `Verdict.systemdRepetition`).
            let question = ["systemd", comparison.zone, "\(instant - 1).999999", "1", comparison.text]
            return Answer(line: oracles.systemd.ask(question) ?? "").instants(until: instant)?.contains(instant)
                ?? false
        }
        if let verdict = Verdict.explain(comparison, theirs, agreesWithoutZone: agreesWithoutZone, finds: finds) {
            tally.verdicts[verdict, default: 0] += 1
            return
        }
        tally.unexplained[oracle, default: 0] += 1
        func text(_ instants: [Int64]) -> String {
            instants.prefix(8).map { "\(comparison.rules.local(at: $0)) \(comparison.rules.offset(at: $0) / 60)" }
                .joined(separator: ", ")
        }
        var report =
            "unexplained: \(oracle), “\(comparison.text)” in \(comparison.zone) after \(comparison.base), "
            + text([comparison.base]) + ", gap \(comparison.policy.gap), repeated \(comparison.policy.repeated)\n"
            + "    Apus:   \(text(ours))\n    oracle: \(text(theirs))\n"
        if case .recurrence(let rule) = comparison.schedule.rule { report += "    from \(rule.start)\n" }
        // `print` would buffer the text until the end when the output is a file.
        FileHandle.standardOutput.write(Data(report.utf8))
    }

    func report() {
        print("\(min(covered, changes.count)) of the changes were taken as times to start from\n")
        tally.report()
    }
}
