import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("A scheduler's reports of a store that it cannot use")
struct StoreOutageTests {
    private let full = JobError(code: .full, message: "no room")

    @Test("the store is failing from the first failure until a commit, even with nothing to write")
    func probed() throws {
        let harness = try SchedulerHarness()
        #expect(harness.scheduler.storeOutage == nil)
        harness.advance(7)
        harness.store.fail(.before(full))
        #expect(throws: JobError.self) { try harness.submit(.after(.seconds(5))) }
        harness.advance(100)
        let outage = try #require(harness.scheduler.storeOutage)
        #expect(outage.since == harness.at(7) && outage.error.code == .full)
        harness.store.fail(nil)
        harness.advance(1)
        #expect(harness.scheduler.storeOutage == nil)
        let commits = harness.store.commits
        harness.advance(100)
        #expect(harness.store.commits == commits, "a store that works is not written for nothing")
    }

    @Test("a scheduler with an outage limit ends with the store's error when it is exceeded; one without continues")
    func patience() throws {
        for patience in [Duration.seconds(600), nil] {
            let harness = try SchedulerHarness(configuration: .init(bootID: "boot", storePatience: patience))
            try harness.submit(.after(.seconds(1)), kind: "slow")
            harness.advance(2)
            harness.store.fail(.before(full))
            let (scheduler, time) = (harness.scheduler, harness.time)
            let events = scheduler.events()
            let end = Locked<(at: Double, error: JobError?)?>(nil)
            let task = time.start {
                for await event in events {
                    guard case .stopped(let error) = event else { continue }
                    end.withLock { $0 = (secondsSinceBeginning(time.wall()), error) }
                }
            }
            // From 11 s on, the scheduler has a result that it cannot write.
            harness.advance(605)
            #expect(end.withLock { $0 } == nil)
            harness.advance(10)
            if patience == nil {
                #expect(end.withLock { $0 } == nil && scheduler.storeOutage?.since == harness.at(11))
                harness.store.fail(nil)
                harness.advance(2)
                #expect(try harness.history() == ["1 succeeded"])
            } else {
                let last = try #require(end.withLock { $0 })
                #expect((611...613).contains(last.at), "\(last.at)")
                #expect(last.error?.code == .unavailable && last.error?.message.contains("no room") == true)
                #expect(scheduler.storeOutage == nil)
            }
            task.cancel()
            time.settle()
        }
    }

    @Test("a database that does not answer heartbeats is an outage and counts towards an idle scheduler's limit")
    func silence() throws {
        let (signals, continuation) = AsyncStream.makeStream(of: StoreSignal.self)
        let harness = try SchedulerHarness(
            configuration: .init(bootID: "boot", storePatience: .seconds(600)),
            around: { RefusingStore($0, signals: signals) })
        harness.advance(5)
        continuation.yield(.cutOff)
        harness.advance(1)
        #expect(harness.scheduler.storeOutage?.since == harness.at(5))
        #expect(harness.scheduler.storeOutage?.error.code == .unavailable)
        continuation.yield(.connected)
        harness.advance(1)
        #expect(harness.scheduler.storeOutage == nil)
        continuation.yield(.cutOff)
        harness.advance(599)
        #expect(harness.scheduler.storeOutage != nil)
        harness.advance(2)
        let error = #expect(throws: JobError.self) { try harness.submit(.after(.seconds(5))) }
        #expect(error?.code == .closed)
    }
}
