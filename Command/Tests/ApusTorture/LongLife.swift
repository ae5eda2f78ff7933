import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation

/// One home whose daemon is killed repeatedly while jobs are submitted and run.
final class LongLife: Sendable {
    let program: LimitedProgram
    let home: Home
    let random: SeededRandom

    struct Result {
        var violations: [String]
    }

    /// The answered submissions, and the number of submissions that were repeated.
    private struct Ledger {
        var answered: [String: String] = [:]
        var isOver = false
        var repeated = 0
    }

    private let ledger = Locked(Ledger())
    private var witnessPath: String { home.path + "-witness" }
    private var client: DaemonClient { DaemonClient(home: home) }

    init(program: LimitedProgram, home: Home, random: SeededRandom) {
        self.program = program
        self.home = home
        self.random = random
    }

    func run(kills: Int) async throws -> Result {
        guard kills > 0 else { return Result(violations: []) }
        try home.prepare()
        var process = try await program.start(home)
        let seeds = (0..<4).map { _ in random.next() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, seed) in seeds.enumerated() {
                group.addTask { try await self.submit(number, SeededRandom(seed: seed)) }
            }
            for number in 1...kills {
                try await wait(.milliseconds(Int64(2 + random.next() % 500)))
                Foundation.kill(process, SIGKILL)
                do { process = try await program.start(home) } catch {
                    ledger.withLock { $0.isOver = true }
                    throw Failure("the daemon did not start after kill \(number): \(error)")
                }
                if number % 25 == 0 {
                    let answered = ledger.withLock { $0.answered.count }
                    print("\(number) of \(kills) kills, \(answered) jobs submitted")
                }
            }
            ledger.withLock { $0.isOver = true }
            try await group.waitForAll()
        }
        try await until("the end of every job", atMost: .seconds(900)) {
            try await client.jobs(states: ["scheduled"], limit: 1).jobs.isEmpty
        }
        let check = Promises(
            answered: ledger.withLock { $0.answered }, jobs: try await allJobs(), runs: try await allRuns(),
            witnesses: try Witness.read(witnessPath))
        print(
            "\(kills) kills: \(check.answered.count) jobs answered (\(ledger.withLock { $0.repeated }) submissions repeated), "
                + check.summary)
        try await client.stop()
        try await client.untilStopped()
        return Result(violations: check.violations)
    }

    /// Submits jobs until the kills have ended, and repeats unanswered submissions with their keys.
    private func submit(_ number: Int, _ random: SeededRandom) async throws {
        var count = 0
        while !ledger.withLock({ $0.isOver }) {
            count += 1
            let key = "\(number)-\(count)"
            let submission = Workload.submission(key: key, witness: witnessPath, random: random)
            while true {
                do {
                    let job = try await client.submit(submission)
                    ledger.withLock { $0.answered[key] = job.id }
                    break
                } catch let error as DaemonError where error.code == .invalid {
                    throw Failure("a submission was refused: \(error)")
                } catch {
                    ledger.withLock { $0.repeated += 1 }
                    try await wait(.milliseconds(15))
                }
            }
            try await wait(.milliseconds(Int64(random.next() % 40)))
        }
    }

    private func allJobs() async throws -> [WireJob] {
        try await allPages {
            let page = try await client.jobs(limit: 1_000, after: $0)
            return (page.jobs, page.next)
        }
    }

    private func allRuns() async throws -> [WireRun] {
        try await allPages {
            let page = try await client.runs(limit: 1_000, after: $0)
            return (page.runs, page.next)
        }
    }

    private func allPages<Row>(
        _ page: (_ after: String?) async throws -> (rows: [Row], next: String?)
    ) async throws -> [Row] {
        var (rows, next) = try await page(nil)
        while let after = next {
            let following = try await page(after)
            rows += following.rows
            next = following.next
        }
        return rows
    }
}

/// The jobs of the test: short, long, repeating, failing and flooding ones.
enum Workload {
    static func submission(key: String, witness: String, random: SeededRandom) -> WireSubmission {
        let note = "printf '%s %s %s %s\\n' $APUS_JOB $APUS_OCCURRENCE $(date +%s%3N) $APUS_DUE >> \(witness)"
        var trigger = WireTrigger(after: "PT\(Double(10 + random.next() % 3_000) / 1_000)S")
        var policies = WirePolicies()
        let work: String
        switch random.next() % 8 {
        case 0: work = "sleep 0.3"
        case 1: work = "yes | head -c 3000000"
        case 2:
            work = "test $APUS_ATTEMPT -gt 1"
            policies.retry = 100
        case 3:
            work = "true"
            let count = 2 + Int(random.next() % 8)
            trigger = WireTrigger(every: "PT\(Double(50 + random.next() % 400) / 1_000)S", count: count)
            policies.missed = ["run-once", "run-all", "skip"][Int(random.next() % 3)]
            policies.overlap = ["skip", "queue", "allow", "replace"][Int(random.next() % 4)]
        default: work = "true"
        }
        return WireSubmission(
            name: key, trigger: trigger,
            action: Action(command: .init(argv: ["\(note); \(work)"], shell: true, cwd: "/")), policies: policies,
            idempotencyKey: key)
    }
}
