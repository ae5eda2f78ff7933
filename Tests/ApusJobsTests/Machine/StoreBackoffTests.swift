import ApusTimers
import Testing

@testable import ApusJobs

@Suite("Pauses after failures of the store")
struct StoreBackoffTests {
    @Test("they double from 0.1 s to 1 s, and end with a commit")
    func pauses() {
        let now = SchedulerReading(milliseconds: 0).uptime
        var backoff = StoreBackoff()
        #expect(!backoff.isFailing && !backoff.isPaused(now))
        let pauses = (1...6).map { _ in
            _ = backoff.failed(now)
            return now.duration(to: backoff.retryAt ?? now)
        }
        #expect(pauses == [100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
        #expect(backoff.isPaused(now.advanced(by: .milliseconds(999))))
        #expect(!backoff.isPaused(now.advanced(by: .seconds(1))))
        #expect(backoff.worked() == true && !backoff.isFailing && !backoff.isPaused(now))
        #expect(backoff.worked() == false)
    }

    @Test("only the first failure is news; ending the pause does not end the failure")
    func news() {
        let now = SchedulerReading(milliseconds: 0).uptime
        var backoff = StoreBackoff()
        #expect(backoff.failed(now) == true)
        backoff.retryNow()
        #expect(!backoff.isPaused(now) && backoff.isFailing)
        #expect(backoff.failed(now) == false)
    }
}
