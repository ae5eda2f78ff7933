import ApusTimers
import Testing

@testable import ApusJobs

@Suite("The loading of jobs")
struct JobLoadingTests {
    private let now = SchedulerReading(milliseconds: 0)
    private var board: QueueBoard { QueueBoard([], isShared: false, now: now) }

    /// Eight jobs have room, and the horizon is a minute.
    private func loading(started: Bool = true) -> JobLoading {
        var loading = JobLoading(.init(horizon: .seconds(60), maximumLoaded: 8))
        if started { _ = loading.took(DueJobs(jobs: [], next: nil), limit: 8, isShared: false, now.wall) }
        return loading
    }

    private func at(_ seconds: Int) -> WallInstant { now.wall.advanced(by: .seconds(seconds)) }

    private func jobs(_ count: Int) throws -> [LoadedJob] {
        try (1...count).map { LoadedJob(job: try JobMachine.sample(Int64($0)).job, open: []) }
    }

    @Test("the first load comes at once, and is the start; then nothing is read until it is time")
    func first() {
        var loading = loading(started: false)
        #expect(loading.read(at(0), entries: 0, loaded: 0, board) != nil)
        #expect(loading.took(DueJobs(jobs: [], next: at(100)), limit: 8, isShared: false, at(0)) == true)
        #expect(loading.next?.at == at(40) && loading.next?.latest == at(55))
        #expect(loading.read(at(39), entries: 0, loaded: 0, board) == nil)
        #expect(loading.read(at(40), entries: 0, loaded: 0, board) != nil)
        loading.began()
        #expect(loading.next == nil)
        #expect(loading.took(DueJobs(jobs: [], next: nil), limit: 8, isShared: true, at(0)) == false)
        #expect(loading.next?.at == at(5))
    }

    @Test("the load that must come first counts")
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
        _ = loading.took(DueJobs(jobs: try jobs(8), next: nil), limit: 8, isShared: false, at(0))
        #expect(loading.next?.at == at(10) && loading.next?.latest == at(10))
        #expect(loading.isDrained(loaded: 5, board) == false && loading.isDrained(loaded: 4, board) == true)
        #expect(loading.read(at(0), entries: 5, loaded: 5, board) == nil)
        guard case .due(_, let limit, _) = loading.read(at(0), entries: 7, loaded: 4, board) else {
            return #expect(Bool(false), "nothing is read")
        }
        #expect(limit == 7 + 4)
    }

    @Test("a job that finds no room is loaded a second before it is due")
    func leftOut() {
        var loading = loading()
        #expect(loading.isFull(8) && !loading.isFull(7))
        #expect(loading.isFar(at(61), at(0)) && !loading.isFar(at(60), at(0)))
        loading.leaveOut(at(30))
        #expect(loading.next?.latest == at(29) && loading.isDrained(loaded: 4, board) == true)
    }

    @Test("a lane in which a quarter of the room waits is left out until half of these have begun")
    func fullLane() throws {
        var board = QueueBoard([], isShared: false, now: now)
        for key in 1...2 as ClosedRange<Int64> { board.offer(key, due: at(0), try JobMachine.sample(key).job.request) }
        var loading = loading(started: false)
        guard case .due(_, _, let lanes) = loading.read(at(0), entries: 2, loaded: 2, board) else {
            return #expect(Bool(false), "nothing is read")
        }
        #expect(lanes == [QueueLane(.default, .normal)])
        _ = loading.took(DueJobs(jobs: [], next: nil), limit: 8, isShared: false, at(0))
        #expect(loading.isDrained(loaded: 2, board) == false)
        board.withdraw(1)
        #expect(loading.isDrained(loaded: 2, board) == true)
    }
}
