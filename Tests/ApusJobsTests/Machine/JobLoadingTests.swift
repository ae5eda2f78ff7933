import ApusTimers
import Testing

@testable import ApusJobs

@Suite("The loading of jobs")
struct JobLoadingTests {
    private let now = SchedulerReading(milliseconds: 0)
    private var board: QueueBoard { QueueBoard([], isShared: false, now: now) }
    private let lane = QueueLane(.default, .normal, kind: "work")

    /// Returns a `JobLoading` with room for eight jobs and a horizon of a minute.
    private func loading(started: Bool = true) -> JobLoading {
        var loading = JobLoading(.init(horizon: .seconds(60), maximumLoaded: 8))
        var board = board
        if started { _ = take(DueJobs(jobs: [], next: nil), &loading, &board) }
        return loading
    }

    private func at(_ seconds: Int) -> WallInstant { now.wall.advanced(by: .seconds(seconds)) }

    private func jobs(_ count: Int) throws -> [LoadedJob] {
        try (1...count).map { LoadedJob(job: try JobMachine.sample(Int64($0)).job, open: []) }
    }

    private func load(_ board: borrowing QueueBoard) -> JobLoading.LaneLoad {
        .init(lane: lane, count: board.waiting[lane] ?? 0, isHeld: false, heldLanes: 0, canArriveLate: true)
    }

    private func read(
        _ loading: inout JobLoading, _ board: borrowing QueueBoard, _ seconds: Int = 0, entries: Int = 0,
        loaded: Int = 0
    ) throws -> JobLoad? {
        var jobs = LoadedJobs()
        for key in 0..<entries { _ = jobs.insert(try .sample(Int64(key)), shard: ShardID(rawValue: 0)) }
        let read = loading.read(
            at(seconds), jobs, loaded: loaded, board, runnable: RunnableJobs(kinds: ["work"]), unmet: [])
        if case .due(let load) = read { return load }
        return nil
    }

    private func take(
        _ due: DueJobs, of load: JobLoad? = nil, _ loading: inout JobLoading, _ board: inout QueueBoard,
        isShared: Bool = false
    ) -> Bool {
        let load = load ?? JobLoad(through: at(60), limit: 8)
        return loading.took(due, of: load, &board, isShared: isShared, now.wall)
    }

    @Test("the first load is immediate and completes the start; later loads wait for their instant")
    func first() throws {
        var loading = loading(started: false)
        var board = board
        #expect(try read(&loading, board) != nil)
        #expect(take(DueJobs(jobs: [], next: at(100)), &loading, &board) == true)
        #expect(loading.next?.at == at(40) && loading.next?.latest == at(55))
        #expect(try read(&loading, board, 39) == nil)
        #expect(try read(&loading, board, 40) != nil)
        loading.began(JobLoad(through: at(100), limit: 8))
        #expect(loading.next == nil)
        #expect(take(DueJobs(jobs: [], next: nil), &loading, &board, isShared: true) == false)
        #expect(loading.next?.at == at(5))
    }

    @Test("the earliest required load counts")
    func earliest() {
        var loading = loading()
        loading.load(at: at(50))
        loading.load(at: at(60), isUrgent: true)
        #expect(loading.next?.at == at(60) && loading.next?.latest == at(60))
        loading.load(before: at(200))
        #expect(loading.next?.at == at(60))
        loading.loadNow(at(1))
        #expect(loading.next?.at == at(1))
    }

    @Test("a full page is followed by another load, when half of the room is free or its last job is due")
    func truncated() throws {
        var loading = loading()
        var board = board
        _ = take(DueJobs(jobs: try jobs(8), next: nil), &loading, &board)
        #expect(loading.next?.at == at(10) && loading.next?.latest == at(10))
        #expect(loading.isDrained(loaded: 5, board) == false)
        #expect(loading.isDrained(loaded: 4, board) == true)
        #expect(try read(&loading, board, entries: 5, loaded: 5) == nil)
        let load = try #require(try read(&loading, board, entries: 7, loaded: 4))
        #expect(load.limit == 7 + 4 && load.known.isEmpty)
    }

    @Test("a job that finds no room is loaded a second before it is due")
    func leftOut() {
        var loading = loading()
        var board = board
        #expect(loading.isFar(at(61), at(0)) && !loading.isFar(at(60), at(0)))
        let memory = load(board)
        #expect(loading.leaves(memory, at(30), loaded: 7, &board, at(0)) == false)
        #expect(loading.leaves(memory, at(30), loaded: 8, &board, at(0)) == true)
        #expect(loading.next?.latest == at(29))
        #expect(loading.isDrained(loaded: 4, board) == true)
    }

    @Test("the rest of a lane is loaded alone, once half of its waiting jobs have begun")
    func lanes() throws {
        var loading = loading(started: false)
        var board = board
        #expect(try read(&loading, board)?.largestShare == 2)
        for key in 1...2 as ClosedRange<Int64> { board.offer(key, due: at(0), try JobMachine.sample(key).job.request) }
        #expect(take(DueJobs(jobs: [], next: nil, left: [lane: at(0)]), &loading, &board) == true)
        #expect(loading.isDrained(loaded: 2, board) == false)
        #expect(try read(&loading, board, entries: 2, loaded: 2) == nil)
        // A later job of the lane stays in the store too.
        let memory = self.load(board)
        #expect(memory.count == 2 && loading.leaves(memory, at(0), loaded: 2, &board, at(0)) == true)
        board.withdraw(1)
        #expect(loading.isDrained(loaded: 1, board) == true)
        let load = try #require(try read(&loading, board, entries: 1, loaded: 1))
        #expect(load.lanes == [lane] && load.waiting == [lane: 1] && load.known == [0])
        #expect(take(DueJobs(jobs: [], next: nil), of: load, &loading, &board) == false)
        #expect(loading.left.isEmpty)
        #expect(loading.isDrained(loaded: 1, board) == false)
        let empty = self.load(board)
        #expect(loading.leaves(empty, at(0), loaded: 2, &board, at(0)) == false)
    }

    @Test("new jobs of lanes that cannot run stay in the store, except for a few of each lane")
    func heldSubmissions() {
        var loading = JobLoading(.init(horizon: .seconds(60), maximumLoaded: 1_600))
        var board = board
        func leaves(_ count: Int, isHeld: Bool = true, lanes: Int, canArriveLate: Bool = true) -> Bool {
            var attempt = loading
            let load = JobLoading.LaneLoad(
                lane: lane, count: count, isHeld: isHeld, heldLanes: lanes, canArriveLate: canArriveLate)
            return attempt.leaves(load, at(0), loaded: 0, &board, at(0))
        }
        #expect(!leaves(99, lanes: 1) && leaves(100, lanes: 1))
        #expect(!leaves(49, lanes: 4) && leaves(50, lanes: 4))
        // However many lanes there are, one job of each lane is in memory, in order to report that the jobs of the lane
        // wait.
        #expect(!leaves(0, lanes: 10_000) && leaves(1, lanes: 10_000))
        // A job that is skipped when it is late must be in memory in time for its run.
        #expect(!leaves(1_000, lanes: 1, canArriveLate: false))
        #expect(!leaves(399, isHeld: false, lanes: 4) && leaves(400, isHeld: false, lanes: 4))
        let full = JobLoading.LaneLoad(lane: lane, count: 100, isHeld: true, heldLanes: 1, canArriveLate: true)
        #expect(loading.leaves(full, at(0), loaded: 0, &board, at(0)))
        // The lane requests no load before one of its jobs can run.
        #expect(loading.next == nil)
        #expect(loading.isDrained(loaded: 0, board) == false)
        board.need { $0 == lane }
        #expect(loading.isDrained(loaded: 0, board) == true)
    }

    @Test("the rest of a paused queue is loaded when the queue is resumed")
    func paused() throws {
        var loading = loading(started: false)
        var board = board
        board.committed(JobQueue(id: .default, isPaused: true), now)
        #expect(try read(&loading, board)?.paused == [.default])
        _ = take(DueJobs(jobs: [], next: nil, left: [lane: at(20)]), &loading, &board)
        #expect(loading.isDrained(loaded: 0, board) == false)
        board.committed(JobQueue(id: .default), now)
        #expect(loading.isDrained(loaded: 0, board) == true)
    }

    @Test("runnable lanes share half of the room in memory, and the others an eighth")
    func shares() {
        var load = JobLoad(through: at(0), limit: 100)
        let other = QueueLane("mail", .high, kind: "work")
        #expect(load.limits(of: [lane, other]).values.allSatisfy { $0 > 1 << 60 })
        (load.room, load.largestShare, load.running) = (1_000, 250, 3)
        load.runnable = RunnableJobs(kinds: ["work"])
        #expect(load.limits(of: [lane]) == [lane: 253])
        #expect(load.limits(of: [lane, other]) == [lane: 253, other: 253])
        let many = (0..<10).map { QueueLane(QueueID("queue\($0)"), .normal, kind: "work") }
        #expect(Set(load.limits(of: many).values) == [50 + 3])
        load.laneCount = 20
        #expect(load.limits(of: [lane]) == [lane: 25 + 3])
        load.waiting = [lane: 13]
        #expect(load.limits(of: [lane]) == [lane: 0])
        load.waiting = [lane: 12]
        #expect(load.limits(of: [lane]) == [lane: 28])
        // The eleven lanes that cannot run share an eighth of the 1,000 places in memory.
        load.paused = Set(many.map(\.queue))
        let strange = QueueLane(.default, .normal, kind: "strange")
        #expect(Set(load.limits(of: many + [strange]).values) == [11])
        let held = QueueLane(.default, .normal, kind: "work", conditions: .network)
        load.unmet = .network
        #expect(load.limits(of: [strange])[strange] == 100 && load.limits(of: [held])[held] == 100)
        load.paused = []
        load.runnable = RunnableJobs(kinds: ["work"], queues: .only(["mail"]))
        #expect(load.limits(of: [lane])[lane] == 100 && load.limits(of: [other])[other] == 25 + 3)
    }

    @Test("a job whose lane cannot be read is loaded, whatever the limits are")
    func strangeLane() {
        var selection = DueSelection()
        selection.add(1, at(5), of: nil)
        selection.add(lane, first: at(1))
        selection.add(2, at(1), of: lane)
        let (keys, next) = selection.finish(JobLoad(through: at(9), limit: 10), [lane: 0])
        #expect(keys == [1] && next == nil && selection.left == [lane: at(1)])
    }

    @Test("a lane is read as it was stored, whatever its kind is")
    func storedLane() {
        for kind in ["", " ", "a b  c", "4 7 x y", "\u{301}x", "a \u{301} \u{200D}b"] {
            for group in [nil, 64] {
                let lane = QueueLane(
                    "mail.eu", .urgent, kind: kind, conditions: [.network, .idle], keyGroup: group)
                #expect(QueueLane(stored: lane.stored) == lane)
            }
        }
        for damaged in [
            "", "2", "2 0", "2 0 default", "9 0 default k", "x 0 default k", "2 x default k", "2 0. default k",
            "2 .1 default k", "2 0.1.2 default k",
        ] {
            #expect(QueueLane(stored: damaged) == nil)
        }
    }
}
