import Testing

@testable import ApusJobs

@Suite("The shards of a scheduler")
struct ShardOwnershipTests {
    private let a = ShardID(rawValue: 0)
    private let b = ShardID(rawValue: 1)

    @Test("surplus shards are released, the least busy first, once nothing of theirs is to be written")
    func share() throws {
        var shards = ShardOwnership(.sample(shards: [0, 1, 2], isShared: true))
        #expect(
            shards.releasable {
                Issue.record("nothing is given back")
                return []
            }.isEmpty)
        #expect(shards.share(1, busy: [a: 2, b: 1, ShardID(rawValue: 2): 5]).releasing == [a, b])
        let entry = LoadedJobs.Entry(try .sample(1), shard: a)
        #expect(shards.holdsBack(entry))
        #expect(shards.releasable { [a] } == [b])
        // A shard that is already being released stays chosen.
        let changed = shards.share(2, busy: [a: 9])
        #expect(changed.releasing.isEmpty && changed.kept == [a])
        #expect(!shards.holdsBack(entry))
    }

    @Test("new jobs go to shards that are kept")
    func newJobs() throws {
        var shards = ShardOwnership(.sample(shards: [0, 1], isShared: true))
        let requests = (0..<50).map { JobRequest(id: JobID("job\($0)"), trigger: .after(.zero)) }
        #expect(Set(requests.map { shards.shard(for: $0) }) == [a, b])
        _ = shards.share(1, busy: [b: 1])
        #expect(Set(requests.map { shards.shard(for: $0) }) == [b])
        #expect(shards.lose(a) == true && shards.lose(b) == true && shards.lose(b) == false)
        #expect(shards.shard(for: requests[0]) == nil)
    }

    @Test("claimed runs of a granted shard are searched once, from the first key on")
    func recovery() throws {
        var shards = ShardOwnership(.sample(shards: [0], isShared: true))
        let epoch = StoreEpoch(rawValue: 7)
        #expect(shards.grant(b, epoch) == true && shards.grant(b, epoch) == false)
        #expect(shards.recovery == 0 && shards.isUnrecovered(b) && !shards.isUnrecovered(a))
        shards.recovered(through: 5)
        #expect(shards.recovery == 5 && shards.isUnrecovered(b))
        shards.recovered(through: nil)
        #expect(shards.recovery == nil && !shards.isUnrecovered(b))
    }

    @Test("a job begins no run until all its abandoned handlers have returned")
    func orphans() throws {
        var shards = ShardOwnership(.sample())
        let entry = LoadedJobs.Entry(try .sample(1), shard: a)
        let first = RunKey(1)
        var second = first
        second.occurrence = 2
        shards.orphan(first)
        shards.orphan(second)
        #expect(shards.endOrphan(first) == true && shards.holdsBack(entry))
        #expect(shards.endOrphan(first) == false)
        #expect(shards.endOrphan(second) == true && !shards.holdsBack(entry) && !shards.hasOrphans(1))
    }

    @Test("each cut-off and each reconnection is reported once")
    func cutOff() {
        var shards = ShardOwnership(.sample())
        #expect(shards.connected() == false)
        let (first, second) = (SchedulerReading(milliseconds: 1), SchedulerReading(milliseconds: 2))
        #expect(shards.cutOff(first) == true && shards.isCutOff && shards.cutOff(second) == false)
        #expect(shards.cutOffSince == first)
        #expect(shards.connected() == true && !shards.isCutOff && shards.connected() == false)
    }
}
