import ApusJobs
import ApusTimers
import Testing

/// The columns in which a store outside the package would keep a trigger and a job's policies, through public API.
private struct Columns: Equatable {
    var trigger: String
    var instant: UInt64?
    /// The duration of `after` or `every`.
    var duration: Duration?
    var anchor: UInt64?
    var count: Int?
    var missedRuns: String
    var missedLimit: Int?
    var overlap: String
    var overlapLimit: Int?

    init(_ trigger: Trigger, _ policies: JobPolicies) {
        self.trigger = trigger.name
        instant = trigger.instant?.nanoseconds
        duration = trigger.delay ?? trigger.interval
        anchor = trigger.anchor?.nanoseconds
        count = trigger.count
        missedRuns = policies.missedRuns.name
        missedLimit = policies.missedRuns.limit
        overlap = policies.overlap.name
        overlapLimit = policies.overlap.limit
    }

    func readTrigger() throws -> Trigger {
        switch trigger {
        case "at": .at(WallInstant(nanoseconds: try #require(instant)))
        case "after": .after(try #require(duration))
        case "every":
            .every(
                try #require(duration), anchoredAt: anchor.map { WallInstant(nanoseconds: $0) }, count: count)
        default: throw JobError(code: .damaged, message: "the trigger \(trigger) is unknown")
        }
    }
}

@Suite("What triggers and policies show")
struct ColumnTests {
    @Test("a store can keep triggers and policies in columns through public API and read back equal values")
    func columns() throws {
        let model = RandomModel(seed: 3)
        for _ in 0..<2_000 {
            let trigger = model.trigger()
            let policies = model.policies()
            let columns = Columns(trigger, policies)
            #expect(try columns.readTrigger() == trigger)
            #expect(MissedRunPolicy(name: columns.missedRuns, limit: columns.missedLimit) == policies.missedRuns)
            #expect(OverlapPolicy(name: columns.overlap, limit: columns.overlapLimit) == policies.overlap)
        }
    }

    @Test("a trigger exposes the values of its own form only")
    func trigger() {
        let instant = WallInstant(secondsSince1970: 5)
        let at = Trigger.at(instant)
        #expect(at.name == "at" && at.instant == instant)
        #expect(at.delay == nil && at.interval == nil && at.anchor == nil && at.count == nil)
        let after = Trigger.after(.seconds(3))
        #expect(after.name == "after" && after.delay == .seconds(3))
        #expect(after.instant == nil && after.interval == nil && after.anchor == nil && after.count == nil)
        let every = Trigger.every(.seconds(2), anchoredAt: instant, count: 7)
        #expect(every.name == "every" && every.interval == .seconds(2) && every.anchor == instant && every.count == 7)
        #expect(every.instant == nil && every.delay == nil)
    }

    @Test("a policy exposes its name and limit, with a default limit; unknown names yield no policy")
    func policies() {
        #expect([MissedRunPolicy.runOnce, .skip, .runAll(limit: 7)].map(\.name) == ["runOnce", "skip", "runAll"])
        #expect([MissedRunPolicy.runOnce, .skip, .runAll(limit: 7)].map(\.limit) == [nil, nil, 7])
        let overlaps: [OverlapPolicy] = [.skip, .queue(limit: 7), .allow(limit: 8), .replace]
        #expect(overlaps.map(\.name) == ["skip", "queue", "allow", "replace"])
        #expect(overlaps.map(\.limit) == [nil, 7, 8, nil])
        #expect(MissedRunPolicy(name: "runAll") == .runAll() && MissedRunPolicy(name: "skip", limit: 3) == .skip)
        #expect(OverlapPolicy(name: "queue") == .queue() && OverlapPolicy(name: "allow") == .allow())
        #expect(OverlapPolicy(name: "replace", limit: 3) == .replace)
        #expect(MissedRunPolicy(name: "run-once") == nil && OverlapPolicy(name: "Skip") == nil)
    }
}
