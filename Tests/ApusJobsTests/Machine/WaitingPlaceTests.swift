import ApusTimers
import Testing

@testable import ApusJobs

@Suite("Jobs that wait for conditions, handlers and places")
struct WaitingPlaceTests {
    private let now = SchedulerReading(milliseconds: 0)

    @Test("the host is observed while jobs are held, and jobs whose conditions are met are released oldest first")
    func conditions() throws {
        var jobs = LoadedJobs()
        var conditions = HostConditions()
        var effects: [SchedulerEffect] = []
        for (key, needed) in [(2, .network), (1, .network), (3, .idle)] as [(Int64, JobConditions)] {
            let entry = jobs.insert(try .sample(key, JobPolicies(conditions: needed)), shard: .only)
            conditions.hold(entry.key, entry.job.request.lane, &effects)
        }
        func following() -> [Bool] {
            effects.compactMap { if case .followConditions(let isOn) = $0 { isOn } else { nil } }
        }
        #expect(following() == [true])
        conditions.read([.network, .idle])
        #expect(conditions.isRead && conditions.released(jobs).isEmpty)
        #expect(conditions.awaited(by: try #require(jobs[1])) == .network)
        conditions.endTurn()
        conditions.read(.idle)
        #expect(conditions.released(jobs).map(\.key) == [1, 2])
        for key in 1...2 as ClosedRange<Int64> { conditions.release(key, &effects) }
        let entry = try #require(jobs[1])
        #expect(following() == [true] && conditions.awaited(by: entry) == [])
        conditions.stop(&effects)
        #expect(following() == [true, false])
    }

    @Test("jobs are counted under their current lane")
    func lanes() {
        var jobs = JobsByLane()
        let (mail, work) = (QueueLane("mail", .normal, kind: "a"), QueueLane("work", .normal, kind: "a"))
        for key in 1...3 as ClosedRange<Int64> { jobs.insert(key, mail) }
        for _ in 1...2 { jobs.insert(3, work) }
        #expect(jobs.counts == [mail: 2, work: 1] && jobs.count == 3)
        for key in [3, 3, 4] as [Int64] { jobs.remove(key) }
        #expect(jobs.counts == [mail: 2] && !jobs.contains(3) && jobs.contains(2))
        jobs.removeAll()
        #expect(jobs.isEmpty && jobs.counts.isEmpty)
    }

    @Test("a kind without a handler is logged once, and again after a handler was registered")
    func kinds() throws {
        var kinds = HandlerKinds()
        var effects: [SchedulerEffect] = []
        let entry = LoadedJobs.Entry(try .sample(1), shard: .only)
        for _ in 1...2 { kinds.park(entry, &effects) }
        #expect(effects.count == 1 && Array(kinds.parked.keys) == [1] && !kinds.hasHandler(for: "work"))
        #expect(kinds.register("work") == true)
        kinds.unpark(1)
        #expect(kinds.parked.isEmpty && kinds.hasHandler(for: "work"))
        #expect(kinds.canRun(entry.job.request))
        #expect(kinds.register("work") == false)
    }

    @Test("a queue that is not served is logged once")
    func queues() throws {
        var kinds = HandlerKinds(serving: .only(["other"]))
        #expect(kinds.register("work") == true)
        var effects: [SchedulerEffect] = []
        let entry = LoadedJobs.Entry(try .sample(1), shard: .only)
        for _ in 1...2 { kinds.park(entry, &effects) }
        #expect(effects.count == 1 && Array(kinds.parked.keys) == [1] && !kinds.canRun(entry.job.request))
    }

    @Test("a withdrawn job gets no place, and a running job takes one of the places shared by all queues")
    func places() throws {
        var board = QueueBoard([], limit: 2, isShared: false, now: now)
        for key in 1...3 as ClosedRange<Int64> {
            let policies = JobPolicies(conditions: key == 3 ? .network : [])
            board.offer(key, due: now.wall, try JobMachine.sample(key, policies).job.request)
        }
        board.withdraw(1)
        #expect(board.isWaiting(1) == false && board.isWaiting(2) == true)
        #expect(board.needsConditions(now.continuous) == true)
        #expect(board.pick(now.continuous)?.job == 2)
        #expect(board.pick(now.continuous)?.job == 3)
        #expect(board.pick(now.continuous)?.job == nil && board.needsConditions(now.continuous) == false)
        board.endTurn()
        for key in 2...3 as ClosedRange<Int64> {
            board.started(RunKey(key), try JobMachine.sample(key).job.request, now)
        }
        #expect(board.freePlaces == 0 && board.isRunning(RunKey(2)) == true)
        board.ended(RunKey(2))
        board.ended(RunKey(2))
        #expect(board.freePlaces == 1 && board.brokenInvariant() == nil)
    }

    @Test("a queue's changed record is doubtful until it is written")
    func records() {
        var board = QueueBoard([], isShared: false, now: now)
        board.doubtRecords(["a", "b"])
        board.adopt(JobQueue(id: "a", concurrency: 1), now)
        #expect(board.doubtfulRecords == ["a", "b"])
        board.committed(JobQueue(id: "a", concurrency: 1), now)
        #expect(board.doubtfulRecords == ["b"] && board.queue("a").concurrency == 1)
    }
}
