import ApusTimers
import Testing

@testable import ApusJobs

@Suite("Pauses after failures of the store")
struct StoreBackoffTests {
    private let error = JobError(code: .full, message: "no room")

    @Test("pauses after store failures double from 0.1 s to 1 s and end with a commit")
    func pauses() {
        let reading = SchedulerReading(milliseconds: 0)
        let now = reading.uptime
        var backoff = StoreBackoff()
        #expect(!backoff.isFailing && !backoff.isPaused(now))
        let pauses = (1...6).map { _ in
            _ = backoff.failed(error, reading)
            return now.duration(to: backoff.retryAt ?? now)
        }
        #expect(pauses == [100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
        #expect(backoff.isPaused(now.advanced(by: .milliseconds(999))))
        #expect(!backoff.isPaused(now.advanced(by: .seconds(1))))
        #expect(backoff.worked() == true && !backoff.isFailing && !backoff.isPaused(now))
        #expect(backoff.worked() == false)
    }

    @Test("only the first failure is reported; ending the pause does not end the failure")
    func news() {
        let (first, second) = (SchedulerReading(milliseconds: 0), SchedulerReading(milliseconds: 700))
        var backoff = StoreBackoff()
        #expect(backoff.outage == nil && backoff.failed(error, first) == true)
        backoff.retryNow()
        #expect(!backoff.isPaused(first.uptime) && backoff.isFailing)
        #expect(backoff.failed(JobError(code: .unavailable, message: "gone"), second) == false)
        #expect(backoff.outage?.since == first && backoff.outage?.error.code == .unavailable)
        #expect(backoff.worked() == true && backoff.outage == nil)
    }
}
