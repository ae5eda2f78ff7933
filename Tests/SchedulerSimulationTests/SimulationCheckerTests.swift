import ApusJobs
import ApusTimers
import ApusVirtualTime
import Testing

@testable import SchedulerSimulation

/// Tests that the checker detects rows that are wrong in one way.
@Suite("The simulation's checker")
struct SimulationCheckerTests {
    private let time = VirtualTime()

    /// Returns a ledger with one submission, and its job with two outcomes and one open run.
    private func sample(_ plan: JobPlan = JobPlan(id: 0, when: .every(1_000, count: nil))) -> (Ledger, Job, [Run]) {
        let ledger = Ledger(History(seed: 1), time: time)
        ledger.with { $0.nodes.append(.init()) }
        let (command, numbers) = ledger.submit([plan], node: 0)
        let now = time.wall()
        var job = Job(
            request: plan.request(number: numbers[0], now: now), key: 1, version: 1, state: .scheduled, created: now,
            updated: now, firstDue: now.advanced(by: .seconds(1)), nextOccurrence: 4,
            nextDue: now.advanced(by: .seconds(4)), occurrenceCount: 2, missedCount: 0,
            wake: now.advanced(by: .seconds(4)))
        job.version = 2
        ledger.answered(command, jobs: [job])
        func run(_ occurrence: Int, _ state: RunState, isFinal: Bool = false, reason: String? = nil) -> Run {
            Run(
                jobKey: 1, jobID: job.id, occurrence: occurrence, attempt: state == .skipped ? 0 : 1,
                due: now.advanced(by: .seconds(occurrence)), state: state, isFinal: isFinal, reason: reason)
        }
        let runs = [
            run(1, .skipped, isFinal: true, reason: "overlap"), run(2, .skipped, isFinal: true, reason: "overlap"),
            run(3, .waiting),
        ]
        return (ledger, job, runs)
    }

    private func violation(
        _ plan: JobPlan = JobPlan(id: 0, when: .every(1_000, count: nil)),
        _ change: (inout Job, inout [Run]) -> Void = { _, _ in }
    ) -> Promise? {
        var (ledger, job, runs) = sample(plan)
        change(&job, &runs)
        var check = RowCheck(ledger: ledger)
        check.check(jobs: [job], runs: runs)
        return ledger.violation?.promise
    }

    @Test("correct rows are accepted")
    func right() { #expect(violation() == nil) }

    @Test("an occurrence without an outcome, with two, or with one too many is found")
    func occurrences() {
        #expect(violation { $1.remove(at: 1) } == .oneOutcome)
        #expect(violation { $1.append($1[1]) } == .oneOutcome)
        #expect(violation { job, _ in job.nextOccurrence = 5 } == .oneOutcome)
        #expect(violation { job, _ in job.occurrenceCount = 3 } == .oneOutcome)
        #expect(violation { $1[1].isFinal = false } == .oneOutcome)
        #expect(violation(JobPlan(id: 0, when: .every(1_000, count: 2))) == .oneOutcome)
    }

    @Test("an invented outcome is found")
    func falseOutcome() {
        func attempt(_ state: RunState, _ reason: String? = nil) -> Promise? {
            violation { _, runs in
                (runs[1].attempt, runs[1].state, runs[1].reason) = (1, state, reason)
            }
        }
        #expect(attempt(.succeeded) == .trueOutcome)
        #expect(attempt(.failed, "as planned") == .trueOutcome)
        #expect(attempt(.failed, "timedOut") == .trueOutcome)
        #expect(attempt(.cancelled, "cancelled") == .trueOutcome)
        #expect(violation { $1[1].reason = "queueFull" } == .trueOutcome)
    }

    @Test("a row that changes after it has ended is found")
    func changed() {
        let (ledger, job, runs) = sample()
        var check = RowCheck(ledger: ledger)
        check.check(jobs: [job], runs: runs)
        #expect(ledger.violation == nil)
        var later = runs
        later[1].reason = "missed"
        check.check(jobs: [job], runs: later)
        #expect(ledger.violation?.promise == .recordedOnce)
    }

    @Test("a missing acknowledged job and a cancelled job that continues are found")
    func acknowledged() {
        let (ledger, job, runs) = sample()
        var check = RowCheck(ledger: ledger)
        check.check(jobs: [], runs: [])
        #expect(ledger.violation?.promise == .durable)

        let (other, _, _) = sample()
        var cancelled = job
        cancelled.state = .cancelled
        other.answered(other.issue(.cancel, node: 0, job: 0), jobs: [cancelled])
        time.advance(by: .seconds(1))
        check = RowCheck(ledger: other)
        check.check(jobs: [job], runs: runs)
        #expect(other.violation?.promise == .obeyed)
    }

    @Test("an occurrence that arrived before its time, or never, is found")
    func arrivals() {
        let (early, job, _) = sample()
        RowCheck(ledger: early).checkEverythingArrived([job])
        #expect(early.violation?.promise == .neverEarly)

        let (late, _, _) = sample()
        time.advance(by: .seconds(20))
        RowCheck(ledger: late).checkEverythingArrived([job])
        #expect(late.violation?.promise == .recovery)
    }

    @Test("a run that was claimed too early for its queue's rate is found, whichever process claimed the others")
    func rates() {
        /// Returns the promise that three claims at these seconds break, if a different process makes each claim.
        func violation(_ seconds: [Int], rateSince: Int = 0) -> Promise? {
            let (ledger, _, _) = sample(JobPlan(id: 0, when: .every(1_000, count: nil), queue: 1))
            let now = ledger.now
            ledger.with { state in
                state.queues[1] = .init(rate: (2, 10_000_000_000), rateSince: Int64(rateSince) * 1_000_000_000)
                for (node, second) in seconds.enumerated() {
                    let claimed = Int64(second) * 1_000_000_000
                    state.checkRate(0, claimed: claimed, now)
                    state.calls.append(
                        Ledger.Call(
                            node: node, submission: 0, key: 1, occurrence: node, attempt: 1, started: now,
                            claimed: claimed, startedUptime: 0))
                }
            }
            return ledger.violation?.promise
        }
        #expect(violation([1, 5, 10]) == .queues)
        #expect(violation([1, 5, 11]) == nil, "the first is a period ago")
        #expect(violation([1, 5, 10], rateSince: 1) == nil, "the first was before there was a rate")
        #expect(violation([1, 5, 4]) == nil, "of a claim that was made before the second one")
    }

    @Test(
        "a claim's instant follows from its row by the wall clock of that time, and is unknown where that is ambiguous"
    )
    func claims() {
        let (ledger, _, runs) = sample()
        var run = runs[2]
        func claim() -> Int64? { ledger.with { [now = ledger.now, run] in $0.claim(of: run, now) } }
        #expect(claim() == nil, "it was not claimed")
        time.advance(by: .seconds(3))
        (run.state, run.claimed) = (.running, time.wall())
        #expect(claim() == 3_000_000_000)
        time.advance(by: .seconds(4))
        #expect(claim() == 3_000_000_000)
        func move(_ seconds: Int) {
            time.moveWallOnly(by: .seconds(seconds))
            let moved = ledger.now
            ledger.with { $0.clocks.append(moved) }
        }
        move(3_600)
        #expect(claim() == 3_000_000_000)
        move(-3_606)
        time.advance(by: .seconds(3))
        #expect(claim() == nil, "the clock has shown that time twice")
        run.claimed = time.wall()
        #expect(claim() == 10_000_000_000)
    }

    @Test("progress that is invented or not the last report, and output kept by a snooze, are found")
    func progress() {
        func violation(_ message: String?, exitCode: Int? = nil) -> Promise? {
            var (ledger, job, runs) = sample()
            let now = ledger.now
            ledger.with { state in
                var call = Ledger.Call(
                    node: 0, submission: 0, key: 1, occurrence: 2, attempt: 1, started: now, startedUptime: 0)
                (call.ended, call.result, call.reports) = (now, .returned, [0, 0])
                state.calls = [call]
                state.callsByAttempt[.init(key: 1, occurrence: 2, attempt: 1)] = [0]
            }
            (runs[1].attempt, runs[1].state, runs[1].reason, runs[1].exitCode) = (1, .succeeded, nil, exitCode)
            runs[1].progress = message.map { RunProgress(fraction: 1, message: $0) }
            var check = RowCheck(ledger: ledger)
            check.check(jobs: [job], runs: runs)
            return ledger.violation?.promise
        }
        #expect(violation("0.1") == nil)
        for wrong in ["0.0", "0.2", "1.0", "other", nil] { #expect(violation(wrong) == .progress) }
        #expect(violation("0.1", exitCode: 75) == .snooze)
    }

    @Test("a job that finishes without a run after its last submission is found")
    func begun() {
        func violation(_ change: (inout Run) -> Void = { _ in }) -> Promise? {
            let plan = JobPlan(id: 0, when: .after(1_000))
            var (ledger, job, runs) = sample(plan)
            let start = time.wall()
            time.advance(by: .seconds(5))
            let (command, numbers) = ledger.submit([plan], node: 0)
            job.request = plan.request(number: numbers[0], now: time.wall())
            ledger.answered(command, jobs: [job])
            time.advance(by: .seconds(5))
            (job.state, job.nextDue, job.nextOccurrence, job.bookkeeping.origin) = (.finished, nil, 3, 1)
            runs = [(1, 1), (2, 7)].map { occurrence, second in
                Run(
                    jobKey: 1, jobID: job.id, occurrence: occurrence, attempt: 1, due: start.advanced(by: .seconds(1)),
                    state: .cancelled, isFinal: true, reason: "cancelled",
                    claimed: start.advanced(by: .seconds(second)),
                    finished: start.advanced(by: .seconds(8)))
            }
            change(&runs[1])
            var check = RowCheck(ledger: ledger)
            check.check(jobs: [job], runs: runs)
            return ledger.violation?.promise
        }
        #expect(violation() == nil)
        #expect(violation { $0.claimed = time.wall().advanced(by: .seconds(-8)) } == .begun)
        #expect(
            violation { run in
                (run.state, run.attempt, run.reason, run.claimed) = (.skipped, 0, "overlap", nil)
            } == .begun)
    }

    @Test("a second job with one payload, an answer with an ended job, and an effect of a refused submission are found")
    func unique() {
        /// Returns the promise that the answer to a second submission breaks.
        ///
        /// The second submission comes this number of seconds after the first one.
        func violation(
            within: Int? = 10_000, _ conflict: JobPlan.Conflict = .keep, after seconds: Int,
            _ answer: (Ledger, _ command: Int, _ first: Job, _ second: Job) -> Void
        ) -> Promise? {
            let plan = JobPlan(
                id: 0, unique: .init(within: within, hasOwnID: true), when: .every(1_000, count: nil),
                conflict: conflict)
            let (ledger, first, _) = sample(plan)
            time.advance(by: .seconds(seconds))
            let (command, numbers) = ledger.submit([plan], node: 0)
            var second = first
            second.request = plan.request(number: numbers[0], now: time.wall())
            second.key = 2
            answer(ledger, command, first, second)
            return ledger.violation?.promise
        }
        func made(_ ledger: Ledger, _ command: Int, _ first: Job, _ second: Job) {
            ledger.answered(command, jobs: [second])
        }
        #expect(violation(after: 20, made) == nil)
        #expect(violation(after: 5, made) == .unique)
        #expect(violation(.replace, after: 5, made) == nil)
        func ended(_ ledger: Ledger, _ command: Int, _ first: Job, _ second: Job) {
            var ended = first
            ended.state = .finished
            ledger.answered(command, jobs: [ended])
        }
        #expect(violation(after: 5, ended) == nil)
        #expect(violation(after: 20, ended) == .unique)
        #expect(violation(within: nil, after: 5, ended) == .unique)
        #expect(violation(.refuse, after: 5, ended) == .answered)
        func refused(_ ledger: Ledger, _ command: Int, _ first: Job, _ second: Job) {
            ledger.failed(command, JobError(code: .alreadyExists, message: "there is one"))
        }
        #expect(violation(.refuse, after: 5, refused) == nil)
        #expect(violation(.keep, after: 5, refused) == .answered)
        #expect(
            violation(.refuse, after: 20) { ledger, command, first, second in
                refused(ledger, command, first, second)
                ledger.with { [now = ledger.now] in $0.learn(1, second, now) }
            } == .unique)
        #expect(
            violation(after: 20) { ledger, command, first, second in
                made(ledger, command, first, second)
                ledger.with { [now = ledger.now] in $0.checkUnique([first, second], now) }
            } == .unique)
    }

    @Test("a failing history is shrunk to the steps that it needs")
    func shrinking() throws {
        var history = Generator.history(of: 3)
        let failing = JobPlan(
            id: 4, when: .every(30_000, count: nil), overlap: .replace, behaviours: [.hang, .failFinally])
        history.steps.insert(.together([.command(.query, job: 1), .submit([JobPlan(id: 1), failing])]), at: 20)
        history.steps.append(.freeze)
        var shrinker = try #require(
            Shrinker(history) { history, _ in
                let isSubmitted = history.steps.contains { step in
                    guard case .submit(let plans) = step else { return "\(step)".contains("handler: hang") }
                    return plans.contains { $0.behaviours.contains(.hang) }
                }
                guard isSubmitted, history.steps.contains(.freeze) else { return nil }
                return Violation(promise: .tidy, detail: "", millisecond: 0)
            })
        shrinker.shrink()
        let plain = JobPlan(id: 4, when: .after(1), behaviours: [.hang])
        #expect(shrinker.best.history.steps.count == 2)
        #expect(shrinker.best.history.steps.last == .freeze)
        #expect(shrinker.best.history.steps.first == .submit([plain]), "\(shrinker.best.history)")
    }
}
