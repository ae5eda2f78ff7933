import ApusTimers
import Testing

@testable import ApusJobs

@Suite("The wakes of jobs")
struct WakeQueueTests {
    private func at(_ seconds: UInt64) -> WallInstant { SchedulerReading(milliseconds: seconds * 1_000).wall }

    @Test("jobs come in the order of their wakes, each once, and those of one instant in the order of arming")
    func order() {
        var wakes = WakeQueue()
        for (key, second) in [(1, 3), (2, 1), (3, 1), (4, 9)] as [(Int64, UInt64)] {
            wakes.arm(key, at: at(second), tolerance: .zero)
        }
        var due: [Int64] = []
        while let key = wakes.popDue(at(3)) { due.append(key) }
        #expect(due == [2, 3, 1])
        #expect(wakes[1] == nil && wakes[4] == at(9))
    }

    @Test("the first latest instant counts, not the first wake")
    func tolerance() {
        var wakes = WakeQueue()
        wakes.arm(1, at: at(1), tolerance: .seconds(60))
        wakes.arm(2, at: at(5), tolerance: .seconds(1))
        #expect(wakes.first?.wake == at(5) && wakes.first?.latest == at(6))
    }

    @Test("a job's last armed wake counts, and a disarmed job has none")
    func rearmed() {
        var wakes = WakeQueue()
        wakes.arm(1, at: at(1), tolerance: .zero)
        wakes.arm(1, at: at(5), tolerance: .zero)
        wakes.arm(2, at: at(2), tolerance: .zero)
        wakes.disarm(2)
        #expect(wakes.popDue(at(4)) == nil)
        wakes.dropStale()
        #expect(wakes.first?.wake == at(5))
        #expect(wakes.popDue(at(5)) == 1)
        #expect(wakes.popDue(at(99)) == nil)
    }

    @Test("stale elements do not accumulate")
    func stale() {
        var wakes = WakeQueue()
        wakes.arm(1, at: at(1), tolerance: .zero)
        for second in 2..<10_000 as Range<UInt64> { wakes.arm(2, at: at(second), tolerance: .zero) }
        #expect(wakes.wakes.count < 100 && wakes.deadlines.count < 100)
        #expect(wakes.popDue(at(1)) == 1 && wakes[2] == at(9_999))
    }
}
