import ApusTimers
import ArgumentParser
import ClusterSimulation
import Foundation
import SchedulerSimulation

/// Runs histories of the scheduler, one for each seed, until one breaks a promise: `make simulate SEEDS=100000`.
@main
struct ApusSimulation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ApusSimulation", abstract: "Simulate the scheduler, one history for each seed.")

    @Option(help: "The number of seeds.") var seeds: UInt64 = 10_000
    @Option(help: "The first seed.") var first: UInt64 = 1
    @Option(help: ArgumentHelp("Leave this kind of trouble out (repeatable): \(Self.troubles).", valueName: "trouble"))
    var without: [String] = []
    @Flag(help: "Continue after a failure, and count which promises are broken; do not shorten histories.")
    var survey = false
    @Flag(help: "Do not shorten a failing history.") var raw = false
    @Flag(help: "Print what happens in the history of the first seed.") var trace = false

    @Flag(help: "Simulate several schedulers over one database.") var cluster = false
    @Option(help: "Leave out a rule of the cluster: \(ClusterMutant.allCases.map(\.rawValue).joined(separator: ", ")).")
    var mutant: String?

    private static let troubles = Generator.Trouble.allCases.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
        if let mutant, ClusterMutant(rawValue: mutant) == nil {
            throw ValidationError("--mutant: \(mutant) is not a rule of the cluster")
        }
        for name in without where Generator.Trouble(rawValue: name) == nil {
            throw ValidationError("--without: \(name) is not a kind of trouble; the kinds are \(Self.troubles)")
        }
    }

    func run() throws {
        Seed.announceTraps()
        if cluster { return try runCluster() }
        let excluded = Set(without.compactMap(Generator.Trouble.init))
        if trace {
            // Lines are printed at once, so that the last one is there after a trap.
            return Simulation.trace(seed: first, without: excluded) { line in
                FileHandle.standardOutput.write(Data("\(line)\n".utf8))
            }
        }
        let clock = SystemTime()
        let beginning = clock.uptime()
        let isTerminal = isatty(STDERR_FILENO) == 1
        var broken: [Promise: (count: Int, first: UInt64, detail: String)] = [:]
        for number in 0..<seeds {
            let seed = first + number
            Seed.note(seed, seconds: survey || raw ? 30 : 1_800)
            if let failure = Simulation.run(seed: seed, without: excluded, shrinks: !survey && !raw) {
                guard survey else {
                    if isTerminal { eraseLine() }
                    print(failure)
                    print("Repeat it with: make simulate FIRST=\(seed) SEEDS=1")
                    throw ExitCode(1)
                }
                let before = broken[failure.violation.promise]
                broken[failure.violation.promise] = (
                    (before?.count ?? 0) + 1, before?.first ?? seed, before?.detail ?? failure.violation.detail
                )
            }
            if isTerminal, number % 64 == 63 { progress(number + 1, since: beginning, clock) }
        }
        if isTerminal { eraseLine() }
        for (promise, found) in broken.sorted(by: { $0.value.count > $1.value.count }) {
            print("\(found.count) × \(promise.rawValue)\n    first with seed \(found.first): \(found.detail)")
        }
        let time = beginning.duration(to: clock.uptime())
        print("\(seeds) seeds from \(first) on, \(rate(seeds, time)) a second: ", terminator: "")
        print(broken.isEmpty ? "every promise was kept" : "\(broken.count) promises were broken")
        if !broken.isEmpty { throw ExitCode(1) }
    }

    private func rate(_ seeds: UInt64, _ time: Duration) -> Int { Int(Double(seeds) / max(0.001, time / .seconds(1))) }

    private func progress(_ done: UInt64, since beginning: UptimeInstant, _ clock: SystemTime) {
        let line = "\r\(done) of \(seeds) seeds, \(rate(done, beginning.duration(to: clock.uptime()))) a second"
        FileHandle.standardError.write(Data(line.utf8))
    }

    private func eraseLine() { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
}

/// The current seed, kept where a signal handler can read it, so that a trap in the scheduler reports it.
enum Seed {
    nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: 64)
    nonisolated(unsafe) private static var length = 0

    /// Records the seed; a history that takes longer than `seconds` counts as endless.
    static func note(_ seed: UInt64, seconds: UInt32) {
        length = Int(withVaList([seed]) { vsnprintf(text, 64, "\ntrapped with the seed %llu\n", $0) })
        alarm(seconds)
    }

    static func announceTraps() {
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGALRM] {
            Foundation.signal(signal) { number in
                _ = write(STDERR_FILENO, Seed.text, Seed.length)
                Foundation.signal(number, SIG_DFL)
                raise(number)
            }
        }
    }
}
