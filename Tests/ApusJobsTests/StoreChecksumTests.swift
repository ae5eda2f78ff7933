import ApusTimers
import Testing

@testable import ApusJobs

@Suite("Checksums of stored values")
struct StoreChecksumTests {
    private let instant = WallInstant(secondsSince1970: 1_767_225_600)

    private func checksum(_ job: Job) -> StoreChecksum {
        var checksum = StoreChecksum()
        checksum.add(job)
        return checksum
    }

    private func checksum(_ run: Run, sequence: Int64 = 1) -> StoreChecksum {
        var checksum = StoreChecksum()
        checksum.add(StoredRun(run, sequence: sequence, isTriggerRelative: false))
        return checksum
    }

    /// Checks that each property of a value affects the value's checksum, with one change for each property.
    private func expectAllCount<Value>(
        _ value: Value, _ changes: [(inout Value) -> Void], _ checksum: (Value) -> StoreChecksum
    ) {
        // An added property needs a line here and one in the checksum.
        let count = Mirror(reflecting: value).children.reduce(0) { count, child in
            count + (child.value is JobBookkeeping ? Mirror(reflecting: child.value).children.count : 1)
        }
        #expect(count == changes.count, "\(Value.self)")
        var seen: Set<StoreChecksum> = [checksum(value)]
        for (number, change) in changes.enumerated() {
            var changed = value
            change(&changed)
            #expect(seen.insert(checksum(changed)).inserted, "\(Value.self), change \(number)")
        }
    }

    @Test("every property of a job changes its checksum")
    func jobs() {
        let job = Job(
            request: JobRequest(id: "a", trigger: .at(instant)), created: instant, updated: instant, firstDue: instant,
            nextDue: nil)
        let later = instant.advanced(by: .nanoseconds(1))
        expectAllCount(
            job,
            [
                { $0.request.payload = [1] }, { $0.key = 1 }, { $0.version = 1 }, { $0.state = .suspended },
                { $0.created = later }, { $0.updated = later }, { $0.firstDue = later }, { $0.bookkeeping.origin = 1 },
                { $0.nextOccurrence = 2 }, { $0.nextDue = later }, { $0.remainder = .zero }, { $0.occurrenceCount = 1 },
                { $0.missedCount = 1 }, { $0.bookkeeping.wake = later }, { $0.bookkeeping.elapsedWake = later },
                { $0.openRunCount = 1 },
                { $0.bookkeeping.runsSinceRetired = 1 }, { $0.keptUntil = $0.created },
                { $0.dueNote = .firstOfRepeated },
            ], checksum)
        // No store keeps `conflict` and `terms`, which concern only the submission.
        expectAllCount(
            job.request,
            [
                { $0.id = "b" }, { $0.name = "" }, { $0.kind = "b" }, { $0.trigger = .after(.seconds(1)) },
                { $0.policies.grace = .zero }, { $0.labels = ["a": ""] }, { $0.payload = [0] }, { $0.queue = "b" },
                { $0.priority = .low }, { $0.metadata = ["a": ""] }, { $0.uniqueness = .payload() },
                { $0.idempotencyKey = "" }, { $0.fairnessKey = "" }, { $0.uniqueness = .payload(within: .seconds(1)) },
                { $0.uniqueness = .key("a") },
            ]
        ) {
            var other = job
            other.request = $0
            return checksum(other)
        }
        let uniquenesses: [JobUniqueness] = [
            .payload(within: .seconds(1)), .payload(within: .seconds(2)), .key("a"), .key("b"),
            .key("a", within: .seconds(1)),
        ]
        let checksums = uniquenesses.map { uniqueness in
            var other = job
            other.request.uniqueness = uniqueness
            return checksum(other)
        }
        #expect(Set(checksums).count == uniquenesses.count)
        expectAllCount(
            job.request.policies,
            [
                { $0.tolerance = .nanoseconds(1) }, { $0.missedRuns = .runAll(limit: 3) }, { $0.grace = .seconds(2) },
                { $0.expiry = .seconds(2) }, { $0.retention = .zero },
                { $0.overlap = .allow(limit: 3) }, { $0.retry.jitter += 0.01 }, { $0.timeLimit = .seconds(2) },
                { $0.conditions = .externalPower },
            ]
        ) {
            var other = job
            other.request.policies = $0
            return checksum(other)
        }
    }

    @Test("every property of a run, and its position in the history, changes its checksum")
    func runs() {
        let run = Run(jobKey: 1, jobID: "a", occurrence: 1, attempt: 1, due: instant, state: .failed)
        let later = instant.advanced(by: .nanoseconds(1))
        expectAllCount(
            run,
            [
                { $0.jobKey = 2 }, { $0.jobID = "b" }, { $0.occurrence = -1 }, { $0.through = 2 }, { $0.attempt = 2 },
                { $0.lostBefore = 1 }, { $0.due = later }, { $0.standsFor = 2 }, { $0.state = .lost },
                { $0.isFinal = true }, { $0.reason = "" }, { $0.notBefore = later }, { $0.claimed = later },
                { $0.started = later }, { $0.finished = later }, { $0.exitCode = 0 }, { $0.output = [0] },
                { $0.result = [] }, { $0.progress = RunProgress(fraction: 0) }, { $0.isCompleted = true },
                { $0.dueNote = .firstOfRepeated },
            ], { checksum($0) })
        #expect(checksum(run) != checksum(run, sequence: 2))
    }

    @Test("a value that no store keeps does not change the checksum")
    func whatIsKept() {
        var run = Run(jobKey: 1, jobID: "a", occurrence: 1, attempt: 1, due: instant, state: .failed, reason: "a\0")
        var other = run
        other.reason = "a\u{FFFD}"
        #expect(checksum(run) == checksum(other))
        run.due = WallInstant(nanoseconds: UInt64(Int64.max))
        other.due = WallInstant(nanoseconds: .max)
        #expect(checksum(run) == checksum(other))
    }
}
