import ApusTimers
import Testing

@testable import ApusJobs

/// Schedulers that share limits ask the store for places.
@Suite("Asking for shared places")
struct SharedPlacesTests {
    private func reading(_ milliseconds: UInt64) -> SchedulerReading {
        SchedulerReading(milliseconds: milliseconds)
    }

    private func board(_ queue: JobQueue, running: Int, places: Int?) -> QueueBoard {
        var board = QueueBoard([], isShared: true, now: reading(0))
        for key in 0..<Int64(running) {
            board.started(RunKey(key), JobRequest(id: "job", trigger: .after(.zero), queue: queue.id), reading(0))
        }
        board.committed(queue, reading(0))
        if let places { board.take([QueuePlaces(queue: queue, places: places)], reading(0)) }
        return board
    }

    @Test("running jobs are reported once under a limit set after they began")
    func newLimit() {
        var board = board(JobQueue(id: "q", concurrency: 2), running: 3, places: nil)
        let asked = board.uses(reading(1).uptime)
        #expect(asked.map(\.running) == [3] && asked.map(\.wanted) == [3])
        board.take([QueuePlaces(queue: JobQueue(id: "q", concurrency: 2), places: 3)], reading(1))
        #expect(board.uses(reading(9_999).uptime).isEmpty)
        #expect(board.nextAsk(reading(9_999).uptime) == nil)
    }

    @Test("a scheduler with its own limit requests no more places than that")
    func ownLimit() throws {
        var board = QueueBoard([], limits: ["q": 2], isShared: true, now: reading(0))
        board.committed(JobQueue(id: "q", concurrency: 5), reading(0))
        for key in 1...4 as ClosedRange<Int64> {
            var request = try JobMachine.sample(key).job.request
            request.queue = "q"
            board.offer(key, due: reading(0).wall, request)
        }
        #expect(board.uses(reading(1).uptime).map(\.wanted) == [2])
        board.take([QueuePlaces(queue: JobQueue(id: "q", concurrency: 5), places: 5)], reading(1))
        #expect(board.pick(reading(1).continuous) != nil && board.pick(reading(1).continuous) != nil)
        #expect(board.pick(reading(1).continuous) == nil)
    }

    @Test("a store that grants too few places is asked again after a pause, not at once")
    func tooFew() {
        let board = board(JobQueue(id: "q", concurrency: 2), running: 3, places: 2)
        #expect(board.uses(reading(249).uptime).isEmpty)
        #expect(board.nextAsk(reading(249).uptime) == reading(250).uptime)
        #expect(board.uses(reading(250).uptime).count == 1)
    }

    @Test("unused places are released; the place of a rate is kept while anything runs")
    func tooMany() {
        #expect(board(JobQueue(id: "q", concurrency: 5), running: 1, places: 4).uses(reading(1).uptime).count == 1)
        #expect(board(JobQueue(id: "q", concurrency: 5), running: 1, places: 1).uses(reading(1).uptime).isEmpty)
        var rated = JobQueue(id: "q")
        rated.rate = QueueRate(runs: 5, per: .seconds(1))
        #expect(board(rated, running: 1, places: 1_000_000_000).uses(reading(1).uptime).isEmpty)
        #expect(board(rated, running: 0, places: 1_000_000_000).uses(reading(1).uptime).count == 1)
        #expect(board(rated, running: 0, places: 0).uses(reading(1).uptime).isEmpty)
    }

    @Test("after an unanswered request, no run begins before the store is asked again")
    func unanswered() {
        let queue = JobQueue(id: "q", concurrency: 3)
        var board = board(queue, running: 1, places: 3)
        func hasRoom() -> Bool { board.hasRoom("q", nil, reading(1).continuous) }
        #expect(hasRoom())
        board.placesAreUnknown(["q", "unknown"])
        #expect(!hasRoom())
        #expect(board.uses(reading(1).uptime).map(\.running) == [1])
        board.take([QueuePlaces(queue: queue, places: 2)], reading(1))
        #expect(hasRoom())
    }

    @Test("a store whose recorded places differ from its answer is sent the needed places at once")
    func noted() {
        let queue = JobQueue(id: "q", concurrency: 2)
        for (running, places, noted) in [(0, 0, 1), (1, 1, 0), (2, 2, 0), (2, 2, 1), (1, 1, 2)] {
            var board = board(queue, running: running, places: places)
            board.adopt(queue, noted: places, reading(1))
            #expect(board.uses(reading(1).uptime).isEmpty)
            board.adopt(queue, noted: noted, reading(1))
            let asked = board.uses(reading(1).uptime)
            #expect(asked.map(\.queue) == ["q"])
            #expect(asked.map(\.running) == [running] && asked.map(\.wanted) == [running])
            #expect(board.nextAsk(reading(1).uptime) == reading(1).uptime)
            board.take([QueuePlaces(queue: queue, places: places)], reading(1))
            #expect(board.uses(reading(2).uptime).isEmpty)
        }
        // A queue with a rate records one place, whatever its limit; a queue without limits records none.
        var rated = JobQueue(id: "q")
        rated.rate = QueueRate(runs: 5, per: .seconds(1))
        var board = board(rated, running: 1, places: 1_000_000_000)
        board.adopt(rated, noted: 1, reading(1))
        board.adopt(JobQueue(id: "unlimited"), noted: 0, reading(1))
        #expect(board.uses(reading(1).uptime).isEmpty)
    }
}
