import ApusTimers
import Testing

@testable import ApusJobs

@Suite("The removal of ended jobs")
struct HistoryRetirementTests {
    private let now = SchedulerReading(milliseconds: 0).wall

    @Test("it begins with the first commit, and again an hour later or after the clock was set back")
    func hourly() {
        var history = HistoryRetirement()
        #expect(history.begin(now, isIdle: true) == false)
        history.committed(now)
        #expect(history.begin(now, isIdle: true) == true)
        history.removed(hasMore: false)
        for (seconds, isDue) in [(3_599, false), (3_600, true), (3_599, true)] {
            let then = now.advanced(by: .seconds(seconds))
            history.committed(then)
            #expect(history.begin(then, isIdle: true) == isDue)
            history.removed(hasMore: false)
        }
    }

    @Test("pieces alternate with turns, unless there is nothing else to do")
    func alternates() {
        var history = HistoryRetirement()
        history.committed(now)
        #expect(history.begin(now, isIdle: false) == true)
        history.removed(hasMore: true)
        #expect(history.begin(now, isIdle: false) == false)
        #expect(history.begin(now, isIdle: false) == true)
        history.removed(hasMore: true)
        #expect(history.begin(now, isIdle: true) == true)
    }
}
