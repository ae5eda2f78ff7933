import ApusCalendar
import ApusTimers
import Testing

@testable import ApusJobs

/// Schedulers that share a store and cannot run the same jobs.
@Suite("The placement of jobs")
struct JobPlacementTests {
    private static let due = SchedulerReading(milliseconds: 10_000)
    private static let there: [ShardID] = [ShardID(rawValue: 1), ShardID(rawValue: 2)]

    /// Returns two other schedulers: one with two shards that runs `kinds`, and one with a single shard that runs none
    /// of them.
    private func others(_ kinds: Set<String>, queues: QueueSelection = .all) -> OtherSchedulers {
        OtherSchedulers(
            members: [
                .init(jobs: RunnableJobs(kinds: kinds, queues: queues), shards: Self.there),
                .init(jobs: RunnableJobs(kinds: ["nothing of this"]), shards: [ShardID(rawValue: 3)]),
            ], shards: (0..<4).map { ShardID(rawValue: $0) })
    }

    private func loaded(_ key: Int64) throws -> LoadedJob {
        let machine = try JobMachine.sample(key)
        return LoadedJob(job: machine.job, open: machine.open, shard: ShardID(rawValue: 0))
    }

    /// Answers the machine until it commits changes or waits.
    private func nextTurn(
        of machine: inout SchedulerMachine, due jobs: [LoadedJob] = [], at now: SchedulerReading
    ) -> StoreTurn? {
        while true {
            switch machine.next(at: now) {
            case .commit(let turn) where turn.parts.isEmpty: machine.committed([], at: now)
            case .commit(let turn): return turn
            case .read(let read):
                let answer: SchedulerReadAnswer =
                    switch read {
                    case .interrupted, .anchored: .jobs([])
                    case .due: .due(DueJobs(jobs: jobs, next: nil))
                    case .load(let references): .loaded(references.map { _ in nil })
                    case .submissions: .submissions([])
                    case .places: .places([])
                    }
                machine.read(read, answer, at: now)
            case .readConditions: machine.receive(.conditions(unmet: []), at: now)
            case .retire: machine.retired(hasMore: false)
            case .delete, .close, .wait: return nil
            }
        }
    }

    private func machine(
        shards: [Int] = [0], serves: QueueSelection = .all, _ others: OtherSchedulers
    ) -> SchedulerMachine {
        SchedulerMachine(
            session: .sample(shards: shards, isShared: true, others: others), configuration: .init(serves: serves),
            at: Self.due)
    }

    private func applied(_ turn: StoreTurn) -> [Result<[Job], JobError>] {
        turn.parts.map { part in
            .success(
                part.map { change in
                    var job = change.job
                    job.version += 1
                    if change.expected == .absent { job.key = 77 }
                    return job
                })
        }
    }

    @Test("a due job that cannot run here moves to a scheduler that can run it, and leaves memory")
    func moves() throws {
        var machine = machine(others(["work"]))
        let found = nextTurn(of: &machine, due: [try loaded(1)], at: Self.due)
        let turn = try #require(found)
        let change = try #require(turn.parts.first?.first)
        #expect(change.shard == ShardID(rawValue: 0) && change.expected == .version(0))
        #expect(change.destination.map { Self.there.contains($0) } == true)
        // The due occurrence has already arrived, so no scheduler counts it as late.
        #expect(change.runs.map(\.state) == [.waiting])
        #expect(machine.jobs[1] != nil)
        machine.committed(applied(turn), at: Self.due)
        #expect(machine.jobs[1] == nil && machine.brokenInvariant() == nil)
    }

    @Test("an unanswered move leaves the job doubtful until its row shows where it is")
    func unanswered() throws {
        for shard in [0, 1] {
            var machine = machine(others(["work"]))
            let found = nextTurn(of: &machine, due: [try loaded(1)], at: Self.due)
            _ = try #require(found)
            machine.commitFailed(JobError(code: .unavailable, message: "no answer"), at: Self.due)
            let later = SchedulerReading(milliseconds: 20_000)
            var step = machine.next(at: later)
            if case .retire = step {
                machine.retired(hasMore: false)
                step = machine.next(at: later)
            }
            guard case .read(.load(let references)) = step else {
                Issue.record("the job is not read")
                return
            }
            #expect(references == [.key(1)])
            var stored = try loaded(1)
            stored.shard = ShardID(rawValue: shard)
            machine.read(.load(references), .loaded([.job(stored)]), at: later)
            #expect((machine.jobs[1] != nil) == (shard == 0) && machine.brokenInvariant() == nil)
        }
    }

    @Test("a job that no scheduler can run waits, and moves when a capable scheduler becomes known")
    func parked() throws {
        var machine = machine(others(["other"]))
        let found = nextTurn(of: &machine, due: [try loaded(1)], at: Self.due)
        let arrival = try #require(found)
        #expect(arrival.parts.joined().allSatisfy { $0.destination == nil })
        machine.committed(applied(arrival), at: Self.due)
        let nothing = nextTurn(of: &machine, at: Self.due)
        #expect(nothing == nil)
        #expect(machine.isParked("job1") == true)
        let situation = machine.situation(of: try loaded(1), at: Self.due)
        #expect(situation.lack == .handler && situation.isShared)
        machine.receive(.signal(.others(others(["work"], queues: .only(["mail"])))), at: Self.due)
        let nothingYet = nextTurn(of: &machine, at: Self.due)
        #expect(nothingYet == nil)
        #expect(machine.situation(of: try loaded(1), at: Self.due).lack == .queue)
        machine.receive(.signal(.others(others(["work"]))), at: Self.due)
        let moving = nextTurn(of: &machine, at: Self.due)
        let turn = try #require(moving)
        #expect(turn.parts.joined().map { $0.destination != nil } == [true])
    }

    /// Answers the machine until it moves jobs or waits, and applies other turns.
    private func nextMove(of machine: inout SchedulerMachine, due: (JobLoad) -> DueJobs) -> StoreTurn? {
        while true {
            switch machine.next(at: Self.due) {
            case .commit(let turn):
                if turn.parts.joined().contains(where: { $0.destination != nil }) { return turn }
                machine.committed(applied(turn), at: Self.due)
            case .read(let read):
                let answer: SchedulerReadAnswer =
                    switch read {
                    case .interrupted, .anchored: .jobs([])
                    case .due(let load): .due(due(load))
                    case .load(let references): .loaded(references.map { _ in nil })
                    case .submissions: .submissions([])
                    case .places: .places([])
                    }
                machine.read(read, answer, at: Self.due)
            case .readConditions: machine.receive(.conditions(unmet: []), at: Self.due)
            case .retire: machine.retired(hasMore: false)
            case .delete, .close, .wait: return nil
            }
        }
    }

    @Test("when a lane's jobs in memory have moved, the rest of the lane is read from the store and moves")
    func left() throws {
        var machine = machine(others(["other"]))
        var stored = try (1...2).map { try loaded($0) }
        let lane = stored[0].job.request.lane
        var loads: [Set<QueueLane>?] = []
        // The store returns one job of the lane at a time.
        let due = { (load: JobLoad) -> DueJobs in
            loads.append(load.lanes)
            return DueJobs(
                jobs: Array(stored.prefix(1)), next: nil, left: stored.count > 1 ? [lane: Self.due.wall] : [:])
        }
        let nothing = nextMove(of: &machine, due: due)
        #expect(nothing == nil && loads == [nil])
        machine.receive(.signal(.others(others(["work"]))), at: Self.due)
        for number in 1...2 as ClosedRange<Int64> {
            let found = nextMove(of: &machine, due: due)
            let turn = try #require(found)
            #expect(turn.parts.joined().map(\.job.key) == [number])
            stored.removeFirst()
            machine.committed(applied(turn), at: Self.due)
        }
        #expect(loads.count == 3 && loads.dropFirst().allSatisfy { $0 == [lane] })
        let last = nextMove(of: &machine, due: due)
        #expect(last == nil && machine.brokenInvariant() == nil)
    }

    @Test("a job that can run here stays, and so does one with a claimed run")
    func stays() throws {
        var machine = machine(others(["work"]))
        var job = try JobMachine.sample(1)
        let now = Self.due.wall
        #expect(machine.destination(of: job, SchedulerReading(milliseconds: 9_999).wall) == nil)
        #expect(machine.destination(of: job, now) != nil)
        _ = job.arriveAndStart(now: now, limit: 1)
        #expect(machine.destination(of: job, now) == nil)
        machine.receive(.handler(kind: "work"), at: Self.due)
        #expect(machine.destination(of: try JobMachine.sample(1), now) == nil)
    }

    @Test("a queue that is not served here is treated like a kind without a handler")
    func queues() throws {
        var machine = machine(serves: .only(["mail"]), others(["work"]))
        machine.receive(.handler(kind: "work"), at: Self.due)
        let found = nextTurn(of: &machine, due: [try loaded(1)], at: Self.due)
        let turn = try #require(found)
        #expect(turn.parts.joined().map { $0.destination != nil } == [true])
    }

    @Test(
        "a new job goes to a scheduler that can run it, and to any shard if none can",
        arguments: [[], [0]], [true, false])
    func newJob(own: [Int], isKnown: Bool) throws {
        var machine = machine(shards: own, serves: .nothing, others(isKnown ? ["work"] : []))
        let request = JobRequest(id: "new", kind: "work", trigger: .after(.zero))
        machine.receive(.command(1, .job(.submit([request]))), at: Self.due)
        let found = nextTurn(of: &machine, at: Self.due)
        let turn = try #require(found)
        let shards = turn.parts.joined().map(\.shard)
        if isKnown {
            #expect(shards.allSatisfy { Self.there.contains($0) })
        } else {
            #expect(own.isEmpty || shards == [ShardID(rawValue: 0)])
        }
        #expect(shards.count == 1)
        machine.committed(applied(turn), at: Self.due)
        // A job in another scheduler's shard does not stay in memory.
        #expect((machine.jobs[77] != nil) == (!own.isEmpty && !isKnown))
        #expect(machine.brokenInvariant() == nil)
    }

    @Test("each kind is reported to the others once")
    func reported() {
        var machine = machine(others([]))
        for kind in ["a", "b", "a"] { machine.receive(.handler(kind: kind), at: Self.due) }
        let reported = machine.takeEffects().compactMap { effect -> [String]? in
            guard case .serve(let jobs) = effect else { return nil }
            return jobs.kinds.sorted()
        }
        #expect(reported == [["a"], ["a", "b"]])
    }

    @Test("all schedulers create a key's jobs in one shard, if its owner can run them")
    func keys() throws {
        func request(_ id: Int, _ key: String?) -> JobRequest {
            JobRequest(id: JobID("job\(id)"), kind: "work", trigger: .after(.zero), fairnessKey: key)
        }
        var first = machine(shards: [0], others(["work"]))
        _ = first.kinds.register("work")
        var second = machine(
            shards: [1, 2],
            OtherSchedulers(
                members: [
                    .init(jobs: RunnableJobs(kinds: ["work"]), shards: [ShardID(rawValue: 0)]),
                    .init(jobs: RunnableJobs(kinds: ["nothing of this"]), shards: [ShardID(rawValue: 3)]),
                ], shards: (0..<4).map { ShardID(rawValue: $0) }))
        _ = second.kinds.register("work")
        var homes: Set<ShardID> = []
        for key in (0..<40).map({ "key\($0)" }) {
            let shards = try Set((0..<5).map { try first.shard(for: request($0, key)) })
            #expect(try shards == [second.shard(for: request(9, key))], "\(key)")
            homes.formUnion(shards)
        }
        // Shard 3 is left out, because its owner cannot run these jobs.
        #expect(homes == Set(Self.there).union([ShardID(rawValue: 0)]))
        #expect(try Set((0..<40).map { try first.shard(for: request($0, nil)) }) == [ShardID(rawValue: 0)])
    }
}
