import ApusTimers
import Testing

@testable import ApusJobs

@Suite("The removal of ended jobs")
struct HistoryRemovalTests {
    private let now = SchedulerReading(milliseconds: 0).wall

    @Test("pruning begins with the first commit, and again an hour later or after the clock was set back")
    func hourly() {
        var history = HistoryRemoval()
        #expect(history.next(now, isIdle: true, ownsJobs: true) == nil)
        history.committed(now)
        #expect(history.next(now, isIdle: true, ownsJobs: true) == .retire)
        history.removed(hasMore: false)
        for (seconds, isDue) in [(3_599, false), (3_600, true), (3_599, true)] {
            let then = now.advanced(by: .seconds(seconds))
            history.committed(then)
            #expect((history.next(then, isIdle: true, ownsJobs: true) == .retire) == isDue)
            history.removed(hasMore: false)
        }
    }

    @Test("pruning steps alternate with turns unless there is nothing else to do")
    func alternates() {
        var history = HistoryRemoval()
        history.committed(now)
        #expect(history.next(now, isIdle: false, ownsJobs: true) == .retire)
        history.removed(hasMore: true)
        #expect(history.next(now, isIdle: false, ownsJobs: true) == nil)
        #expect(history.next(now, isIdle: false, ownsJobs: true) == .retire)
        history.removed(hasMore: true)
        #expect(history.next(now, isIdle: true, ownsJobs: true) == .retire)
    }

    @Test("requested deletions run before pruning, in the order of arrival, also on a scheduler without jobs")
    func deletions() throws {
        let jobs = try (7...9).map { JobVersion(try JobMachine.sample($0).job) }
        var history = HistoryRemoval()
        history.committed(now)
        history.append(.init(call: 1, jobs: [jobs[0]]))
        history.append(.init(call: 2, jobs: Array(jobs[1...])))
        #expect(history.next(now, isIdle: false, ownsJobs: false) == .delete([jobs[0]]))
        #expect(history.endDeletion().call == 1)
        #expect(history.next(now, isIdle: false, ownsJobs: false) == nil, "a turn is next")
        #expect(history.next(now, isIdle: false, ownsJobs: true) == .delete(Array(jobs[1...])))
        #expect(history.endDeletion().call == 2)
        #expect(history.next(now, isIdle: true, ownsJobs: false) == nil)
        #expect(history.next(now, isIdle: true, ownsJobs: true) == .retire)
    }
}
